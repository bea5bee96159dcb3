// What an alert says, in the reader's language: the table's own words, and ours for its terms.

import { frame, icon, make, moment, recent, say, since, word } from "./frame.js";
import { began, need, plain } from "./importance.js";
import { tableWords } from "./tables_list.js";

const TEXT_MAX = 2000; // no honest ruling is longer; a hostile one must not fill the screen

const clip = (text) => (typeof text === "string" ? text.slice(0, TEXT_MAX) : "");
const list = (value) => (Array.isArray(value) ? value : []);

/** The table's words: in the reader's language, else in English, else in any. */
export function text(alert) {
  const all = alert.text && typeof alert.text === "object" ? alert.text : {};
  const one = all[frame.lang] ?? all.en ?? Object.values(all)[0] ?? {};
  return {
    title: clip(one.title) || clip(alert.irregularity) || say("alert.untitled"),
    ruling: clip(one.ruling),
    remedy: list(one.remedy).map(clip),
  };
}

/** What it is about: a seat, a street, the deck. */
export function subject(alert) {
  const about = clip(alert.subject);
  const [, seat] = /^seat-(\d{1,2})$/.exec(about) ?? [];
  if (seat) return say("alert.seat", { seat });
  return word("subject", about);
}

export function badge(view) {
  const { severity } = plain(view);
  return make(`span.badge.${severity}`, {}, icon(severity), make("span", {}, word("severity", severity)));
}

/** What somebody has just begun to do about it. */
export function doing(pending) {
  return say("act.by_other", { who: clip(pending.by), what: word("act_doing", pending.act) });
}

/**
 * How it stands, in one line: who is on his way, until when it is out of sight. `brief` leaves out
 * what stands above a list already: that nobody is on his way yet.
 */
export function standing(view, { brief = false } = {}) {
  const { alert, pending } = view;
  const parts = [];
  if (pending) {
    parts.push(make("span.chip.pending", {}, icon("person"),
      doing(pending)));
  }
  if (alert.state === "closed") {
    parts.push(make("span.chip", {}, icon("check"),
      alert.closed
        ? say("alert.closed_by", { who: clip(alert.closed.by), when: recent(alert.closed.at) })
        : say("alert.closed_itself"),
      alert.verdict ? ` · ${word("verdict", alert.verdict)}` : null));
  } else if (alert.shelved) {
    parts.push(make("span.chip", {}, icon("shelved"),
      say("alert.shelved_by", { who: clip(alert.shelved.by), until: recent(alert.shelved.until) })));
  } else if (alert.acknowledged) {
    parts.push(make("span.chip", {}, icon("person"),
      say("alert.known_by", { who: clip(alert.acknowledged.by), when: recent(alert.acknowledged.at) })));
  } else if (need(view) === "now" && !brief) {
    parts.push(make("span.chip.open", {}, say("alert.unknown")));
  }
  if (alert.state === "remedied" || alert.state === "withdrawn") {
    parts.push(make("span.chip", {}, icon("check"), word("state", alert.state)));
  }
  if (plain(view).level > 1 && need(view) === "now") {
    parts.push(make("span.chip.open", {}, say("alert.again", { n: plain(view).level })));
  }
  return parts;
}

/** When the floor first heard of it, as far as it can know: what it found standing is older. */
export function heard(view) {
  const { received, found, past } = view;
  if (past) return moment(past.earlier ? received : past.lines[0]?.told ?? received, "past");
  return found ? say("alert.found", { when: recent(received) }) : recent(received);
}

/** What is uncertain about it, each named; `table` is its table as it is heard. */
export function uncertain(view, table) {
  const { alert, live } = view;
  const told = [];
  const tell = (sign, words) => told.push(make("li", {}, icon(sign), make("span", {}, words)));
  if (!live && table) tell("break", say("alert.not_live", { how: tableWords(table) }));
  if (alert.doubt?.instead) tell("doubt", say("alert.doubt", { what: word("doubt", alert.doubt.instead) }));
  if (alert.unconfirmed) tell("doubt", say("alert.unconfirmed"));
  if (alert.seen === false) tell("unseen", say("alert.unseen"));
  if (list(alert.remedy).some((step) => step?.state === "unseen")) tell("unseen", say("alert.steps_unseen"));
  return told;
}

// --- the remedy --------------------------------------------------------------------------------

const STEP_ICONS = { later: "later", due: "due", done: "check", wrong: "cross", void: "void", unseen: "unseen" };

export function remedy(alert) {
  const words = text(alert).remedy;
  return list(alert.remedy).slice(0, 60).map((step, n) => {
    const state = step?.state in STEP_ICONS ? step.state : "later";
    return make(`li.step.${state}`, { "data-step": state },
      icon(STEP_ICONS[state]),
      make("span.what", {}, words[n] || clip(step?.step)),
      make("span.how", {}, word("step", state)));
  });
}

/** Until when the ruling may still change. */
export function windowWords(alert) {
  const kind = clip(alert.window?.kind);
  const open = alert.window?.open;
  const table = open === true ? "window_open" : open === false ? "window_shut" : "window_unknown";
  return { open, words: word(table, kind) };
}

/** The betting since the fault, by the clock on the wall. */
export function acts(view) {
  const { alert } = view;
  const at = Date.parse(alert.at ?? "");
  return list(view.acts).slice(-40).map((act) =>
    make("li", {},
      make("time", {}, Number.isFinite(at) ? moment(at + (act.at_ms - alert.at_ms)) : ""),
      make("span", {}, Number.isInteger(act.seat) ? say("alert.seat", { seat: act.seat }) : ""),
      make("strong", {}, word("betting", act.act))));
}

/** The time of the fault by the table's clock, for the cameras, and how long ago. */
export function when(view) {
  if (view.past) return [make("strong.camera", {}, moment(view.alert.at ?? view.received, "past"))];
  return [
    make("strong.camera", {}, moment(view.alert.at ?? view.received, "camera")),
    " · ", say("alert.ago_before"), since(began(view)), say("alert.ago_after"),
  ];
}

/** Where a screen shows it; a table may have put anything into its name. */
export function addressOf(key) {
  return `/alerts/${encodeURI(key).replace(/[?#]/g, encodeURIComponent)}`;
}
