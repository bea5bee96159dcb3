// Keys without Ctrl: they can be switched off in the settings, for whoever's voice or hand would
// press them by chance.

import { frame, kept } from "./frame.js";
import { isDialogOpen } from "./dialog.js";

const WRITING = "input, textarea, select, [contenteditable]";

/** Let `{key: what it does}` hold for this page, beside those that lead to other pages. */
export function keys(own) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isDialogOpen()) return;
    if (event.target.closest?.(WRITING) || kept("keys", "on") !== "on") return;
    const act = own[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

const PAGES = { "?": "/help", 1: "/floor", 2: "/wall", 3: "/tables", 4: "/history" };

keys(Object.fromEntries(Object.entries(PAGES)
  .filter(([, page]) => frame.me?.pages.includes(page))
  .map(([key, page]) => [key, () => location.assign(page)])));
