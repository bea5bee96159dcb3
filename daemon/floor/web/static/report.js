// The report of a shift: its figures and charts by the service, its files made in the background.

import { fromAddress, local, offer, query, tellWrong, toAddress } from "./asked.js";
import { icon, make, say } from "./frame.js";
import "./keys.js";
import { ask as fetched, get, post } from "./live.js";
import { report } from "./report_told.js";

const POLL_MS = 400;
const HOUR_MS = 3_600_000;

const form = document.getElementById("ask");
const place = document.getElementById("report");
const refused = document.getElementById("refused");
const making = document.getElementById("making");

async function ask() {
  place.setAttribute("aria-busy", "true");
  const answer = await get(`/api/report?${query(form)}`);
  place.removeAttribute("aria-busy");
  tellWrong(form, refused, answer);
  place.replaceChildren(...(answer.ok ? report(answer) : []));
}

const pause = () => new Promise((done) => setTimeout(done, POLL_MS));

/** Have a file made, say how far it is, and fetch it when it is there. */
async function file(format) {
  const bar = make("progress", { max: 1, "aria-label": say("report_page.making", { format }) });
  const stop = make("button.button", { type: "button" }, say("report_page.stop"));
  making.replaceChildren(make("span", {}, say("report_page.making", { format: format.toUpperCase() })), bar, stop);
  making.hidden = false;
  let state = await post("/api/exports", { format, ...Object.fromEntries(query(form)) });
  let stopped = false;
  stop.addEventListener("click", () => {
    stopped = true;
    fetched("DELETE", `/api/exports/${state.id}`);
    making.hidden = true;
  });
  while (state.ok && state.state === "making" && !stopped) {
    await pause();
    state = await get(`/api/exports/${state.id}`);
    if (state.of) [bar.max, bar.value] = [state.of, state.done];
  }
  if (stopped) return;
  if (!state.ok || state.state === "failed") {
    making.replaceChildren(icon("cross"), make("span", {}, say("report_page.failed")));
    return;
  }
  const address = `/api/exports/${state.id}/file`;
  making.replaceChildren(icon("check"), make("a", { href: address, download: "" }, say("report_page.ready", { format: format.toUpperCase() })));
  making.querySelector("a").click();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  toAddress(form);
  ask();
});
document.getElementById("files").addEventListener("click", (event) => {
  const { format, hours } = event.target.closest("button")?.dataset ?? {};
  if (format) file(format);
  if (hours) {
    form.elements.from.value = local(Date.now() - hours * HOUR_MS);
    form.elements.to.value = "";
    form.requestSubmit();
  }
  if (event.target.closest("#print")) window.print();
});
fromAddress(form);
offer(form);
if (!query(form).has("from")) form.elements.from.value = local(Date.now() - 8 * HOUR_MS);
ask();
