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

/** The alerts of a table, what asks most first. */
export function alertsOf(table, live) {
  return [...live.alerts.values()]
    .filter((view) => view.site === table.site && view.table === table.table)
    .sort(byImportance);
}

export function address(table) {
  return `/tables/${encodeURIComponent(table.site)}/${encodeURIComponent(table.table)}`;
}

/** A table as a chip: name, the gravest of what asks, how it is. */
export function chip(table, live) {
  const asking = alertsOf(table, live).filter((view) => need(view) === "now" || need(view) === "known");
  const worst = asking[0] && plain(asking[0]).severity;
  const stale = table.state === "live" ? "" : " stale";
  return make("li", { class: `table-chip${worst ? ` ${worst}` : ""}${stale}`, "data-key": `${table.site}/${table.table}` },
    make("a", { href: address(table) },
      worst ? icon(worst) : icon(table.state === "live" ? "wave" : "break"),
      make("strong", {}, table.table),
      make("span", {}, worst ? word("severity", worst) : tableWords(table))));
}
