// The play view: a gallery of the games, from which one click leads to a board. The set-up of a game with all its
// options (new_game.js) and the live game (live_game.js) are fetched while the person looks at the gallery.

import { get, post } from "../common/api.js";
import { h, icon, recall, remember, replace } from "../common/dom.js";
import { picture } from "../common/picture.js";
import { lastLiveGame, rememberLiveGame } from "./last_game.js";
import { ownSeat, statusText } from "./status.js";

/** @type {{ level: Api.LevelLine["level"], title: string, doc: string }[]} */
const LEVELS = [
  { level: "easy", title: "Easy", doc: "a beginner, who looks ahead only a little" },
  { level: "medium", title: "Medium", doc: "thinks for a moment, and can be beaten" },
  { level: "strong", title: "Strong", doc: "searches deeply, or has learned the game by playing against itself" },
  { level: "perfect", title: "Perfect", doc: "never makes a mistake; where a game has no such player, Strong plays" },
];
const USUAL_LEVEL = "medium";
const LAST_LEVEL = "level";
const LAST_GAME = "game"; // what was played last in this browser

/**
 * The view `#/play`, `#/play?game=SPEC&level=LEVEL` to play at once, `#/play?game=SPEC` to set a game up, `#/play/ID` for
 * a live one.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  if (path[0]) return (await import("./live_game.js")).showLiveGame(root, path[0]);
  const games = await get("/api/games");
  if (query.has("level")) return startAtOnce(query.get("game") ?? "", query.get("level") ?? "");
  if (query.has("game")) return (await import("./new_game.js")).showNewGame(root, games, query);
  return showGallery(root, games);
}

/**
 * @param {HTMLElement} root
 * @param {Api.GameInfo[]} games
 */
async function showGallery(root, games) {
  const going = h("div", { hidden: true });
  const cards = games.map((game) => new GameCard(game));
  const choose = (/** @type {string} */ level) => {
    remember(LAST_LEVEL, level);
    for (const card of cards) card.setLevel(level);
  };
  const chosen = LEVELS.some(({ level }) => level === recall(LAST_LEVEL)) ? recall(LAST_LEVEL) : USUAL_LEVEL;
  for (const card of cards) card.setLevel(chosen);
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "stack" },
        h("h1", {}, "Play"),
        h(
          "p",
          { class: "muted intro" },
          "Play board games against agents that search, that taught themselves by self-play, or that never err; see " +
            "what they think of every move, and train your own. A click on a game begins it.",
        ),
      ),
      levelChoice(chosen, choose),
      going,
      h(
        "ul",
        { class: "gallery" },
        cards.map((card) => card.element),
      ),
    ),
  );
  prepareAhead(games.some(({ name }) => name === recall(LAST_GAME)) ? recall(LAST_GAME) : games[0]?.name);
  const game = await lastLiveGame();
  if (game) replace(going, resumeCard(game)).hidden = false;
  Promise.all([import("./new_game.js"), import("./live_game.js")]).catch(() => {}); // they are asked for again
}

/**
 * @param {string} chosen
 * @param {(level: string) => void} choose
 */
function levelChoice(chosen, choose) {
  const doc = h("p", { class: "muted small level-doc", id: "level-doc", "aria-live": "polite" });
  const tell = (level) => (doc.textContent = LEVELS.find((known) => known.level === level)?.doc ?? "");
  tell(chosen);
  return h(
    "fieldset",
    { class: "levels", "aria-describedby": "level-doc" },
    h("legend", {}, "Opponent"),
    h(
      "div",
      { class: "segments" },
      LEVELS.map(({ level, title }) =>
        h(
          "label",
          {},
          h("input", {
            type: "radio",
            name: "level",
            value: level,
            checked: level === chosen,
            onchange: () => (tell(level), choose(level)),
          }),
          h("span", {}, title),
        ),
      ),
    ),
    doc,
  );
}

class GameCard {
  /** @param {Api.GameInfo} game */
  constructor(game) {
    this.game = game;
    const drawing = picture(game.svg);
    drawing.setAttribute("aria-hidden", "true");
    drawing.removeAttribute("role");
    this.against = h("span", {});
    this.link = h(
      "a",
      { class: "game-card", dataset: { game: game.name } },
      h("div", { class: "game-picture" }, drawing),
      h("h2", {}, game.title),
      h("p", { class: "muted small" }, playersText(game), this.against),
    );
    const ahead = () => prepareAhead(game.name);
    this.element = h(
      "li",
      { class: "game-box", onpointerenter: ahead, onfocusin: ahead },
      this.link,
      h(
        "a",
        {
          class: "icon-button game-options",
          href: `#/play?game=${encodeURIComponent(game.name)}`,
          title: "Options: size of the board, who plays",
          "aria-label": `${game.title}: options`,
        },
        icon("settings"),
      ),
    );
  }

  /** @param {string} wanted */
  setLevel(wanted) {
    const { game } = this;
    const level = fittingLevel(wanted, game.levels);
    const title = LEVELS.find((known) => known.level === level)?.title;
    this.link.href = `#/play?game=${encodeURIComponent(game.name)}&level=${level}`;
    this.against.textContent = title && level !== wanted ? ` \u00b7 ${title} (no perfect player)` : "";
  }
}

/**
 * The level that is played where this one is wanted: the strongest there is where the game does not have it.
 *
 * @param {string} wanted
 * @param {string[]} levels
 */
function fittingLevel(wanted, levels) {
  return levels.includes(wanted) ? wanted : (levels.at(-1) ?? USUAL_LEVEL);
}

/** @type {Set<string>} */
const prepared = new Set();

/**
 * Let the server compile a game that is likely to be played next. Whether that works is told when it is played.
 *
 * @param {string | undefined} name
 */
function prepareAhead(name) {
  if (name === undefined || prepared.has(name)) return;
  prepared.add(name);
  post("/api/games/open", { game: name }).catch(() => prepared.delete(name));
}

/**
 * Begin a game against agents of a level; the person has the first seat.
 *
 * @param {string} spec
 * @param {string} wanted
 */
async function startAtOnce(spec, wanted) {
  const game = await get("/api/games/open", { game: spec });
  const level = /** @type {any} */ (
    fittingLevel(
      wanted,
      game.levels.map((line) => line.level),
    )
  );
  const person = recall("name") || "You";
  const seats = game.players.map((_, seat) => (seat === 0 ? { person } : { level }));
  const started = await post("/api/tables", { game: spec, seats });
  remember(LAST_GAME, spec.split(":")[0]);
  rememberLiveGame(started);
  location.replace(`#/play/${started.id}`); // Back leads to the gallery, not to another new game
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
    h(
      "span",
      {},
      h("strong", {}, `Resume ${game.title}`),
      ` \u00b7 ${statusText(game, game.shared ? null : ownSeat(game))}`,
    ),
  );
}
