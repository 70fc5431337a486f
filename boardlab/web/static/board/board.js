// A board on the page: the picture that the server drew, made playable. Its parts carry the action that they play
// (data-action); the legal ones respond to mouse, touch and keyboard, all others are inert. Used by the play view, by
// inspection and by the replay of stored games.

import { h, replace } from "../common/dom.js";
import { picture } from "../common/picture.js";
import { mayMove, moveFrom, piecesOf } from "./motion.js";
import { drawValues, tint } from "./overlay.js";
import { actionOf, centre, columnName, ghostsOf, isNowhere, targetSize } from "./parts.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SMALL_TARGET = 34; // pixels; below, a finger slides to the part it means and plays by letting go
const SWIPE = 24; // pixels
const NEAR = [9, 16, 22]; // pixels around a touch in which a part is searched

export class Board {
  /** @param {{ onAction?: (action: number) => void, label?: string }} [options] what the person played is told */
  constructor({ onAction = () => {}, label = "Board" } = {}) {
    this.onAction = onAction;
    this.frame = h("div", { class: "board-frame", tabindex: -1, role: "group", "aria-label": label });
    this.bubble = h("div", { class: "board-bubble", hidden: true, "aria-hidden": "true" });
    this.others = h("div", { class: "board-others", hidden: true });
    this.said = h("div", { class: "visually-hidden", role: "status" });
    this.element = h("div", { class: "board" }, this.frame, this.bubble, this.others, this.said);
    /** @type {string | null} */
    this.text = null; // the picture as text, its element, and its shapes as texts
    /** @type {SVGSVGElement | null} */
    this.svg = null;
    /** @type {Set<string> | null} */
    this.shapes = null;
    /** @type {Map<number, SVGGraphicsElement[]>} */
    this.parts = new Map(); // the parts of the picture that play an action
    /** @type {Map<number, string>} */
    this.legal = new Map(); // the names of the legal actions
    /** @type {Map<number, string>} */
    this.names = new Map(); // of all actions that were legal at some time
    /** @type {{ [key: string]: number }} */
    this.keys = {};
    /** @type {{ values: Api.ActionOpinion[], best: Set<number> } | null} */
    this.values = null;
    /** @type {Element[]} */
    this.valueNodes = [];
    /** @type {Element[]} */
    this.marks = [];
    /** @type {Element[]} */
    this.previewed = [];
    /** @type {Map<number, SVGElement[]>} */
    this.ghosts = new Map(); // hidden shapes that show what an action would do
    this.settled = 0; // when everything that moves will be in its place
    this.stop = 0; // the action whose part the tab key reaches
    this.wantsFocus = false;
    this.listenToPointer();
    this.frame.addEventListener("focusin", (event) => {
      const part = /** @type {Element} */ (event.target);
      const action = actionOf(part);
      if (action !== null) this.setStop(action);
      if (part.matches(":focus-visible")) this.preview(actionOf(part), "focused");
    });
    this.frame.addEventListener("focusout", () => this.preview(null));
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.frame);
  }

  /**
   * Show a position; `playable` says whether legal actions respond, `keys` which of them a key plays, `slides` which
   * pieces the last action moved: null where the position does not follow the one before, and nothing shall move.
   *
   * @param {object} position
   * @param {string} position.svg
   * @param {Api.LegalAction[]} [position.legal]
   * @param {boolean} [position.playable]
   * @param {{ [key: string]: number }} [position.keys]
   * @param {number[][] | null} [position.slides]
   */
  draw({ svg, legal = [], playable = false, keys = {}, slides = null }) {
    const focused = this.frame.contains(document.activeElement) || this.others.contains(document.activeElement);
    this.wantsFocus = focused || this.wantsFocus;
    this.clearMarks();
    if (svg !== this.text) this.showPicture(svg, slides);
    for (const { action, name } of legal) this.names.set(action, name);
    this.legal = new Map(playable ? legal.map((l) => [l.action, l.name]) : []);
    this.keys = keys;
    this.markParts();
    this.showOthers();
    this.frame.classList.toggle("swipes", playable && Object.keys(keys).length > 0);
    this.resized();
    if (this.wantsFocus) this.restoreFocus(focused);
  }

  /**
   * Values of moves on the board, or null to remove them.
   *
   * @param {Api.ActionOpinion[] | null} values
   * @param {Iterable<number>} best the best actions
   */
  overlay(values, best = []) {
    for (const node of this.valueNodes) node.remove();
    this.valueNodes = [];
    this.values = values ? { values, best: new Set(best) } : null;
    if (this.values && this.svg) {
      this.valueNodes = drawValues(this.svg, this.parts, this.values.values, this.values.best);
    }
  }

  /**
   * Mark an action that somebody recommends or points at.
   *
   * @param {number} action
   */
  hint(action, className = "hinted") {
    this.clearMarks();
    for (const part of this.parts.get(action) ?? []) this.marks.push(tint(part, className));
    const button = this.others.querySelector(`[data-action="${action}"]`);
    button?.classList.add(className);
  }

  /**
   * A key that was pressed anywhere on the page; true where the board used it.
   *
   * @param {KeyboardEvent} event
   */
  handleKey(event) {
    const { key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    if (key in this.keys && this.legal.size) return this.play(this.keys[key]) || true;
    const current = actionOf(document.activeElement);
    const onPart = this.frame.contains(document.activeElement) && current !== null;
    if (onPart && (key === "Enter" || key === " ")) return this.play(current) || this.refuse(current);
    if (onPart && (key === "n" || key === "p")) return this.focusLegal(current, key === "n" ? 1 : -1);
    if (key in ARROWS && (onPart || isNowhere(document.activeElement, this.frame))) {
      return this.moveFocus(onPart ? current : null, ARROWS[key]);
    }
    if (/^[1-9]$/.test(key)) {
      const named = [...this.legal].find(([, name]) => name === key);
      return named ? this.play(named[0]) : false;
    }
    return false;
  }

  destroy() {
    this.observer.disconnect();
  }

  // ------------------------------------------------------------ the picture

  /**
   * @param {string} text
   * @param {number[][] | null} slides
   */
  showPicture(text, slides) {
    const before = this.svg && slides && mayMove() ? piecesOf(this.svg) : null;
    const svg = picture(text);
    this.text = text;
    this.svg = svg;
    const { width, height } = svg.viewBox.baseVal;
    for (const attribute of ["width", "height", "role"]) svg.removeAttribute(attribute);
    svg.querySelector("title")?.remove(); // browsers show it as a tooltip over the whole board
    this.frame.style.setProperty("--ratio", String(width / height || 1));
    this.values = null;
    this.valueNodes = [];
    const shapes = /** @type {SVGElement[]} */ ([...svg.children]);
    this.markFresh(before ? shapes.filter((node) => !node.dataset.piece) : shapes);
    replace(this.frame, svg);
    this.settled = before ? performance.now() + moveFrom(svg, before, slides ?? []) : 0;
    this.ghosts = ghostsOf(svg);
    this.parts = new Map();
    for (const part of /** @type {NodeListOf<SVGGraphicsElement>} */ (svg.querySelectorAll("[data-action]"))) {
      const action = Number(part.dataset.action);
      this.parts.set(action, [...(this.parts.get(action) ?? []), part]);
    }
  }

  /**
   * What was not in the picture before fades in, so that the eye finds what happened.
   *
   * @param {SVGElement[]} nodes
   */
  markFresh(nodes) {
    const before = this.shapes;
    this.shapes = new Set(nodes.map((node) => node.outerHTML));
    if (!before) return;
    for (const node of nodes) {
      if (!node.dataset.action && !node.dataset.ghost && !before.has(node.outerHTML)) node.classList.add("fresh");
    }
  }

  /** Every part can be reached by the keyboard and says what it is; those that play a legal action say so. */
  markParts() {
    for (const [action, parts] of this.parts) {
      const legal = this.legal.has(action);
      for (const part of parts) {
        part.classList.toggle("legal", legal);
        part.setAttribute("role", "button");
        part.setAttribute("aria-label", this.labelOf(action, part));
        part.setAttribute("tabindex", "-1");
        if (legal) part.removeAttribute("aria-disabled");
        else part.setAttribute("aria-disabled", "true");
      }
    }
    const first = this.playableParts()[0]?.action ?? this.parts.keys().next().value;
    if (this.parts.has(this.stop)) this.setStop(this.stop);
    else if (first !== undefined) this.setStop(first);
  }

  /**
   * What a part is called, and what lies there: "b2, X".
   *
   * @param {number} action
   * @param {SVGGraphicsElement} part
   */
  labelOf(action, part) {
    const { row, column, holds } = part.dataset;
    const place = row && column ? `${columnName(Number(column))}${Number(row) + 1}` : `move ${action + 1}`;
    const name = this.legal.get(action) ?? this.names.get(action) ?? place;
    return holds ? `${name}, ${holds}` : name;
  }

  /** @param {number} action */
  setStop(action) {
    this.parts.get(this.stop)?.[0].setAttribute("tabindex", "-1");
    this.stop = action;
    this.parts.get(action)?.[0].setAttribute("tabindex", "0");
  }

  /** Legal actions that no part of the picture plays get a button below it. */
  showOthers() {
    const loose = [...this.legal].filter(([action]) => !this.parts.has(action));
    this.others.hidden = loose.length === 0;
    replace(
      this.others,
      loose.map(([action, name]) =>
        h("button", { class: "button small", dataset: { action }, onclick: () => this.play(action) }, name),
      ),
    );
  }

  playableParts() {
    return [...this.legal.keys()].flatMap((action) => {
      const part = this.parts.get(action)?.[0];
      return part ? [{ action, part }] : [];
    });
  }

  resized() {
    if (!this.svg) return;
    if (this.values) this.overlay(this.values.values, this.values.best);
    const scale = this.svg.getBoundingClientRect().width / this.svg.viewBox.baseVal.width;
    const some = this.playableParts().slice(0, 8); // the parts of a board are alike, and measuring takes time
    const small = some.some(({ part }) => targetSize(part) * scale < SMALL_TARGET);
    this.frame.classList.toggle("aims", small && !this.frame.classList.contains("swipes"));
  }

  clearMarks() {
    for (const node of this.marks) node.remove();
    this.marks = [];
    for (const button of this.others.children) button.classList.remove("hinted");
    this.preview(null);
  }

  /** @param {number | null} action */
  preview(action, className = "preview") {
    for (const node of this.previewed) node.remove();
    this.previewed = [];
    for (const ghost of this.frame.querySelectorAll("[data-ghost].shown")) ghost.classList.remove("shown");
    if (action === null || !(this.legal.has(action) || className === "focused")) return;
    this.previewed = (this.parts.get(action) ?? []).map((part) => tint(part, className));
    if (!this.legal.has(action)) return;
    for (const ghost of this.ghosts.get(action) ?? []) ghost.classList.add("shown");
  }

  // ------------------------------------------------------------ playing

  /** @param {number} action */
  play(action) {
    if (!this.legal.has(action)) return false;
    this.onAction(action);
    return true;
  }

  listenToPointer() {
    const { frame } = this;
    /** @type {{ x: number, y: number } | null} */
    let start = null;
    let usedAt = -1000;
    frame.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.preview(actionOf(event.target));
    });
    frame.addEventListener("pointerleave", () => this.preview(null));
    frame.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary) return;
      start = { x: event.clientX, y: event.clientY };
      if (this.aimsWith(event)) this.aim(event);
    });
    frame.addEventListener("pointermove", (event) => {
      if (start && event.isPrimary && this.aimsWith(event)) this.aim(event);
    });
    frame.addEventListener("pointerup", (event) => {
      if (!start || !event.isPrimary) return;
      const swiped = this.swipe(event.clientX - start.x, event.clientY - start.y);
      const aimed = this.aimsWith(event) ? this.actionNear(event.clientX, event.clientY) : null;
      start = null;
      this.endAim();
      if (swiped || this.aimsWith(event)) usedAt = performance.now();
      if (!swiped && aimed !== null) this.play(aimed);
    });
    frame.addEventListener("pointercancel", () => {
      start = null;
      this.endAim();
    });
    frame.addEventListener("click", (event) => {
      const spent = event.detail !== 0 && performance.now() - usedAt < 400; // the click that follows a swipe
      if (spent) return;
      const direct = actionOf(event.target);
      const touched = direct === null && /** @type {PointerEvent} */ (event).pointerType === "touch";
      const action = touched ? this.actionNear(event.clientX, event.clientY) : direct;
      if (action !== null) this.play(action);
    });
  }

  swipe(dx, dy) {
    if (!this.frame.classList.contains("swipes") || Math.max(Math.abs(dx), Math.abs(dy)) < SWIPE) return false;
    const key = Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? "ArrowLeft" : "ArrowRight") : dy < 0 ? "ArrowUp" : "ArrowDown";
    if (key in this.keys) this.play(this.keys[key]);
    return true;
  }

  /** @param {PointerEvent} event */
  aimsWith(event) {
    return event.pointerType === "touch" && this.frame.classList.contains("aims");
  }

  /** @param {PointerEvent} event */
  aim(event) {
    const action = this.actionNear(event.clientX, event.clientY);
    this.preview(action, "preview aimed");
    this.bubble.hidden = action === null;
    if (action === null) return;
    const place = this.element.getBoundingClientRect();
    this.bubble.textContent = this.legal.get(action) ?? "";
    this.bubble.style.left = `${Math.min(Math.max(event.clientX - place.left, 28), place.width - 28)}px`;
    this.bubble.style.top = `${event.clientY - place.top}px`;
  }

  endAim() {
    this.bubble.hidden = true;
    this.preview(null);
  }

  /** The legal action at a point of the screen, or close to it. */
  actionNear(x, y) {
    const at = (px, py) => {
      const node = document.elementFromPoint(px, py);
      const action = this.frame.contains(node) ? actionOf(node) : null;
      return action !== null && this.legal.has(action) ? action : null;
    };
    const direct = at(x, y);
    if (direct !== null) return direct;
    for (const radius of NEAR) {
      for (let k = 0; k < 8; k++) {
        const found = at(x + radius * Math.cos((k * Math.PI) / 4), y + radius * Math.sin((k * Math.PI) / 4));
        if (found !== null) return found;
      }
    }
    return null;
  }

  // ------------------------------------------------------------ keyboard

  /**
   * @param {number | null} current
   * @param {number[]} direction
   */
  moveFocus(current, [dx, dy]) {
    if (!this.parts.size) return false;
    const part = current === null ? undefined : this.parts.get(current)?.[0];
    if (!part || current === null) return this.focusPart(this.stop);
    const next = part.dataset.row ? this.nextInGrid(part, dx, dy) : this.nearest(current, part, dx, dy);
    return next === null ? true : this.focusPart(next);
  }

  /**
   * The action of the next part in the row or the column of this one.
   *
   * @param {SVGGraphicsElement} part
   */
  nextInGrid(part, dx, dy) {
    const at = (/** @type {SVGGraphicsElement} */ node) => [Number(node.dataset.row), Number(node.dataset.column)];
    const [row, column] = at(part);
    const ahead = [...this.parts].flatMap(([action, [other]]) => {
      const [r, c] = at(other);
      const [along, aside] = dx ? [(c - column) * dx, r - row] : [(r - row) * dy, c - column];
      return aside === 0 && along > 0 ? [{ action, along }] : [];
    });
    return ahead.sort((a, b) => a.along - b.along)[0]?.action ?? null;
  }

  /**
   * The action of the part that is nearest in a direction.
   *
   * @param {number} current
   * @param {SVGGraphicsElement} part
   */
  nearest(current, part, dx, dy) {
    const from = centre(part);
    /** @type {number | null} */
    let found = null;
    let least = Infinity;
    for (const [action, [other]] of this.parts) {
      const to = centre(other);
      const along = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      const cost = along + 2.5 * aside;
      if (action !== current && along > 0.5 && cost < least) [found, least] = [action, cost];
    }
    return found;
  }

  /**
   * To the next legal move, or to the one before.
   *
   * @param {number} current
   * @param {1 | -1} step
   */
  focusLegal(current, step) {
    const order = [...this.parts.keys()];
    const from = order.indexOf(current);
    for (let k = 1; k <= order.length; k++) {
      const action = order[(from + step * k + order.length * 2) % order.length];
      if (this.legal.has(action)) return this.focusPart(action);
    }
    return true;
  }

  /**
   * Say why nothing happens.
   *
   * @param {number} action
   */
  refuse(action) {
    const part = this.parts.get(action)?.[0];
    this.say(part ? `${this.labelOf(action, part)}: no legal move now.` : "");
    return true;
  }

  /**
   * Say something to those who listen.
   *
   * @param {string} text
   */
  say(text) {
    this.said.textContent = "";
    setTimeout(() => (this.said.textContent = text), 50); // the same words twice are told twice
  }

  /** Let the keyboard be on the board. */
  focus() {
    if (!this.focusPart(this.stop)) this.frame.focus({ preventScroll: true });
  }

  /** @param {number} action */
  focusPart(action) {
    const part = this.parts.get(action)?.[0];
    if (!part) return false;
    this.setStop(action);
    part.focus({ preventScroll: true });
    return true;
  }

  /** Keep the keyboard on the board while the other side moves and the picture changes. */
  restoreFocus(focused) {
    if (!focused && !isNowhere(document.activeElement, this.frame)) {
      this.wantsFocus = false;
    } else {
      this.wantsFocus = false;
      this.focus();
    }
  }
}
