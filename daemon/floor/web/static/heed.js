// Whatever page somebody is on: a new alarm is heard there, and the bar says how many ask.

import { announce } from "./bar.js";
import { count, icon, make, say, word } from "./frame.js";
import { byImportance, calls, need, plain } from "./importance.js";

const place = document.getElementById("asking");
const said = new Map();

/** After each change of the live picture. */
export function heed(live, bar, what, key) {
  if (!["alert", "gone", "picture"].includes(what)) return;
  bar.hear(live.alerts.values(), calls);
  const asking = [...live.alerts.values()].filter((view) => need(view) === "now").sort(byImportance);
  if (what === "alert") tell(live.alerts.get(key));
  place.hidden = !asking.length;
  if (!asking.length) return;
  const { severity } = plain(asking[0]);
  place.className = `asking badge ${severity}`;
  const words = count("bar.asking", asking.length);
  place.setAttribute("aria-label", words);
  place.replaceChildren(icon(severity), make("span.label", {}, words), make("span.figure", {}, asking.length));
}

function tell(view) {
  const { severity, level } = plain(view);
  if (need(view) === "taking") return; // what is taken back is as it was
  const sign = `${severity} ${need(view)} ${level}`;
  if (said.get(view.key) === sign) return;
  said.set(view.key, sign);
  if (need(view) === "now") {
    announce(say("wall.announce", { table: view.table, severity: word("severity", severity) }), calls(view));
  }
}
