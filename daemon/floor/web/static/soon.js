// Drawing: at once when something changes after a calm, and not more often than eyes can follow.

const GAP_MS = 60;

/** A function that has `draw` called soon; many calls before that are one. */
export function soon(draw) {
  let waiting = null;
  let drawn = -GAP_MS;
  return () => {
    const wait = Math.max(0, drawn + GAP_MS - performance.now());
    waiting ??= setTimeout(() => {
      waiting = null;
      draw();
      drawn = performance.now();
    }, wait);
  };
}
