// Who may sign in: for administrators.

import { day, refusal } from "./asked.js";
import { frame, icon, make, say, word } from "./frame.js";
import "./keys.js";
import { get, post } from "./live.js";
import { columnsOf, row } from "./rows.js";

const form = document.getElementById("add");
const place = document.getElementById("people");
const columns = columnsOf(place);
const made = document.getElementById("made");
const refused = document.getElementById("refused");
const ROLES = [...form.elements.role.options].map((option) => option.value);

function account(person) {
  const own = person.login === frame.me.login;
  const role = make("select", { "data-role": person.login, disabled: own, "aria-label": say("people.role_of", { name: person.name }) },
    ROLES.map((one) => make("option", { value: one, selected: one === person.role }, word("role", one))));
  const button = (what, words) =>
    make("button.button", { type: "button", [`data-${what}`]: person.login, disabled: own }, words);
  return row(columns, { "data-key": person.login, class: person.disabled ? "off" : "" },
    make("th", { scope: "row" }, person.name),
    make("td", {}, person.login),
    make("td", {}, role),
    make("td.wraps", {}, icon(person.disabled ? "cross" : "check"), " ", say(person.disabled ? "people.off" : "people.on"),
      person.must_change ? ` · ${say("people.must_change")}` : null),
    make("td", {}, person.last_seen ? day(Date.parse(person.last_seen)) : say("people.never")),
    make("td.buttons", {}, button("reset", say("people.reset")),
      button(person.disabled ? "enable" : "disable", say(person.disabled ? "people.enable" : "people.disable"))));
}

function told(answer) {
  refused.replaceChildren(...(answer.ok ? [] : [refusal(answer)]));
  return answer.ok;
}

async function show() {
  const answer = await get("/api/people");
  if (told(answer)) place.replaceChildren(...answer.people.map(account));
}

/** A new password is shown this once: the service keeps none that can be read. */
function password(answer) {
  if (!answer.password) return; // where a proxy names people
  made.replaceChildren(
    make("p", {}, say("people.password_of", { name: answer.person.name })),
    make("p.password", {}, make("code", {}, answer.password)),
    make("p.quiet", {}, say("people.password_once")));
  made.hidden = false;
  made.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form));
  const answer = await post("/api/people", { login: fields.login, name: fields.name, role: fields.role });
  if (!told(answer)) return;
  form.reset();
  password(answer);
  show();
});

place.addEventListener("change", async (event) => {
  const login = event.target.dataset.role;
  if (login && told(await post("/api/people/change", { login, role: event.target.value }))) show();
});

place.addEventListener("click", async (event) => {
  const { reset, enable, disable } = event.target.closest("button")?.dataset ?? {};
  if (reset) {
    const answer = await post("/api/people/reset", { login: reset });
    if (told(answer)) password(answer);
  } else if (enable ?? disable) {
    told(await post("/api/people/change", { login: enable ?? disable, disabled: Boolean(disable) }));
  } else return;
  show();
});

show();
