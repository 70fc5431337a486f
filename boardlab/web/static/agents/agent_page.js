// One agent file: how it learned, how strong it became, and the parameters that it was trained with.

import { get, listen } from "../common/api.js";
import { go, h, icon, replace, when } from "../common/dom.js";
import { LearningCurve } from "../common/learning_curve.js";
import { bytes, count, duration, evaluatorWords, gameWords, score } from "../common/words.js";
import { plainName } from "../forms/form.js";
import { agentActions } from "./agent_actions.js";

/**
 * The page of an agent file, `#/agents/FILE`.
 *
 * @param {HTMLElement} root
 * @param {string} id
 */
export async function showAgent(root, id) {
  /** @type {LearningCurve | null} */
  let curve = null;
  let left = false;

  async function load() {
    const file = await get(`/api/files/${id}`);
    if (left) return;
    curve?.close();
    const plot = h("div", { class: "plot" });
    replace(root, h("div", { class: "page" }, head(file, load), body(file, plot)));
    curve = new LearningCurve(plot);
    curve.update(file.curve ?? [], file.episodes);
  }

  await load();
  const stop = listen("file", () => load().catch(() => go("#/agents")));
  return () => {
    left = true;
    stop();
    curve?.close();
  };
}

/**
 * @param {Api.AgentFileDetail} file
 * @param {() => void} load
 */
function head(file, load) {
  return h(
    "div",
    { class: "page-head with-back" },
    h("a", { class: "icon-button", href: "#/agents", title: "All agents", "aria-label": "All agents" }, icon("back")),
    h("h1", {}, file.name),
    h(
      "div",
      { class: "row tight" },
      agentActions(file, load, () => go("#/agents")),
    ),
    h("p", { class: "muted" }, gameWords(file.title, file.game)),
  );
}

/**
 * @param {Api.AgentFileDetail} file
 * @param {HTMLElement} plot
 */
function body(file, plot) {
  if (file.problem) return h("p", { class: "notice error" }, file.problem);
  const { strength } = file;
  const facts = [
    [
      "Strength",
      strength ? `${score(strength.score)} (${score(strength.low)} to ${score(strength.high)})` : "not evaluated",
    ],
    ["Evaluator", evaluatorWords(strength) || "\u2013"],
    ["Episodes", count(file.episodes)],
    ["CPU time", duration(file.seconds)],
    ["Preset", file.preset || "none"],
    ...Object.entries(file.figures ?? {}).map(([title, words]) => [plainName(title), words]),
    ["File", `${bytes(file.bytes)}, ${when(file.created)}`],
  ];
  const parameters = Object.entries(file.parameters ?? {}).map(([name, value]) => [plainName(name), valueWords(value)]);
  return [
    h("div", { class: "card" }, figures(facts)),
    file.curve?.length ? h("div", { class: "card" }, h("h2", {}, "Learning curve"), plot) : null,
    h(
      "div",
      { class: "card stack" },
      h("h2", {}, `Parameters of ${file.agent}`),
      figures(parameters),
      "tuples" in file.parameters &&
        h(
          "div",
          { class: "row" },
          h("a", { class: "button", href: `#/tuples?file=${file.id}` }, icon("heat"), "See and edit its n-tuples"),
        ),
    ),
    h(
      "p",
      { class: "muted" },
      Object.entries(file.software ?? {})
        .map(([name, version]) => `${name} ${version}`)
        .join(" \u00b7 "),
    ),
  ];
}

/** @param {string[][]} pairs */
function figures(pairs) {
  return h(
    "dl",
    { class: "figures" },
    pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function valueWords(value) {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value);
}
