// The live picture: hears the service, knows how old what it knows is, and comes back by itself.

import { frame } from "./frame.js";

const SILENT_MS = 6000; // three beats: then nothing comes any more, whatever the socket says
const WOKEN_MS = 3000;
const CHAIN_MS = 150_000;
const RETRY_MS = [300, 1000, 2000, 4000];
const CROWDED_MS = 30_000;

/** This page's own name, as long as it is open. */
export const screen = crypto.getRandomValues(new Uint32Array(2)).reduce((all, n) => all + n.toString(36), "p");

/**
 * Ask the service; a session that has ended leads to the login. What it answers, and whether it was
 * done: a refusal is `{ok: false, error, words}`, and so is a service that is away (`unreachable`).
 */
export async function ask(method, path, body) {
  try {
    const answer = await fetch(path, {
      method,
      headers: body
        ? { "content-type": "application/json", "x-csrf-token": frame.csrf }
        : { "x-csrf-token": frame.csrf },
      body: body && JSON.stringify(body),
    });
    if (answer.status === 401) leave();
    const said = await answer.json();
    return { ...said, ok: answer.ok };
  } catch {
    return { ok: false, error: "unreachable" };
  }
}

export const post = (path, body) => ask("POST", path, body);
export const get = (path) => ask("GET", path);

function leave() {
  const here = location.pathname + location.search;
  location.assign(`/login?to=${encodeURIComponent(here)}`);
}

/**
 * What the service says, kept. `on(what, key)` is called after each change: `picture`, `table`,
 * `alert`, `gone`, `act`, `beat`, `lost` (nothing heard any more).
 */
export class Live {
  constructor(on, view = "") {
    this.on = on;
    this._view = view; // "wall" for what anybody may see, whoever is at the screen
    this.tables = new Map();
    this.alerts = new Map();
    this.link = null;
    this.chain = null;
    this.lost = false;
    this.crowded = false; // this person has too many pages open
    this.offset = 0; // the service's clock against ours
    this.beats = 0;
    this.heardAt = null; // by the service's clock
    this._heard = performance.now();
    this._opened = this._heard;
    this._chained = performance.now();
    this._tries = 0;
    this._source = null;
    this._timer = null;
    this._open();
    setInterval(() => this._watch(), 1000);
    for (const [where, what] of [[document, "visibilitychange"], [window, "pageshow"],
      [window, "online"]]) where.addEventListener(what, () => this._woken());
    window.addEventListener("pagehide", () => this._source?.close());
  }

  /** Now, by the service's clock. */
  now() {
    return Date.now() + this.offset;
  }

  /** Whether test alerts reach this screen. */
  get chained() {
    return performance.now() - this._chained < CHAIN_MS;
  }

  _open() {
    clearTimeout(this._timer);
    this._timer = null;
    this._source?.close();
    const source = new EventSource(`/live?screen=${screen}&view=${this._view}`);
    this._source = source;
    this._opened = performance.now();
    for (const [kind, take] of Object.entries(this._takes())) {
      source.addEventListener(kind, (event) => {
        if (source !== this._source) return;
        this._heard = performance.now();
        this.heardAt = this.now();
        this._tries = 0;
        take(JSON.parse(event.data));
      });
    }
    source.onerror = () => source === this._source && this._again();
  }

  _again() {
    this._source?.close();
    this._source = null;
    if (this._timer) return;
    const soon = RETRY_MS[Math.min(this._tries++, RETRY_MS.length - 1)];
    const wait = this.crowded ? CROWDED_MS : soon;
    // All screens lose a service at once; they should not all come back at once.
    this._timer = setTimeout(() => this._open(), wait * (0.75 + Math.random() / 2));
    if (this._tries > 1) this._ask();
  }

  /** An EventSource does not say that its session has ended: so it is asked. */
  _ask() {
    get("/api/me");
  }

  _watch() {
    const now = performance.now();
    if (now - this._heard > SILENT_MS && !this.lost) {
      this.lost = true;
      this.on("lost");
    }
    if (this._source && now - Math.max(this._heard, this._opened) > SILENT_MS) this._open();
    this.on("second");
  }

  _woken() {
    if (document.visibilityState !== "visible") return;
    if (performance.now() - this._heard > WOKEN_MS || !this._source) this._open();
    this.on("woken");
  }

  _clock(now) {
    const at = Date.parse(now);
    if (Number.isFinite(at)) {
      this.offset = at - Date.now();
      this.heardAt = at;
    }
  }

  _takes() {
    return {
      picture: (view) => this._picture(view),
      table: (view) => {
        const name = `${view.site}/${view.table}`;
        this.tables.set(name, { ...this.tables.get(name), ...view }); // what is not in it has not changed
        this.on("table", name);
      },
      alert: (view) => {
        this.alerts.set(view.key, view);
        this.on("alert", view.key);
      },
      gone: ({ key }) => {
        this.alerts.delete(key);
        this.on("gone", key);
      },
      act: (outcome) => this.on("act", outcome),
      chain: ({ number }) => {
        this._chained = performance.now();
        post("/api/chain", { screen, number });
      },
      beat: (view) => this._beat(view),
      ended: ({ reason }) => this._ended(reason),
    };
  }

  /** The service says why it ends the stream; too many pages open is for people to put right. */
  _ended(reason) {
    this.crowded = reason === "too-many";
    if (!["restart", "too-many"].includes(reason)) this._ask(); // a session that has ended
    this._again();
  }

  _picture(view) {
    this.crowded = false;
    this._clock(view.now);
    this.tables = new Map(view.tables.map((table) => [`${table.site}/${table.table}`, table]));
    this.alerts = new Map(view.alerts.map((alert) => [alert.key, alert]));
    this.link = view.link;
    this.chain = view.chain;
    this.lost = false;
    this.on("picture");
  }

  _beat(view) {
    this._clock(view.now);
    this.link = view.link;
    this.chain = view.chain;
    this.beats += 1;
    const was = this.lost;
    this.lost = false;
    this.on(was ? "picture" : "beat");
  }
}
