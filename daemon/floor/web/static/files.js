// Reports as files: made by the service in the background, shown on their way, stopped, fetched.

import { icon, make, say } from "./frame.js";
import { ask as fetched, get, post } from "./live.js";

const POLL_MS = 400;

const making = document.getElementById("making");

/** What was asked, as JSON has it. */
function sent(asked) {
  const { slower_s: slower, ...rest } = Object.fromEntries(asked);
  return slower ? { ...rest, slower_s: slower === "never" ? slower : Number(slower) } : rest;
}

const pause = () => new Promise((done) => setTimeout(done, POLL_MS));

/** Have a file made, say how far it is, and fetch it when it is there. */
export async function file(format, asked) {
  const bar = make("progress", { max: 1, "aria-label": say("report_page.making", { format }) });
  const stop = make("button.button", { type: "button" }, say("report_page.stop"));
  making.replaceChildren(make("span", {}, say("report_page.making", { format: format.toUpperCase() })), bar, stop);
  making.hidden = false;
  let state = await post("/api/exports", { format, ...sent(asked) });
  let stopped = false;
  stop.addEventListener("click", () => {
    stopped = true;
    fetched("DELETE", `/api/exports/${state.id}`);
    making.hidden = true;
  });
  while (state.ok && state.state === "making" && !stopped) {
    await pause();
    if (stopped) return;
    state = await get(`/api/exports/${state.id}`);
    if (state.of) [bar.max, bar.value] = [state.of, state.done];
  }
  if (stopped) return;
  if (!state.ok || state.state === "failed") {
    making.replaceChildren(icon("cross"), make("span", {}, say("report_page.failed"), state.words && ` ${state.words}`));
    return;
  }
  const address = `/api/exports/${state.id}/file`;
  making.replaceChildren(icon("check"), make("a", { href: address, download: "" }, say("report_page.ready", { format: format.toUpperCase() })));
  making.querySelector("a").click();
}
