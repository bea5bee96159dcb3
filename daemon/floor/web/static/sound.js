// Alarms that are heard: made here, no file. A browser lets a page sound only after somebody has
// touched it, and again after some sleeps: until then the page says that it is silent.

import { frame, keep, kept } from "./frame.js";

// [frequency, start, length] in Hz and seconds; critical is fast and rises, high is slow and falls.
const TUNES = {
  critical: [0, 0.42, 0.84].flatMap((at) => [[880, at, 0.11], [1175, at + 0.13, 0.2]]),
  high: [[784, 0, 0.28], [587, 0.34, 0.4]],
  test: [[659, 0, 0.12], [784, 0.15, 0.12], [988, 0.3, 0.24]],
};
const AGAIN_MS = 1500; // several alerts of one moment sound once, unless one of them is graver

const SOUNDS = { critical: true, high: true, volume: 80, ...frame.me?.sounds };
const LOUDEST = 0.6;
const CALLS = ["critical", "high"]; // the gravest first

export class Sound {
  constructor(changed) {
    this._changed = changed;
    this._context = null;
    this._last = -AGAIN_MS;
    this._lastSeverity = CALLS.at(-1);
    this.played = 0;
    // Any touch will do. By its click, not by the finger's coming down: the bar that asks goes away
    // then, and what lies under the finger must not move before it is lifted.
    for (const kind of ["click", "keyup"]) {
      document.addEventListener(kind, () => this.wanted && this.arm());
    }
    document.addEventListener("visibilitychange", () => this._woken());
    window.addEventListener("pageshow", () => this._woken());
    // Some browsers allow it at once, a kiosk for one: then nobody need press anything.
    if (this.wanted) this.arm();
  }

  /** Whether this device is to sound: it is not switched off here, and there is what calls. */
  get wanted() {
    return kept("sound", "on") === "on" && this.calls;
  }

  /** Whether any severity calls this person, by his settings or else by his role's. */
  get calls() {
    return CALLS.some((severity) => SOUNDS[severity]);
  }

  /** none (nothing is to call), off, blocked (wanted, and the browser does not let it), on. */
  get state() {
    if (!this.calls) return "none";
    if (!this.wanted) return "off";
    return this._context?.state === "running" ? "on" : "blocked";
  }

  switch(on) {
    keep("sound", on ? "on" : "off");
    if (on) this.arm();
    else this._context?.suspend();
    this._changed();
  }

  async arm() {
    if (!this._context) {
      const Context = window.AudioContext ?? window.webkitAudioContext;
      if (!Context) return;
      this._context = new Context();
      this._context.addEventListener("statechange", () => this._changed());
    }
    if (this._context.state !== "running") {
      await this._context.resume().catch(() => {});
      this._changed();
    }
  }

  test() {
    this._play("test");
  }

  /** From now on these severities call, as loud as this. */
  choose(sounds) {
    Object.assign(SOUNDS, sounds);
    if (this.wanted) this.arm();
    this._changed();
  }

  /** Sound an alert of this severity; those below high are silent. */
  alarm(severity) {
    // Each person chooses which severities call him, and how loud; the device chooses whether.
    if (this.state !== "on" || !CALLS.includes(severity) || !SOUNDS[severity]) return;
    const now = performance.now();
    const isGraver = CALLS.indexOf(severity) < CALLS.indexOf(this._lastSeverity);
    if (now - this._last < AGAIN_MS && !isGraver) return;
    this._last = now;
    this._lastSeverity = severity;
    this._play(severity);
  }

  _woken() {
    if (document.visibilityState === "visible" && this.wanted) this.arm();
  }

  _play(tune) {
    if (this._context?.state !== "running") return;
    this.played += 1;
    document.documentElement.dataset.played = String(this.played);
    const start = this._context.currentTime + 0.02;
    for (const [frequency, at, length] of TUNES[tune]) this._tone(frequency, start + at, length);
  }

  _tone(frequency, at, length) {
    const tone = new OscillatorNode(this._context, { type: "triangle", frequency });
    const gain = new GainNode(this._context, { gain: 0 });
    gain.gain.setValueAtTime(0, at);
    const loud = (LOUDEST * SOUNDS.volume) / 100;
    gain.gain.linearRampToValueAtTime(loud, at + 0.015);
    gain.gain.setValueAtTime(loud, at + length - 0.03);
    gain.gain.linearRampToValueAtTime(0, at + length);
    tone.connect(gain).connect(this._context.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
