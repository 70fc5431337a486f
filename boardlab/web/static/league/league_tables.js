// The tables of a league: agents, games and people.

import { dataTable } from "../common/data_table.js";
import { h, icon, when } from "../common/dom.js";
import { count, result } from "../common/words.js";

/** @type {Columns} */
const MEMBERS = {
  Agent: "text",
  Rating: "num",
  Games: "num",
  "Won, drawn, lost": "num",
  "Last 20 games": "num",
  "": "text",
};
/** @type {Columns} */
const GAMES = { Players: "text", Score: "num", Played: "num", "": "text" };
/** @type {Columns} */
const PEOPLE = { Person: "text", Rating: "num", Games: "num", "Won, drawn, lost": "num", "Last game": "num" };

/**
 * A rating, as people write it: a whole number without separators.
 *
 * @param {number} rating
 */
export function points(rating) {
  return String(Math.round(rating)).replace("-", "\u2212");
}

/**
 * @param {string} label
 * @param {...Child} content
 */
function number(label, ...content) {
  return h("td", { class: "num", dataset: { label } }, h("div", {}, content));
}

/** @param {{ won: number, drawn: number, lost: number }} line */
function balance({ won, drawn, lost }) {
  return number("Won, drawn, lost", [won, drawn, lost].map(count).join(" \u00b7 "));
}

/**
 * The rating, with its 95 % interval in figures, and as a bar on the scale of the whole table.
 *
 * @param {{ rating: number, low: number, high: number }} line
 * @param {{ low: number, high: number }} scale
 */
function rating(line, scale) {
  const width = scale.high - scale.low || 1;
  const place = (/** @type {number} */ value) => Math.min(100, Math.max(0, (100 * (value - scale.low)) / width));
  return number(
    "Rating",
    h("strong", {}, points(line.rating)),
    h("span", { class: "muted", title: "95 % interval" }, ` (${points(line.low)} to ${points(line.high)})`),
    h(
      "div",
      { class: "interval", "aria-hidden": "true" },
      h("i", { style: { left: `${place(line.low)}%`, right: `${100 - place(line.high)}%` } }),
      h("b", { style: { left: `${place(line.rating)}%` } }),
    ),
  );
}

/**
 * From the lowest to the highest of those who have played; newcomers would make all others look alike.
 *
 * @param {{ low: number, high: number, games: number }[]} all
 */
function scaleOf(all) {
  const played = all.filter(({ games }) => games > 0);
  const lines = played.length ? played : all;
  return { low: Math.min(...lines.map(({ low }) => low)), high: Math.max(...lines.map(({ high }) => high)) };
}

/**
 * @param {Api.MemberLine[]} members
 * @param {(member: Api.MemberLine) => void} withdraw
 * @param {(member: Api.MemberLine) => void} enter
 */
export function memberTable(members, withdraw, enter) {
  if (!members.length) return h("p", { class: "empty" }, "Nobody takes part yet. Enter some agents below.");
  const scale = scaleOf(members);
  const row = (/** @type {Api.MemberLine} */ member) =>
    h(
      "tr",
      { class: member.withdrawn ? "withdrawn" : null },
      h(
        "td",
        { class: "cell-title" },
        h("strong", {}, member.label),
        member.withdrawn ? h("div", { class: "muted" }, `withdrew ${when(member.withdrawn)}`) : null,
        member.problem ? h("div", { class: "cell-problem" }, member.problem) : null,
      ),
      rating(member, scale),
      number("Games", count(member.games)),
      balance(member),
      number("Last 20 games", trend(member.trend)),
      h("td", { class: "cell-actions" }, action(member, member.withdrawn ? enter : withdraw)),
    );
  return h("div", { class: "table-wrap" }, dataTable("narrow-flow standings", MEMBERS, members.map(row)));
}

/**
 * @param {Api.MemberLine} member
 * @param {(member: Api.MemberLine) => void} act
 */
function action(member, act) {
  const [text, name] = member.withdrawn
    ? /** @type {const} */ (["Enter again", "plus"])
    : /** @type {const} */ (["Withdraw", "close"]);
  const label = `${text}: ${member.label}`;
  return h(
    "button",
    { class: "button ghost small", type: "button", "aria-label": label, onclick: () => act(member) },
    icon(name),
    text,
  );
}

/** @param {number | null} change */
function trend(change) {
  if (change === null) return "\u2013";
  const whole = Math.round(change);
  return h("span", { class: whole > 0 ? "up" : whole < 0 ? "down" : null }, whole > 0 ? `+${whole}` : points(whole));
}

/** @param {Api.LeagueGames} page */
export function gameTable({ total, games }) {
  if (!total) return h("p", { class: "empty" }, "No games yet.");
  const cell = (label, text) => h("td", { class: "num", dataset: { label } }, text);
  const row = (/** @type {Api.LeagueGameLine} */ game) =>
    h(
      "tr",
      {},
      h(
        "td",
        { class: "cell-title" },
        game.results.map(({ label }) => label).join(" \u2013 "),
        game.problem ? h("div", { class: "cell-problem" }, game.problem) : null,
      ),
      cell("Score", result(game.results.map(({ score }) => score))),
      cell("Played", when(game.created)),
      h("td", { class: "cell-actions" }, h("div", { class: "row tight" }, replays(game))),
    );
  return h("div", { class: "table-wrap" }, dataTable("narrow-flow", GAMES, games.map(row)));
}

/**
 * The stored games from which it can be replayed: one for all, or one for each of those who play alone.
 *
 * @param {Api.LeagueGameLine} game
 */
function replays({ number: which, results }) {
  const records = [...new Set(results.map(({ record }) => record))].filter((record) => record !== null);
  return records.map((record, k) => {
    const label = records.length > 1 ? `Replay game ${which} of ${results[k].label}` : `Replay game ${which}`;
    return h("a", { class: "icon-button", href: `#/games/${record}`, title: label, "aria-label": label }, icon("play"));
  });
}

/**
 * @param {Api.PersonRow[]} people
 * @param {(person: string) => void} open
 */
export function peopleTable(people, open) {
  if (!people.length)
    return h("p", { class: "empty" }, "Nobody yet. ", h("a", { href: "#/play" }, "Play against an agent"));
  const scale = scaleOf(people);
  const row = (/** @type {Api.PersonRow} */ line) =>
    h(
      "tr",
      {},
      h(
        "td",
        { class: "cell-title" },
        h("button", { class: "button ghost small", type: "button", onclick: () => open(line.person) }, line.person),
      ),
      rating(line, scale),
      number("Games", count(line.games)),
      balance(line),
      number("Last game", when(line.last)),
    );
  return h("div", { class: "table-wrap" }, dataTable("narrow-flow standings", PEOPLE, people.map(row)));
}
