// The wall: read from six metres, and by players too: tables, how bad, since when, and no more.
// Each tile keeps its place; what asks most is told once more in the row above them, in its order.

import { Bar, announce } from "./bar.js";
import { count, icon, make, say, since, tick, word } from "./frame.js";
import { asks, began, byImportance, calls, need, plain } from "./importance.js";
import { Live } from "./live.js";
import { children, signs } from "./morph.js";
import { soon } from "./soon.js";
import { alertsOf, looksNew, tableWords } from "./tables_list.js";

const QUEUED_EM = [8, 11.5]; // so wide is one in the row above, and with a long name
const MORE_EM = 8; // so much room has "and 3 more"
const LONG = 4; // more letters than a number has
const NARROW_PX = 820;
const PHONE_TILE_PX = 240;
const SMALL_TILE = { width: 76, height: 54 };
const TILE_RATIO = 1.25; // as wide as this for its height

const STATE_SIGNS = { now: "due", taking: "person", known: "check", over: "check", shelved: "shelved" };

const tilesPlace = document.getElementById("tiles");
const queuePlace = document.getElementById("queue");

const live = new Live(changed, "wall");
const bar = new Bar(live);

function tile(table, stands) {
  const alerts = alertsOf(table, live).filter((view) => need(view) !== "closed");
  const [first] = alerts;
  const heard = table.state === "live" ? "" : " stale";
  const key = `${table.site}/${table.table}`;
  const sign = [tableWords(table), heard, alerts.length, ...(first ? shown(first) : [])].join(" ");
  const known = { "data-key": key, "data-sign": sign };
  if (stands.get(key) === sign) return make("li", known);
  const name = make(table.table.length > 2 * LONG + 1 ? "h2.longer" : table.table.length > LONG ? "h2.long" : "h2", {}, table.table);
  if (!first) {
    return make("li", { class: `tile calm${heard}`, ...known },
      name,
      make("p.state", {}, table.state === "live" ? null : icon("break"), tableWords(table)));
  }
  const { severity, level } = plain(first);
  const state = need(first);
  const beside = [
    level > 1 && state === "now" && say("wall.again", { n: level }),
    alerts.length > 1 && say("wall.others", { n: alerts.length - 1 }),
  ].filter(Boolean);
  return make("li", { class: `tile ${severity} ${state}${heard}`, ...known },
    make("div.first", {}, name, since(began(first))),
    make("p.severity", {}, icon(state === "over" ? "check" : state === "shelved" ? "shelved" : severity),
      make("span", {}, word("severity", severity))),
    make("p.state", {}, icon(STATE_SIGNS[state]),
      make("span", {}, word("need", state))),
    beside.length > 0 && make(beside.length > 1 ? "p.others.both" : "p.others", {}, beside.join(" ")),
    heard && make("p.unheard", {}, icon("break"), tableWords(table, { brief: true })));
}

function inFloorOrder() {
  return [...live.tables.values()].sort(
    (a, b) => a.order - b.order || a.table.localeCompare(b.table, undefined, { numeric: true }));
}

/** All of an alert that a tile shows. */
function shown(view) {
  const { severity, level } = plain(view);
  return [severity, level, need(view), began(view)];
}

/** As many columns as make the tiles largest in the room there is; beyond it they scroll. */
function columns(n) {
  const { clientWidth: width, clientHeight: height } = tilesPlace.parentElement;
  const gap = parseFloat(getComputedStyle(tilesPlace).columnGap) || 0;
  let [best, size] = [1, 0];
  if (width < NARROW_PX) { // a page that scrolls is as high as its tiles, and says nothing of their room
    best = Math.max(2, Math.round(width / PHONE_TILE_PX));
    lay(best, width / best / TILE_RATIO);
    return;
  }
  for (let across = 1; across <= n && width / across >= SMALL_TILE.width; across += 1) {
    const down = Math.ceil(n / across);
    const high = Math.min(height / down, width / across / TILE_RATIO);
    if (high > size) [best, size] = [across, high];
  }
  const down = Math.ceil(n / best) || 1;
  const highest = width / best / TILE_RATIO; // a few tables need not fill the wall
  lay(best, Math.max(SMALL_TILE.height, Math.min(highest, (height - (down - 1) * gap) / down)));
}

function lay(across, row) {
  tilesPlace.style.setProperty("--across", across);
  tilesPlace.style.setProperty("--row", `${Math.floor(row)}px`);
}

function queue() {
  const asking = [...live.alerts.values()].filter(asks);
  asking.sort(byImportance);
  if (!asking.length) {
    const heard = [...live.tables.values()].filter((table) => table.state === "live").length;
    children(queuePlace, [make("li.calm", { "data-key": "calm" },
      make("strong", {}, count("wall.calm", heard)), " ", make("span", {}, say("wall.calm_says")))]);
    return;
  }
  const em = parseFloat(getComputedStyle(queuePlace).fontSize) || 16;
  const cell = em * QUEUED_EM[Number(asking.some((view) => view.table.length > LONG))];
  queuePlace.style.setProperty("--cell", `${Math.floor(cell - em / 2)}px`);
  const most = Math.max(1, Math.floor(queuePlace.clientWidth / cell));
  const shown = asking.length > most ? Math.max(1, most - 1) : asking.length;
  const more = asking.length - shown;
  children(queuePlace, [
    ...asking.slice(0, shown).map((view) => {
      const { severity } = plain(view);
      return make("li", { class: `queued ${severity} ${need(view)}`, "data-key": view.key },
        icon(severity), make("strong", {}, view.table), since(began(view)));
    }),
    more > 0 && make("li.more", { "data-key": "more" },
      say(queuePlace.clientWidth - shown * cell > em * MORE_EM ? "wall.more" : "wall.others", { n: more })),
  ]);
  // They stand by `transform`, as the rows of the floor do: nothing jumps when one comes.
  [...queuePlace.children].forEach((item, n) => {
    item.style.transform = `translateX(${Math.round(n * cell)}px)`;
  });
}

let known = 0;

function redraw() {
  const tables = inFloorOrder();
  if (tables.length !== known) {
    known = tables.length;
    columns(known);
  }
  const stands = signs(tilesPlace);
  children(tilesPlace, tables.map((table) => tile(table, stands)));
  document.getElementById("empty").hidden = known > 0;
  queue();
  tick(document, live.now());
}

const said = new Map();

const redrawSoon = soon(redraw);

function changed(what, key) {
  if (what === "alert") tell(live.alerts.get(key));
  if (what === "alert" || what === "picture") bar.hear(live.alerts.values(), calls);
  if (what === "second" || what === "beat") tick(document, live.now());
  else if (what !== "table" || looksNew(live.tables.get(key))) redrawSoon();
  bar.update(what);
}

function tell(view) {
  if (need(view) === "taking") return; // what is taken back is as it was
  const sign = `${view.severity} ${need(view)}`;
  if (said.get(view.key) === sign || need(view) !== "now") return;
  said.set(view.key, sign);
  announce(say("wall.announce", { table: view.table, severity: word("severity", view.severity) }), calls(view));
}

new ResizeObserver(() => {
  columns(known);
  queue();
  tick(queuePlace, live.now());
}).observe(tilesPlace.parentElement);

// A wall has no mouse: what is for hands is out of sight until one moves.
let idle = null;
for (const kind of ["pointermove", "keydown", "pointerdown"]) {
  document.addEventListener(kind, () => {
    document.documentElement.classList.add("touched");
    clearTimeout(idle);
    idle = setTimeout(() => document.documentElement.classList.remove("touched"), 8000);
  });
}
