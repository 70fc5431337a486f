// The result of a tournament as tables: the rating list, who beats whom as a heat map, and where the ratings do not hold.

import { dataTable } from "../common/data_table.js";
import { h } from "../common/dom.js";
import { count, score } from "../common/words.js";
import { elo, percent, superiority } from "./words.js";

const NOTABLE = 3; // standard deviations from which a pair is told among those that do not fit
const MOST_PAIRS = 10;
const FEW_PAIRS = 3;

/**
 * The rating list, the strongest first; `short` where there is little room.
 *
 * @param {Api.TournamentResult} result
 */
export function ratingTable({ ratings }, short = false) {
  const low = Math.min(...ratings.map((line) => line.low));
  const high = Math.max(...ratings.map((line) => line.high));
  const number = (label, ...content) => h("td", { class: "num", dataset: { label } }, h("div", {}, content));
  /** @type {{ [title: string]: (line: Api.RatingLine) => Child }} */
  const figures = {
    "Better than next": (line) => superiority(line.superiority) || "\u2013",
    Games: (line) => count(line.games),
    Points: (line) => percent(line.success),
    "Mean score": (line) => score(line.score),
    "Time per move": (line) => milliseconds(line.milliseconds),
  };
  const shown = Object.entries(figures).filter(([title]) => !short || title === "Points");
  const rows = ratings.map((line, place) =>
    h(
      "tr",
      {},
      h(
        "td",
        { class: "cell-title" },
        h("span", { class: "rating-place" }, place + 1),
        h("strong", {}, line.name),
        short ? null : lineNotes(line),
      ),
      number(
        "Elo",
        elo(line.elo),
        h("span", { class: "muted", title: "95 % interval" }, ` (${elo(line.low)} to ${elo(line.high)})`),
        intervalBar(line, low, high),
      ),
      shown.map(([title, figure]) => number(title, figure(line))),
    ),
  );
  /** @type {Columns} */
  const columns = { Agent: "text", Elo: "num", ...Object.fromEntries(shown.map(([title]) => [title, "num"])) };
  const look = short ? "narrow-flow standings ratings" : "narrow-list ratings";
  return h("div", { class: "table-wrap" }, dataTable(look, columns, rows));
}

/** @param {Api.RatingLine} line */
function lineNotes({ episodes, forfeits }) {
  const notes = [
    episodes === null ? "" : `${count(episodes)} episodes`,
    forfeits ? `${count(forfeits)} lost by default` : "",
  ].filter(Boolean);
  return notes.length ? h("div", { class: "muted" }, notes.join(" \u00b7 ")) : null;
}

/**
 * @param {Api.RatingLine} line
 * @param {number} low the end of the scale of all of them
 * @param {number} high
 */
function intervalBar(line, low, high) {
  const width = high - low || 1;
  const place = (/** @type {number} */ value) => `${(100 * (value - low)) / width}%`;
  return h(
    "div",
    { class: "interval", "aria-hidden": "true" },
    h("i", { style: { left: place(line.low), right: `${100 - (100 * (line.high - low)) / width}%` } }),
    h("b", { style: { left: place(line.elo) } }),
  );
}

/** @param {number} value */
function milliseconds(value) {
  if (!value) return "\u2013";
  return value < 1000 ? `${Number(value.toPrecision(3))} ms` : `${Number((value / 1000).toPrecision(3))} s`;
}

/**
 * Points of each against each in percent, the colour of a cell says the same; a cell leads to the games of the pair.
 *
 * @param {Api.TournamentResult} result
 * @param {(one: string, other: string) => string} address of the games of a pair
 * @param {(one: string, other: string) => void} onpick
 */
export function crosstable({ ratings, crosstable: rows }, address, onpick) {
  const cell = (/** @type {Api.MeetingLine | null} */ met, one, other) => {
    if (one === other) return h("td", { class: "share-self" }, "\u2013");
    if (!met) return h("td", {});
    const share = (met.won + met.drawn / 2) / met.games;
    const words = `${one} against ${other}: ${percent(share, 0)} of ${count(met.games)} games`;
    const style = { "--depth": `${Math.round(90 * Math.abs(share - 0.5))}%` };
    const pick = (event) => (event.preventDefault(), onpick(one, other));
    return h(
      "td",
      { class: share < 0.5 ? "share lost" : "share won", style },
      h(
        "a",
        {
          href: address(one, other),
          title: `${words}: +${met.won} =${met.drawn} \u2212${met.lost}`,
          "aria-label": words,
          onclick: pick,
        },
        (100 * share).toFixed(0),
      ),
    );
  };
  return h(
    "div",
    { class: "table-wrap", tabindex: 0, role: "region", "aria-label": "Crosstable" },
    h(
      "table",
      { class: "table crosstable" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", class: "num" }, "#"),
          h("th", { scope: "col" }, "Points in %"),
          ratings.map((line, place) => h("th", { scope: "col", class: "num", title: line.name }, place + 1)),
        ),
      ),
      h(
        "tbody",
        {},
        ratings.map((one, i) =>
          h(
            "tr",
            {},
            h("td", { class: "num" }, i + 1),
            h("th", { scope: "row" }, one.name),
            ratings.map((other, j) => cell(rows[i][j], one.name, other.name)),
          ),
        ),
      ),
    ),
  );
}

/**
 * How well one number for each agent explains who beats whom: the pairs that did much better or worse than their ratings
 * say, else those that come nearest to it.
 *
 * @param {Api.TournamentResult} result
 */
export function residualTable({ misfit }) {
  const notable = misfit.residuals.filter((pair) => Math.abs(pair.deviations) >= NOTABLE);
  const shown = notable.length ? notable.slice(0, MOST_PAIRS) : misfit.residuals.slice(0, FEW_PAIRS);
  const number = (label, content) => h("td", { class: "num", dataset: { label } }, content);
  const rows = shown.map((pair) =>
    h(
      "tr",
      { class: Math.abs(pair.deviations) >= NOTABLE ? "notable" : null },
      h("td", { class: "cell-title" }, `${pair.one} \u2013 ${pair.other}`),
      number("Scored", `${pair.scored} of ${count(pair.games)}`),
      number("Expected", pair.expected.toFixed(1)),
      number("Deviations", signed(pair.deviations)),
    ),
  );
  const fits = notable.length
    ? "These pairs did much better or worse than their ratings say."
    : "No pair did much better or worse than its ratings say; these come nearest to it.";
  const together =
    misfit.freedom > 0
      ? `All pairs together have a chi-square of ${misfit.chi_square.toFixed(1)} with ${misfit.freedom} degrees of freedom; by chance alone it would be as large in ${percent(misfit.probability)} of the cases.`
      : "There are too few pairs to tell more.";
  return [
    h("p", { class: "muted" }, `${fits} ${together}`),
    misfit.circles.map((circle) => h("p", {}, `In a circle: ${[...circle, circle[0]].join(" beats ")}.`)),
    h(
      "div",
      { class: "table-wrap" },
      dataTable("narrow-flow", { Pair: "text", Scored: "num", Expected: "num", Deviations: "num" }, rows),
    ),
  ];
}

/** @param {number} value */
function signed(value) {
  return `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(1)}`;
}
