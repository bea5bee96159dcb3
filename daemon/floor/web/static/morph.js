// Makes what stands on the page equal to what was built anew, touching only what differs: focus,
// scrolling and a finger that is already down keep their element.

function same(a, b) {
  return (
    a.nodeType === b.nodeType && a.nodeName === b.nodeName && a.dataset?.key === b.dataset?.key
  );
}

function attributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/** Make `old` like `fresh`; elements with `data-key` are moved rather than made over. */
export function morph(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.dataset?.sign && old.dataset.sign === fresh.dataset?.sign) return;
  attributes(old, fresh);
  // An age is written by its own clock, and a dialog is left alone while somebody writes in it.
  if (old.dataset?.since || old.dataset?.until) return;
  children(old, [...fresh.childNodes]);
}

/**
 * What stands among the children of `old`: by its key, the sign it bears of all that it shows. An
 * element of the same key and sign need not be built anew to be made equal; an empty one will do.
 */
export function signs(old) {
  return new Map([...(old?.children ?? [])].map(({ dataset }) => [dataset.key, dataset.sign]));
}

/** The same for the children of `old` alone; what is false among the fresh is passed over. */
export function children(old, fresh) {
  const byKey = new Map();
  for (const child of old.children) {
    if (child.dataset.key) byKey.set(child.dataset.key, child);
  }
  let at = old.firstChild;
  for (const next of fresh) {
    if (!next) continue;
    const known = next.dataset?.key && byKey.get(next.dataset.key);
    if (known) {
      byKey.delete(next.dataset.key);
      if (known === at) at = at.nextSibling;
      else old.insertBefore(known, at);
      morph(known, next);
    } else if (at && !at.dataset?.key && same(at, next)) {
      morph(at, next);
      at = at.nextSibling;
    } else {
      old.insertBefore(next, at);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}
