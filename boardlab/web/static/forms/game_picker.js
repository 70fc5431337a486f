// Choosing a game with its parameters. Used by a new game, by training, matches and inspection.

import { h, replace } from "../common/dom.js";
import { buildForm } from "./form.js";

let made = 0;

/**
 * The game's name and its settings in a specification such as `connect4:columns=6,rows=5`.
 *
 * @param {string} spec
 * @param {Api.GameInfo[]} games
 */
export function splitSpec(spec, games) {
  const game = games.find((g) => spec === g.name || spec.startsWith(`${g.name}:`));
  if (!game) return null;
  /** @type {import("./form.js").Values} */
  const settings = {};
  for (const part of spec
    .slice(game.name.length + 1)
    .split(",")
    .filter(Boolean)) {
    const [name, text] = part.split("=");
    const field = game.fields.find((f) => f.name === name);
    if (field) settings[name] = field.default === true || field.default === false ? text === "true" : readNumber(text);
  }
  return { game, settings };
}

/**
 * @param {string} name
 * @param {import("./form.js").Values} settings
 */
function specOf(name, settings) {
  const parts = Object.entries(settings).map(([setting, value]) => `${setting}=${value}`);
  return parts.length ? `${name}:${parts.join(",")}` : name;
}

function readNumber(text) {
  const value = Number(text);
  return Number.isNaN(value) ? text : value;
}

/**
 * A choice of game and parameters: {element, spec(), peek(), game(), set(spec), showError(sentence)}.
 * `spec()` throws FormError where a parameter cannot be read, and shows where; `peek()` shows nothing. `onchange` is
 * called after every change.
 *
 * @param {Api.GameInfo[]} games
 * @param {{ spec?: string | null, onchange?: () => void }} [options]
 */
export function gamePicker(games, { spec, onchange } = {}) {
  const id = `game-${++made}`;
  let form = buildForm([]);
  const parameters = h("div", { class: "picker-parameters" });
  const select = h(
    "select",
    { id, dataset: { field: "game" }, onchange: () => (show(select.value), onchange?.()) },
    games.map((g) => h("option", { value: g.name }, g.title)),
  );

  /** @param {string} text */
  function show(text) {
    const { game, settings } = splitSpec(text, games) ?? { game: games[0], settings: {} };
    select.value = game.name;
    form = buildForm(game.fields, { values: settings, onchange, folded: "More parameters" });
    replace(parameters, game.fields.length ? form.element : null);
  }

  show(spec ?? games[0].name);
  return {
    element: h(
      "div",
      { class: "picker" },
      h("div", { class: "field" }, h("div", { class: "field-head" }, h("label", { for: id }, "Game")), select),
      parameters,
    ),
    game: () => games.find((g) => g.name === select.value) ?? games[0],
    spec: () => specOf(select.value, form.values()),
    peek: () => specOf(select.value, form.read()),
    set: show,
    /** @param {string} sentence */
    showError: (sentence) => form.showError(sentence),
  };
}
