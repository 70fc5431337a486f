// The parts of a picture that play an action: which one it is, where it lies, what it shows. Used by board.js.

/**
 * The shapes that show what an action would do, by action.
 *
 * @param {SVGSVGElement} svg
 */
export function ghostsOf(svg) {
  /** @type {Map<number, SVGElement[]>} */
  const found = new Map();
  for (const ghost of /** @type {NodeListOf<SVGElement>} */ (svg.querySelectorAll("[data-ghost]"))) {
    for (const action of (ghost.dataset.ghost ?? "").split(" ").map(Number)) {
      found.set(action, [...(found.get(action) ?? []), ghost]);
    }
  }
  return found;
}

/** a, b, ..., z, aa, ab, ... */
export function columnName(column) {
  const letter = String.fromCharCode(97 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

/** Whether the keyboard is on nothing that it could operate. */
export function isNowhere(node, frame) {
  return !node || node === document.body || node === frame || node.id === "main";
}

/** @param {EventTarget | null} node */
export function actionOf(node) {
  const part = node instanceof Element ? node.closest("[data-action]") : null;
  return part ? Number(part.getAttribute("data-action")) : null;
}

/** @param {SVGGraphicsElement} part */
export function targetSize(part) {
  if (part.localName === "line") return Number(part.getAttribute("stroke-width"));
  const { width, height } = part.getBBox();
  return Math.min(width, height);
}

/** @param {SVGGraphicsElement} part */
export function centre(part) {
  const { x, y, width, height } = part.getBBox();
  return { x: x + width / 2, y: y + height / 2 };
}
