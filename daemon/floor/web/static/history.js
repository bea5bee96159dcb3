// Alerts of the past: asked by table, time, irregularity, severity and how long people took.

import { day, fromAddress, offer, query, tellWrong, toAddress } from "./asked.js";
import { file } from "./files.js";
import { frame, icon, make, say, span, word } from "./frame.js";
import "./keys.js";
import { get } from "./live.js";
import { columnsOf, row } from "./rows.js";
import { addressOf } from "./told.js";

const EVER = "1971-01-01T00:00:00Z";

const form = document.getElementById("ask");
const place = document.getElementById("found");
const more = document.getElementById("more");
const sheet = document.getElementById("sheet"); // not for everybody
const count = document.getElementById("count");
const columns = columnsOf(place);

let next = null;
let shown = 0;

function title(row) {
  return row.titles?.[frame.lang] ?? row.titles?.en ?? row.irregularity;
}

function found(one) {
  const severity = ["critical", "high", "medium", "low"].includes(one.severity) ? one.severity : "low";
  return row(columns, {},
    make("td", {}, day(Date.parse(one.raised))),
    make("th", { scope: "row" }, one.table),
    make("td", {}, make(`span.badge.${severity}`, {}, icon(severity), make("span", {}, word("severity", severity)))),
    make("td.wide", {}, make("a", { href: addressOf(one.key) }, title(one)),
      make("span.quiet", {}, ` ${say("alert.hand", { hand: one.hand })} · ${word("street", one.street)}`)),
    make("td.wraps", {}, one.acknowledged_by ?? "–"),
    make("td", {}, typeof one.answer_ms === "number" ? span(one.answer_ms) : "–",
      one.window_missed ? [" ", icon("window"), make("span.sr", {}, say("history.late"))] : null),
    make("td.wraps", {}, one.verdict ? word("verdict", one.verdict) : word("state", one.state)),
    frame.dealers && make("td", {}, one.dealer ?? "–"));
}

async function ask(after = null) {
  const asked = query(form);
  if (after) asked.set("after", after);
  more.disabled = true;
  place.setAttribute("aria-busy", "true");
  const answer = await get(`/api/history?${asked}`);
  place.removeAttribute("aria-busy");
  tellWrong(form, document.getElementById("refused"), answer);
  if (!answer.ok) {
    place.replaceChildren();
    count.textContent = "";
    more.hidden = true;
    if (sheet) sheet.hidden = true;
    return;
  }
  if (!after) {
    place.replaceChildren();
    shown = 0;
  }
  place.append(...answer.alerts.map(found));
  shown += answer.alerts.length;
  next = answer.next;
  more.hidden = !next;
  if (sheet) sheet.hidden = !shown;
  more.disabled = false;
  count.textContent = shown ? say(next ? "history.shown_more" : "history.shown", { n: shown }) : say("history.none");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  toAddress(form);
  ask();
});
sheet?.addEventListener("click", () => {
  const asked = query(form);
  if (!asked.has("from")) asked.set("from", EVER); // what is not said is the last hours else
  file("csv", asked);
});
form.addEventListener("reset", () => setTimeout(() => form.requestSubmit(), 0));
more.addEventListener("click", () => ask(next));
fromAddress(form);
offer(form);
ask();
