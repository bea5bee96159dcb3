// One alert, whole: where, what happened, what the rule says, what is to be done, who decides.

import { isMine, mayAct } from "./acts.js";
import { drawing } from "./drawing.js";
import { icon, make, moment, recent, say, word } from "./frame.js";
import { need, plain } from "./importance.js";
import { mark, timeline } from "./past.js";
import { acts, badge, doing, heard, remedy, standing, subject, text, uncertain, when, windowWords } from "./told.js";

function part(name, title, ...content) {
  return make(`section.part.${name}`, { "data-key": name }, make("h3", {}, title), ...content);
}

function head(view) {
  const { alert } = view;
  return make("header.detail-head", { "data-key": "head" },
    make("div.where", {}, badge(view),
      make("span.table", {}, view.table),
      make("span.subject", {}, subject(alert)),
      alert.hand && alert.hand !== "-" && make("span.hand", {}, say("alert.hand", { hand: alert.hand }))),
    make("h2", { id: "detail-title", tabindex: -1 }, text(alert).title),
    make("p.when", {}, when(view)),
    make("p.standing", {}, standing(view)));
}

/** Who decides, and how long it can still be decided otherwise. */
function decides(view) {
  const { severity, audience } = plain(view);
  const { open, words } = windowWords(view.alert);
  const who = audience === "floor" ? word("decides", severity) : word("decides_audience", audience);
  return part("decides", say("alert.decides"),
    make("p.who", {}, who),
    words && make(`p.window${open === true ? ".open" : open === false ? ".shut" : ""}`, {},
      icon("window"), make("span", {}, words)));
}

function ruling(alert) {
  const words = text(alert).ruling;
  return part("ruling", say("alert.ruling"),
    make("p", {}, words || say("alert.no_ruling")),
    make("p.cite", {}, make("cite", {}, [alert.rulebook, alert.cite].filter(Boolean).join(" · ")),
      alert.unconfirmed && make("span.chip", {}, icon("doubt"), say("alert.unconfirmed_short"))));
}

/** What went wrong while it was put right: the alerts about this one's remedy. */
function wrongs(view, live) {
  const own = [...live.alerts.values()].filter(
    (other) => other.alert.remedy_of && other.alert.remedy_of === view.alert.id);
  return own.map((other) =>
    make("li", {}, icon("cross"), make("span", {}, text(other.alert).title)));
}

function steps(view, live) {
  const list = remedy(view.alert);
  const wrong = wrongs(view, live);
  return part("remedy", say("alert.remedy"),
    wrong.length > 0 && make("ul.wrongs", { "aria-label": say("alert.wrong") }, wrong),
    list.length ? make("ol.steps", {}, list) : make("p.quiet", {}, say("alert.no_remedy")));
}

function since(view) {
  const list = acts(view);
  return part("acts", say("alert.acts"),
    list.length ? make("ol.acts", {}, list) : make("p.quiet", {}, say("alert.no_acts")));
}

function notes(view) {
  const { alert } = view;
  const told = [];
  if (alert.note?.text) {
    told.push(make("p.note", {}, make("strong", {}, `${alert.note.by ?? ""} ${recent(alert.note.at)}: `), alert.note.text));
  }
  if (alert.shelved?.reason) told.push(make("p.note", {}, say("alert.shelved_for", { reason: alert.shelved.reason })));
  return told;
}

/** The one large button: to come, or to take back what one has just done; else who comes. */
function first(view) {
  const { pending, alert } = view;
  const shortcut = (key) => make("kbd", { "aria-hidden": "true" }, key);
  if (isMine(pending)) {
    return make("button.button.first", { type: "button", "data-undo": pending.id, "data-key": "undo", "aria-keyshortcuts": "u" },
      say("act.undo"), shortcut("u"));
  }
  const words = pending ? doing(pending) : say(alert.acknowledged ? "act.acknowledged" : "act.acknowledge");
  return make("button.button.first", {
    type: "button", "data-act": "acknowledge", "data-key": "come", disabled: Boolean(alert.acknowledged || pending), "aria-keyshortcuts": "a",
  }, icon(alert.acknowledged ? "check" : "person"), words, shortcut("a"));
}

function buttons(view) {
  if (!mayAct) return make("p.quiet.may-not", { "data-key": "acts-none" }, say("act.may_not"));
  const state = need(view);
  if (state === "closed") return make("p.quiet.may-not", { "data-key": "acts-none" }, say("alert.is_closed"));
  const button = (act, label, classes = "") =>
    make(`button.button${classes}`, { type: "button", "data-act": act, "aria-keyshortcuts": label[1] },
      say(`act.${label[0]}`), make("kbd", { "aria-hidden": "true" }, label[1]));
  return make("div.acts-bar", { "data-key": "acts", role: "group", "aria-label": say("act.all") },
    first(view),
    button("close", ["close", "c"]),
    view.alert.shelved ? button("unshelve", ["unshelve", "s"]) : button("shelve", ["shelve", "s"]),
    button("note", ["note", "n"]));
}

/**
 * The detail's elements. `hand` is drawn where the alert is of the hand in progress; one of the
 * past has `past`, and nothing can be done about it any more.
 */
export function detail(view, live) {
  const { alert, past } = view;
  const table = live.tables.get(`${view.site}/${view.table}`);
  const hand = !past && table?.hand?.hand === alert.hand ? table.hand : null;
  const unsure = uncertain(view, table);
  return [
    past && mark(view),
    head(view),
    make("div.detail-grid", { "data-key": "grid" },
      make("div.column", { "data-key": "one" },
        steps(view, live),
        decides(view),
        ruling(alert)),
      make("div.column", { "data-key": "two" },
        alert.subject !== "table" && make("figure.place", { "data-key": "place" }, drawing(hand, alert),
          make("figcaption", {}, hand ? say("drawing.now") : say("drawing.over"))),
        make("ul.uncertain", { "data-key": "uncertain", "aria-label": say("alert.uncertain"), hidden: !unsure.length }, unsure),
        (!past || view.acts.length > 0) && since(view),
        part("more", say("alert.more"), ...notes(view),
          make("dl.facts", {},
            make("dt", {}, say("alert.fault_at")), make("dd", {}, moment(alert.at, past ? "past" : "camera")),
            make("dt", {}, say("alert.heard_at")), make("dd", {}, heard(view)),
            make("dt", {}, say("alert.street")), make("dd", {}, word("street", alert.street)),
            make("dt", {}, say("alert.id")), make("dd.id", {}, alert.id, " · ", alert.revision)),
          make("p", {}, make("a", { href: `/tables/${encodeURIComponent(view.site)}/${encodeURIComponent(view.table)}` },
            say("alert.to_table", { table: view.table })))))),
    past ? timeline(view) : buttons(view),
  ];
}
