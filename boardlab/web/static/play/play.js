// The play view: a gallery of the games, then a new one of them (new_game.js), then the live game (live_game.js).
// The gallery does not wait for these two; they are fetched while the person looks at it.

import { get } from "../common/api.js";
import { h, icon, replace } from "../common/dom.js";
import { picture } from "../common/picture.js";
import { lastLiveGame } from "./last_game.js";

/**
 * The view `#/play`, `#/play?game=SPEC` for a new game, `#/play/ID` for a live one.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  if (path[0]) return (await import("./live_game.js")).showLiveGame(root, path[0]);
  const games = await get("/api/games");
  if (query.has("game")) return (await import("./new_game.js")).showNewGame(root, games, query);
  return showGallery(root, games);
}

/**
 * @param {HTMLElement} root
 * @param {Api.GameInfo[]} games
 */
async function showGallery(root, games) {
  const going = h("div", {});
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "Choose a game")),
      going,
      h("ul", { class: "gallery" }, games.map(gameCard)),
    ),
  );
  const game = await lastLiveGame();
  if (game) replace(going, resumeCard(game));
  Promise.all([import("./new_game.js"), import("./live_game.js")]).catch(() => {}); // they are asked for again
}

/** @param {Api.GameInfo} game */
function gameCard(game) {
  const drawing = picture(game.svg);
  drawing.setAttribute("aria-hidden", "true");
  return h(
    "li",
    {},
    h(
      "a",
      { class: "game-card", href: `#/play?game=${encodeURIComponent(game.name)}`, dataset: { game: game.name } },
      h("div", { class: "game-picture" }, drawing),
      h("h2", {}, game.title),
      h("p", { class: "muted small" }, playersText(game)),
    ),
  );
}

/** @param {Api.GameInfo} game */
function playersText(game) {
  const field = game.fields.find((f) => f.name === "players");
  const counts = field ? (field.choices.length ? field.choices : [field.low, field.high]) : [game.players];
  const players = counts.length === 1 && counts[0] === 1 ? "1 player" : `${counts.join(" or ")} players`;
  return game.chance ? `${players}, with chance` : players;
}

/** @param {Api.LiveGameView} game */
function resumeCard(game) {
  return h(
    "a",
    { class: "notice resume", href: `#/play/${game.id}` },
    icon("play"),
    h("span", {}, h("strong", {}, `Resume ${game.title}`), ` \u00b7 ${game.status}`),
  );
}
