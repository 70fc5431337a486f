// The gallery: the players that come with boardlab, game by game, with how they were trained and how strong they are. One
// click plays against one of them, or goes on with its training.

import { get, post } from "../common/api.js";
import { go, h, icon, recall, replace, toast } from "../common/dom.js";
import { picture } from "../common/picture.js";
import { bytes, count, duration, evaluatorWords, gameWords, score } from "../common/words.js";
import { plainName } from "../forms/form.js";
import { rememberLiveGame } from "../play/last_game.js";

/**
 * The view `#/gallery`.
 *
 * @type {Show}
 */
export async function show(root) {
  const agents = await get("/api/gallery");
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head with-back" },
        h(
          "a",
          { class: "icon-button", href: "#/agents", title: "All agents", "aria-label": "All agents" },
          icon("back"),
        ),
        h("h1", {}, "Gallery"),
        h(
          "p",
          { class: "muted" },
          "The players that come with boardlab: perfect ones, and agents that have learned by self-play on an ordinary " +
            "computer within a minute or two. Go on with their training, and they become stronger.",
        ),
      ),
      h("ul", { class: "gallery-list" }, agents.map(agentCard)),
    ),
  );
}

/** @param {Api.GalleryAgent} agent */
function agentCard(agent) {
  const drawing = picture(agent.svg);
  drawing.setAttribute("aria-hidden", "true");
  drawing.removeAttribute("role");
  return h(
    "li",
    { class: "card gallery-card", dataset: { agent: agent.name, game: agent.game } },
    h("div", { class: "gallery-picture" }, drawing),
    h(
      "div",
      { class: "gallery-words" },
      h("h2", {}, gameWords(agent.title, agent.game)),
      h(
        "p",
        {},
        h("strong", {}, agent.trained ? agent.name : "Perfect player"),
        agent.strong && agent.trained ? h("span", { class: "badge" }, "plays at level Strong") : null,
      ),
      h("p", { class: "muted small" }, agent.trained ? trainingWords(agent) : agent.doc),
      agent.trained ? figures(agent) : null,
      h("div", { class: "row" }, buttons(agent)),
    ),
  );
}

/** @param {Api.GalleryAgent} agent */
function trainingWords({ agent, episodes, seconds, doc }) {
  return `${agent}: ${count(episodes)} games against itself, ${duration(seconds)} of CPU time. ${doc.charAt(0).toUpperCase()}${doc.slice(1)}`;
}

/** @param {Api.GalleryAgent} agent */
function figures(agent) {
  const { strength } = agent;
  const facts = [
    [
      "Strength",
      strength ? `${score(strength.score)} (${score(strength.low)} to ${score(strength.high)})` : "not evaluated",
    ],
    ["Measured by", evaluatorWords(strength) || "\u2013"],
    ...Object.entries(agent.figures).map(([title, words]) => [plainName(title), words]),
    ["File", bytes(agent.bytes)],
  ];
  return h(
    "dl",
    { class: "figures" },
    facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

/** @param {Api.GalleryAgent} agent */
function buttons(agent) {
  const label = (/** @type {string} */ what) => `${what}: ${agent.title}, ${agent.name}`;
  /** @type {(text: string, name: import("../common/buttons.js").IconName, act: () => Promise<void>) => HTMLElement} */
  const button = (text, name, act) => {
    const node = h(
      "button",
      { class: "button", type: "button", "aria-label": label(text), onclick: () => run(node, act) },
      icon(name),
      text,
    );
    return node;
  };
  return [
    button("Play", "play", () => play(agent)),
    agent.trained ? button("Inspect", "inspect", () => inspect(agent)) : null,
    agent.trained ? button("Continue training", "train", () => trainOn(agent)) : null,
  ];
}

/**
 * Do what a button says, once.
 *
 * @param {HTMLButtonElement} button
 * @param {() => Promise<void>} act
 */
async function run(button, act) {
  button.disabled = true;
  try {
    await act();
  } catch (error) {
    toast(error.message, "error");
  } finally {
    button.disabled = false;
  }
}

/** @param {Api.GalleryAgent} agent */
async function play(agent) {
  /** @type {Api.SeatChoice} */
  const opponent = agent.trained
    ? { file: (await post(`/api/gallery/${agent.name}/copy`)).id }
    : { agent: agent.agent, options: {} };
  const { players } = await get("/api/games/open", { game: agent.game });
  const person = { person: recall("name") || "You" };
  const seats = players.map((_, seat) => (seat === 0 && players.length > 1 ? person : opponent));
  const started = await post("/api/tables", { game: agent.game, seats });
  rememberLiveGame(started);
  go(`#/play/${started.id}`);
}

/** @param {Api.GalleryAgent} agent */
async function inspect(agent) {
  const file = await post(`/api/gallery/${agent.name}/copy`);
  go(`#/inspect?file=${file.id}`);
}

/** @param {Api.GalleryAgent} agent */
async function trainOn(agent) {
  const started = await post(`/api/gallery/${agent.name}/train`);
  go(`#/train/${started.id}`);
}
