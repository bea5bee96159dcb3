// One dialog at a time, by the browser's own element: it holds the focus and gives it back.

import { icon, make, say } from "./frame.js";

let open = null;

/** Open a dialog; `fill(form, done)` puts its form together, `done` closes it. */
export function openDialog(title, fill) {
  open?.close();
  const dialog = make("dialog.sheet", { "aria-labelledby": "dialog-title" });
  const form = make("form", { method: "dialog" });
  const shut = make("button.button.plain", { type: "button", "aria-label": say("sheet.cancel") },
    icon("cross"));
  shut.addEventListener("click", () => dialog.close());
  dialog.append(make("header", {}, make("h2", { id: "dialog-title" }, title), shut), form);
  fill(form, () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (open === dialog) open = null;
  });
  // A touch beside the sheet takes it away, as people expect of one.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  open = dialog;
  dialog.showModal();
  return dialog;
}

export const isDialogOpen = () => open !== null;
