// Strength against time per move: who is worth its time. The line joins those whom nobody beats in both.

import { replace } from "../common/dom.js";
import { colour, plotly } from "../common/learning_curve.js";
import { elo } from "./words.js";

const LONGEST_NAME = 24;
/** 0.001, 0.002, 0.005, 0.01, ... milliseconds */
const TICKS = [-3, -2, -1, 0, 1, 2, 3, 4].flatMap((power) => [1, 2, 5].map((x) => Number(`${x}e${power}`)));

export class StrengthChart {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.closed = false;
    /** @type {Api.TournamentResult | null} */
    this.result = null;
    this.onTheme = () => this.result && this.draw(this.result);
    window.addEventListener("themechange", this.onTheme);
  }

  /** @param {Api.TournamentResult} result */
  async draw(result) {
    this.result = result;
    const lines = result.ratings.filter((line) => line.milliseconds > 0);
    this.element.hidden = !lines.length;
    if (!lines.length) return;
    try {
      const library = await plotly();
      if (this.closed) return;
      await library.react(this.element, [front(result), points(lines)], layout(lines), {
        displayModeBar: false,
        responsive: true,
        doubleClick: "reset",
      });
      this.element.dataset.points = String(lines.length);
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

/** @param {Api.RatingLine[]} lines */
function points(lines) {
  return {
    x: lines.map((line) => line.milliseconds),
    y: lines.map((line) => line.elo),
    error_y: {
      type: "data",
      symmetric: false,
      array: lines.map((line) => line.high - line.elo),
      arrayminus: lines.map((line) => line.elo - line.low),
      color: colour("--border-strong"),
      thickness: 1.2,
      width: 3,
    },
    text: lines.map(({ name }) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}\u2026` : name)),
    customdata: lines.map((line) => [line.name, elo(line.elo), elo(line.low), elo(line.high)]),
    hovertemplate:
      "<b>%{customdata[0]}</b><br>%{customdata[1]} (%{customdata[2]} to %{customdata[3]})<br>%{x:.3g} ms<extra></extra>",
    mode: "markers+text",
    textposition: "top center",
    textfont: { color: colour("--text") },
    marker: { size: 8, color: colour("--accent") },
    cliponaxis: false,
  };
}

/** @param {Api.TournamentResult} result */
function front({ ratings, front: names }) {
  const best = names.flatMap((name) => ratings.filter((line) => line.name === name));
  return {
    x: best.map((line) => line.milliseconds),
    y: best.map((line) => line.elo),
    mode: "lines",
    line: { shape: "hv", color: colour("--bl-second"), width: 1.5 },
    hoverinfo: "skip",
  };
}

/** @param {Api.RatingLine[]} lines */
function layout(lines) {
  const times = lines.map((line) => Math.log10(line.milliseconds));
  const [low, high] = [Math.min(...times), Math.max(...times)];
  const edge = 0.25 + 0.12 * (high - low); // room for the names
  const axis = { gridcolor: colour("--border"), linecolor: colour("--border"), zeroline: false, automargin: true };
  return {
    autosize: true,
    showlegend: false,
    margin: { l: 8, r: 12, t: 12, b: 8 },
    paper_bgcolor: colour("--surface"),
    plot_bgcolor: colour("--surface"),
    font: { family: "system-ui, sans-serif", size: 12, color: colour("--muted") },
    xaxis: {
      tickvals: TICKS,
      ticktext: TICKS.map(String),
      ...axis,
      type: "log",
      range: [low - edge, high + edge],
      title: { text: "time per move in ms" },
    },
    yaxis: { ...axis, title: { text: "Elo" } },
    dragmode: "zoom",
    hovermode: "closest",
  };
}
