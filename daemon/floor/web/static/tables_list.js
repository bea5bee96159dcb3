// A table in a few words: on the floor's first screen and on the page of all tables.

import { icon, make, moment, say, word } from "./frame.js";
import { byImportance, need, plain } from "./importance.js";

/** How a table is: heard or not since when, else its own state. */
export function tableWords(table) {
  if (table.state === "live") {
    const own = table.table_state ?? table.status?.table_state;
    return own ? word("table_state", own) : say("table.live");
  }
  const key = table.state === "offline" ? "table.offline" : table.heard ? "table.stale" : "table.unheard";
  return say(key, { since: moment(table.heard) });
}

const looks = new Map(); // each table as it was when this was asked last

/** Whether a table looks otherwise than it did: most of its news cannot be seen in a few words. */
export function looksNew(table) {
  const key = `${table.site}/${table.table}`;
  const look = `${table.order} ${table.state} ${tableWords(table)}`;
  const was = looks.get(key);
  looks.set(key, look);
  return was !== look;
}

/** The alerts of a table, what asks most first. */
export function alertsOf(table, live) {
  return [...live.alerts.values()]
    .filter((view) => view.site === table.site && view.table === table.table)
    .sort(byImportance);
}

export function address(table) {
  return `/tables/${encodeURIComponent(table.site)}/${encodeURIComponent(table.table)}`;
}

/** A table as a chip: name, the gravest of what asks, how it is; `stands` are the signs of those there. */
export function chip(table, live, stands) {
  const asking = alertsOf(table, live).filter((view) => need(view) === "now" || need(view) === "known");
  const worst = asking[0] && plain(asking[0]).severity;
  const stale = table.state === "live" ? "" : " stale";
  const key = `${table.site}/${table.table}`;
  const sign = `${worst ?? ""}${stale} ${tableWords(table)}`;
  const known = { "data-key": key, "data-sign": sign };
  if (stands.get(key) === sign) return make("li", known);
  return make("li", { class: `table-chip${worst ? ` ${worst}` : ""}${stale}`, ...known },
    make("a", { href: address(table) },
      worst ? icon(worst) : icon(table.state === "live" ? "wave" : "break"),
      make("strong", {}, table.table),
      make("span", {}, worst ? word("severity", worst) : tableWords(table))));
}
