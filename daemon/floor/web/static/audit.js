// Who did what at the screens, the latest first.

import { day, fromAddress, query, refusal, toAddress } from "./asked.js";
import { frame, make, say, word } from "./frame.js";
import "./keys.js";
import { get } from "./live.js";

const form = document.getElementById("ask");
const place = document.getElementById("found");
const more = document.getElementById("more");
let next = null;

function outcome(told) {
  const [, why] = /^refused: (.*)$/.exec(told) ?? [];
  if (!why) return word("outcome", told.replace(" ", "-"));
  return say("outcome.refused", { why: frame.words.refusal[why] ?? word("mistake", why) });
}

function row(deed) {
  return make("tr", {},
    make("td", {}, day(Date.parse(deed.at))),
    make("th", { scope: "row" }, deed.login),
    make("td", {}, word("role", deed.role)),
    make("td", {}, word("deed", deed.what)),
    make("td.wide", {}, deed.about),
    make("td", {}, outcome(deed.outcome)));
}

async function ask(before = null) {
  const asked = query(form);
  if (before) asked.set("before", before);
  const answer = await get(`/api/audit?${asked}`);
  document.getElementById("refused").replaceChildren(...(answer.ok ? [] : [refusal(answer)]));
  if (!answer.ok) return;
  if (!before) place.replaceChildren();
  place.append(...answer.rows.map(row));
  next = answer.next;
  more.hidden = !next;
  document.getElementById("count").textContent = place.children.length ? "" : say("history.none");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  toAddress(form);
  ask();
});
more.addEventListener("click", () => ask(next));
fromAddress(form);
ask();
