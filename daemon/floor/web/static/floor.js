// The floor: all that stands, what asks most first, and one alert of it whole.

import { Acts, isMine, mayAct } from "./acts.js";
import { Bar, announce } from "./bar.js";
import { detail } from "./detail.js";
import { isDialogOpen } from "./dialog.js";
import { frame, icon, make, say, since, tick, word } from "./frame.js";
import { began, byImportance, calls, need } from "./importance.js";
import { keys } from "./keys.js";
import { Live } from "./live.js";
import { children, signs } from "./morph.js";
import { refusal } from "./asked.js";
import { isWhole, remembered } from "./past.js";
import { soon } from "./soon.js";
import { closing, noting, shelving } from "./sheet.js";
import { addressOf, badge, standing, subject, text } from "./told.js";
import { chip, looksNew } from "./tables_list.js";

const GROUPS = ["now", "taking", "known", "over", "shelved"];
const ROW_REM = 6.5; // as screens.css has them
const HEAD_REM = 2.25;
const PAST_TRIES = 4;
const PAST_MS = 400;

const listPlace = document.getElementById("alerts");
const detailPlace = document.getElementById("detail");
const scroller = document.getElementById("detail-scroll");

let chosen = frame.key ?? null;
let past = null; // a chosen alert that stands no more, as the history has it
let drawn = false;

const live = new Live(changed);
const bar = new Bar(live);
const acts = new Acts(live, document.getElementById("told"));

const SHEETS = { close: closing, shelve: shelving, note: noting };

function act(view, name) {
  if (!view || !mayAct || view.past || view.alert.state === "closed") return;
  if (name in SHEETS) SHEETS[name](view, (...what) => acts.send(...what));
  else if (name !== "acknowledge" || !(view.alert.acknowledged || view.pending)) acts.send(view, name);
}

// --- the list ------------------------------------------------------------------------------------

function row(view) {
  const here = view.key === chosen;
  const state = need(view);
  const classes = `alert ${view.alert.severity} ${state}${view.live ? "" : " stale"}`;
  return make("li", { class: classes, "data-key": view.key },
    make("a.opens", { href: addressOf(view.key), "aria-current": here ? "true" : null },
      make("span.line", {}, badge(view), make("strong.table", {}, view.table),
        make("span.subject", {}, subject(view.alert)), since(began(view))),
      make("span.title", {}, text(view.alert).title),
      make("span.standing", {}, standing(view, { brief: true }))),
    isMine(view.pending) &&
      make("button.button.quick", { type: "button", "data-undo": view.pending.id, "aria-label": say("act.undo_of", { table: view.table }) },
        make("span", {}, say("act.undo"))),
    mayAct && state === "now" && !view.pending &&
      make("button.button.quick", { type: "button", "data-quick": view.key, "aria-label": say("act.acknowledge_of", { table: view.table }) },
        icon("person"), make("span", {}, say("act.acknowledge"))));
}

/** Rows stand by `transform`: one that comes moves the others without a jump of the page. */
function list() {
  const views = [...live.alerts.values()].sort(byImportance);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const items = [];
  let y = 0;
  for (const group of GROUPS) {
    const own = views.filter((view) => need(view) === group);
    if (!own.length) continue;
    items.push([make("li.group", { "data-key": `group-${group}` }, make("h2", {}, say(`group.${group}`)), " ", make("span", {}, own.length)), y]);
    y += HEAD_REM * rem;
    for (const view of own) {
      items.push([row(view), y]);
      y += ROW_REM * rem;
    }
  }
  children(listPlace, items.map(([item]) => item));
  for (const [item, top] of items) {
    const element = listPlace.querySelector(`:scope > [data-key="${CSS.escape(item.dataset.key)}"]`);
    element.style.transform = `translateY(${top}px)`;
  }
  listPlace.style.height = `${y}px`;
  document.getElementById("quiet").hidden = views.length > 0 || !drawn;
  const now = views.filter((view) => need(view) === "now").length;
  document.title = now ? `(${now}) ${say("page.floor")} · floorcall` : `${say("page.floor")} · floorcall`;
}

// --- one alert -----------------------------------------------------------------------------------

function current() {
  const view = chosen && (live.alerts.get(chosen) ?? (past?.key === chosen && !past.refused ? past : null));
  return view || null;
}

function show() {
  const view = current();
  document.documentElement.classList.toggle("one-alert", Boolean(chosen));
  const back = document.getElementById("back");
  if (back) back.hidden = !chosen;
  children(detailPlace, view ? detail(view, live) : chosen && drawn ? [gone()] : overview());
  detailPlace.className = view ? `detail ${view.alert.severity}${view.past ? " past" : ""}` : "detail";
}

/** It stands no more; and why nobody can say how it was, unless it was never there. */
function gone() {
  const refused = past?.key === chosen && past.refused;
  return make("div", { "data-key": "gone" }, make("p.quiet.large", {}, say("floor.gone")),
    refused && refused.error !== "unknown-alert" && refusal(refused));
}

/** Without an alert before it the floor shows its tables, and says what will come here. */
function overview() {
  const tables = [...live.tables.values()].sort((a, b) => a.order - b.order);
  const stands = signs(detailPlace.querySelector(".chips-of-tables"));
  return [
    make("div.calm", { "data-key": "calm" },
      make("h2", { id: "detail-title", tabindex: -1 }, say(live.alerts.size ? "floor.choose" : "floor.calm")),
      make("p", {}, say("floor.calm_says"))),
    make("ul.chips-of-tables", { "data-key": "tables" }, tables.map((table) => chip(table, live, stands))),
  ];
}

async function choose(key, { push = true } = {}) {
  chosen = key;
  past = null;
  listed = false;
  if (push) history.pushState({ key }, "", key ? addressOf(key) : "/floor");
  refresh();
  scroller.scrollTop = 0;
  document.getElementById("detail-title")?.focus({ preventScroll: true });
  if (key) await look(key);
}

/**
 * An alert that stands no more is shown from the history. What is written of it last comes there a
 * moment behind that it ended, so it is asked for until it is known.
 */
async function look(key, tries = PAST_TRIES) {
  if (live.alerts.has(key) || !drawn || chosen !== key || !tries) return;
  const found = await remembered(key);
  if (chosen !== key) return;
  if (!found.refused || !past) past = found;
  refresh();
  if (!isWhole(found)) setTimeout(() => look(key, tries - 1), PAST_MS);
}

// --- what happens --------------------------------------------------------------------------------

let listed = false; // whether the list is as it should be

function refresh() {
  if (!listed) list();
  listed = true;
  show();
  tick(document, live.now());
}

const refreshSoon = soon(refresh);

function changed(what, key) {
  if (what === "picture") {
    drawn = true;
    if (chosen) look(chosen);
  }
  if (what === "act") acts.heard(key);
  if (what === "gone" && key === chosen) look(key);
  if (what === "alert") tell(live.alerts.get(key));
  if (what === "alert" || what === "picture") bar.hear(live.alerts.values(), calls);
  if (what === "second" || what === "beat") tick(document, live.now());
  else if (what !== "table") {
    listed = false;
    refreshSoon();
  } else if (isNews(key)) refreshSoon();
  bar.update(what);
}

/** Whether a table's news is seen here: all tables in a few words, or the chosen alert's whole. */
function isNews(table) {
  const view = current();
  return view ? table === `${view.site}/${view.table}` : looksNew(live.tables.get(table));
}

const said = new Map();

function tell(view) {
  if (need(view) === "taking") return; // what is taken back is as it was
  const sign = `${view.alert.severity} ${need(view)} ${view.alert.level ?? 1}`;
  if (said.get(view.key) === sign) return;
  said.set(view.key, sign);
  if (need(view) === "now") {
    announce(say("floor.announce", {
      severity: word("severity", view.alert.severity), table: view.table, title: text(view.alert).title,
    }), calls(view));
  }
}

listPlace.addEventListener("click", (event) => {
  const undo = event.target.closest("[data-undo]");
  if (undo) return acts.undo(undo.dataset.undo);
  const quick = event.target.closest("[data-quick]");
  if (quick) return act(live.alerts.get(quick.dataset.quick), "acknowledge");
  const link = event.target.closest("a.opens");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  event.preventDefault();
  return choose(link.closest("li").dataset.key);
});
detailPlace.addEventListener("click", (event) => {
  const undo = event.target.closest("[data-undo]");
  if (undo) acts.undo(undo.dataset.undo);
  const button = event.target.closest("[data-act]");
  if (button) act(current(), button.dataset.act);
});
document.getElementById("back")?.addEventListener("click", (event) => {
  event.preventDefault();
  choose(null);
});
window.addEventListener("resize", () => list());
window.addEventListener("popstate", (event) => choose(event.state?.key ?? null, { push: false }));
history.replaceState({ key: chosen }, "");

function step(by) {
  const all = [...listPlace.querySelectorAll("li.alert")];
  const at = all.findIndex((item) => item.dataset.key === chosen);
  const next = all[Math.min(all.length - 1, Math.max(0, at + by))] ?? all[0];
  if (next) {
    choose(next.dataset.key);
    next.scrollIntoView({ block: "nearest" });
  }
}

keys({
  j: () => step(1),
  k: () => step(-1),
  a: () => act(current(), "acknowledge"),
  c: () => act(current(), "close"),
  s: () => act(current(), current()?.alert.shelved ? "unshelve" : "shelve"),
  n: () => act(current(), "note"),
  u: () => (isMine(current()?.pending) ? acts.undo(current().pending.id) : acts.undoLast()),
  Escape: () => !isDialogOpen() && chosen && choose(null),
});
