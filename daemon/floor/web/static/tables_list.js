// A table in a few words: on the floor's first screen and on the page of all tables.

import { icon, make, recent, say, word } from "./frame.js";
import { asks, byImportance, plain } from "./importance.js";

/**
 * How a table is: its own state, or since when it is not heard. What stood at the broker before the
 * service began to listen is as old as the table itself says; a last will was made beforehand.
 * `brief` leaves that out.
 */
export function tableWords(table, { brief = false } = {}) {
  const { state, heard, awaited, status } = table;
  const own = table.table_state ?? status?.table_state;
  if (state === "live") return own ? word("table_state", own) : say("table.live");
  if (state === "unknown") return say("table.unheard");
  const since = recent(heard ?? awaited);
  if (state === "offline") return say(heard ? "table.offline" : "table.offline_before", { since });
  if (heard || brief) return say("table.stale", { since });
  return status?.at
    ? say("table.stale_said", { since, said: recent(status.at) })
    : say("table.stale_start", { since });
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
  const asking = alertsOf(table, live).filter(asks);
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
