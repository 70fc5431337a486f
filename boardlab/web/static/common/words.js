// Numbers, durations and sizes as people read them: the same everywhere in the page.

const LANGUAGE = "en";

/**
 * A whole number with thousands separated; a dash where there is none.
 *
 * @param {number | null | undefined} value
 */
export function count(value) {
  return value == null ? "\u2013" : Math.round(value).toLocaleString(LANGUAGE);
}

/**
 * A score: three decimals, none where scores are as large as those of 2048.
 *
 * @param {number | null} value
 */
export function score(value) {
  if (value == null) return "\u2013";
  const text = Math.abs(value) < 100 ? value.toFixed(3) : Math.round(value).toLocaleString(LANGUAGE);
  return text.replace("-", "\u2212");
}

/**
 * Scores of a finished game, as few decimals as they need.
 *
 * @param {number[]} scores
 */
export function result(scores) {
  const text = (value) => (Number.isInteger(value) ? value.toLocaleString(LANGUAGE) : value.toFixed(2));
  return scores.length ? scores.map((value) => text(value).replace("-", "\u2212")).join(" : ") : "\u2013";
}

/**
 * A rate such as alpha or epsilon: three digits that matter.
 *
 * @param {number | null} value
 */
export function rate(value) {
  return value == null ? "\u2013" : String(Number(value.toPrecision(3)));
}

/**
 * A large number in few digits: "5.23 k", "1.2 M".
 *
 * @param {number} value
 */
export function rough(value) {
  if (!value) return "\u2013";
  if (value < 1000) return String(Number(value.toPrecision(3)));
  const [unit, size] = value < 1e6 ? ["k", 1e3] : value < 1e9 ? ["M", 1e6] : ["G", 1e9];
  return `${Number((value / size).toPrecision(3))} ${unit}`;
}

/**
 * A stretch of time: "12 s", "3 min 20 s", "2 h 5 min".
 *
 * @param {number | null} seconds
 */
export function duration(seconds) {
  if (seconds == null) return "\u2013";
  if (seconds < 10) return `${Number(seconds.toPrecision(2))} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${count(Math.floor(whole / 3600))} h ${Math.floor((whole % 3600) / 60)} min`;
}

/**
 * A size in bytes.
 *
 * @param {number} value
 */
export function bytes(value) {
  if (value < 1e3) return `${value} B`;
  const [unit, size] = value < 1e6 ? ["kB", 1e3] : value < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${Number((value / size).toPrecision(3))} ${unit}`;
}

/**
 * "1 game", "3 games".
 *
 * @param {number} number
 * @param {string} word
 */
export function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

/**
 * A game's title with its parameters, where they are not the usual ones.
 *
 * @param {string} title
 * @param {string} spec
 */
export function gameWords(title, spec) {
  const settings = spec.includes("=") ? spec.slice(spec.lastIndexOf(":") + 1).replaceAll(",", ", ") : "";
  return settings ? `${title} (${settings})` : title;
}

/**
 * Who played, in the order of the seats, with the names of the seats where they are known.
 *
 * @param {{ seats: string[], players?: string[] }} record
 */
export function seatWords({ seats, players = [] }) {
  return seats.map((label, seat) => (players.length > 1 ? `${players[seat]}: ${label}` : label)).join(" \u2013 ");
}

/**
 * What is to say of a position where people or agents play who have names: whose turn it is, who won; else what the
 * server says of it.
 *
 * @param {{ status: string, to_move: number | null, over: boolean, scores: number[] }} position
 * @param {{ seats: string[], players: string[] }} named who plays; no seats where nobody has a name
 */
export function positionWords({ status, to_move: mover, over, scores }, { seats, players }) {
  const plain = status.charAt(0).toUpperCase() + status.slice(1);
  if (seats.length < 2 || (!over && mover === null)) return plain;
  const alike = new Set(seats).size < seats.length;
  const name = (/** @type {number} */ seat) => (alike ? `${seats[seat]} (${players[seat]})` : seats[seat]);
  if (mover !== null) return `${name(mover)} to move`;
  const best = Math.max(...scores);
  const won = seats.flatMap((_, seat) => (scores[seat] === best ? [name(seat)] : []));
  return won.length === seats.length ? "A draw" : `${won.join(" and ")} won`;
}

/**
 * How it ended.
 *
 * @param {Api.Record} record
 */
export function resultWords(record) {
  if (record.resigned != null) return `${result(record.scores)} (resigned)`;
  if (record.flagged != null) return `${result(record.scores)} (out of time)`;
  return record.finished ? result(record.scores) : "unfinished";
}

/**
 * Who measured a strength: "perfect (opponent: perfect)".
 *
 * @param {{ evaluator: string | null, against: string | null } | null} measured
 */
export function evaluatorWords(measured) {
  if (!measured?.evaluator) return "";
  return measured.against ? `${measured.evaluator} (opponent: ${measured.against})` : measured.evaluator;
}

/**
 * How a clock was set: "5 min + 3 s".
 *
 * @param {{ minutes: number, increment: number }} clock
 */
export function clockSetting({ minutes, increment }) {
  const time = `${Number(minutes.toFixed(2))} min`;
  return increment ? `${time} + ${Number(increment.toFixed(2))} s` : time;
}
