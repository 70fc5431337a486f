// A board that is edited: its cells as the game outlines them, fields or edges, each of which can be clicked or reached
// with the arrow keys. Used to set up positions and to draw n-tuples.

import { replace, s } from "../common/dom.js";

const SIZE = 100; // units of the picture from cell to cell
const EDGE = 22;
const REACH = 17; // so far from an edge a click still means it
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * How a place looks: the colour of the field, a stone, a text, and what a screen reader says of it.
 *
 * @typedef {{ fill?: string, stone?: string, text?: string, label: string, pressed?: boolean }} Mark
 */

export class Places {
  /**
   * @param {[number, number][][]} outlines the corners of a field, or the two ends of an edge
   * @param {string} label
   * @param {(place: number) => void} onPick
   */
  constructor(outlines, label, onPick) {
    this.outlines = outlines.map((points) => points.map(([x, y]) => [SIZE * x, SIZE * y]));
    this.middles = this.outlines.map((points) => [0, 1].map((k) => sum(points.map((p) => p[k])) / points.length));
    this.onPick = onPick;
    this.current = 0;
    const xs = this.outlines.flat().map((p) => p[0]);
    const ys = this.outlines.flat().map((p) => p[1]);
    const [left, top] = [Math.min(...xs) - EDGE, Math.min(...ys) - EDGE];
    const [width, height] = [Math.max(...xs) + EDGE - left, Math.max(...ys) + EDGE - top];
    /** @type {SVGGElement[]} */
    this.nodes = this.outlines.map((_, place) => this.makePlace(place));
    this.over = s("g", { "pointer-events": "none" });
    this.frame = s("polygon", { class: "place-frame", "pointer-events": "none" }); // above all neighbours
    const edgesLast = [...this.nodes.keys()].sort((a, b) => this.outlines[b].length - this.outlines[a].length);
    this.element = s(
      "svg",
      { class: "places", viewBox: `${left} ${top} ${width} ${height}`, role: "group", "aria-label": label },
      edgesLast.map((place) => this.nodes[place]),
      this.over,
      this.frame,
    );
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {number} place */
  makePlace(place) {
    const node = s("g", { class: "place", role: "button", tabindex: place === 0 ? 0 : -1, "data-place": place });
    node.addEventListener("click", () => {
      this.focus(place);
      this.onPick(place);
    });
    node.addEventListener("focus", () => {
      this.current = place;
      const points = node.matches(":focus-visible") ? this.around(place) : [];
      this.frame.setAttribute("points", points.map((p) => p.join()).join(" "));
    });
    node.addEventListener("blur", () => this.frame.setAttribute("points", ""));
    return node;
  }

  /**
   * Draw all places anew.
   *
   * @param {(place: number) => Mark} mark
   */
  show(mark) {
    for (const [place, node] of this.nodes.entries()) {
      const look = mark(place);
      const [x, y] = this.middles[place];
      node.setAttribute("aria-label", look.label);
      if (look.pressed !== undefined) node.setAttribute("aria-pressed", String(look.pressed));
      replace(
        node,
        this.shape(place, look),
        look.stone && s("circle", { cx: x, cy: y, r: 34, fill: look.stone }),
        look.text && s("text", { x, y, "text-anchor": "middle", "dominant-baseline": "central" }, look.text),
      );
    }
  }

  /**
   * @param {number} place
   * @param {Mark} look
   */
  shape(place, { fill }) {
    const points = this.outlines[place];
    if (points.length > 2) return s("polygon", { points: points.map((p) => p.join()).join(" "), style: colour(fill) });
    const [[x1, y1], [x2, y2]] = points;
    const around = this.around(place).map((p) => p.join());
    const style = fill ? `stroke: ${fill}; stroke-width: 14` : "";
    return s(
      "g",
      {},
      s("polygon", { class: "place-hit", points: around.join(" ") }),
      s("line", { x1, y1, x2, y2, class: "place-edge", style }),
    );
  }

  /**
   * The corners of a field, or of what lies around an edge.
   *
   * @param {number} place
   * @returns {number[][]}
   */
  around(place) {
    const points = this.outlines[place];
    if (points.length > 2) return points;
    const [[x1, y1], [x2, y2]] = points;
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [nx, ny] = [(-REACH * (y2 - y1)) / length, (REACH * (x2 - x1)) / length];
    return [
      [x1 + nx, y1 + ny],
      [x2 + nx, y2 + ny],
      [x2 - nx, y2 - ny],
      [x1 - nx, y1 - ny],
    ];
  }

  /**
   * Lines from place to place above the board, the first of them with a larger mark.
   *
   * @param {number[]} cells
   */
  join(cells) {
    const middles = cells.map((cell) => this.middles[cell]);
    replace(
      this.over,
      middles.length > 1 && s("polyline", { class: "place-path", points: middles.map((p) => p.join()).join(" ") }),
      middles.map(([cx, cy], k) => s("circle", { cx, cy, r: k ? 8 : 13, class: k ? "place-dot" : "place-dot first" })),
    );
  }

  /** @param {number} place */
  focus(place) {
    this.nodes[this.current].setAttribute("tabindex", "-1");
    this.nodes[place].setAttribute("tabindex", "0");
    this.nodes[place].focus();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const arrow = ARROWS[event.key];
    if (arrow) {
      const next = this.towards(arrow);
      if (next !== null) this.focus(next);
    } else if (event.key === "Enter" || event.key === " ") this.onPick(this.current);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * The nearest place in a direction: what lies aside counts as twice as far.
   *
   * @param {number[]} direction
   */
  towards([dx, dy]) {
    const [x, y] = this.middles[this.current];
    let best = null;
    let shortest = Infinity;
    for (const [place, [px, py]] of this.middles.entries()) {
      const ahead = (px - x) * dx + (py - y) * dy;
      const far = ahead + 2 * Math.abs((px - x) * dy + (py - y) * dx);
      if (ahead > 1 && far < shortest) [best, shortest] = [place, far];
    }
    return best;
  }
}

/** @param {string} [fill] */
function colour(fill) {
  return fill ? `fill: ${fill}` : "";
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
