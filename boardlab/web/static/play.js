// The play view: a gallery of the games, then the set-up of one of them (setup.js), then the live game (table.js).

import { get } from "./api.js";
import { h, icon, replace } from "./dom.js";
import { picture } from "./picture.js";
import { showSetup } from "./setup.js";
import { lastTable, showTable } from "./table.js";

export async function show(root, path, query) {
  if (path[0]) return showTable(root, path[0]);
  const games = await get("/api/games");
  if (query.has("game")) return showSetup(root, games, query);
  return showGallery(root, games);
}

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
  const table = await lastTable();
  if (table) replace(going, resumeCard(table));
}

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

function playersText(game) {
  const field = game.fields.find((f) => f.name === "players");
  const counts = field ? (field.choices?.length ? field.choices : [field.low, field.high]) : [game.players];
  const players = counts.length === 1 && counts[0] === 1 ? "1 player" : `${counts.join(" or ")} players`;
  return game.chance ? `${players}, with chance` : players;
}

function resumeCard(table) {
  return h(
    "a",
    { class: "notice resume", href: `#/play/${table.id}` },
    icon("play"),
    h("span", {}, h("strong", {}, `Go on with ${table.title}`), ` \u00b7 ${table.status}`),
  );
}
