// The report as the service tells it: figures and charts.

import { make } from "./frame.js";

/** The elements of a report. */
export function report(told) {
  return [make("pre", {}, JSON.stringify(told, null, 1).slice(0, 4000))];
}
