// Agents: the agent files that are kept, with what they learned and how strong they are; rename, delete, download and
// upload. A file that is uploaded is only read, and refused with the server's sentence if it is not sound.

import { get, listen } from "../common/api.js";
import { dataTable } from "../common/data_table.js";
import { h, icon, keepAddress, replace, when } from "../common/dom.js";
import { bytes, count, duration, evaluatorWords, gameWords, score } from "../common/words.js";
import { agentActions } from "./agent_actions.js";
import { showAgent } from "./agent_page.js";
import { Uploads } from "./uploads.js";

/** @type {Columns} */
const COLUMNS = { Agent: "text", Training: "num", Strength: "num", File: "num", "": "text" };

/**
 * The view `#/agents`, `#/agents/FILE` for one of them; `?game=SPEC` shows only those of a game.
 *
 * @type {Show}
 */
export async function show(root, path, query) {
  if (path.length) return showAgent(root, path[0]);
  const view = new AgentsView(query.get("game") ?? "");
  replace(root, view.element);
  await view.load();
  const stops = [listen("file", () => view.load()), listen("open", () => view.load())];
  return () => stops.forEach((stop) => stop());
}

class AgentsView {
  constructor(game) {
    this.game = game;
    /** @type {Api.AgentFileLine[]} */
    this.files = [];
    this.asked = 0;
    this.choose = h("input", {
      type: "file",
      accept: ".agent",
      multiple: true,
      hidden: true,
      "aria-label": "Agent files to upload",
      onchange: () => {
        this.uploads.addAll([...(this.choose.files ?? [])]);
        this.choose.value = "";
      },
    });
    this.filter = h("select", {
      "aria-label": "Game",
      onchange: () => {
        this.game = this.filter.value;
        keepAddress("agents", { game: this.game });
        this.draw();
      },
    });
    this.uploads = new Uploads(() => this.load());
    this.list = h("div");
    this.element = h(
      "div",
      {
        class: "page drop-page",
        ondragover: (event) => this.hover(event, true),
        ondragleave: (event) => this.hover(event, false),
        ondrop: (event) => this.drop(event),
      },
      h(
        "div",
        { class: "page-head" },
        h("h1", {}, "Agents"),
        h(
          "div",
          { class: "row" },
          this.filter,
          h("a", { class: "button", href: "#/gallery" }, icon("hall"), "Gallery"),
          h(
            "button",
            { class: "button", type: "button", onclick: () => this.choose.click() },
            icon("upload"),
            "Upload",
          ),
          h("a", { class: "button primary", href: "#/train" }, icon("train"), "New agent"),
        ),
      ),
      this.choose,
      this.uploads.element,
      this.list,
      h("p", { class: "muted drop-hint" }, "Drop agent files (.agent) anywhere on this page to upload them."),
    );
  }

  async load() {
    const turn = ++this.asked;
    const files = await get("/api/files");
    if (turn !== this.asked) return;
    this.files = files.sort((a, b) => a.title.localeCompare(b.title) || b.created.localeCompare(a.created));
    this.draw();
  }

  draw() {
    const known = this.files.filter((file) => file.game); // a broken file may not tell its game
    const games = [...new Map(known.map((file) => [file.game, file.title]))];
    if (!games.some(([spec]) => spec === this.game)) this.game = "";
    replace(
      this.filter,
      h("option", { value: "" }, "All games"),
      games.map(([spec, title]) => h("option", { value: spec, selected: spec === this.game }, gameWords(title, spec))),
    );
    this.filter.hidden = games.length < 2;
    const shown = this.files.filter((file) => !this.game || file.game === this.game);
    replace(this.list, shown.length ? this.table(shown) : nothing());
  }

  /** @param {Api.AgentFileLine[]} files */
  table(files) {
    const rows = files.map((file) => this.row(file));
    return h("div", { class: "table-wrap card" }, dataTable("narrow-list", COLUMNS, rows));
  }

  /** @param {Api.AgentFileLine} file */
  row(file) {
    const cell = (label, first, second) =>
      h(
        "td",
        { class: "num", dataset: { label } },
        h("div", {}, h("div", {}, first), second ? h("div", { class: "muted" }, second) : null),
      );
    return h(
      "tr",
      { dataset: { file: file.id } },
      h(
        "td",
        { class: "cell-title" },
        h("a", { href: `#/agents/${file.id}` }, file.name),
        h("div", { class: "muted" }, gameWords(file.title, file.game)),
      ),
      file.problem
        ? h("td", { class: "cell-problem", colspan: 2 }, file.problem)
        : [
            cell("Training", `${count(file.episodes)} episodes`, duration(file.seconds)),
            cell("Strength", strength(file.strength), evaluatorWords(file.strength)),
          ],
      cell("File", bytes(file.bytes), file.created && when(file.created)),
      h(
        "td",
        { class: "cell-actions" },
        h(
          "div",
          { class: "row tight" },
          agentActions(file, () => this.load()),
        ),
      ),
    );
  }

  /**
   * @param {DragEvent} event
   * @param {boolean} over
   */
  hover(event, over) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (over || !this.element.contains(/** @type {Node} */ (event.relatedTarget)))
      this.element.classList.toggle("dropping", over);
  }

  /** @param {DragEvent} event */
  drop(event) {
    this.hover(event, false);
    this.element.classList.remove("dropping");
    this.uploads.addAll([...(event.dataTransfer?.files ?? [])]);
  }
}

function nothing() {
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "No agents yet."),
    h("p", {}, "Take one from the ", h("a", { href: "#/gallery" }, "gallery"), "."),
    h("p", {}, "Train one, or upload an agent file made by ", h("code", {}, "boardlab train"), "."),
  );
}

/** @param {Api.Strength | null} measured */
function strength(measured) {
  if (!measured) return "not evaluated";
  return [score(measured.score), h("span", { class: "muted" }, ` (${score(measured.low)} to ${score(measured.high)})`)];
}
