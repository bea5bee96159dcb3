// What people do: sent at once, told to all, taken back for a moment by who did it.

import { announce } from "./bar.js";
import { children } from "./morph.js";
import { frame, icon, make, say, word } from "./frame.js";
import { post } from "./live.js";

const TOLD_MS = 12_000;

export const mayAct = Boolean(frame.me?.may_act);

/** Whether what is pending is one's own and can be taken back, from whichever screen it was done. */
export const isMine = (pending) => Boolean(pending?.until) && mayAct && pending.by === frame.me.name;

const OPEN = ["sending", "pending", "sent"];

const fresh = () => crypto.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** Whether an alert still says what it said, whatever has ticked in it. */
function sameCase(a, b) {
  return ["irregularity", "severity", "audience", "state"].every((field) => a.alert[field] === b.alert[field]);
}

/**
 * The acts of this screen. `place` is the bar in which the last one can be undone and in which
 * refusals are told; it lies over the page and moves nothing.
 */
export class Acts {
  constructor(live, place) {
    this._live = live;
    this._place = place;
    this._mine = new Map(); // id -> {act, table, state, reason}
    place.addEventListener("click", (event) => {
      const button = event.target.closest("[data-undo]");
      if (button) this.undo(button.dataset.undo);
      if (event.target.closest("[data-dismiss]")) this._forget();
    });
  }

  /**
   * Want something of an alert as `view` showed it. Steps that ticked while a sheet was open are no
   * reason to refuse; where it got graver or is over by now, the table says that it has changed.
   * Wanted once more while it is on its way it is the same act, so that one undo takes it back.
   */
  async send(view, act, more = {}) {
    const now = this._live.alerts.get(view.key);
    const revision = (now && sameCase(now, view) ? now : view).alert.revision;
    const wanted = JSON.stringify([view.key, act, more]);
    if ([...this._mine.values()].some((mine) => mine.wanted === wanted && OPEN.includes(mine.state))) return;
    const id = fresh();
    this._mine.set(id, { act, wanted, table: view.table, state: "sending" });
    this._show();
    const body = { id, key: view.key, revision, act, ...more };
    const answer = await post("/api/act", body);
    if (!answer.ok) this._take({ id, state: "refused", reason: answer.error ?? "unreachable" });
    else this._take(answer);
  }

  async undo(id) {
    const answer = await post("/api/undo", { id });
    if (answer.ok) this._take(answer);
    else this._take({ id, state: "refused", reason: answer.error ?? "unreachable" });
  }

  /** Undo the last act that still can be; what the key `u` does. */
  undoLast() {
    const open = ["sending", "pending"];
    const [id, mine] = [...this._mine].reverse().find(([, one]) => open.includes(one.state)) ?? [];
    if (mine?.state === "pending") this.undo(id);
    else if (mine) mine.regretted = true; // as soon as the service has it
  }

  /** An outcome told by the live stream: only those of this screen are kept. */
  heard(outcome) {
    this._take(outcome);
  }

  _take(outcome) {
    const mine = this._mine.get(outcome.id);
    if (!mine) return;
    // What is done comes after what is pending, whichever way each took.
    if (outcome.state === "pending" && mine.state !== "sending") return;
    mine.state = outcome.state;
    mine.reason = outcome.reason;
    mine.who = outcome.who;
    if (outcome.state === "pending") mine.until = this._live.now() + frame.undo_s * 1000;
    if (["done", "undone", "refused"].includes(mine.state)) {
      setTimeout(() => {
        this._mine.delete(outcome.id);
        this._show();
      }, mine.state === "refused" ? TOLD_MS : 2500);
    }
    if (outcome.state === "pending" && mine.regretted) this.undo(outcome.id);
    announce(this._words(mine), mine.state === "refused");
    this._show();
  }

  _forget() {
    for (const [id, mine] of this._mine) if (mine.state === "refused") this._mine.delete(id);
    this._show();
  }

  _words({ act, table, state, reason, who }) {
    const what = word("act_done", act);
    if (who) return say("act.doing", { table, who, what: word("act_doing", act) });
    if (state === "refused") {
      return say("act.refused", { table, what, why: frame.words.refusal[reason] ?? word("mistake", reason) });
    }
    return say(`act_state.${state}`, { table, what });
  }

  _show() {
    children(this._place, [...this._mine].slice(-3).map(([id, mine]) => {
      const refused = mine.state === "refused";
      return make(refused ? "div.told.refused" : "div.told", { "data-key": id },
        icon(refused ? "cross" : mine.state === "done" ? "check" : "shelved"),
        make("span.words", {}, this._words(mine)),
        mine.state === "pending" &&
          make("button.button", { type: "button", "data-undo": id }, say("act.undo"), " ",
            make("span.span", { "data-until": mine.until })),
        refused && make("button.button", { type: "button", "data-dismiss": true }, say("act.dismiss")));
    }));
    this._place.hidden = !this._mine.size;
  }
}
