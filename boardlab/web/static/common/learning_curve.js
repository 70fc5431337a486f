// Charts: the learning curve of a training run with its interval band. Plotly is large, so it is loaded from the
// server when the first chart is drawn. Charts take their colours from the page and follow its light or dark theme.

import { replace } from "./dom.js";
import { score } from "./words.js";

/** @type {Promise<any> | null} */
let loading = null;

/** The chart library, loaded when it is first needed. */
export function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/static/plotly.min.js";
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      loading = null;
      reject(new Error("The chart library could not be loaded from the server."));
    };
    document.head.append(script);
  });
  return loading;
}

/** @type {Set<LearningCurve>} */
const drawn = new Set();

function redrawAll() {
  for (const chart of drawn) chart.draw();
}

window.addEventListener("themechange", redrawAll);

/** @typedef {{ score: number | null, low: number | null, high: number | null }} Result */
/** @typedef {{ p5: number, p25: number, p50: number, p75: number, p95: number }} StepSizes */
/**
 * An evaluation, what a second evaluator found, and how the step sizes of the weights were spread.
 *
 * @typedef {Result & { episodes: number, second?: Result | null, step_sizes?: StepSizes | null }} Point
 */

/** The part of the chart below, where step sizes are. */
const BELOW = 0.22;

/** A learning curve in `element`: update(points, episodes) draws it, close() gives its memory back. */
export class LearningCurve {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {Point[]} */
    this.points = [];
    this.episodes = 0;
    drawn.add(this);
    this.resize = new ResizeObserver(() => {
      if (element.querySelector(".main-svg") && element.clientWidth) window.Plotly?.Plots.resize(element);
    });
    this.resize.observe(element);
  }

  /**
   * Draw the points of a run of so many episodes.
   *
   * @param {Point[]} points
   * @param {number} episodes
   */
  update(points, episodes) {
    const same = points.length === this.points.length && episodes === this.episodes;
    this.points = points;
    this.episodes = episodes;
    if (!same) this.draw();
  }

  async draw() {
    if (!this.points.length) return;
    try {
      const library = await plotly();
      if (!drawn.has(this)) return;
      await library.react(this.element, traces(this.points), layout(this.points, this.episodes), {
        displayModeBar: false,
        scrollZoom: false,
        doubleClick: "reset",
      });
      this.element.dataset.points = String(this.points.length);
    } catch (error) {
      replace(this.element, error.message);
    }
  }

  close() {
    drawn.delete(this);
    this.resize.disconnect();
    if (this.element.querySelector(".main-svg")) window.Plotly?.purge(this.element);
  }
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A colour of the page with some opacity, whatever notation it has there. */
export function faint(name, opacity) {
  const probe = document.createElement("canvas").getContext("2d");
  if (!probe) return "transparent";
  probe.fillStyle = colour(name);
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  return `rgba(${r},${g},${b},${opacity})`;
}

/** @param {Point[]} points */
function traces(points) {
  const second = points.flatMap(({ episodes, second: found }) => (found ? [{ episodes, ...found }] : []));
  return [...scoreTraces(points, ""), ...scoreTraces(second, "second "), ...stepSizeTraces(points)];
}

/**
 * A line through results, and a band for their intervals; dashed and without colour for the second evaluator.
 *
 * @param {(Result & { episodes: number })[]} points
 * @param {string} which
 */
function scoreTraces(points, which) {
  if (!points.length) return [];
  const x = points.map((p) => p.episodes);
  const tone = which ? "--muted" : "--accent";
  return [
    ...band(
      x,
      points.map((p) => p.low),
      points.map((p) => p.high),
      faint(tone, 0.18),
    ),
    {
      x,
      y: points.map((p) => p.score),
      name: `${which}score`,
      mode: points.length < 60 ? "lines+markers" : "lines",
      line: { color: colour(tone), width: 2, dash: which ? "dash" : "solid" },
      marker: { size: 6 },
      cliponaxis: false,
      showlegend: false,
      customdata: points.map((p) => [score(p.score), score(p.low), score(p.high)]),
      hovertemplate: `%{x:,} episodes<br>${which}<b>%{customdata[0]}</b>  (%{customdata[1]} to %{customdata[2]})<extra></extra>`,
    },
  ];
}

/**
 * How the step sizes of the weights are spread: the median, the middle half and nine tenths of them.
 *
 * @param {Point[]} points
 */
function stepSizeTraces(points) {
  const found = points.flatMap(({ episodes, step_sizes: steps }) => (steps ? [{ episodes, ...steps }] : []));
  if (!found.length) return [];
  const x = found.map((p) => p.episodes);
  const below = { yaxis: "y2" };
  const values = (name) => found.map((p) => p[name]);
  return [
    ...band(x, values("p5"), values("p95"), faint("--accent", 0.12), below),
    ...band(x, values("p25"), values("p75"), faint("--accent", 0.18), below),
    {
      x,
      y: values("p50"),
      ...below,
      name: "step sizes",
      mode: "lines",
      line: { color: colour("--accent"), width: 1.5 },
      showlegend: false,
      customdata: found.map((p) => [p.p50, p.p5, p.p95].map((size) => size.toPrecision(2))),
      hovertemplate: "step size <b>%{customdata[0]}</b>  (%{customdata[1]} to %{customdata[2]})<extra></extra>",
    },
  ];
}

/**
 * @param {number[]} x
 * @param {(number | null)[]} low
 * @param {(number | null)[]} high
 * @param {string} fillcolor
 */
function band(x, low, high, fillcolor, more = {}) {
  const edge = { x, mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false, ...more };
  return [
    { ...edge, y: low },
    { ...edge, y: high, fill: "tonexty", fillcolor },
  ];
}

/**
 * @param {Point[]} points
 * @param {number} episodes
 */
function layout(points, episodes) {
  const axis = {
    gridcolor: colour("--border"),
    linecolor: colour("--border"),
    zerolinecolor: colour("--border"),
    tickfont: { size: 11 },
    automargin: true,
    fixedrange: true,
  };
  const spread = points.some((p) => p.step_sizes);
  return {
    autosize: true,
    margin: { l: 8, r: 12, t: 8, b: 8 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 12, color: colour("--muted") },
    xaxis: {
      ...axis,
      range: [0, Math.max(episodes, points.at(-1)?.episodes ?? 0)],
      tickformat: "~s",
      anchor: spread ? "y2" : "y",
      title: { text: "episodes" },
    },
    yaxis: { ...axis, title: { text: "score" }, domain: [spread ? BELOW + 0.08 : 0, 1] },
    ...(spread
      ? { yaxis2: { ...axis, title: { text: "step size" }, domain: [0, BELOW], rangemode: "tozero", nticks: 3 } }
      : {}),
    hoverlabel: { bgcolor: colour("--surface"), bordercolor: colour("--border"), font: { color: colour("--text") } },
    hovermode: "x",
  };
}
