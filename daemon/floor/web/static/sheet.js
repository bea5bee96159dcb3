// Closing, shelving and noting: a sheet of large buttons, two touches at most. The reasons that a
// floor gives most often stand there to be touched; any other is written.

import { frame, icon, make, say, word } from "./frame.js";
import { openDialog } from "./dialog.js";

const VERDICTS = ["upheld", "none", "other"];
const MINUTES = [5, 15, 30, 60, 120, 240];

function reasons(act) {
  return frame.words.reasons[act] ?? [];
}

function writing(id, label) {
  return make("div.field", {},
    make("label", { for: id }, label),
    make("input", { id, name: "text", type: "text", maxlength: 500, autocomplete: "off" }));
}

function chips(act, on) {
  const list = make("div.chips", { role: "group", "aria-label": say(`sheet.usual_${act}`) });
  for (const reason of reasons(act)) {
    const chip = make("button.chip", { type: "button" }, reason);
    chip.addEventListener("click", () => on(reason, chip));
    list.append(chip);
  }
  return list;
}

/** Rule and close: a verdict is one touch; a reason may be added before. */
export function closing(view, send) {
  openDialog(say("sheet.close", { table: view.table }), (form, done) => {
    const text = writing("ruling-text", say("sheet.text"));
    const buttons = VERDICTS.map((verdict) =>
      make("button.choice", { type: "submit", value: verdict },
        make("strong", {}, word("verdict", verdict)), make("span", {}, word("verdict_says", verdict))));
    form.append(make("div.choices", {}, buttons), text,
      chips("close", (reason) => {
        text.querySelector("input").value = reason;
      }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const verdict = event.submitter?.value;
      if (!VERDICTS.includes(verdict)) return;
      send(view, "close", { verdict, text: text.querySelector("input").value.trim() });
      done();
    });
  });
}

/** Out of sight for so long: the reason first (one is chosen already), then for how long. */
export function shelving(view, send) {
  openDialog(say("sheet.shelve", { table: view.table }), (form, done) => {
    const text = writing("shelve-text", say("sheet.reason"));
    const input = text.querySelector("input");
    input.required = true;
    input.value = reasons("shelve")[0] ?? "";
    const list = chips("shelve", (reason) => {
      input.value = reason;
    });
    const allowed = MINUTES.filter((n) => n <= frame.shelve_max_min);
    const times = (allowed.length ? allowed : [frame.shelve_max_min]).map((n) =>
      make("button.choice.short", { type: "submit", value: n }, say("sheet.minutes", { n })));
    form.append(make("p.says", {}, say("sheet.shelve_says")), list, text,
      make("div.choices.row", { role: "group", "aria-label": say("sheet.for_how_long") }, times));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const minutes = Number(event.submitter?.value);
      if (!minutes) return;
      send(view, "shelve", { minutes, text: input.value.trim() });
      done();
    });
  });
}

/** A word on the alert: one of the usual ones at a touch, or what is written. */
export function noting(view, send) {
  openDialog(say("sheet.note", { table: view.table }), (form, done) => {
    const text = writing("note-text", say("sheet.text"));
    const input = text.querySelector("input");
    input.required = true;
    const tell = (words) => {
      send(view, "note", { text: words });
      done();
    };
    form.append(chips("note", tell), text,
      make("button.button.first", { type: "submit" }, icon("check"), say("sheet.send")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim()) tell(input.value.trim());
    });
  });
}
