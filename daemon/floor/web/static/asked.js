// Forms that ask: their fields stand in the page's address, so that it can be kept and sent on.

import { icon, make, moment, say } from "./frame.js";

/** Fill a form from the address. */
export function fromAddress(form) {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name);
    if (!field) continue;
    if (field.tagName === "SELECT" && ![...field.options].some((one) => one.value === value)) {
      field.append(new Option(value, value));
    }
    field.value = value;
  }
}

/** The form's fields as the service takes them; local times become UTC. */
export function query(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (!value) continue;
    const local = form.elements.namedItem(name).type === "datetime-local";
    asked.set(name, local ? new Date(value).toISOString() : value);
  }
  return asked;
}

/** Put the fields into the address, as they were written. */
export function toAddress(form) {
  const plain = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  history.replaceState(null, "", plain.size ? `?${plain}` : location.pathname);
}

/** `YYYY-MM-DDTHH:MM` of a moment, as a field for local times wants it. */
export function local(ms) {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** What went wrong with what was asked, in words. */
export function refusal(answer) {
  return make("p.mistake", { role: "alert" }, icon("cross"),
    make("span", {}, answer.words || say("act.failed", { why: answer.error ?? "" })));
}

/** A moment that people read as day and time. */
export function day(ms) {
  return make("time", { datetime: new Date(ms).toISOString() }, moment(ms, "moment"));
}
