// What an agent thinks of each move, drawn onto the board: a heat colour on the part of the board that plays the move,
// and its value as a number where there is room. Called by board.js; the heat colours also by the lists of values.

import { s, short } from "../common/dom.js";

const SMALLEST_TEXT = 8.5; // pixels on the screen; smaller numbers cannot be read
const LARGEST_TEXT = 20;
const ALWAYS_LABELLED = 5; // the best moves, where the numbers are wider than the parts of the board
const SHIFTS = [0, 0.2, -0.2, 0.4, -0.4, 0.6, -0.6]; // along a line, where many cross in the middle

/**
 * The colour of a value between the worst and the best of a position: red, yellow, green; dark text is readable on all
 * of them.
 *
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function heat(value, low, high) {
  const t = high - low < 1e-9 ? 1 : Math.min(1, Math.max(0, (value - low) / (high - low)));
  return `hsl(${Math.round(4 + t * 138)} 70% 63%)`;
}

/**
 * Whether a value is a number: an agent that learned nonsense may have none.
 *
 * @param {number | null} value
 * @returns {value is number}
 */
export function isNumber(value) {
  return Number.isFinite(value);
}

/**
 * The smallest and the largest value.
 *
 * @param {Api.ActionOpinion[]} values
 */
export function rangeOf(values) {
  const all = values.map((v) => v.value).filter(isNumber);
  return [Math.min(...all), Math.max(...all)];
}

/**
 * A copy of a part of the board, right above it and inert, to colour it without touching the picture below.
 *
 * @param {SVGElement} part
 * @param {string} className
 */
export function tint(part, className) {
  const copy = /** @type {SVGElement} */ (part.cloneNode(false));
  for (const { name } of [...copy.attributes]) {
    if (/^data-|^aria-|^(tabindex|role|opacity|stroke-dasharray)$/.test(name)) copy.removeAttribute(name);
  }
  copy.setAttribute("class", `${className} ${part.localName === "line" ? "tint-line" : "tint-area"}`);
  part.after(copy);
  return copy;
}

/**
 * Draw the values on the board; returns the nodes to remove again.
 *
 * @param {SVGSVGElement} svg
 * @param {Map<number, SVGGraphicsElement[]>} parts the parts of the picture that play an action
 * @param {Api.ActionOpinion[]} values
 * @param {Set<number>} best
 * @returns {Element[]}
 */
export function drawValues(svg, parts, values, best) {
  const placed = values.flatMap(({ action, value }) => {
    const shapes = parts.get(action);
    return isNumber(value) && shapes ? [{ action, value, shapes }] : [];
  });
  if (!placed.length) return [];
  const [low, high] = rangeOf(values);
  /** @type {Element[]} */
  const nodes = [];
  for (const { action, value, shapes } of placed) {
    for (const part of shapes) {
      const copy = tint(part, best.has(action) ? "heat heat-best" : "heat");
      copy.style.setProperty("--heat", heat(value, low, high));
      nodes.push(copy);
    }
  }
  const labels = s("g", { class: "heat-labels", "aria-hidden": "true" });
  svg.append(labels);
  /** @type {Box[]} */
  const taken = [];
  const rankOf = (move) => Number(best.has(move.action));
  const ordered = [...placed].sort((a, b) => rankOf(b) - rankOf(a) || b.value - a.value);
  for (const [rank, { action, value, shapes }] of ordered.entries()) {
    const label = makeLabel(svg, shapes[0], short(value), taken, rank < ALWAYS_LABELLED);
    if (!label) continue;
    label.style.setProperty("--heat", heat(value, low, high));
    if (best.has(action)) label.classList.add("best");
    labels.append(label);
  }
  return [...nodes, labels];
}

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

/**
 * A number on its part, or null where it would cover another one.
 *
 * @param {SVGSVGElement} svg
 * @param {SVGGraphicsElement} part
 * @param {string} text
 * @param {Box[]} taken
 * @param {boolean} mayOverhang
 */
function makeLabel(svg, part, text, taken, mayOverhang) {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width || 1;
  const box = part.getBBox();
  const line = part.localName === "line";
  const fitting = Math.min(Math.min(box.width, box.height) * 0.36, (box.width * 0.9) / (0.6 * text.length + 0.6));
  const size = Math.min(Math.max(line ? 11 : fitting, SMALLEST_TEXT / scale), LARGEST_TEXT / scale);
  const width = size * (0.6 * text.length + 0.6);
  const height = size * 1.45;
  if (!line && width > box.width * 1.25 && !mayOverhang) return null;
  for (const [x, y] of labelPlaces(part, box, line)) {
    const spot = keepInside(svg, { x: x - width / 2, y: y - height / 2, width, height });
    if (taken.some((other) => overlap(spot, other))) continue;
    taken.push(spot);
    return s(
      "g",
      { class: "heat-label" },
      s("rect", { x: spot.x, y: spot.y, width, height, rx: height / 3 }),
      s("text", { x: spot.x + width / 2, y: spot.y + height / 2, "font-size": size }, text),
    );
  }
  return null;
}

/**
 * @param {SVGGraphicsElement} part
 * @param {Box} box
 * @param {boolean} line
 */
function labelPlaces(part, box, line) {
  const middle = [box.x + box.width / 2, box.y + box.height / 2];
  if (line) {
    const end = ["x1", "y1"].map((name) => Number(part.getAttribute(name)));
    return SHIFTS.map((t) => middle.map((m, i) => m + t * (end[i] - m)));
  }
  // a whole column is played from above: the top of it is free
  return box.height > 2.5 * box.width && box.width > 40 ? [[middle[0], box.y + box.width / 2]] : [middle];
}

/**
 * @param {SVGSVGElement} svg
 * @param {Box} box
 */
function keepInside(svg, box) {
  const field = svg.viewBox.baseVal;
  return {
    ...box,
    x: Math.min(Math.max(box.x, field.x), field.x + field.width - box.width),
    y: Math.min(Math.max(box.y, field.y), field.y + field.height - box.height),
  };
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
