// An alert that stands no more, as the history has it: as it was last told, and every line of it.

import { icon, make, moment, say, word } from "./frame.js";
import { get } from "./live.js";
import { addressOf, text } from "./told.js";

/**
 * Ask for it: its view, `past` being what was said of it; or `{key, refused}`, with the service's
 * answer why not.
 */
export async function remembered(key) {
  const answer = await get(`/api/past?key=${encodeURIComponent(key)}`);
  if (!answer.ok) return { key, refused: answer };
  // Nothing about it changes any more, so that no word says how its table is heard.
  return { ...answer.view, key, live: true, past: answer };
}

/** Whether all that was said of it has come to be known: how it ended comes a moment behind. */
export function isWhole(view) {
  if (view.refused) return false;
  return view.alert.state === "closed" && view.past.lines.at(-1)?.revision === view.alert.revision;
}

/** The mark of all that is past, and when it was last told. */
export function mark(view) {
  const { lines, written } = view.past;
  const told = lines.at(-1)?.told ?? view.received;
  return make("p.past-mark", { "data-key": "past" }, icon("later"), make("span", {},
    make("strong", {}, say("past.mark")), " ", say("past.as_told", { when: moment(told, "past") }),
    !written && ` ${say("past.unwritten")}`));
}

function stepWords(view, change) {
  const own = view.alert.remedy?.[change.number]?.step === change.step;
  return (own && text(view.alert).remedy[change.number]) || word("steps", change.step);
}

/** What leads to another alert of this table. */
function another({ site, table }, alert, words) {
  return make("a", { href: addressOf(`${site}/${table}/${alert}`) }, words);
}

// What each change says, from the change and the alert that it is of.
const SAYS = {
  state: ({ state }) => say("past.state", { state: word("state", state) }),
  again: ({ level }) => say("alert.again", { n: level }),
  severity: ({ severity }) => say("past.severity", { severity: word("severity", severity) }),
  audience: ({ audience }) => say("past.audience", { audience: word("audience", audience) }),
  acknowledged: ({ by }) => say("past.acknowledged", { who: by }),
  shelved: ({ by, until, reason }) =>
    [say("alert.shelved_by", { who: by, until: moment(until, "moment") }), reason && `: ${reason}`],
  unshelved: () => say("past.unshelved"),
  closed: ({ by }) => say("past.closed", { who: by }),
  verdict: ({ verdict }) => say("past.verdict", { verdict: word("verdict", verdict) }),
  noted: ({ by, text: words }) => say("past.noted", { who: by, text: words }),
  window: ({ kind, open }) =>
    word(open === true ? "window_open" : open === false ? "window_shut" : "window_unknown", kind),
  remedy: () => say("past.remedy"),
  step: (change, view) =>
    say("past.step", { step: stepWords(view, change), state: word("step", change.state) }),
  doubt: ({ instead }) => say("alert.doubt", { what: word("doubt", instead) }),
  superseded: ({ alert }, view) => another(view, alert, say("past.superseded")),
  in_remedy: ({ alert }, view) => another(view, alert, say("past.in_remedy")),
  unseen: () => say("alert.unseen"),
};
const SIGNS = { acknowledged: "person", closed: "check", shelved: "shelved", window: "window", doubt: "doubt",
  unseen: "unseen", again: "due", noted: "person" };
const STEP_SIGNS = { due: "due", done: "check", wrong: "cross", void: "void", unseen: "unseen" };

function changed(view, change) {
  const sign = change.what === "step" ? STEP_SIGNS[change.state] : SIGNS[change.what];
  return make("li", {}, icon(sign ?? "later"), make("span", {}, SAYS[change.what]?.(change, view) ?? change.what));
}

function line(view, one) {
  const changes = one.changes.map((change) => changed(view, change));
  return make("li", { "data-revision": one.revision },
    make("p.line", {},
      make("time", { datetime: one.told }, moment(one.told, "camera")),
      make("span.quiet", {}, say("past.revision", { n: one.revision })),
      make("strong", {}, word("severity", one.severity), ", ", word("state", one.state)),
      one.late && make("span.chip.late", {}, icon("later"), say("past.late"))),
    changes.length ? make("ul.changes", {}, changes) : make("p.quiet", {}, say("past.same")));
}

/** All lines of it, by the clock for the cameras; a day stands above those that were told on it. */
export function timeline(view) {
  const { lines, earlier } = view.past;
  const days = new Map();
  for (const one of lines) {
    const day = moment(one.told, "day");
    days.set(day, [...(days.get(day) ?? []), one]);
  }
  return make("section.part.timeline", { "data-key": "timeline" }, make("h3", {}, say("past.timeline")),
    earlier && make("p.quiet", {}, say("past.earlier")),
    !lines.length && make("p.quiet", {}, say("past.no_lines")),
    [...days].map(([day, told]) => [
      make("h4", {}, day), make("ol", {}, told.map((one) => line(view, one)))]));
}
