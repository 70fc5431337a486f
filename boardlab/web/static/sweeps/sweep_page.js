// A sweep while it grows: its runs, the learning curve of each variant, and what the report says about those that are
// finished. Nothing is changed here.

import { get } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { h, icon, keepAddress, replace } from "../common/dom.js";
import { count, duration, plural, score } from "../common/words.js";
import { ComparisonChart } from "../train/comparison_chart.js";
import { Report } from "./report.js";
import { stateBadge } from "./sweeps.js";

const FRESH = 4000; // milliseconds between two looks at runs that go on
const SLOW = 20000; // and at those of which none does
const MOST_CURVES = 10;
const MOST_ROWS = 12;
const ORDER = ["running", "failed", "stopped", "finished", "waiting"];
const LOOKS = { running: "busy", failed: "bad", finished: "good" };
const CENTRES = { mean: "Mean", median: "Median" };
const BANDS = { quartiles: "middle half of the runs", interval: "95 % interval", deviation: "standard deviation" };

/** @type {Columns} */
const COLUMNS = { Variant: "text", Seed: "num", State: "text", Episodes: "num", Result: "num", "CPU time": "num" };

/**
 * The view `#/sweeps/NAME?by=EVALUATOR&centre=median&band=interval`.
 *
 * @param {HTMLElement} root
 * @param {string} name
 * @param {URLSearchParams} query
 */
export async function showSweep(root, name, query) {
  const page = new SweepPage(name, query);
  await page.load();
  replace(root, page.element);
  page.drawCurves();
  return () => page.leave();
}

class SweepPage {
  /**
   * @param {string} name
   * @param {URLSearchParams} query
   */
  constructor(name, query) {
    this.name = name;
    this.address = `/api/sweeps/${encodeURIComponent(name)}`;
    this.by = query.get("by");
    this.centre = choiceOf(CENTRES, query.get("centre"), "mean");
    this.band = choiceOf(BANDS, query.get("band"), "quartiles");
    this.all = false;
    this.left = false;
    this.timer = 0;
    /** @type {Api.SweepView | null} */
    this.view = null;
    this.title = h("h1", {});
    this.badges = h("div", {});
    this.bar = h("div", {
      class: "progress",
      role: "progressbar",
      "aria-label": "Finished runs",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    });
    this.words = h("p", { class: "muted small" });
    this.plot = h("div", { class: "plot compare-plot" });
    this.chart = new ComparisonChart(this.plot);
    this.nothing = h("p", { class: "empty" }, "Nothing has been measured yet.");
    this.note = h("p", { class: "muted small" });
    this.evaluator = h("select", { onchange: () => this.change({ by: this.evaluator.value }) });
    this.evaluatorField = h("label", { class: "choice" }, "By ", this.evaluator);
    this.runs = h("div", { class: "table-wrap card" });
    this.report = new Report(this.address);
    this.element = this.layOut();
  }

  leave() {
    this.left = true;
    clearTimeout(this.timer);
    this.chart.close();
  }

  layOut() {
    return h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        this.title,
        h("a", { class: "button ghost", href: "#/sweeps" }, icon("back"), "All sweeps"),
      ),
      h("section", { class: "card stack", "aria-label": "Progress" }, this.badges, this.bar, this.words),
      h(
        "section",
        { class: "card stack" },
        h("h2", {}, "Learning curves"),
        h(
          "div",
          { class: "row" },
          this.evaluatorField,
          this.chooser("Line", CENTRES, this.centre, (centre) => this.change({ centre })),
          this.chooser("Band", BANDS, this.band, (band) => this.change({ band })),
        ),
        this.nothing,
        this.plot,
        this.note,
      ),
      h("section", { class: "stack", "aria-label": "Runs" }, h("h2", {}, "Runs"), this.runs),
      this.report.element,
    );
  }

  /**
   * @template {string} T
   * @param {string} label
   * @param {{ [value in T]: string }} choices
   * @param {T} chosen
   * @param {(value: T) => void} choose
   */
  chooser(label, choices, chosen, choose) {
    const select = h(
      "select",
      { onchange: () => choose(/** @type {T} */ (select.value)) },
      Object.entries(choices).map(([value, words]) => h("option", { value, selected: value === chosen }, words)),
    );
    return h("label", { class: "choice" }, `${label} `, select);
  }

  /** @param {Partial<SweepPage>} changes */
  change(changes) {
    Object.assign(this, changes);
    const { by, centre, band } = this;
    keepAddress(`sweeps/${encodeURIComponent(this.name)}`, {
      by: by === this.view?.evaluators[0] ? null : by,
      centre: centre === "mean" ? null : centre,
      band: band === "quartiles" ? null : band,
    });
    this.load();
  }

  async load() {
    clearTimeout(this.timer);
    const asked = { evaluator: this.by, centre: this.centre, band: this.band };
    const view = /** @type {Api.SweepView} */ (
      await get(/** @type {any} */ (this.address), /** @type {any} */ (asked))
    );
    if (this.left || asked.centre !== this.centre || asked.band !== this.band || asked.evaluator !== this.by) return;
    this.view = view;
    this.draw(view);
    this.report.follow(view);
    const over = view.finished + view.failed >= view.runs;
    if (!over) this.loadIn(view.running ? FRESH : SLOW);
  }

  /** Look again later, also where the server did not answer. */
  loadIn(milliseconds) {
    this.timer = setTimeout(() => this.load().catch(() => this.left || this.loadIn(SLOW)), milliseconds);
  }

  /** @param {Api.SweepView} view */
  draw(view) {
    const percent = Math.round((100 * view.finished) / Math.max(1, view.runs));
    this.title.textContent = view.title;
    document.title = `${view.title} - boardlab`;
    replace(this.badges, stateBadge(view));
    this.bar.setAttribute("aria-valuenow", String(percent));
    replace(this.bar, h("i", { style: { width: `${percent}%` } }));
    this.words.textContent = `${count(view.finished)} of ${plural(view.runs, "run")} finished. ${view.folder}`;
    replace(
      this.evaluator,
      view.evaluators.map((name) => h("option", { value: name, selected: name === view.evaluator }, name)),
    );
    this.evaluatorField.hidden = view.evaluators.length < 2;
    this.drawRuns(view.table);
    if (this.element.isConnected) this.drawCurves();
  }

  drawCurves() {
    const view = this.view;
    if (!view) return;
    const best = [...view.curves].sort((a, b) => (b.score.at(-1) ?? 0) - (a.score.at(-1) ?? 0)).slice(0, MOST_CURVES);
    const shown = view.curves.filter((curve) => best.includes(curve));
    this.nothing.hidden = shown.length > 0;
    this.plot.hidden = shown.length === 0;
    const curves = shown.map(({ label, episodes, score: y, low, high, runs }) => ({
      ...{ name: `${label} (${plural(Math.max(...runs), "run")})`, x: episodes, y, low, high },
      seeds: Math.max(...runs),
    }));
    if (shown.length) this.chart.draw(curves, "episodes", null);
    this.note.textContent = [
      shown.length < view.curves.length ? `The best ${MOST_CURVES} of ${count(view.curves.length)} variants.` : "",
      shown.length ? `The ${view.centre} of the runs that have come so far; the band is the ${BANDS[view.band]}.` : "",
    ].join(" ");
  }

  /** @param {Api.SweepRun[]} runs */
  drawRuns(runs) {
    const ordered = [...runs].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
    const shown = this.all ? ordered : ordered.slice(0, MOST_ROWS);
    const more = () => {
      this.all = true;
      this.drawRuns(runs);
    };
    replace(
      this.runs,
      dataTable("narrow-flow", COLUMNS, shown.map(runRow)),
      shown.length < runs.length &&
        h("button", { class: "button", type: "button", onclick: more }, `Show all ${count(runs.length)} runs`),
    );
  }
}

/** @param {Api.SweepRun} run */
function runRow(run) {
  const number = (label, text) => h("td", { class: "num", dataset: { label } }, text);
  return h(
    "tr",
    { dataset: { run: run.name } },
    h(
      "td",
      { class: "cell-title" },
      run.variant,
      run.words && h("div", { class: run.state === "failed" ? "cell-problem" : "muted" }, run.words),
    ),
    number("Seed", run.seed),
    h("td", {}, h("span", { class: `badge ${LOOKS[run.state] ?? ""}` }, run.state)),
    number("Episodes", run.of ? `${count(run.episodes)} of ${count(run.of)}` : count(run.episodes)),
    number("Result", score(run.score)),
    number("CPU time", duration(run.seconds)),
  );
}

/**
 * @template {string} T
 * @param {{ [value in T]: string }} choices
 * @param {string | null} given
 * @param {T} usual
 * @returns {T}
 */
function choiceOf(choices, given, usual) {
  return given !== null && given in choices ? /** @type {T} */ (given) : usual;
}
