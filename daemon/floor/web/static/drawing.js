// The table from above, as the dealer's camera sees it: seats, button, board; what the alert is
// about is marked by shape and line, not by colour alone.

import { draw, frame, locale, say } from "./frame.js";

const SEATS = 10;
const WIDTH = 360;
const HEIGHT = 214;
const MIDDLE = { x: WIDTH / 2, y: 110 };
const SUITS = { s: "spade", h: "heart", d: "diamond", c: "club" };
const BOARD_OF = { flop: [0, 1, 2], turn: [3], river: [4] };
const CARD = /^[2-9TJQKA][cdhs]$/;

/** Seat 1 is at the dealer's left; the dealer sits at the top, so the seats go round clockwise. */
function seatAt(seat) {
  const turn = (seat / (SEATS + 1)) * 2 * Math.PI - Math.PI / 2;
  const flat = (value) => Math.sign(value) * Math.abs(value) ** 0.62; // a table, not an ellipse
  return { x: MIDDLE.x + flat(Math.cos(turn)) * 152, y: MIDDLE.y + flat(Math.sin(turn)) * 80 };
}

function inward(point, by) {
  const dx = MIDDLE.x - point.x;
  const dy = MIDDLE.y - point.y;
  const far = Math.hypot(dx, dy) || 1;
  return { x: point.x + (dx / far) * by, y: point.y + (dy / far) * by };
}

function card(name, x, y, marked) {
  const size = { width: 30, height: 42, rx: 4 };
  const group = draw("g", { class: marked ? "card marked" : "card", transform: `translate(${x} ${y})` });
  if (!name) {
    group.append(draw("rect.slot", size));
  } else {
    const red = name[1] === "h" || name[1] === "d";
    group.setAttribute("class", `card ${red ? "red" : "black"}${marked ? " marked" : ""}`);
    group.append(draw("rect.paper", size),
      draw("text.rank", { x: 15, y: 19, "text-anchor": "middle" }, name[0] === "T" ? "10" : name[0]),
      draw("use", { href: `${frame.static}/icons.svg#${SUITS[name[1]]}`, x: 8.5, y: 23, width: 13, height: 13 }));
  }
  if (marked) {
    group.append(draw("rect.ring", { x: -3, y: -3, width: 36, height: 48, rx: 6 }),
      draw("path.flag", { d: "M15 -4 l-7 -10 h14 z" }));
  }
  return group;
}

function board(cards, marked) {
  const left = MIDDLE.x - 101; // room for a card set aside
  return Array.from({ length: Math.max(5, cards.length) }, (_, n) => n)
    .slice(0, 7)
    .map((n) => card(cards[n], left + n * 35, MIDDLE.y - 25, marked.has(n)));
}

function seat(number, { isIn, isMarked, isButton }) {
  const at = seatAt(number);
  const group = draw("g", { class: `seat${isIn ? " in" : ""}${isMarked ? " marked" : ""}` });
  if (isMarked) group.append(draw("circle.ring", { cx: at.x, cy: at.y, r: 18.5 }));
  group.append(draw("circle.chair", { cx: at.x, cy: at.y, r: 13.5 }),
    draw("text", { x: at.x, y: at.y + 4.5, "text-anchor": "middle" }, number));
  if (isButton) {
    const by = inward(at, 27);
    group.append(draw("circle.puck", { cx: by.x, cy: by.y, r: 8 }),
      draw("text.d", { x: by.x, y: by.y + 3.8, "text-anchor": "middle" }, "D"));
  }
  return group;
}

const cards = (list) => (Array.isArray(list) ? list : []).filter((one) => CARD.test(one));
const seats = (list) => new Set((Array.isArray(list) ? list : []).filter(Number.isInteger));

/** The public cards of a hand that lie at a place. */
export function lying(hand, place) {
  const known = Array.isArray(hand?.public) ? hand.public : [];
  return cards(known.filter((one) => one?.[1] === place).map((one) => one[0]));
}

function markedOnBoard(alert, onBoard, aside) {
  const named = cards(alert?.cards);
  const marked = new Set(onBoard.flatMap((name, n) => (named.includes(name) ? [n] : [])));
  const elsewhere = aside.some((name) => named.includes(name));
  if (marked.size || elsewhere) return marked;
  // Of cards that are gone the places are marked, but none that another card has taken.
  for (const n of BOARD_OF[alert?.subject] ?? []) if (!named.length || !onBoard[n]) marked.add(n);
  return marked;
}

function markedSeats(alert) {
  const marked = seats(alert?.seats);
  const [, own] = /^seat-(\d+)$/.exec(alert?.subject ?? "") ?? [];
  if (own) marked.add(Number(own));
  return marked;
}

/** In words what the drawing shows, for who cannot see it. */
function spoken(alert, hand, marked, onBoard) {
  const list = (items) => new Intl.ListFormat(locale).format([...items].map(String));
  const parts = [];
  if (marked.size) parts.push(say("drawing.seats", { seats: list(marked) }));
  if (alert && BOARD_OF[alert.subject]) parts.push(say("drawing.street", { street: say(`street.${alert.subject}`) }));
  if (Number.isInteger(hand?.button)) parts.push(say("drawing.button", { seat: hand.button }));
  if (onBoard.length) parts.push(say("drawing.board", { cards: list(onBoard) }));
  return parts.join(" ") || say("drawing.empty");
}

/**
 * The drawing of a table. `hand` is what the table says of its hand, where it is the alert's;
 * `alert` marks what it is about, or is null.
 */
export function drawing(hand, alert) {
  const onBoard = lying(hand, "board");
  const aside = lying(hand, "aside");
  const dealt = seats(hand?.seats_in);
  const marked = markedSeats(alert);
  const severity = ["critical", "high", "medium", "low"].find((one) => one === alert?.severity);
  const picture = draw("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: `drawing ${severity ?? ""}`,
    "aria-label": spoken(alert, hand, marked, onBoard),
  });
  picture.append(
    draw("rect.rail", { x: 30, y: 32, width: WIDTH - 60, height: 156, rx: 78 }),
    draw("rect.felt", { x: 39, y: 41, width: WIDTH - 78, height: 138, rx: 69 }),
    draw("rect.dealer", { x: MIDDLE.x - 27, y: 10, width: 54, height: 22, rx: 6 }),
    draw("text.small", { x: MIDDLE.x, y: 25, "text-anchor": "middle" }, say("drawing.dealer")),
    ...Array.from({ length: SEATS }, (_, n) => n + 1).map((number) =>
      seat(number, { isIn: dealt.has(number), isMarked: marked.has(number), isButton: hand?.button === number })),
    ...board(onBoard, markedOnBoard(alert, onBoard, aside)),
  );
  if (aside.length) {
    picture.append(
      ...aside.slice(0, 2).map((name, n) => {
        const one = card(name, MIDDLE.x + 79 + n * 14, MIDDLE.y - 18, cards(alert?.cards).includes(name));
        one.classList.add("aside");
        return one;
      }),
      draw("text.small", { x: MIDDLE.x + 97, y: MIDDLE.y + 36, "text-anchor": "middle" }, say("drawing.aside")));
  }
  return picture;
}
