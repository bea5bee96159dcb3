// All tables, in floor order: how each is, its hand, and what asks there.

import { Bar } from "./bar.js";
import { icon, make, say, since, tick, word } from "./frame.js";
import { asks, began, plain } from "./importance.js";
import { heed } from "./heed.js";
import "./keys.js";
import { Live } from "./live.js";
import { children } from "./morph.js";
import { columnsOf, row } from "./rows.js";
import { soon } from "./soon.js";
import { address, alertsOf, tableWords } from "./tables_list.js";

const place = document.getElementById("tables");
const columns = columnsOf(place);
const live = new Live(changed);
const bar = new Bar(live);

function heard(table) {
  const asking = alertsOf(table, live).filter(asks);
  const worst = asking[0] && plain(asking[0]).severity;
  const troubles = Array.isArray(table.status?.troubles) ? table.status.troubles : [];
  const hand = table.hand?.hand;
  return row(columns, { "data-key": `${table.site}/${table.table}`, class: table.state === "live" ? "" : "stale" },
    make("th", { scope: "row" }, make("a", { href: address(table) }, table.table)),
    make("td", {}, worst ? make(`span.badge.${worst}`, {}, icon(worst), make("span", {}, word("severity", worst))) : "–",
      asking[0] && [" ", since(began(asking[0]))]),
    make("td", {}, icon(table.state === "live" ? "wave" : "break"), " ", tableWords(table)),
    make("td", {}, hand ? `${hand} · ${word("street", table.hand.street)}` : "hand" in table ? say("table.between") : "–"),
    make("td", {}, troubles.length ? [icon("break"), ` ${troubles.length}`] : "–"));
}

function redraw() {
  const tables = [...live.tables.values()].sort((a, b) => a.order - b.order);
  children(place, tables.map(heard));
  tick(document, live.now());
}

const redrawSoon = soon(redraw);

function changed(what, key) {
  heed(live, bar, what, key);
  if (what === "second" || what === "beat") tick(document, live.now());
  else redrawSoon();
  bar.update(what);
}
