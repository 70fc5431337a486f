// Compare: several trainings in one chart, by episodes, CPU time or the clock on the wall, with the mean over seeds, the
// best possible result, and the settings in which they differ.

import { get } from "../common/api.js";
import { h, icon, replace } from "../common/dom.js";
import { gameWords, score } from "../common/words.js";
import { ComparisonChart, curvesOf } from "./comparison_chart.js";

/** @typedef {"episodes" | "cpu" | "wall"} Axis */

/** @type {{ [axis in Axis]: string }} */
export const AXES = { episodes: "Episodes", cpu: "CPU time", wall: "Wall time" };
const FRESH = 4000; // milliseconds between two looks at runs that still learn

/**
 * The view `#/compare?run=ID&run=ID&file=ID&by=cpu`; `seeds=apart` shows every seed for itself.
 *
 * @type {Show}
 */
export async function show(root, _path, query) {
  const [runs, files] = await Promise.all([get("/api/runs"), get("/api/files")]);
  const view = new Comparison(
    runs,
    files.filter((file) => !file.problem),
    query,
  );
  replace(root, view.element);
  await view.load();
  return () => view.leave();
}

class Comparison {
  /**
   * @param {Api.Run[]} runs
   * @param {Api.AgentFileLine[]} files
   * @param {URLSearchParams} query
   */
  constructor(runs, files, query) {
    this.runs = new Set(query.getAll("run"));
    this.files = new Set(query.getAll("file"));
    this.by = /** @type {Axis} */ (Object.keys(AXES).includes(query.get("by") ?? "") ? query.get("by") : "episodes");
    this.together = query.get("seeds") !== "apart";
    /** @type {Api.Compared[]} */
    this.lines = [];
    this.asked = 0;
    this.timer = 0;
    this.plot = h("div", { class: "plot compare-plot" });
    this.nothing = h("p", { class: "empty" }, "Choose trainings to compare.");
    this.note = h("p", { class: "muted small" });
    this.chart = new ComparisonChart(this.plot);
    this.table = h("div", { class: "table-wrap card" });
    this.element = h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "Compare"), h("div", { class: "row" }, this.exports())),
      h(
        "div",
        { class: "compare" },
        h("aside", { class: "card stack compare-list" }, this.choices(runs, files)),
        h("section", { class: "card stack" }, this.options(), this.nothing, this.plot, this.note),
      ),
      this.table,
    );
  }

  leave() {
    this.asked++;
    clearTimeout(this.timer);
    this.chart.close();
  }

  exports() {
    const png = () => this.chart.savePicture();
    const csv = () => save("comparison.csv", this.csv());
    return [
      h("button", { class: "button", type: "button", onclick: csv }, icon("download"), "CSV"),
      h("button", { class: "button", type: "button", onclick: png }, icon("download"), "PNG"),
    ];
  }

  options() {
    const radio = (axis) =>
      h(
        "label",
        { class: "chip" },
        h("input", { type: "radio", name: "by", checked: axis === this.by, onchange: () => this.change({ by: axis }) }),
        h("span", {}, AXES[axis]),
      );
    const seeds = h("input", {
      type: "checkbox",
      checked: this.together,
      onchange: () => this.change({ together: seeds.checked }),
    });
    return h(
      "div",
      { class: "row" },
      h("fieldset", { class: "chips" }, h("legend", { class: "visually-hidden" }, "By"), Object.keys(AXES).map(radio)),
      h("label", { class: "check" }, seeds, " Mean and band over seeds"),
    );
  }

  /**
   * @param {Api.Run[]} runs
   * @param {Api.AgentFileLine[]} files
   */
  choices(runs, files) {
    const kept = new Set(runs.map((run) => run.file));
    const others = files.filter((file) => file.strength && !kept.has(file.id));
    const box = (chosen, item, words) => {
      const input = h("input", {
        type: "checkbox",
        checked: chosen.has(item.id),
        onchange: () => {
          if (input.checked) chosen.add(item.id);
          else chosen.delete(item.id);
          this.load();
        },
      });
      return h(
        "li",
        {},
        h("label", { class: "check" }, input, h("span", {}, item.name, h("small", { class: "muted" }, words))),
      );
    };
    const part = (title, items) =>
      items.length ? [h("h2", {}, title), h("ul", { class: "check-list" }, items)] : null;
    const words = (item) => `${gameWords(item.title, item.game)}`;
    return [
      part(
        "Training runs",
        runs.map((run) => box(this.runs, run, `${words(run)}, seed ${run.seed}`)),
      ),
      part(
        "Agents",
        others.map((file) => box(this.files, file, words(file))),
      ),
      runs.length || others.length ? null : h("p", { class: "muted" }, "There are no trainings yet."),
    ];
  }

  /** @param {{ by?: Axis, together?: boolean }} changes */
  change(changes) {
    Object.assign(this, changes);
    this.keep();
    this.draw();
  }

  keep() {
    const query = new URLSearchParams([
      ...[...this.runs].map((id) => ["run", id]),
      ...[...this.files].map((id) => ["file", id]),
    ]);
    if (this.by !== "episodes") query.set("by", this.by);
    if (!this.together) query.set("seeds", "apart");
    const text = String(query);
    history.replaceState(null, "", `#/compare${text ? `?${text}` : ""}`);
  }

  async load() {
    const turn = ++this.asked;
    clearTimeout(this.timer);
    this.keep();
    const ids = new URLSearchParams([
      ...[...this.runs].map((id) => ["run", id]),
      ...[...this.files].map((id) => ["file", id]),
    ]);
    /** @type {Api.Compared[]} */
    const lines = ids.size ? /** @type {any} */ (await get(/** @type {any} */ (`/api/compare?${ids}`))) : [];
    if (turn !== this.asked) return;
    this.lines = lines;
    this.draw();
    if (lines.some((line) => ["queued", "compiling", "running"].includes(line.state)))
      this.timer = setTimeout(() => this.load(), FRESH);
    await this.findBest(turn);
  }

  /** What the perfect player reaches, where all are measured by the same evaluator. */
  async findBest(turn) {
    const kinds = new Set(this.lines.map((line) => `${line.game} ${line.evaluator}`));
    const [first] = this.lines;
    this.best = null;
    if (kinds.size !== 1 || !first?.evaluator) return;
    try {
      const found = await get("/api/compare/best", { game: first.game, evaluator: first.evaluator });
      if (turn !== this.asked || found.score === null) return;
      this.best = found.score;
      this.draw();
    } catch {
      // no line then
    }
  }

  draw() {
    const curves = curvesOf(this.lines, this.by, this.together);
    const any = curves.some((curve) => curve.x.length > 0);
    this.nothing.hidden = any;
    this.nothing.textContent = this.lines.length ? "Nothing has been measured yet." : "Choose trainings to compare.";
    this.plot.hidden = !any;
    if (any) this.chart.draw(curves, this.by, this.best ?? null);
    const missing = this.by === "wall" && this.lines.some((line) => line.points.some((point) => point.wall === null));
    const evaluators = new Set(this.lines.map((line) => line.evaluator));
    this.note.textContent = [
      evaluators.size > 1 ? "These were measured by different evaluators, so their scores are not the same thing." : "",
      missing ? "Wall time is known for runs of this arena only." : "",
      curves.some((curve) => curve.seeds > 1) ? "A band over seeds reaches from the lowest to the highest one." : "",
      curves.some((curve) => curve.seeds === 1)
        ? "The band of one training alone is a 95 % interval of its score."
        : "",
      this.best == null ? "" : `The dashed line is what the perfect player reaches: ${score(this.best)}.`,
    ].join(" ");
    this.drawTable();
  }

  drawTable() {
    const names = [...new Set(this.lines.flatMap((line) => Object.keys(line.parameters)))];
    const text = (value) => (value === undefined || value === null ? "\u2013" : String(value));
    const different = names.filter((name) => new Set(this.lines.map((line) => text(line.parameters[name]))).size > 1);
    this.table.hidden = this.lines.length < 2;
    replace(
      this.table,
      h("h2", {}, different.length ? "Settings that differ" : "All settings are the same"),
      different.length > 0 &&
        h(
          "table",
          { class: "table" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", {}, "Setting"),
              this.lines.map((line) => h("th", {}, line.name)),
            ),
          ),
          h(
            "tbody",
            {},
            different.map((name) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, name),
                this.lines.map((line) => h("td", {}, text(line.parameters[name]))),
              ),
            ),
          ),
        ),
    );
  }

  csv() {
    const rows = this.lines.flatMap((line) =>
      line.points.map((p) => [line.name, line.seed, p.episodes, p.cpu, p.wall, p.score, p.low, p.high]),
    );
    const cell = (value) =>
      value === null ? "" : /[",\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : value;
    const head = ["name", "seed", "episodes", "cpu_seconds", "wall_seconds", "score", "low", "high"];
    return [head, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  }
}

/**
 * Let the browser save a text as a file.
 *
 * @param {string} name
 * @param {string} text
 */
function save(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
