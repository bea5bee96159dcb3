// What the page was given by the service: who looks at it, in which language, and all its words.

export const frame = JSON.parse(document.getElementById("frame").textContent);

/** The language as this device writes it: an English of its own country, where it has one. */
export const locale = (navigator.languages ?? []).find((one) => one.split("-")[0] === frame.lang)
  ?? { en: "en-GB" }[frame.lang] ?? frame.lang;

const plural = new Intl.PluralRules(locale);

function find(key) {
  return key.split(".").reduce((table, step) => table?.[step], frame.words);
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

/** The words of a key, `{name}` filled in from `values`; the key itself where there are none. */
export function say(key, values = {}) {
  const text = find(key);
  return typeof text === "string" ? fill(text, values) : key;
}

/** The word of a table's own term, such as a severity's; the term where nobody has a word for it. */
export function word(table, term) {
  const text = frame.words[table]?.[term];
  return typeof text === "string" ? text : String(term ?? "");
}

/** Words for a number: `key.one` and `key.other`, `{n}` filled in. */
export function count(key, n) {
  return say(`${key}.${plural.select(n)}`, { n: new Intl.NumberFormat(locale).format(n) });
}

// --- times and numbers --------------------------------------------------------------------------

const formats = {
  clock: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  camera: {
    hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 1,
    hourCycle: "h23",
  },
  moment: {
    day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit",
    hourCycle: "h23",
  },
  dated: {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
    second: "2-digit", hourCycle: "h23",
  },
  past: {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
    second: "2-digit", fractionalSecondDigits: 1, hourCycle: "h23",
  },
  day: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
};
const formatters = Object.fromEntries(
  Object.entries(formats).map(([name, how]) => [name, new Intl.DateTimeFormat(locale, how)]),
);

const isThisYear = (ms) => new Date(ms).getFullYear() === new Date().getFullYear();

/** A moment (ISO text or milliseconds) as people write it; a dash where it is none. */
export function moment(at, how = "clock") {
  const ms = typeof at === "number" ? at : Date.parse(at ?? "");
  if (!Number.isFinite(ms)) return "–";
  return formatters[how === "moment" && !isThisYear(ms) ? "dated" : how].format(ms);
}

/** The same by the clock alone where it is of today. */
export function recent(at) {
  const isToday = new Date(at ?? NaN).toDateString() === new Date().toDateString();
  return moment(at, isToday ? "clock" : "moment");
}

/** How long in few signs: 42 s, 3:07, 2 h 05. */
export function span(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  const pad = (n) => String(n).padStart(2, "0");
  if (s < 3600) return `${Math.floor(s / 60)}:${pad(s % 60)}`;
  return `${Math.floor(s / 3600)} h ${pad(Math.floor((s % 3600) / 60))}`;
}

export function number(n, digits = 0) {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(n);
}

// --- what this device keeps ---------------------------------------------------------------------

/** What was chosen on this device; it may keep nothing (a private window), then `otherwise`. */
export function kept(name, otherwise) {
  try {
    return localStorage.getItem(`floorcall.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`floorcall.${name}`, value);
  } catch {
    // It holds for as long as the page is open.
  }
}

// --- elements: text is always text, never markup -------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** An element `tag.class.class` with attributes and children; strings become text. */
export function make(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  return build(element, attributes, children);
}

export function draw(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const element = document.createElementNS(SVG, tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  return build(element, attributes, children);
}

/** An image of icons.svg beside its word: it says nothing of its own to a screen reader. */
export function icon(name, classes = "") {
  const use = draw("use", { href: `${frame.static}/icons.svg#${name}` });
  return draw("svg", { class: `icon ${classes}`.trim(), "aria-hidden": "true" }, use);
}

/** How long ago: kept up to date by `tick`, so that a change of its text moves nothing. */
export function since(ms) {
  return make("span.span", { "data-since": ms });
}

/** Write all ages below `root`, by the service's clock. */
export function tick(root, now) {
  for (const element of root.querySelectorAll("[data-since]")) {
    const text = span(now - Number(element.dataset.since));
    if (element.textContent !== text) element.textContent = text;
  }
  for (const element of root.querySelectorAll("[data-until]")) {
    const text = span(Number(element.dataset.until) - now + 999);
    if (element.textContent !== text) element.textContent = text;
  }
}
