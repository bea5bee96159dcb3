// The report of a shift: its figures and charts by the service.

import { fromAddress, local, offer, query, tellWrong, toAddress } from "./asked.js";
import { file } from "./files.js";
import "./keys.js";
import { get } from "./live.js";
import { report } from "./report_told.js";

const HOUR_MS = 3_600_000;

const form = document.getElementById("ask");
const place = document.getElementById("report");
const refused = document.getElementById("refused");

async function ask() {
  place.setAttribute("aria-busy", "true");
  const answer = await get(`/api/report?${query(form)}`);
  place.removeAttribute("aria-busy");
  tellWrong(form, refused, answer);
  place.replaceChildren(...(answer.ok ? report(answer) : []));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  toAddress(form);
  ask();
});
document.getElementById("files").addEventListener("click", (event) => {
  const { format, hours } = event.target.closest("button")?.dataset ?? {};
  if (format) file(format, query(form));
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
