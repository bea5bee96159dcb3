// The bar at the top of every live page: heartbeat, clock, sound, and what is wrong with the screen
// itself. Its room is kept, so that nothing below it moves.

import { children, morph } from "./morph.js";
import { frame, icon, make, moment, recent, say, word } from "./frame.js";
import { Sound } from "./sound.js";

const STEPS = 5;
const AWAY = "broker-away";

/**
 * What is wrong with the service, in the reader's language; as it is where nobody has words for it.
 * What a program said of it is told to those only who look after the service.
 */
function serviceWords({ key, says, words, detail }) {
  if (!Object.hasOwn(frame.words.trouble_says, key)) return say("trouble.words", { words });
  const told = say(`trouble_says.${key}`, {
    ...says, since: recent(says.since), on: moment(says.on, "day"), whose: word("certificate_of", says.whose),
  });
  return detail ? `${told} (${detail})` : told;
}

/** That there is no broker, since when, and what else is known of it. */
function away(link) {
  const known = link.troubles.find(({ key }) => key === AWAY);
  return serviceWords({ key: AWAY, says: { since: link.since }, detail: known?.detail });
}

export class Bar {
  constructor(live) {
    this._live = live;
    this._pulse = document.getElementById("pulse");
    this._clock = document.getElementById("clock");
    this._button = document.getElementById("sound");
    this._notice = document.getElementById("notice");
    this._known = new Map();
    this._first = true;
    if (this._pulse) {
      this._pulse.append(...Array.from({ length: STEPS }, () => make("i", {})));
    }
    this.sound = new Sound(() => this._sound());
    document.getElementById("sound-bar")?.addEventListener("click", () => this.sound.arm());
    this._button?.addEventListener("click", () => {
      if (this.sound.calls) this.sound.switch(!this.sound.wanted);
      else location.assign("/settings");
    });
    document.getElementById("sound-test")?.addEventListener("click", async () => {
      if (this.sound.state === "off") this.sound.switch(true);
      await this.sound.arm();
      this.sound.test();
    });
    this._sound();
  }

  /** After each change of the picture. */
  update(what) {
    if (what === "beat" || what === "picture") this._beat();
    this._clock.textContent = moment(this._live.now());
    const lost = this._live.lost;
    document.documentElement.classList.toggle("lost", lost);
    children(this._notice, this._troubles());
    this._notice.hidden = !this._notice.childNodes.length;
  }

  /** Sound what is new among these alerts: raised, or raised again. What stood before is old. */
  hear(views, calls) {
    for (const view of views) {
      const level = (view.alert ?? view).level ?? 1;
      const severity = (view.alert ?? view).severity;
      const sign = calls(view) ? `${severity} ${level}` : "";
      // A wall's keys are another run's after a restart of the service; its times are not.
      const name = view.alert ? view.key : `${view.site}/${view.table}/${view.received}`;
      if (sign && this._known.get(name) !== sign && !this._first) {
        if (!view.live) continue; // its turn comes when its table is heard again
        this.sound.alarm(severity);
      }
      this._known.set(name, sign);
    }
    this._first = false;
  }

  _beat() {
    const at = this._live.beats % STEPS;
    [...(this._pulse?.children ?? [])].forEach((step, n) => step.classList.toggle("on", n === at));
  }

  _troubles() {
    const { lost, heardAt, link, chain, chained, crowded } = this._live;
    const told = [];
    const tell = (key, words) => told.push([key, words]);
    if (crowded) tell("crowded", say("trouble.crowded"));
    if (lost) tell("lost", say("trouble.lost", { since: heardAt ? recent(heardAt) : say("trouble.opening") }));
    else if (link?.state === "down") tell("broker", away(link));
    const others = (link?.troubles ?? []).filter(({ key }) => key !== AWAY);
    if (!lost) others.forEach((one) => tell(`service ${one.key || one.words}`, serviceWords(one)));
    // A wall is read by players too: it says that something is wrong, and not what.
    if (!lost && link && link.state !== "down" && !link.well && !link.troubles.length) tell("unwell", say("trouble.unwell"));
    if (!lost && !chained) tell("unchained", say("trouble.unchained"));
    else if (!lost && link?.state !== "down" && chain && !chain.whole && chain.broken) {
      const since = chain.at ? recent(chain.at) : "–";
      tell("chain", say(`chain_broken.${chain.broken}`, { since, n: chain.screens.length }));
    }
    return told.map(([key, words]) =>
      make("p.trouble", { "data-key": key }, icon("break"), make("span", {}, words)));
  }

  _sound() {
    const state = this.sound.state;
    document.documentElement.dataset.sound = state;
    const bar = document.getElementById("sound-bar");
    if (bar) bar.hidden = state !== "blocked";
    if (!this._button) return;
    this._button.setAttribute("aria-pressed", String(this.sound.wanted));
    morph(this._button, make("button", {
      id: "sound", type: "button", class: this._button.className,
      "aria-pressed": String(this.sound.wanted), title: say(`sound.${state}`),
    }, icon(state === "on" ? "sound" : "mute"), make("span.label", {}, say(`sound.${state}`))));
  }
}

/** Words that a screen reader says: calmly, or at once for what calls people. */
export function announce(words, atOnce = false) {
  const place = document.getElementById(atOnce ? "said-at-once" : "said");
  if (place) place.textContent = words;
}

