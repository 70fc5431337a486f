// How players look: a chip in the colour of their stones with the letter they have on the board. Used by every view
// that names them.

import { h } from "./dom.js";

const COLOURS = ["var(--bl-first)", "var(--bl-second)", "var(--bl-third)"];
/** @type {{ [name: string]: string }} */
const NAMED = { black: "#23272f", white: "#f6f7f9" }; // the games whose stones have the colour of the player's name

const TURNS = ["first", "second", "third"];

/**
 * What a seat is called beside the name of who has it. A letter, which the chip shows already, says nothing to people.
 *
 * @param {string} name of the player in the game
 * @param {number} index
 */
export function seatName(name, index) {
  return name.length > 1 || !TURNS[index] ? name : `${TURNS[index]} player`;
}

/**
 * A chip for player `index`, who is called `name` in the game.
 *
 * @param {string} name
 * @param {number} index
 */
export function playerChip(name, index) {
  const letter = /(\d+)$/.exec(name)?.[1] ?? name.charAt(0).toUpperCase();
  const colour = NAMED[name.toLowerCase()] ?? COLOURS[index % COLOURS.length];
  return h(
    "span",
    { class: "player-chip", style: { "--chip": colour }, "aria-hidden": "true" },
    NAMED[name.toLowerCase()] ? "" : letter,
  );
}

/**
 * The colour of a player.
 *
 * @param {string} name
 * @param {number} index
 */
export function playerColour(name, index) {
  return NAMED[name.toLowerCase()] ?? COLOURS[index % COLOURS.length];
}
