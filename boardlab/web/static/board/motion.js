// What moves on a board: stones fall, turn over, appear, and tiles slide and merge. The picture says which of its shapes
// are pieces (data-piece, the cell they stand on) and how a new one comes (data-enter); everything else follows from
// comparing two pictures. Called by board.js; nothing moves for people who prefer it so.

const SLIDE = 110; // milliseconds
const MERGE = 130;
const GROW = 160;
const FLIP = 260;
const FLIP_WAVE = 0.7; // milliseconds for each unit of the picture between the new stone and one that turns over
const FALL = 95; // milliseconds for the first cell of a fall; a stone gets faster

/**
 * A piece: its shapes, the box around the first of them, and its colour.
 *
 * @typedef {{ nodes: SVGGraphicsElement[], box: DOMRect, fill: string | null }} Piece
 */

/** @typedef {Map<string, Piece>} Pieces by the cells that they stand on */

/**
 * The pieces of a picture that is on the page.
 *
 * @param {SVGSVGElement} svg
 * @returns {Pieces}
 */
export function piecesOf(svg) {
  /** @type {Pieces} */
  const found = new Map();
  for (const node of /** @type {NodeListOf<SVGGraphicsElement>} */ (svg.querySelectorAll("[data-piece]"))) {
    const cell = node.dataset.piece ?? "";
    const known = found.get(cell);
    if (known) known.nodes.push(node);
    else found.set(cell, { nodes: [node], box: node.getBBox(), fill: node.getAttribute("fill") });
  }
  return found;
}

/** Whether things may move. */
export function mayMove() {
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Let the pieces of a picture come from where they were before; returns after how many milliseconds all are in place.
 *
 * @param {SVGSVGElement} svg
 * @param {Pieces} before
 * @param {number[][]} slides cells from and to
 */
export function moveFrom(svg, before, slides) {
  const after = piecesOf(svg);
  const { arrived, time: slid } = slide(svg, before, after, slides);
  let time = slid;
  const fresh = [...after].filter(([cell]) => !before.has(cell) && !arrived.has(cell)).map(([, piece]) => piece);
  for (const piece of fresh) time = Math.max(time, enter(piece, slid));
  for (const [cell, piece] of after) {
    const old = before.get(cell);
    if (old && !arrived.has(cell) && old.fill !== piece.fill) {
      const wait = fresh.length ? FLIP_WAVE * distance(fresh[0].box, piece.box) : 0;
      time = Math.max(time, flip(piece, old.fill ?? "none", wait));
    }
  }
  return time;
}

/**
 * Pieces that the last action moved: their old shapes go to the new places, where the new ones appear.
 *
 * @param {SVGSVGElement} svg
 * @param {Pieces} before
 * @param {Pieces} after
 * @param {number[][]} slides
 */
function slide(svg, before, after, slides) {
  /** @type {Map<string, number>} */
  const arrived = new Map();
  for (const [from, to] of slides.map((pair) => pair.map(String))) {
    const [old, target] = [before.get(from), after.get(to)];
    if (!old || !target) continue;
    arrived.set(to, (arrived.get(to) ?? 0) + 1);
    const [x, y] = [target.box.x - old.box.x, target.box.y - old.box.y];
    for (const node of old.nodes) {
      const copy = /** @type {SVGElement} */ (node.cloneNode(true));
      copy.removeAttribute("data-piece");
      svg.append(copy);
      const moved = [{ transform: "none" }, { transform: `translate(${x}px, ${y}px)` }];
      copy.animate(moved, { duration: SLIDE, easing: "ease-out", fill: "forwards" }).onfinish = () => copy.remove();
    }
  }
  for (const [cell, count] of arrived) {
    for (const node of after.get(cell)?.nodes ?? []) {
      node.animate([{ opacity: 0 }, { opacity: 0 }], { duration: SLIDE });
      const merged = [{ transform: "scale(1)" }, { transform: "scale(1.14)" }, { transform: "scale(1)" }];
      if (count > 1) node.animate(merged, { duration: MERGE, delay: SLIDE });
    }
  }
  return { arrived, time: arrived.size ? SLIDE : 0 };
}

/**
 * @param {Piece} piece
 * @param {number} wait
 */
function enter({ nodes, box }, wait) {
  const falls = nodes[0].dataset.enter === "fall";
  const height = box.y;
  const duration = falls ? FALL * (1 + Math.sqrt(height / box.height)) : GROW;
  const frames = falls
    ? [
        { transform: `translateY(${-height}px)`, easing: "cubic-bezier(.5, 0, .9, .6)" },
        { transform: "none", offset: 0.78 },
        { transform: `translateY(${-0.05 * height}px)`, offset: 0.89 },
        { transform: "none" },
      ]
    : [{ opacity: 0, transform: "scale(0.4)" }, { transform: "none" }];
  for (const node of nodes) node.animate(frames, { duration, delay: wait, fill: "backwards" });
  return wait + duration;
}

/**
 * @param {Piece} piece
 * @param {string} before its colour until now
 * @param {number} wait
 */
function flip({ nodes, fill }, before, wait) {
  const frames = [
    { transform: "scaleX(1)", fill: before },
    { transform: "scaleX(0)", fill: before, offset: 0.5 },
    { transform: "scaleX(0)", fill: fill ?? "none", offset: 0.5 },
    { transform: "scaleX(1)", fill: fill ?? "none" },
  ];
  for (const node of nodes) node.animate(frames, { duration: FLIP, delay: wait, fill: "backwards" });
  return wait + FLIP;
}

/**
 * @param {DOMRect} a
 * @param {DOMRect} b
 */
function distance(a, b) {
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}
