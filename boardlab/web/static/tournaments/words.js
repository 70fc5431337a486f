// Tournaments in words.

import { count, plural } from "../common/words.js";

/** @type {{ [format: string]: string }} */
export const FORMATS = {
  "round-robin": "round robin",
  gauntlet: "gauntlet",
  swiss: "Swiss system",
  knockout: "knockout",
};

/**
 * How many games were played, of how many.
 *
 * @param {Api.Tournament} tournament
 */
export function gamesWords({ done, games, state }) {
  return done < games || state !== "finished" ? `${count(done)} of ${plural(games, "game")}` : plural(done, "game");
}

/**
 * Where its games start.
 *
 * @param {string} starts
 */
export function startsWords(starts) {
  const [kind, ...rest] = starts.split(":");
  if (kind === "random") return `after ${plural(Number(rest[0]), "random ply").replace("plys", "plies")}`;
  return kind === "evaluator" ? `from the positions of ${rest.join(":")}` : "from the start";
}

/**
 * What there is to see before the first result.
 *
 * @param {Api.Tournament} tournament
 * @param {boolean} isOver
 */
export function waitingWords({ state }, isOver) {
  if (state === "queued") return "Queued behind other tournaments.";
  if (state === "compiling") return "Compiling the game; this happens only once.";
  return isOver ? "No games were played." : "The first game is being played.";
}

/**
 * A rating, with its sign.
 *
 * @param {number} value
 */
export function elo(value) {
  const whole = Math.round(value);
  return `${whole < 0 ? "\u2212" : "+"}${count(Math.abs(whole))}`;
}

/**
 * A share in percent.
 *
 * @param {number} value
 */
export function percent(value, digits = 1) {
  return `${(100 * value).toFixed(digits)} %`;
}

/**
 * How likely one is stronger; a bootstrap tells nothing about what is rarer than one of its samples.
 *
 * @param {number | null} value
 */
export function superiority(value) {
  if (value === null) return "";
  return value > 0.999 ? "> 99.9 %" : percent(value);
}
