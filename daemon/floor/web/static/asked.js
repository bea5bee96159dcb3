// Forms that ask: their fields stand in the page's address, so that it can be kept and sent on.

import { icon, make, moment, say } from "./frame.js";
import { get } from "./live.js";

const ZONED = /T.*(?:Z|[+-]\d\d:?\d\d)$/;

/** Fill a form from the address. A time that its field will not take is asked for as it stands. */
export function fromAddress(form) {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name);
    if (!field) continue;
    if (isMoment(field)) {
      const at = ZONED.test(value) ? Date.parse(value) : NaN;
      field.value = Number.isNaN(at) ? value : local(at, 23);
      if (!field.value) field.dataset.said = value;
      continue;
    }
    if (field.tagName === "SELECT" && ![...field.options].some((one) => one.value === value)) {
      field.append(new Option(value, value));
    }
    field.value = value;
  }
}

const isMoment = (field) => field.type === "datetime-local";

/** The form's fields as the service takes them; local times become UTC. */
export function query(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const field = form.elements.namedItem(name);
    const said = value || field.dataset.said;
    if (said) asked.set(name, value && isMoment(field) ? new Date(value).toISOString() : said);
  }
  return asked;
}

/** Put the fields into the address, as they were written. */
export function toAddress(form) {
  for (const field of form.elements) delete field.dataset.said;
  const plain = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  history.replaceState(null, "", plain.size ? `?${plain}` : location.pathname);
}

/** `YYYY-MM-DDTHH:MM` of a moment, as a field for local times wants it; with 23 letters to the millisecond. */
export function local(ms, letters = 16) {
  const at = new Date(ms);
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, letters);
}

/** Offer what the history can be asked for by name, in the lists that the form's fields have. */
export async function offer(form) {
  const known = await get("/api/known");
  if (!known.ok) return;
  const kinds = known.irregularities.map(({ irregularity, title }) => make("option", { value: title, label: irregularity }));
  form.elements.irregularity?.list.replaceChildren(...kinds);
  form.elements.table.list.replaceChildren(...known.tables.map((value) => make("option", { value })));
}

/** Say what was wrong with what was asked: beside each field that is to blame, else at `place`. */
export function tellWrong(form, place, answer) {
  for (const field of form.elements) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
  for (const told of form.querySelectorAll(".wrong")) told.remove();
  const wrong = (answer.wrong ?? []).filter(({ field }) => form.elements.namedItem(field)?.closest(".field"));
  for (const { field: name, words } of wrong) {
    const field = form.elements.namedItem(name);
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", `${name}-wrong`);
    field.closest(".field").append(make("p.wrong", { id: `${name}-wrong`, role: "alert" }, icon("cross"), make("span", {}, words)));
  }
  place.replaceChildren(...(answer.ok || wrong.length ? [] : [refusal(answer)]));
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
