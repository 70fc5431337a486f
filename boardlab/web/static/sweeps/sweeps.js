// Sweeps: the folders that `boardlab sweep` and `boardlab reproduce` make, as a list, and each as a page of its own.

import { get } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { h, icon, replace, when } from "../common/dom.js";
import { count, plural } from "../common/words.js";

const FRESH = 5000; // milliseconds between two looks

/** @type {Columns} */
const COLUMNS = { Sweep: "text", Runs: "num", State: "text", Changed: "num" };

/**
 * The view `#/sweeps`, and `#/sweeps/NAME` for one of them.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  if (path.length) return (await import("./sweep_page.js")).showSweep(root, path[0], query);
  const list = h("div");
  const [sweeps, { sweep_folders: folders }] = await Promise.all([get("/api/sweeps"), get("/api/about")]);
  replace(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, "Sweeps"),
        h("a", { class: "button ghost", href: "#/train" }, icon("back"), "Train"),
      ),
      list,
      h("p", { class: "muted small folder-list" }, "Looked for in ", folders.join(", "), "."),
    ),
  );
  const draw = (/** @type {Api.SweepLine[]} */ lines) => replace(list, lines.length ? table(lines) : nothing());
  draw(sweeps);
  const look = () => get("/api/sweeps").then(draw, () => {}); // a banner tells that the server is away
  const timer = setInterval(look, FRESH);
  return () => clearInterval(timer);
}

/** @param {Api.SweepLine[]} sweeps */
function table(sweeps) {
  return h("div", { class: "table-wrap card" }, dataTable("narrow-flow", COLUMNS, sweeps.map(row)));
}

/** @param {Api.SweepLine} sweep */
function row(sweep) {
  return h(
    "tr",
    {},
    h(
      "td",
      { class: "cell-title" },
      h("a", { href: sweepAddress(sweep.name) }, sweep.title),
      h("div", { class: "muted" }, sweep.title === sweep.name ? sweep.folder : sweep.name),
    ),
    h("td", { class: "num", dataset: { label: "Runs" } }, `${count(sweep.finished)} of ${count(sweep.runs)}`),
    h("td", {}, stateBadge(sweep)),
    h("td", { class: "num" }, when(sweep.changed)),
  );
}

/** @param {string} name */
export function sweepAddress(name) {
  return `#/sweeps/${encodeURIComponent(name)}`;
}

/**
 * How a sweep stands, in a word or two.
 *
 * @param {Api.SweepLine} sweep
 */
export function stateBadge({ runs, finished, failed, running }) {
  const over = finished + failed >= runs;
  const look = running ? "busy" : over ? "good" : "";
  return h(
    "span",
    { class: "row badges" },
    h("span", { class: `badge ${look}` }, running ? "running" : over ? "finished" : "not finished"),
    failed > 0 && h("span", { class: "badge bad" }, `${plural(failed, "run")} failed`),
  );
}

function nothing() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "No sweeps yet."),
    h("p", {}, "A sweep trains many agents from one file, and shows how settings matter:"),
    h("p", {}, h("code", {}, "boardlab sweep FILE.toml"), " or ", h("code", {}, "boardlab reproduce NAME")),
  );
}
