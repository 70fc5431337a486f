// Choosing who plays: a person, a built-in agent with its options, or an agent file. Used by the seats of a live game,
// by matches and inspection.

import { get } from "../common/api.js";
import { h, recall, remember, replace } from "../common/dom.js";
import { buildForm } from "./form.js";

let made = 0;

/**
 * A choice of who plays: {element, setGame(spec), choice(), set(choice), describe(), showError(sentence)}.
 *
 * `choice()` is {person} or {agent, options} or {file} or {agent, options, file}, as the server takes it, or null
 * while no game is set. `setGame` must be awaited: it asks the server who can play the game.
 *
 * @typedef {{ people?: boolean, learning?: boolean, onchange?: () => void }} PickerOptions who is offered besides agents
 *   that have learned and built-in ones: people, agents that are still learning
 * @param {{ label?: Child, value?: Api.SeatChoice | null } & PickerOptions} [options]
 */
export function agentPicker({ label = "Agent", value = null, ...more } = {}) {
  return new AgentPicker(label, value, more);
}

const LAST_NAME = "name"; // of the person who played last in this browser

export class AgentPicker {
  /**
   * @param {Child} label
   * @param {Api.SeatChoice | null} value
   * @param {PickerOptions} options
   */
  constructor(label, value, { people = false, learning = false, onchange = () => {} }) {
    const id = `agent-${++made}`;
    this.people = people;
    this.learning = learning;
    this.onchange = onchange;
    this.wanted = value;
    /** @type {Api.AgentInfo[]} */
    this.agents = [];
    /** @type {Api.AgentFileLine[]} */
    this.files = []; // the newest first
    /** @type {Api.Run[]} */
    this.runs = []; // that still learn
    /** @type {Api.LevelLine[]} */
    this.levels = [];
    /** @type {import("./form.js").Form | null} */
    this.form = null; // the options of an agent, the name of a person, the trained agent that another one uses
    /** @type {HTMLInputElement | null} */
    this.name = null;
    /** @type {HTMLSelectElement | null} */
    this.base = null;
    this.asked = 0;
    this.select = h("select", { id, onchange: () => (this.showDetails({}), this.onchange()) });
    this.details = h("div", { class: "picker-details" });
    this.label = h("label", { for: id }, label);
    this.element = h(
      "div",
      { class: "picker" },
      h("div", { class: "field" }, h("div", { class: "field-head" }, this.label), this.select),
      this.details,
    );
  }

  setLabel(text) {
    this.label.textContent = text;
  }

  /**
   * Offer who can play this game, and keep what was chosen if it can.
   *
   * @param {string} spec
   */
  async setGame(spec) {
    const turn = ++this.asked;
    const game = { game: spec };
    const [agents, files, levels, runs] = await Promise.all([
      get("/api/agents", game),
      get("/api/files", game),
      get("/api/levels", game),
      this.learning ? get("/api/runs") : [],
    ]);
    if (turn !== this.asked) return;
    const wanted = this.currentOrWanted(); // what was chosen while the server was asked counts, too
    this.agents = agents;
    this.files = newestFirst(files.filter((file) => !file.problem));
    this.levels = levels;
    this.runs = runs.filter((run) => run.game === spec && !run.file && run.episodes > 0);
    this.offer();
    this.set(wanted);
  }

  currentOrWanted() {
    try {
      return this.choice() ?? this.wanted;
    } catch {
      return this.wanted;
    }
  }

  offer() {
    const person = this.people ? h("option", { value: "person" }, "Person") : null;
    const levels = this.levels.map(({ level, title, player }) =>
      h("option", { value: `level:${level}` }, `${title} (${player})`),
    );
    const files = this.files.map((file) => h("option", { value: `file:${file.id}` }, file.name));
    const runs = this.runs.map((run) => h("option", { value: `file:${run.id}` }, `${run.name} (in training)`));
    const agents = this.agents.map((agent) => {
      const usable = agent.usable && (!agent.needs_file || this.files.length > 0);
      const why = agent.usable ? "needs a trained agent" : agent.why_not;
      const text = usable ? agent.title : `${agent.title} (${why ?? "not for this game"})`;
      return h("option", { value: `agent:${agent.agent}`, disabled: !usable, title: why ?? "" }, text);
    });
    replace(
      this.select,
      person,
      levels.length ? h("optgroup", { label: "Levels" }, levels) : null,
      files.length ? h("optgroup", { label: "Trained agents" }, files) : null,
      runs.length ? h("optgroup", { label: "Still learning, as they are now" }, runs) : null,
      h("optgroup", { label: "Built-in agents" }, agents),
    );
  }

  /**
   * Choose this; what cannot be chosen in this game becomes the first that can.
   *
   * @param {Api.SeatChoice | null} choice
   */
  set(choice) {
    this.wanted = choice;
    const key = choiceKey(choice);
    const options = [...this.select.options];
    const found = options.find((o) => o.value === key && !o.disabled);
    const first = options.find((o) => !o.disabled && o.value !== "person") ?? options.find((o) => !o.disabled);
    const option = found ?? first;
    if (!option) return;
    this.select.value = option.value;
    this.showDetails(found ? choice : {});
  }

  /** @param {Api.SeatChoice | null} choice */
  showDetails(choice) {
    this.form = this.name = this.base = null;
    const [kind, key] = this.kindAndKey();
    if (kind === "person") replace(this.details, this.personDetails(choice?.person));
    else if (kind === "level") replace(this.details);
    else if (kind === "file") replace(this.details, h("p", { class: "picker-doc" }, fileWords(this.fileOf(key))));
    else
      replace(
        this.details,
        this.agentDetails(
          this.agents.find((a) => a.agent === key),
          choice ?? {},
        ),
      );
  }

  personDetails(name) {
    const id = `person-${++made}`;
    const input = h("input", {
      id,
      type: "text",
      maxlength: 40,
      autocomplete: "nickname",
      value: name ?? recall(LAST_NAME) ?? "You",
      oninput: () => {
        remember(LAST_NAME, input.value);
        this.onchange();
      },
    });
    this.name = input;
    return h("div", { class: "field" }, h("div", { class: "field-head" }, h("label", { for: id }, "Name")), input);
  }

  /**
   * @param {Api.AgentInfo | undefined} agent
   * @param {Api.SeatChoice} choice
   */
  agentDetails(agent, choice) {
    if (!agent) return null;
    this.form = buildForm(agent.fields, {
      values: choice.options ?? {},
      groups: agent.fields.length > 3 ? [{ names: agent.fields.slice(0, 2).map((f) => f.name), open: true }] : null,
      folded: "More options",
      onchange: () => this.onchange(),
    });
    return [
      agent.doc ? h("p", { class: "picker-doc" }, agent.doc) : null,
      agent.needs_file ? this.baseDetails(choice.file) : null,
      agent.fields.length ? this.form.element : null,
    ];
  }

  baseDetails(wanted) {
    const id = `base-${++made}`;
    this.base = h(
      "select",
      { id, onchange: () => this.onchange() },
      this.files.map((file) => h("option", { value: file.id, selected: file.id === wanted }, file.name)),
    );
    return h(
      "div",
      { class: "field" },
      h("div", { class: "field-head" }, h("label", { for: id }, "Trained agent")),
      this.base,
    );
  }

  kindAndKey() {
    const [kind, ...rest] = this.select.value.split(":");
    return [kind, rest.join(":")];
  }

  fileOf(id) {
    return this.files.find((file) => file.id === id);
  }

  /**
   * What is chosen, as the server takes it; throws FormError where an option cannot be read.
   *
   * @returns {Api.SeatChoice | null}
   */
  choice() {
    const [kind, key] = this.kindAndKey();
    if (kind === "person") return { person: this.name?.value.trim() || "You" };
    if (kind === "file") return { file: key };
    if (kind === "level") return { level: /** @type {Api.LevelLine["level"]} */ (key) };
    if (kind !== "agent") return null;
    /** @type {Api.SeatChoice} */
    const choice = { agent: key, options: this.form?.values() ?? {} };
    if (this.base) choice.file = this.base.value;
    return choice;
  }

  /** What is chosen, in a word or two. */
  describe() {
    return this.select.selectedOptions[0]?.textContent ?? "";
  }

  /** @param {string} sentence */
  showError(sentence) {
    return this.form?.showError(sentence) ?? false;
  }
}

/**
 * Trained agents, the one that was trained last first.
 *
 * @param {Api.AgentFileLine[]} files
 */
export function newestFirst(files) {
  return [...files].sort((a, b) => b.saved - a.saved || a.name.localeCompare(b.name));
}

/** @param {Api.SeatChoice | null} choice */
function choiceKey(choice) {
  if (!choice) return "";
  if (choice.person !== undefined) return "person"; // null: a person without a name yet
  if (choice.level) return `level:${choice.level}`;
  return choice.agent ? `agent:${choice.agent}` : `file:${choice.file}`;
}

/**
 * A trained agent in a few words: how long it learned and how strong it is.
 *
 * @param {Api.AgentFileLine | undefined} file
 */
function fileWords(file) {
  if (!file) return "";
  const parts = [`${file.agent}, ${file.episodes.toLocaleString("en")} episodes`];
  if (file.strength) parts.push(`scores ${file.strength.score.toFixed(3)} (${file.strength.evaluator})`);
  return parts.join(" \u00b7 ");
}

/**
 * A choice as it was made, without what the server says about the other kinds of choices.
 *
 * @template {Api.SeatChoice | Api.AgentChoice} C
 * @param {C} choice
 * @returns {C}
 */
export function given(choice) {
  return /** @type {C} */ (Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== null)));
}
