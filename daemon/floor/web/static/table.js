// One table: its hand as everybody may know it, what is due, its sensors, its last alerts, and what
// it can see.

import { Bar } from "./bar.js";
import { drawing, lying } from "./drawing.js";
import { frame, icon, make, number, recent, say, since, tick, word } from "./frame.js";
import { began, byImportance } from "./importance.js";
import { heed } from "./heed.js";
import "./keys.js";
import { Live, get } from "./live.js";
import { children } from "./morph.js";
import { row, rowsOf } from "./rows.js";
import { soon } from "./soon.js";
import { tableWords } from "./tables_list.js";
import { addressOf, badge, standing, subject, text } from "./told.js";

const PLACES = ["stub", "seats", "board", "burn", "aside", "muck"];
const key = `${frame.at_site}/${frame.at_table}`;
const place = document.getElementById("table");
const live = new Live(changed);
const bar = new Bar(live);

const list = (value) => (Array.isArray(value) ? value : []);
const object = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value : {});

function part(name, title, ...content) {
  return make(`section.part.${name}`, { "data-key": name }, make("h2", {}, title), ...content);
}

function handPart(table) {
  if (!("hand" in table)) return null; // this role looks after sensors
  const hand = object(table.hand);
  if (!hand.hand) {
    return part("hand", say("table.hand"), drawing(null, null), make("p.quiet", {}, say("table.between")));
  }
  const counts = object(hand.places);
  const due = list(hand.due).map((one) =>
    make("li", {}, icon("due"), word("steps", one?.step),
      Number.isInteger(one?.seat) ? ` · ${say("alert.seat", { seat: one.seat })}` : null));
  return part("hand", say("table.hand"),
    drawing(hand, null),
    make("p.line", {}, make("strong", {}, say("alert.hand", { hand: hand.hand })), " · ", word("street", hand.street),
      hand.deal > 1 ? ` · ${say("table.deal", { n: hand.deal })}` : null),
    make("dl.counts", {}, PLACES.map((one) => [
      make("div", {}, make("dt", {}, word("place", one)), make("dd", {}, Number.isInteger(counts[one]) ? counts[one] : "–"))])),
    lying(hand, "muck").length > 0 && make("p.quiet", {}, say("table.shown", { cards: lying(hand, "muck").join(" ") })),
    make("h3", {}, say("table.due")),
    due.length ? make("ul.due", {}, due) : make("p.quiet", {}, say("table.nothing_due")),
    hand.seen === false && make("p.warn", {}, icon("unseen"), say("alert.unseen")));
}

function errors(sensor) {
  const told = Object.entries(object(sensor.errors)).map(([kind, n]) => `${word("error", kind)} ${number(Number(n) || 0)}`);
  return told.join(", ") || "–";
}

/** Of what was polled while a card lay there, how much was missed. */
function missed(sensor) {
  const antennas = Object.values(object(sensor.antennas));
  const all = antennas.length ? antennas : [sensor];
  const sum = (field) => all.reduce((total, one) => total + (Number(one?.[field]) || 0), 0);
  const polls = sum("polls");
  return polls ? `${number((100 * sum("missed")) / polls, 1)} %` : "–";
}

function sensorsPart(table) {
  const sensors = Object.entries(object(table.sensors)).sort().slice(0, 60);
  const columns = ["sensor", "state", "missed", "errors"].map((one) => say(`table.${one}`));
  const rows = sensors.map(([name, sensor]) =>
    row(columns, { class: sensor?.state === "ok" ? "" : "broken" },
      make("th", { scope: "row" }, name),
      make("td", {}, icon(sensor?.state === "ok" ? "check" : "cross"), " ", word("sensor_state", sensor?.state)),
      make("td", {}, missed(object(sensor))), make("td", {}, errors(object(sensor)))));
  const troubles = list(table.status?.troubles).slice(0, 40);
  return part("sensors", say("table.sensors"),
    troubles.length > 0 && make("ul.troubles", {}, troubles.map((words) => make("li", {}, icon("break"), make("span", {}, words)))),
    sensors.length
      ? rowsOf(say("table.sensors"), columns, rows)
      : make("p.quiet", {}, say("table.no_sensors")));
}

function alertsPart() {
  const views = [...live.alerts.values()].filter((view) => `${view.site}/${view.table}` === key).sort(byImportance);
  return part("alerts", say("table.alerts"),
    views.length
      ? make("ul.short", {}, views.slice(0, 12).map((view) =>
        make("li", { "data-key": view.key }, make("a", { href: addressOf(view.key) },
          badge(view), " ", make("strong", {}, text(view.alert).title), " · ", subject(view.alert), " ", since(began(view))),
        make("span.standing", {}, standing(view)))))
      : make("p.quiet", {}, say("table.no_alerts")),
    make("p", {}, make("a", { href: `/history?table=${encodeURIComponent(frame.at_table)}` }, say("table.history"))));
}

let covered = { number: undefined, says: {} }; // what the table said of what it can see, asked for once

/** It is large and seldom changes: the picture has its number only. */
async function cover(table) {
  const { coverage: number } = table;
  if (covered.number === number) return;
  covered = { number, says: covered.says };
  if (number === null) {
    covered.says = {};
    return;
  }
  const asked = new URLSearchParams({ site: table.site, table: table.table });
  const answer = await get(`/api/coverage?${asked}`);
  if (covered.number !== number) return;
  covered = answer.ok ? { number, says: object(answer.coverage) } : { number: undefined, says: covered.says };
  redrawSoon();
}

function coveragePart() {
  const coverage = covered.says;
  const words = object(object(coverage.text)[frame.lang] ?? object(coverage.text).en);
  const name = (id) => (typeof words[id] === "string" ? words[id] : String(id));
  const shown = (title, items) =>
    make("details", {}, make("summary", {}, `${title} (${items.length})`), make("ul", {}, items));
  if (!list(coverage.spots).length && !list(coverage.unseen).length) {
    return part("coverage", say("table.coverage"), make("p.quiet", {}, say("table.no_coverage")));
  }
  return part("coverage", say("table.coverage"),
    shown(say("table.spots"), list(coverage.spots).map((id) => make("li", {}, name(id)))),
    shown(say("table.called"), list(coverage.called).map((id) => make("li", {}, name(id)))),
    shown(say("table.cannot"), list(coverage.unseen).map((one) =>
      make("li", {}, name(one?.irregularity), list(one?.add).length > 0 &&
        make("span.quiet", {}, ` ${say("table.with", { senses: list(one.add).map((sense) => word("sense", sense)).join(" + ") })}`)))));
}

/** When it last spoke: to us, or before we listened, by its own clock. */
function lastHeard({ heard, status }) {
  return heard || !status?.at ? recent(heard) : say("table.own_clock", { when: recent(status.at) });
}

function figuresPart(table) {
  const figures = object(table.figures);
  const line = (name, value) => make("div", {}, make("dt", {}, say(`table.${name}`)), make("dd", {}, value));
  const told = (value, digits) => (typeof value === "number" ? number(value, digits) : "–");
  return part("figures", say("table.figures"), make("dl.counts", {},
    line("hands", told(figures.hands)), line("alerts_8h", told(figures.alerts)),
    line("per_hundred", told(figures.per_100_hands, 2)),
    line("rulebook", table.status?.rulebook ?? "–"), line("version", table.status?.version ?? "–"),
    line("heard", lastHeard(table))));
}

function redraw() {
  const table = live.tables.get(key);
  if (!table) {
    children(place, [make("p.quiet.large", { "data-key": "none" }, say("table.none"))]);
    return;
  }
  place.classList.toggle("stale", table.state !== "live");
  children(place, [
    make("p.how-it-is", { "data-key": "how" }, icon(table.state === "live" ? "wave" : "break"), " ", tableWords(table)),
    make("div.parts", { "data-key": "parts" }, handPart(table), alertsPart(), sensorsPart(table), figuresPart(table), coveragePart()),
  ]);
  tick(document, live.now());
}

const redrawSoon = soon(redraw);

function changed(what, about) {
  heed(live, bar, what, about);
  if (what === "picture") covered.number = undefined; // another run of the service counts anew
  if (what === "picture" || (what === "table" && about === key)) {
    const table = live.tables.get(key);
    if (table) cover(table);
  }
  if (what === "second" || what === "beat") tick(document, live.now());
  else redrawSoon();
  bar.update(what);
}
