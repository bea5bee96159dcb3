// The report as the service tells it: figures, charts, tables.

import { make, moment, number, say, span, word } from "./frame.js";
import { row, rowsOf } from "./rows.js";

const DRAWN = new Set(["svg", "title", "desc", "rect", "line", "text", "g"]);
const UNSAFE = /^(?:on|xlink:|href|style)/i;

/** A chart's SVG as elements: nothing is taken of it but what a chart is made of. */
function picture(svg) {
  const read = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  for (const element of [read, ...read.querySelectorAll("*")]) {
    if (!DRAWN.has(element.localName)) element.remove();
    for (const { name } of [...element.attributes]) {
      if (UNSAFE.test(name)) element.removeAttribute(name);
    }
  }
  return DRAWN.has(read.localName) ? document.importNode(read, true) : make("p.quiet", {}, "–");
}

const figure = (name) => say(`report.figure.${name}`);
const column = (name) => say(`report.column.${name}`);
const took = (ms) => (typeof ms === "number" ? span(ms) : "–");
const told = (n, digits = 0) => (typeof n === "number" ? number(n, digits) : "–");
const share = (n) => (typeof n === "number" ? `${number(100 * n, 1)} %` : "–");

/** What leads to the alerts that it is made of, where there are any. */
function leading(address, text, n = 1) {
  return address && n ? make("a", { href: address }, text) : text;
}

function figures(report) {
  const { acknowledged: answers, verdicts, links = {} } = report;
  const all = [
    ["alerts", told(report.alerts)],
    ["per_hour", told(report.per_hour, 1)],
    ["hands", told(report.hands)],
    ["per_100_hands", told(report.per_100_hands, 2)],
    ["median", took(answers.median_ms)],
    ["p90", took(answers.p90_ms)],
    ["worst", took(answers.worst_ms)],
    ["unanswered", told(answers.unanswered)],
    ["upheld", told(verdicts.upheld)],
    ["none", told(verdicts.none)],
    ["other", told(verdicts.other)],
    ["false_share", share(verdicts.false_share)],
  ];
  return make("dl.figures-row", {}, all.map(([name, value]) =>
    make("div", {}, make("dt", {}, figure(name)), make("dd", {}, leading(links[name], value, value !== told(0))))));
}

function rows(name, head, body) {
  if (!body?.length) return null;
  const title = say(`report.section.${name}`);
  const columns = head.map(column);
  return make("section", {}, make("h2", {}, title),
    rowsOf(title, columns, body.map(([first, ...rest]) =>
      row(columns, {}, make("th", { scope: "row" }, first), ...rest.map((cell) => make("td", {}, cell))))));
}

function charts(report) {
  return make("div.charts", {}, (report.charts ?? []).map((chart) =>
    make("figure.chart-box", {}, make("h2", {}, chart.title),
      picture(innerWidth < 640 ? chart.narrow : chart.svg),
      make("figcaption.quiet", {}, chart.says))));
}

/** The elements of a report. */
export function report(report) {
  const period = say("report.period", { since: moment(report.from, "moment"), until: moment(report.to, "moment") });
  return [
    make("p.says", {}, period),
    figures(report),
    charts(report),
    rows("severities", ["severity", "alerts"],
      Object.entries(report.severities ?? {}).map(([name, n]) => [leading(report.links?.[`severity.${name}`], word("severity", name), n), told(n)])),
    rows("irregularities", ["irregularity", "alerts", "share", "per_100_hands"],
      report.irregularities?.map((one) => [leading(one.history, one.title), told(one.alerts), share(one.share), told(one.per_100_hands, 2)])),
    rows("tables", ["table", "alerts", "hands", "per_100_hands", "median", "p90", "worst", "unanswered"],
      report.tables?.map((one) => [leading(one.history, one.table, one.alerts), told(one.alerts), told(one.hands), told(one.per_100_hands, 2),
        took(one.median_ms), took(one.p90_ms), took(one.worst_ms), told(one.unanswered)])),
    rows("people", ["name", "acknowledged", "median", "too_late", "shelved", "closed", "closed_none"],
      report.people?.map((one) => [leading(one.history, one.name), told(one.acknowledged), took(one.median_ms), told(one.too_late),
        told(one.shelved), told(one.closed), told(one.closed_none)])),
    rows("dealers", ["dealer", "alerts", "irregularity"],
      report.dealers?.map((one) => [leading(one.history, one.dealer), told(one.alerts), (one.commonest ?? []).map((each) => each.irregularity).join(", ")])),
  ].filter(Boolean);
}
