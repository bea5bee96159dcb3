// Who did what at the screens, the latest first.

import { day, fromAddress, query, refusal, toAddress } from "./asked.js";
import { frame, make, say, word } from "./frame.js";
import "./keys.js";
import { get } from "./live.js";
import { columnsOf, row } from "./rows.js";
import { addressOf } from "./told.js";

const form = document.getElementById("ask");
const place = document.getElementById("found");
const columns = columnsOf(place);
const more = document.getElementById("more");
let next = null;

function outcome(became) {
  const [, why] = /^refused: (.*)$/.exec(became) ?? [];
  if (!why) return word("outcome", became.replace(" ", "-"));
  return say("outcome.refused", { why: frame.words.refusal[why] ?? word("mistake", why) });
}

const CHANGE = /^(\S+): (?:name (.*?))?(?:, )?(?:role (\w+))?(?:, )?(?:disabled (True|False))?$/;

function changed(about) {
  const [, login, name, role, shut] = CHANGE.exec(about) ?? [];
  if (!login) return about;
  const told = [name && say("audit.named", { name }), role && word("role", role),
    shut && say(shut === "True" ? "people.off" : "people.on")];
  return `${login}: ${told.filter(Boolean).join(", ")}`;
}

// What a deed was about, in the reader's words; of an alert its page.
const ABOUT = {
  login: (about) => say("audit.from", { where: about.replace(/^from /, "") }),
  logout: (about) => about && say("audit.everywhere"),
  "person-made": (about) => about.replace(/\w+$/, (role) => word("role", role)),
  "person-changed": changed,
};
const ACTS = ["acknowledge", "close", "shelve", "unshelve", "note", "undo"];
for (const act of ACTS) ABOUT[act] = (key) => key && make("a", { href: addressOf(key) }, key);

function told(deed) {
  return row(columns, {},
    make("td", {}, day(Date.parse(deed.at))),
    make("th", { scope: "row" }, deed.login),
    make("td", {}, word("role", deed.role)),
    make("td", {}, word("deed", deed.what)),
    make("td.wide", {}, ABOUT[deed.what]?.(deed.about) ?? deed.about),
    make("td", {}, outcome(deed.outcome)));
}

async function ask(before = null) {
  const asked = query(form);
  if (before) asked.set("before", before);
  const answer = await get(`/api/audit?${asked}`);
  document.getElementById("refused").replaceChildren(...(answer.ok ? [] : [refusal(answer)]));
  if (!answer.ok) return;
  if (!before) place.replaceChildren();
  place.append(...answer.rows.map(told));
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
