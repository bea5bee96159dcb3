// Which alert asks most of people: one order for every screen.

const SEVERITIES = ["critical", "high", "medium", "low"];
const UNKNOWN = SEVERITIES.length;

// What somebody has just begun, and no table has answered yet: nobody else need come for it.
const TAKES = ["acknowledge", "close", "shelve"];

/**
 * What a screen says of an alert in one word: now, taking (somebody has just said that he sees to
 * it, and may take that back), known, over, shelved, closed.
 */
export function need(view) {
  const { state, acknowledged, shelved, taking } = plain(view);
  if (state === "closed") return "closed";
  if (shelved) return "shelved";
  if (state !== "raised") return "over";
  return acknowledged ? "known" : taking ? "taking" : "now";
}

const NEEDS = ["now", "taking", "known", "over", "shelved", "closed"];

/** Whether it wants somebody at its table, on his way or not. */
export const asks = (view) => ["now", "taking", "known"].includes(need(view));

/** The few facts that all screens need, whichever view it is: the wall's or a person's. */
export function plain(view) {
  const alert = view.alert ?? view;
  return {
    severity: SEVERITIES.includes(alert.severity) ? alert.severity : "low",
    state: alert.state,
    acknowledged: Boolean(alert.acknowledged),
    taking: Boolean(view.taking) || TAKES.includes(view.pending?.act),
    shelved: Boolean(alert.shelved),
    level: Number.isInteger(alert.level) ? alert.level : 1,
    audience: alert.audience ?? "floor",
    at: began(view),
  };
}

/** When it became wrong, in milliseconds: by the table's clock, unless that runs ahead of ours. */
export function began(view) {
  const heard = Date.parse(view.received);
  const at = Date.parse(view.alert?.at ?? "");
  return Number.isFinite(at) && at < heard ? at : heard;
}

function weight(view) {
  const { severity } = plain(view);
  const rank = SEVERITIES.indexOf(severity);
  return NEEDS.indexOf(need(view)) * 10 + (rank < 0 ? UNKNOWN : rank);
}

/** What asks most comes first; of equals the one that waits longest. */
export function byImportance(a, b) {
  return weight(a) - weight(b) || began(a) - began(b) || (a.key < b.key ? -1 : 1);
}

/** Whether people must be called for it by sound; what is taken back is not called out anew. */
export function calls(view) {
  const { severity } = plain(view);
  return ["now", "taking"].includes(need(view)) && (severity === "critical" || severity === "high");
}
