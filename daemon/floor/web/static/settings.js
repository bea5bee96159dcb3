// One's own language, theme and sounds; and what holds for this device alone.

import { Bar } from "./bar.js";
import { refusal } from "./asked.js";
import { frame, keep, kept } from "./frame.js";
import { heed } from "./heed.js";
import "./keys.js";
import { Live, post } from "./live.js";

const form = document.getElementById("own");
const saved = document.getElementById("saved");
const shortcuts = document.getElementById("shortcuts");
const volume = document.getElementById("volume");

const live = new Live((what, key) => {
  heed(live, bar, what, key);
  bar.update(what);
});
const bar = new Bar(live);

async function save(event) {
  if (event?.type === "submit") event.preventDefault();
  const { language, theme } = Object.fromEntries(new FormData(form));
  const sounds = {
    critical: form.elements.critical.checked, high: form.elements.high.checked,
    volume: Number(volume.value),
  };
  const answer = await post("/api/me", { language, theme, sounds });
  document.getElementById("refused").replaceChildren(...(answer.ok ? [] : [refusal(answer)]));
  if (!answer.ok) return;
  bar.sound.choose(sounds);
  const dark = document.getElementById("dark");
  dark.media = dark.dataset[theme];
  saved.hidden = false;
  if (language !== frame.lang) location.reload();
}

form.addEventListener("change", save);
form.addEventListener("submit", save);
shortcuts.checked = kept("keys", "on") === "on";
shortcuts.addEventListener("change", () => keep("keys", shortcuts.checked ? "on" : "off"));
