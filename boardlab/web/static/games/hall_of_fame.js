// Hall of fame: how people did against each agent, from the games that are kept.

import { get, listen } from "../common/api.js";
import { h, replace } from "../common/dom.js";
import { count, gameWords, result } from "../common/words.js";
import { gameTabs } from "./games.js";

/**
 * The view `#/hall`; `?game=SPEC` shows only those of a game.
 *
 * @type {Show}
 */
export async function show(root, _path, query) {
  const list = h("div");
  const filter = h("select", { "aria-label": "Game", onchange: () => draw() });
  /** @type {Api.HallLine[]} */
  let rows = [];
  let wanted = query.get("game") ?? "";

  function draw() {
    wanted = filter.value;
    const shown = rows.filter((row) => !wanted || row.game === wanted);
    replace(list, shown.length ? table(shown) : nothing());
  }

  async function load() {
    rows = await get("/api/hall");
    const games = [...new Map(rows.map((row) => [row.game, row.title]))];
    replace(
      filter,
      h("option", { value: "" }, "All games"),
      games.map(([game, title]) => h("option", { value: game, selected: game === wanted }, gameWords(title, game))),
    );
    filter.hidden = games.length < 2;
    draw();
  }

  replace(
    root,
    h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "Hall of fame"), h("div", { class: "row" }, filter)),
      gameTabs("hall"),
      list,
    ),
  );
  await load();
  const stops = [listen("record", load), listen("open", load)];
  return () => stops.forEach((stop) => stop());
}

/** @param {Api.HallLine[]} rows */
function table(rows) {
  const number = (label, text) => h("td", { class: "num", dataset: { label } }, text);
  const head = ["Person", "Game", "Against", "Games", "Won", "Drawn", "Lost", "Best score"];
  return h(
    "div",
    { class: "table-wrap card" },
    h(
      "table",
      { class: "table narrow-flow" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          head.map((text, i) => h("th", { scope: "col", class: i > 2 ? "num" : null }, text)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("td", { class: "cell-title" }, h("strong", {}, row.person)),
            h("td", { class: "cell-line" }, gameWords(row.title, row.game)),
            h("td", { class: "cell-line", dataset: { label: "Against" } }, row.agent ?? "alone"),
            number("Games", count(row.games)),
            number("Won", row.agent ? count(row.won) : "\u2013"),
            number("Drawn", row.agent ? count(row.drawn) : "\u2013"),
            number("Lost", row.agent ? count(row.lost) : "\u2013"),
            number("Best score", row.best == null ? "\u2013" : result([row.best])),
          ),
        ),
      ),
    ),
  );
}

function nothing() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "Nobody has played to the end yet."),
    h("p", {}, h("a", { href: "#/play" }, "Be the first.")),
  );
}
