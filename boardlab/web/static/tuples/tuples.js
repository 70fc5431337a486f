// The n-tuple editor: a set drawn on the board. Tuples are made, changed and deleted by clicking cells; whole sets are
// generated, taken from an agent, saved by name, and trained with. The memory that a set would need is always in sight.

import { Places } from "../board/places.js";
import { del, get, post } from "../common/api.js";
import { confirmQuestion, go, h, icon, keepAddress, replace, s, toast } from "../common/dom.js";
import { bytes, count, plural } from "../common/words.js";

const PATIENCE = 250; // milliseconds after the last change before the set is measured

/**
 * The view `#/tuples?game=SPEC`; `text` and `seed` begin with a generated set, `saved` with a saved one, `file` with that
 * of an agent file.
 *
 * @type {Show}
 */
export async function show(root, _path, query) {
  const fileId = query.get("file");
  const file = fileId ? await get(`/api/files/${encodeURIComponent(fileId)}`) : null;
  const [games, board] = await Promise.all([
    get("/api/games"),
    get("/api/tuples/board", { game: file?.game ?? query.get("game") ?? "tictactoe" }),
  ]);
  const editor = new TupleEditor(games, board, query);
  replace(root, editor.element);
  await editor.begin(query, file);
  return () => editor.leave();
}

class TupleEditor {
  /**
   * @param {Api.GameInfo[]} games
   * @param {Api.TupleBoard} board
   * @param {URLSearchParams} query
   */
  constructor(games, board, query) {
    this.board = board;
    /** @type {number[][]} */
    this.tuples = [];
    /** @type {number[]} */
    this.weights = [];
    this.chosen = 0;
    this.asked = 0;
    this.timer = 0;
    this.places = new Places(board.outlines, `Cells of ${board.title}`, (cell) => this.toggle(cell));
    this.heading = h("h2", {});
    this.need = h("p", { class: "tuple-need", role: "status", "aria-live": "polite" });
    this.list = h("ol", { class: "tuple-thumbs" });
    this.text = h("input", {
      type: "text",
      id: "tuple-text",
      value: query.get("text") ?? board.examples[0],
      list: "tuple-texts",
    });
    this.seed = h("input", { type: "number", id: "tuple-seed", value: query.get("seed") ?? 1, min: 0, step: 1 });
    this.name = h("input", { type: "text", id: "tuple-name", maxlength: 80, value: query.get("saved") ?? "" });
    this.problem = h("p", { class: "notice error", role: "alert", hidden: true });
    this.saved = h("ul", { class: "saved-sets" });
    this.train = h(
      "button",
      { class: "button primary", type: "button", onclick: () => this.trainWith() },
      "Train with it",
    );
    this.remove = h(
      "button",
      { class: "button", type: "button", onclick: () => this.deleteTuple() },
      icon("trash"),
      "Delete",
    );
    this.element = this.layOut(games);
  }

  leave() {
    this.asked++;
    clearTimeout(this.timer);
  }

  /** @param {Api.GameInfo[]} games */
  layOut(games) {
    const { board } = this;
    const own = games.some((game) => game.name === board.game);
    const select = h(
      "select",
      { "aria-label": "Game", onchange: () => go(`#/tuples?game=${encodeURIComponent(select.value)}`) },
      own ? null : h("option", { value: board.game, selected: true }, `${board.title} (${board.game})`),
      games.map((game) => h("option", { value: game.name, selected: game.name === board.game }, game.title)),
    );
    return h(
      "div",
      { class: "page" },
      h("div", { class: "page-head" }, h("h1", {}, "N-tuples"), h("div", { class: "row" }, select)),
      h(
        "p",
        { class: "muted" },
        "An n-tuple network looks at some cells together; each tuple has a table with a weight for every combination of " +
          "what they hold. Click cells to change the chosen tuple.",
      ),
      this.problem,
      h(
        "div",
        { class: "tuple-editor" },
        h(
          "section",
          { class: "card stack", "aria-label": "Chosen tuple" },
          this.heading,
          this.places.element,
          h(
            "div",
            { class: "row" },
            h(
              "button",
              { class: "button", type: "button", onclick: () => this.addTuple([]) },
              icon("plus"),
              "New tuple",
            ),
            h("button", { class: "button", type: "button", onclick: () => this.copyTuple() }, "Copy"),
            this.remove,
          ),
        ),
        h("section", { class: "card stack", "aria-label": "The set" }, this.need, this.list),
        h("aside", { class: "stack" }, this.generator(), this.keeper()),
      ),
    );
  }

  generator() {
    const { board } = this;
    const draw = (event) => {
      event.preventDefault();
      this.generate();
    };
    return h(
      "form",
      { class: "card stack", onsubmit: draw },
      h("h2", {}, "Generate"),
      h(
        "div",
        { class: "field" },
        h("label", { for: "tuple-text" }, "Set"),
        this.text,
        h(
          "datalist",
          { id: "tuple-texts" },
          [...board.sets, ...board.examples].map((value) => h("option", { value })),
        ),
        h("p", { class: "doc" }, `${board.sets.join(", ")}, or random ones as ${board.examples.join(", ")}`),
      ),
      h("div", { class: "field" }, h("label", { for: "tuple-seed" }, "Seed"), this.seed),
      h("button", { class: "button" }, icon("dice"), "Generate"),
    );
  }

  keeper() {
    const save = (event) => {
      event.preventDefault();
      this.save();
    };
    return h(
      "form",
      { class: "card stack", onsubmit: save },
      h("h2", {}, "Save and train"),
      h("div", { class: "field" }, h("label", { for: "tuple-name" }, "Name"), this.name),
      h("div", { class: "row" }, h("button", { class: "button" }, "Save"), this.train),
      this.saved,
    );
  }

  /**
   * Begin with what the address names.
   *
   * @param {URLSearchParams} query
   * @param {Api.AgentFileDetail | null} file
   */
  async begin(query, file) {
    this.showSaved();
    const kept = this.board.saved.find((set) => set.name === query.get("saved"));
    if (file) {
      const found = await get(`/api/files/${file.id}/tuples`);
      this.name.value = `${file.name} tuples`.slice(0, 80);
      this.use(found.tuples.map((tuple) => tuple.cells));
    } else if (kept) this.use(kept.tuples);
    else if (query.has("text")) await this.generate();
    else this.use([[]]);
  }

  // ------------------------------------------------------------ the set

  /** @param {number[][]} tuples */
  use(tuples) {
    this.tuples = tuples.map((cells) => [...cells]);
    this.weights = [];
    this.chosen = 0;
    this.changed();
  }

  /** @param {number[]} cells */
  addTuple(cells) {
    this.tuples.push(cells);
    this.chosen = this.tuples.length - 1;
    this.changed();
  }

  copyTuple() {
    this.addTuple([...(this.tuples[this.chosen] ?? [])]);
  }

  deleteTuple() {
    this.tuples.splice(this.chosen, 1);
    this.chosen = Math.max(0, Math.min(this.chosen, this.tuples.length - 1));
    this.changed();
  }

  /** @param {number} cell */
  toggle(cell) {
    if (!this.tuples.length) this.tuples.push([]);
    const cells = this.tuples[this.chosen];
    if (cells.includes(cell)) cells.splice(cells.indexOf(cell), 1);
    else cells.push(cell);
    this.changed();
  }

  changed() {
    this.problem.hidden = true;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.measure(), PATIENCE);
  }

  draw() {
    const cells = this.tuples[this.chosen] ?? [];
    const size = this.weights[this.chosen];
    const what = cells.length
      ? `${plural(cells.length, "cell")}${size ? `, ${count(size)} weights` : ""}`
      : "no cells yet";
    this.heading.textContent = this.tuples.length ? `Tuple ${this.chosen + 1}: ${what}` : "No tuple yet";
    this.remove.disabled = this.tuples.length === 0;
    this.places.show((cell) => {
      const at = cells.indexOf(cell);
      const label = `cell ${cell}${at < 0 ? "" : `, number ${at + 1} of the tuple`}`;
      return { label, pressed: at >= 0, fill: at >= 0 ? "var(--bl-first)" : undefined };
    });
    this.places.join(cells);
    replace(
      this.list,
      this.tuples.map((tuple, k) => this.thumb(tuple, k)),
    );
  }

  /**
   * A small picture of a tuple, which chooses it.
   *
   * @param {number[]} cells
   * @param {number} k
   */
  thumb(cells, k) {
    const choose = () => {
      this.chosen = k;
      this.draw();
      /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-pressed='true']"))?.focus();
    };
    return h(
      "li",
      {},
      h(
        "button",
        {
          type: "button",
          class: "tuple-thumb",
          "aria-pressed": String(k === this.chosen),
          "aria-label": `Tuple ${k + 1}: cells ${cells.join(", ") || "none"}`,
          onclick: choose,
        },
        h("span", { class: "muted small" }, k + 1),
        this.sketch(cells),
      ),
    );
  }

  /** @param {number[]} cells */
  sketch(cells) {
    const { outlines, middles } = this.places;
    const shape = (points, marked) => {
      const style = marked ? "fill: var(--bl-first); stroke: var(--bl-first)" : "";
      if (points.length > 2) return s("polygon", { points: points.map((p) => p.join()).join(" "), style });
      const [[x1, y1], [x2, y2]] = points;
      return s("line", { x1, y1, x2, y2, style: `${style}; stroke-width: ${marked ? 16 : 4}` });
    };
    return s(
      "svg",
      { viewBox: this.places.element.getAttribute("viewBox"), "aria-hidden": "true", class: "sketch" },
      outlines.map((points, cell) => shape(points, cells.includes(cell))),
      s("polyline", { class: "place-path", points: cells.map((cell) => middles[cell].join()).join(" ") }),
    );
  }

  async measure() {
    const turn = ++this.asked;
    const tuples = this.tuples.filter((cells) => cells.length);
    if (!tuples.length) {
      this.weights = [];
      return this.showNeed("No tuples with cells yet.");
    }
    try {
      const found = await post("/api/tuples/measure", { game: this.board.game, tuples });
      if (turn !== this.asked) return;
      let k = 0;
      this.weights = this.tuples.map((cells) => (cells.length ? found.weights[k++] : 0));
      this.draw();
      const total = found.weights.reduce((a, b) => a + b, 0);
      const all = `${plural(tuples.length, "tuple")}, ${count(total)} weights`;
      this.showNeed(`${all}; a training needs about ${bytes(found.bytes)} of memory`);
    } catch (error) {
      if (turn === this.asked) this.fail(error);
    }
  }

  /** @param {string} words */
  showNeed(words) {
    this.need.textContent = words;
  }

  fail(error) {
    this.problem.textContent = error.message;
    this.problem.hidden = false;
    this.showNeed("");
  }

  async generate() {
    try {
      const wish = { game: this.board.game, text: this.text.value.trim(), seed: Number(this.seed.value) || 0 };
      const found = await post("/api/tuples/generate", wish);
      keepAddress("tuples", wish);
      this.use(found.tuples);
    } catch (error) {
      this.fail(error);
    }
  }

  // ------------------------------------------------------------ saved sets

  /** @returns {Promise<string | null>} the name, if it could be saved */
  async save() {
    const { game } = this.board;
    try {
      const tuples = this.tuples.filter((cells) => cells.length);
      const kept = await post("/api/tuples", { game, name: this.name.value, tuples });
      keepAddress("tuples", { game, saved: kept.name });
      toast(`${kept.name} was saved.`);
      await this.reload();
      return kept.name;
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  async trainWith() {
    const name = await this.save();
    const query = new URLSearchParams({ game: this.board.game, tuples: `saved:${name}` });
    if (name) go(`#/train?${query}`);
  }

  async reload() {
    this.board.saved = (await get("/api/tuples/board", { game: this.board.game })).saved;
    this.showSaved();
  }

  showSaved() {
    replace(
      this.saved,
      this.board.saved.map((set) =>
        h(
          "li",
          { class: "row apart" },
          h(
            "button",
            { type: "button", class: "link", onclick: () => this.open(set) },
            `${set.name} (${plural(set.tuples.length, "tuple")})`,
          ),
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": `Delete ${set.name}`,
              title: "Delete",
              onclick: () => this.forget(set),
            },
            icon("trash"),
          ),
        ),
      ),
    );
  }

  /** @param {Api.SavedTuples} set */
  open(set) {
    this.name.value = set.name;
    keepAddress("tuples", { game: this.board.game, saved: set.name });
    this.use(set.tuples);
  }

  /** @param {Api.SavedTuples} set */
  async forget(set) {
    const question = { title: `Delete ${set.name}?`, action: "Delete", danger: true };
    if (!(await confirmQuestion(question))) return;
    await del(`/api/tuples/${encodeURIComponent(set.name)}?game=${encodeURIComponent(set.game)}`);
    await this.reload();
  }
}
