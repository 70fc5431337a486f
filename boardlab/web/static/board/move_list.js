// The list of moves of a game, each a way back to the position after it; what was taken back stays in sight, paler.
// Used by the live game and by inspection.

import { h, icon, replace } from "../common/dom.js";
import { playerColour } from "../common/players.js";

/**
 * {element, show(view)}; `onJump` is called with the number of events of the wanted position.
 *
 * @param {(ply: number) => void} onJump
 */
export function moveList(onJump) {
  const list = h("ol", { class: "moves", "aria-label": "Moves" });
  const element = h("div", { class: "moves-box" }, list);
  let shown = "";

  /** @param {{ moves: Api.MoveLine[], ply: number, players: string[] }} view */
  function show({ moves, ply, players }) {
    const key = JSON.stringify([moves.map((m) => m.name), players]);
    if (key !== shown) {
      const focused = /** @type {HTMLElement | null} */ (list.querySelector(":focus"))?.dataset.ply;
      replace(
        list,
        entry(0, null, players),
        moves.map((move) => entry(move.ply, move, players)),
      );
      shown = key;
      const again = focused && list.querySelector(`[data-ply="${focused}"]`);
      if (again) /** @type {HTMLElement} */ (again).focus({ preventScroll: true });
    }
    for (const button of list.querySelectorAll("button")) {
      const at = Number(button.dataset.ply);
      button.classList.toggle("later", at > ply);
      if (at === ply) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    keepInSight(element, list.querySelector("[aria-current]"));
  }

  /**
   * @param {number} ply
   * @param {Api.MoveLine | null} move
   * @param {string[]} players
   */
  function entry(ply, move, players) {
    const button = h(
      "button",
      {
        type: "button",
        dataset: { ply },
        class: move?.kind === "chance" ? "move by-chance" : "move",
        onclick: () => onJump(ply),
      },
      move ? h("span", { class: "move-number" }, move.ply) : null,
      move?.kind === "chance" ? icon("dice") : null,
      h("span", { class: "move-name" }, move ? move.name : "Start"),
    );
    if (move && move.player !== null)
      button.style.setProperty("--player", playerColour(players[move.player], move.player));
    return h("li", {}, button);
  }

  return { element, show };
}

/**
 * Scroll the list alone; `scrollIntoView` would move the page as well.
 *
 * @param {Element} box
 * @param {Element | null} node
 */
function keepInSight(box, node) {
  if (!node) return;
  const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 4;
  else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 4;
}

/**
 * The events of a move list up to a ply, as the server takes them.
 *
 * @param {Api.MoveLine[]} moves
 * @param {number} ply
 * @returns {GameEvent[]}
 */
export function eventsOf(moves, ply) {
  return moves
    .slice(0, ply)
    .map((move) => (move.kind === "chance" ? { chance: move.number } : { action: move.number }));
}
