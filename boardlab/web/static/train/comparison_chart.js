// The chart that compares trainings: a line for each of them, or for all seeds of it together with a band.

import { replace } from "../common/dom.js";
import { colour, faint, plotly } from "../common/learning_curve.js";
import { score } from "../common/words.js";

const COLOURS = ["--accent", "--bl-second", "--bl-third", "--bl-mark", "--bl-first", "--muted"];
const TITLES = { episodes: "episodes", cpu: "CPU time in seconds", wall: "wall time in seconds" };
const DASHES = ["solid", "dash", "dot"];

/**
 * A line of the chart; `seeds` trainings are in it.
 *
 * @typedef {{ name: string, x: number[], y: (number | null)[], low: (number | null)[], high: (number | null)[], seeds: number }} Curve
 */

/**
 * The curves of trainings; `together` those that differ in their seeds alone as one.
 *
 * @param {Api.Compared[]} lines
 * @param {"episodes" | "cpu" | "wall"} by
 * @param {boolean} together
 * @returns {Curve[]}
 */
export function curvesOf(lines, by, together) {
  /** @type {Map<string, Api.Compared[]>} */
  const groups = new Map();
  for (const line of lines) {
    const key = together ? line.group : line.id;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  return [...groups.values()].map((group) => (group.length > 1 ? meanOf(group, by) : single(group[0], by)));
}

/**
 * @param {Api.Compared} line
 * @param {"episodes" | "cpu" | "wall"} by
 * @returns {Curve}
 */
function single(line, by) {
  const points = line.points.filter((point) => point[by] !== null);
  return {
    name: line.name,
    x: points.map((point) => /** @type {number} */ (point[by])),
    y: points.map((point) => point.score),
    low: points.map((point) => point.low),
    high: points.map((point) => point.high),
    seeds: 1,
  };
}

/**
 * Mean, lowest and highest of the seeds, at the numbers of episodes that all of them have reached.
 *
 * @param {Api.Compared[]} group
 * @param {"episodes" | "cpu" | "wall"} by
 * @returns {Curve}
 */
function meanOf(group, by) {
  const measured = group.filter((line) => line.points.length);
  const byEpisodes = measured.map((line) => new Map(line.points.map((point) => [point.episodes, point])));
  const shared = (measured[0]?.points ?? [])
    .map((point) => point.episodes)
    .filter((episodes) => byEpisodes.every((points) => points.get(episodes)?.score != null));
  const at = shared.map((episodes) =>
    byEpisodes.map((points) => /** @type {Api.ComparedPoint} */ (points.get(episodes))),
  );
  const known = at.filter((points) => points.every((point) => point[by] !== null));
  const scores = known.map((points) => points.map((point) => point.score ?? 0));
  return {
    name: `${group[0].name.replace(/ seed \d+$/, "")} (${measured.length} seeds)`,
    x: known.map((points) => mean(points.map((point) => point[by] ?? 0))),
    y: scores.map(mean),
    low: scores.map((values) => Math.min(...values)),
    high: scores.map((values) => Math.max(...values)),
    seeds: measured.length,
  };
}

/** @param {number[]} values */
function mean(values) {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

export class ComparisonChart {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.closed = false;
    /** @type {(() => void) | null} */
    this.again = null;
    this.onTheme = () => this.again?.();
    window.addEventListener("themechange", this.onTheme);
  }

  /**
   * @param {Curve[]} curves
   * @param {"episodes" | "cpu" | "wall"} by
   * @param {number | null} best
   */
  async draw(curves, by, best) {
    this.again = () => this.draw(curves, by, best);
    try {
      const library = await plotly();
      if (this.closed) return;
      await library.react(this.element, curves.flatMap(traces), layout(by, best), {
        displayModeBar: false,
        responsive: true,
        doubleClick: "reset",
      });
      this.element.dataset.curves = String(curves.length);
    } catch (error) {
      replace(this.element, error.message);
    }
  }

  async savePicture() {
    if (!this.element.dataset.curves) return;
    const library = await plotly();
    await library.downloadImage(this.element, {
      format: "png",
      filename: "comparison",
      scale: 2,
      width: 960,
      height: 540,
    });
  }

  close() {
    this.closed = true;
    window.removeEventListener("themechange", this.onTheme);
    if (this.element.querySelector(".main-svg")) window.Plotly?.purge(this.element);
  }
}

/**
 * @param {Curve} curve
 * @param {number} k
 */
function traces({ name, x, y, low, high }, k) {
  const tone = COLOURS[k % COLOURS.length];
  const dash = DASHES[Math.floor(k / COLOURS.length) % DASHES.length];
  const edge = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false, legendgroup: String(k) };
  return [
    { ...edge, y: low },
    { ...edge, y: high, fill: "tonexty", fillcolor: faint(tone, 0.14) },
    {
      x,
      y,
      name,
      legendgroup: String(k),
      mode: "lines+markers",
      marker: { size: 5 },
      line: { color: colour(tone), width: 2, dash },
      customdata: y.map((value, i) => [score(value), score(low[i]), score(high[i])]),
      hovertemplate: "<b>%{customdata[0]}</b>  (%{customdata[1]} to %{customdata[2]})<extra>%{fullData.name}</extra>",
    },
  ];
}

/**
 * @param {"episodes" | "cpu" | "wall"} by
 * @param {number | null} best
 */
function layout(by, best) {
  const axis = {
    gridcolor: colour("--border"),
    linecolor: colour("--border"),
    zerolinecolor: colour("--border"),
    automargin: true,
  };
  const line = { color: colour("--good"), width: 1.5, dash: "dash" };
  return {
    autosize: true,
    margin: { l: 8, r: 12, t: 8, b: 8 },
    paper_bgcolor: colour("--surface"),
    plot_bgcolor: colour("--surface"),
    font: { family: "system-ui, sans-serif", size: 12, color: colour("--muted") },
    xaxis: { ...axis, tickformat: "~s", title: { text: TITLES[by] }, rangemode: "tozero" },
    yaxis: { ...axis, title: { text: "score" } },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
    dragmode: "zoom",
    hovermode: "x",
    shapes: best === null ? [] : [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: best, y1: best, line }],
  };
}
