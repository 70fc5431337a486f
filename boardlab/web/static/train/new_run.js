// The form that starts a training run, or continues the training of an agent.

import { StartForm } from "../cards/start_form.js";
import { get, post } from "../common/api.js";
import { h, replace } from "../common/dom.js";
import { bytes, count } from "../common/words.js";
import { buildForm } from "../forms/form.js";

const PATIENCE = 600; // milliseconds after the last change before it is asked what the training would need
const TRIAL_PATIENCE = 1500; // and then before it is tried out how long it takes, which may have to compile the learner

/** What a training that is continued takes over from its file. */
const KEPT = ["evaluator", "second_evaluator", "seed"];

/** How parameters are grouped that learners have; what no group names comes last. */
const LEARNING_GROUPS = [
  {
    names: ["features", "tuples", "rule", "alpha", "alpha_end", "epsilon", "epsilon_end", "lam", "learn_from_random"],
    open: true,
  },
  { title: "Network", names: ["symmetries", "tables", "output", "bias"] },
  { title: "Step size", names: ["alpha_schedule", "divide_alpha", "tc_init", "beta"] },
  { title: "Exploration", names: ["epsilon_schedule", "choose_start", "max_moves"] },
  { title: "Targets and eligibility", names: ["gamma", "method", "eligibility", "horizon_cut"] },
  { title: "Final adaptation (FARL)", names: ["farl", "farl_others", "farl_terminal"] },
];

/** The form for a new run: game, preset, name and length, and the parameters of the learner in a fold. */
export class NewRun extends StartForm {
  /**
   * @param {Api.GameInfo[]} games
   * @param {Api.AboutArena["limits"]} limits
   * @param {Api.AgentFileDetail | null} resumed the agent whose training is continued
   * @param {string | null} tuples the n-tuples that are asked for, in place of those of the preset
   * @param {(run: Api.Run) => void} onstart
   */
  constructor(games, limits, resumed, tuples, onstart) {
    super(games, resumed ? "Continue training" : "Start training", "train");
    this.limits = limits;
    this.resumed = resumed;
    this.tuples = tuples;
    this.asking = 0;
    this.onstart = onstart;
    this.episodes = 0; // as many as the server suggests without a preset
    /** @type {Api.PresetChoice | null} */
    this.preset = null;
    this.agent = resumed?.agent ?? ""; // the one that the server suggests
    this.settings = buildForm([]);
    this.learning = buildForm([]);
    this.changed = h("span", { class: "fold-count" });
    this.presetDoc = h("p", { class: "doc" });
    this.picker.element.hidden = resumed !== null;
    this.need = h("p", { class: "muted", role: "status", "aria-live": "polite" });
    this.button.before(this.need);
    this.timer = 0;
    this.trial = new AbortController();
    this.element.addEventListener("input", () => this.estimateSoon());
  }

  /**
   * @param {string} spec
   * @param {() => boolean} current
   */
  async offer(spec, current) {
    const game = this.resumed?.game ?? spec;
    const suggested = () => get("/api/train/options", { game });
    const wanted = () => get("/api/train/options", { game, agent: this.agent });
    // this game may be nothing for the agent of the last one
    const options = this.agent ? await wanted().catch(suggested) : await suggested();
    if (current()) this.show(options);
  }

  forms() {
    return [this.picker, this.settings, this.learning];
  }

  async start() {
    this.forgetEstimate(); // so that a refusal is told once
    this.onstart(
      await post("/api/runs", this.request(this.picker.spec(), this.settings.values(), this.learning.values())),
    );
  }

  /** @param {Api.TrainOptions} options */
  show(options) {
    this.agent = options.agent;
    this.episodes = options.episodes;
    this.settings = buildForm(this.settingFields(options), {
      groups: [{ names: ["name", "episodes", "evaluator"], open: true }],
      folded: "Evaluation, seed and threads",
      labels: { evaluate_every: "Evaluate every", games: "Games per evaluation" },
    });
    this.learning = buildForm(options.fields, {
      groups: LEARNING_GROUPS,
      onchange: () => this.countChanged(),
    });
    const choices = this.resumed ? [] : [this.agentField(options), this.presetField(options.presets)];
    replace(
      this.rest,
      choices,
      this.settings.element,
      this.resumed
        ? h("p", { class: "muted" }, "It continues with the parameters that it was trained with.")
        : h("details", { class: "fold" }, h("summary", {}, "Custom parameters", this.changed), this.learning.element),
    );
    this.usePreset(this.resumed ? null : options.presets[0]);
  }

  /**
   * @param {Api.TrainOptions} options
   * @returns {Field[]}
   */
  settingFields({ evaluators, default_evaluator: usual, episodes }) {
    /** @type {(name: string, kind: Field["kind"], doc: string, more: Partial<Field>) => Field} */
    const field = (name, kind, doc, more) => ({ name, kind, doc, default: null, nullable: true, ...more });
    const length = this.resumed
      ? `in total; it has learned from ${count(this.resumed.episodes)} so far`
      : "games of self-play";
    const all = [
      field("name", "text", "the name of the agent", { default: "", nullable: false, high: 80 }),
      field("episodes", "integer", length, { default: episodes, nullable: false, low: 1, high: this.limits.episodes }),
      field("evaluator", "choice", "how its strength is measured", {
        default: usual,
        choices: evaluators,
        nullable: false,
      }),
      field("evaluate_every", "integer", "episodes between two points of the curve; if empty, 20 points in total", {
        low: 1,
      }),
      field("games", "integer", "if empty, as many as the evaluator plays by default", { low: 1 }),
      field("second_evaluator", "choice", "measures it as well, in the same curve", { choices: evaluators }),
      field("stop_at", "number", "end early when the score reaches this; if empty, never", {}),
      field("in_a_row", "integer", "so many evaluations in a row must reach it", {
        default: 1,
        nullable: false,
        low: 1,
      }),
      field("seed", "integer", "the same seed repeats the same training; if empty, a random one", {
        low: 0,
        high: 999999999999,
      }),
      field("threads", "integer", "if empty, one; several threads train copies that are merged", {
        low: 1,
        high: this.limits.threads,
      }),
    ];
    return this.resumed ? all.filter(({ name }) => !KEPT.includes(name)) : all;
  }

  /** @param {Api.TrainOptions} options */
  agentField({ agents, agent }) {
    const select = h(
      "select",
      {
        id: "learner",
        onchange: () => {
          this.agent = select.value;
          this.gameChanged();
        },
      },
      agents.map(({ name }) => h("option", { value: name, selected: name === agent }, name)),
    );
    return h(
      "div",
      { class: "field" },
      h("div", { class: "field-head" }, h("label", { for: "learner" }, "Agent")),
      select,
      h("p", { class: "doc" }, agents.find(({ name }) => name === agent)?.doc ?? ""),
    );
  }

  /** @param {Api.PresetChoice[]} presets */
  presetField(presets) {
    const select = h(
      "select",
      { id: "preset", onchange: () => this.usePreset(presets[select.selectedIndex]) },
      presets.map((preset) => h("option", {}, preset.name)),
      h("option", {}, "none"),
    );
    return h(
      "div",
      { class: "field" },
      h("div", { class: "field-head" }, h("label", { for: "preset" }, "Preset")),
      select,
      this.presetDoc,
    );
  }

  /** @param {Api.PresetChoice | null | undefined} preset */
  usePreset(preset) {
    this.preset = preset ?? null;
    this.learning.rebase(preset?.options ?? {});
    if (this.tuples && this.learning.rows.has("tuples")) this.learning.set({ tuples: this.tuples });
    this.settings.rebase(this.usualSettings());
    this.presetDoc.textContent = preset ? preset.doc : "The default settings of the learner.";
    this.countChanged();
    this.estimateSoon();
  }

  estimateSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.estimate(), PATIENCE);
  }

  forgetEstimate() {
    clearTimeout(this.timer);
    this.trial.abort();
    this.asking++;
    this.need.textContent = "";
  }

  /**
   * Tell what the training would need, or why it would be refused. What was told when it was started stays at its field,
   * so that this only looks at the forms.
   */
  async estimate() {
    if (!this.element.isConnected) return;
    const turn = ++this.asking;
    this.trial.abort();
    this.trial = new AbortController();
    const { signal } = this.trial;
    const tell = (/** @type {string} */ words) => {
      if (turn === this.asking) this.need.textContent = words;
    };
    let memory = "";
    try {
      const wanted = this.peek();
      const found = await post("/api/runs/estimate", wanted, { signal });
      memory = `${count(found.episodes)} episodes: ${bytes(found.bytes)} of memory`;
      if (!found.time) {
        tell(
          `${memory}; how long it takes is being tried out (at first it is compiled, which may take a minute) \u2026`,
        );
        await new Promise((resolve) => setTimeout(resolve, TRIAL_PATIENCE));
        if (turn !== this.asking || !this.element.checkVisibility()) return;
        found.time = (await post("/api/runs/trial", wanted, { signal })).time;
      }
      tell(`${memory}, ${found.time}`);
    } catch (error) {
      tell(memory || (error.status === 422 ? error.message : ""));
    }
  }

  usualSettings() {
    if (this.resumed) return { name: this.resumed.name, episodes: 2 * this.resumed.episodes || this.episodes };
    const name = [this.picker.game().title, this.preset?.name].filter(Boolean).join(" ");
    return { name, episodes: this.preset?.episodes ?? this.episodes };
  }

  countChanged() {
    const changed = [...this.learning.rows.values()].filter((row) => row.isChanged()).length;
    this.changed.textContent = changed ? `${changed} changed` : "";
  }

  /** What the forms hold now, told to nobody but the server; throws FormError where something cannot be read. */
  peek() {
    return this.request(this.picker.peek(), this.settings.read(), this.learning.read());
  }

  /**
   * @param {string} game
   * @param {import("../forms/form.js").Values} given
   * @param {import("../forms/form.js").Values} options
   * @returns {Api.RunRequest}
   */
  request(game, given, options) {
    const [name, episodes] = ["name", "episodes"].map((field) => this.settings.rows.get(field)?.base);
    const settings = /** @type {Api.RunRequest} */ ({ name, episodes, ...given });
    if (this.resumed) return { game: this.resumed.game, resume_file: this.resumed.id, ...settings };
    return { game, agent: this.agent, preset: this.preset?.name ?? null, options, ...settings };
  }
}
