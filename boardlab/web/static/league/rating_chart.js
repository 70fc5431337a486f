// Ratings over the games, a line for each player; where there are few, with the bands of their 95 % intervals.

import { h, replace } from "../common/dom.js";
import { colour, faint, plotly } from "../common/learning_curve.js";
import { points as whole } from "./league_tables.js";

const COLOURS = ["--accent", "--bl-second", "--bl-third", "--bl-mark", "--bl-first", "--muted"];
const DASHES = ["solid", "dash", "dot", "dashdot"];
const FEW = 4;

/** @typedef {{ number: number, created: string, rating: number, deviation: number }} RatingPoint */
/** @typedef {{ name: string, points: RatingPoint[] }} RatingLine */

export class RatingChart {
  /**
   * @param {HTMLElement} element
   * @param {string} title of the axis of games
   */
  constructor(element, title) {
    this.element = element;
    this.title = title;
    this.closed = false;
    /** @type {RatingLine[]} */
    this.lines = [];
    this.onTheme = () => this.draw();
    window.addEventListener("themechange", this.onTheme);
  }

  /** @param {RatingLine[]} lines */
  set(lines) {
    this.lines = lines;
    if (this.element.isConnected) this.draw();
  }

  async draw() {
    if (!this.lines.length) {
      this.element.classList.add("plot-waiting");
      if (!this.element.querySelector(".main-svg"))
        replace(this.element, h("p", { class: "empty" }, "Nothing has been played yet."));
      return;
    }
    try {
      const library = await plotly();
      if (this.closed || !this.element.isConnected) return;
      if (!this.element.querySelector(".main-svg")) replace(this.element);
      this.element.classList.remove("plot-waiting");
      const traces = this.lines.flatMap((line, k) => tracesOf(line, k, this.lines.length <= FEW));
      await library.react(this.element, traces, layout(this.title, this.lines.length > 1), {
        displayModeBar: false,
        responsive: true,
      });
      this.element.dataset.lines = String(this.lines.length);
    } catch (error) {
      replace(this.element, error.message);
    }
  }

  close() {
    this.closed = true;
    window.removeEventListener("themechange", this.onTheme);
    if (this.element.querySelector(".main-svg")) window.Plotly?.purge(this.element);
  }
}

/**
 * @param {RatingLine} line
 * @param {number} k
 * @param {boolean} banded
 */
function tracesOf({ name, points }, k, banded) {
  const tone = COLOURS[k % COLOURS.length];
  const dash = DASHES[Math.floor(k / COLOURS.length) % DASHES.length];
  const x = points.map((point) => point.number);
  const group = { x, legendgroup: String(k) };
  const edge = { ...group, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
  const away = (/** @type {number} */ side) => points.map(({ rating, deviation }) => rating + side * 1.96 * deviation);
  const band = [
    { ...edge, y: away(-1) },
    { ...edge, y: away(1), fill: "tonexty", fillcolor: faint(tone, 0.12) },
  ];
  return [
    ...(banded ? band : []),
    {
      ...group,
      y: points.map(({ rating }) => rating),
      name,
      mode: points.length < 40 ? "lines+markers" : "lines",
      marker: { size: 5 },
      line: { color: colour(tone), width: 2, dash },
      customdata: points.map(({ rating, deviation }) => [whole(rating), whole(1.96 * deviation)]),
      hovertemplate: "<b>%{customdata[0]}</b> \u00b1 %{customdata[1]}<extra>%{fullData.name}</extra>",
    },
  ];
}

/**
 * @param {string} title
 * @param {boolean} legend
 */
function layout(title, legend) {
  const axis = {
    gridcolor: colour("--border"),
    linecolor: colour("--border"),
    zerolinecolor: colour("--border"),
    automargin: true,
    fixedrange: true,
  };
  return {
    autosize: true,
    margin: { l: 8, r: 12, t: 8, b: 8 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 12, color: colour("--muted") },
    xaxis: { ...axis, tickformat: "~s", title: { text: title } },
    yaxis: { ...axis, title: { text: "rating" } },
    legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
    showlegend: legend,
    hovermode: "x",
    hoverlabel: { bgcolor: colour("--surface"), bordercolor: colour("--border"), font: { color: colour("--text") } },
  };
}
