// The report on a sweep: tables with intervals, figures, and tables to download. A worker of the server makes it, which
// takes some seconds; so it is made once when the page is opened, and again when the person asks for it.

import { get } from "../common/api.js";
import { h, icon, replace } from "../common/dom.js";
import { plural } from "../common/words.js";

/** @type {{ [name: string]: string }} */
const DOWNLOADS = { table: "all evaluations", runs: "runs", summary: "statistics" };

const COLUMN = 4; // inches; what is wider has two panels

export class Report {
  /** @param {string} address of the sweep in the API */
  constructor(address) {
    this.address = address;
    this.made = -1; // of so many finished runs
    this.busy = false;
    this.again = h(
      "button",
      { class: "button", type: "button", onclick: () => this.make() },
      icon("restart"),
      "Update",
    );
    this.state = h("p", { class: "muted", role: "status", "aria-live": "polite" });
    this.body = h("div", { class: "stack sweep-report" });
    this.downloads = h("div", { class: "row" });
    this.element = h(
      "section",
      { class: "card stack", "aria-label": "Report", hidden: true },
      h("div", { class: "row report-head" }, h("h2", {}, "Report"), this.again),
      this.state,
      this.body,
      this.downloads,
    );
  }

  /**
   * Show what there is to report on a sweep as it stands.
   *
   * @param {Api.SweepView} view
   */
  follow(view) {
    this.element.hidden = view.finished === 0;
    if (view.finished === 0) return;
    this.showDownloads(view);
    const over = view.finished + view.failed >= view.runs;
    if (this.made < 0 || (over && this.made !== view.finished)) this.make();
    this.again.hidden = this.busy || this.made < 0 || this.made === view.finished;
  }

  /** @param {Api.SweepView} view */
  showDownloads({ reproduction }) {
    const names = reproduction ? { comparison: "published and here", ...DOWNLOADS } : DOWNLOADS;
    replace(
      this.downloads,
      Object.entries(names).map(([name, words]) =>
        h(
          "a",
          { class: "button", href: `${this.address}/${name}.csv`, download: "" },
          icon("download"),
          `CSV: ${words}`,
        ),
      ),
    );
  }

  async make() {
    if (this.busy) return;
    this.busy = true;
    this.again.hidden = true;
    replace(this.state, h("span", { class: "spinner" }), " The report is being made.");
    try {
      const report = /** @type {Api.SweepReport} */ (await get(/** @type {any} */ (`${this.address}/report`)));
      this.made = report.finished;
      this.state.textContent = `On ${plural(report.finished, "finished run")}.`;
      replace(
        this.body,
        report.intro.map((line) => h("p", {}, line)),
        report.sections.map((section) => this.section(section, report.stamp)),
      );
    } catch (error) {
      this.state.textContent = error.message;
      this.again.hidden = false;
    } finally {
      this.busy = false;
    }
  }

  /**
   * @param {Api.SweepSection} section
   * @param {string} stamp
   */
  section({ title, note, tables, figures }, stamp) {
    return [
      h("h3", {}, title),
      h("p", { class: "muted small" }, note),
      tables.map(reportTable),
      figures.length > 0 &&
        h(
          "div",
          { class: "report-figures" },
          figures.map((figure) => this.figure(figure, stamp)),
        ),
    ];
  }

  /**
   * @param {Api.SweepFigure} figure
   * @param {string} stamp
   */
  figure({ name, caption, width, height }, stamp) {
    const src = `${this.address}/figures/${encodeURIComponent(name)}.svg?stamp=${stamp}`;
    return h(
      "figure",
      { class: width > COLUMN ? "wide" : null },
      h("img", { src, alt: caption, loading: "lazy", width: Math.round(96 * width), height: Math.round(96 * height) }),
      h("figcaption", {}, caption, " ", h("a", { href: src, download: `${name}.svg` }, "SVG")),
    );
  }
}

/** @param {Api.SweepTable} table */
function reportTable({ title, note, head, numbers, rows }) {
  const kind = (k) => (numbers[k] ? "num" : null);
  return [
    h("h4", {}, title),
    h(
      "div",
      { class: "table-wrap", tabindex: 0, role: "region", "aria-label": title },
      h(
        "table",
        { class: "table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            head.map((text, k) => h("th", { scope: "col", class: kind(k) }, text)),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((row) =>
            h(
              "tr",
              {},
              row.map((text, k) => reportCell(text, kind(k))),
            ),
          ),
        ),
      ),
    ),
    note && h("p", { class: "muted small" }, note),
  ];
}

/**
 * @param {string} text
 * @param {string | null} kind
 */
function reportCell(text, kind) {
  return text.startsWith("*")
    ? h("td", { class: kind }, h("strong", {}, text.slice(1)))
    : h("td", { class: kind }, text);
}
