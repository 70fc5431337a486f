// Small helpers to build the page: elements, icons, toasts, questions, numbers. Used by every view.
// Text always goes in as text nodes, so nothing that a person or a file names can become markup.

import { icons } from "./icons.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: `h("button", { class: "button", onclick: act, disabled: true }, "Play", icon("play"))`.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {{ [name: string]: any }} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    setAttribute(node, name, value);
  }
  append(node, children);
  return node;
}

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on") && typeof value === "function") {
    node.addEventListener(name.slice(2), value);
  } else if (name === "dataset") {
    Object.assign(node.dataset, value);
  } else if (name === "style" && typeof value === "object") {
    for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
  } else if (name === "value") {
    node.value = value;
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @param {Element} node
 * @param {Child[]} children
 */
function append(node, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(node, child);
    else if (child instanceof Node) node.append(child);
    else if (child !== null && child !== undefined && child !== false) node.append(String(child));
  }
}

/**
 * Put other children into an element.
 *
 * @template {Element} E
 * @param {E} node
 * @param {...Child} children
 */
export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
  return node;
}

/**
 * An SVG element, for what the page itself draws.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {{ [name: string]: any }} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  append(node, children);
  return node;
}

/**
 * An icon of icons.js, as large as the text around it.
 *
 * @param {keyof typeof icons} name
 */
export function icon(name) {
  const node = s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" });
  for (const d of icons[name]) node.append(s("path", { d }));
  return node;
}

/**
 * The element of the page with this id, which index.html has.
 *
 * @param {string} id
 */
export function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * Go to another view.
 *
 * @param {string} hash
 */
export function go(hash) {
  location.hash = hash.startsWith("#") ? hash : `#${hash}`;
}

/**
 * Put what is shown into the address, so that it can be shared and comes back with Back; what is empty is left out.
 *
 * @param {string} place
 * @param {{ [name: string]: string | number | null | undefined }} params
 */
export function keepAddress(place, params) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  history.replaceState(null, "", `#/${place}${given.length ? `?${query}` : ""}`);
}

/**
 * A short message at the edge of the page.
 *
 * @param {string} text
 * @param {"info" | "error"} kind
 */
export function toast(text, kind = "info") {
  const node = h("div", { class: `toast ${kind}` }, text);
  const place = element("toasts");
  while (place.children.length > 2) place.children[0].remove();
  place.append(node);
  const leave = () => {
    node.classList.add("leaving");
    setTimeout(() => node.remove(), 250);
  };
  node.addEventListener("click", leave);
  setTimeout(leave, kind === "error" ? 7000 : 3500);
}

/**
 * Ask before something that cannot be taken back.
 *
 * @param {{ title: string, text?: string, action?: string, danger?: boolean }} question
 * @returns {Promise<boolean>}
 */
export function confirmQuestion({ title, text = "", action = "Yes", danger = false }) {
  return new Promise((resolve) => {
    const dialog = h(
      "dialog",
      { class: "dialog", "aria-labelledby": "question-title" },
      h("h2", { id: "question-title" }, title),
      text && h("p", {}, text),
      h(
        "div",
        { class: "row end" },
        h("button", { class: "button", onclick: () => dialog.close("no") }, "Cancel"),
        h("button", { class: `button ${danger ? "danger" : "primary"}`, onclick: () => dialog.close("yes") }, action),
      ),
    );
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close("no"));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Something that overlays the page until it is closed: `build` makes it with a function that closes it.
 *
 * @param {string} title
 * @param {(close: () => void) => Child} build
 * @param {{ wide?: boolean }} [look]
 */
export function openDialog(title, build, { wide = false } = {}) {
  const close = () => dialog.close();
  const dialog = h("dialog", { class: `dialog ${wide ? "wide" : ""}`, "aria-label": title });
  replace(
    dialog,
    h(
      "div",
      { class: "dialog-head" },
      h("h2", {}, title),
      h("button", { class: "icon-button", "aria-label": "Close", onclick: close }, icon("close")),
    ),
    build(close),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

/**
 * A number for people: thousands apart, at most `digits` digits after the point.
 *
 * @param {number} x
 */
export function number(x, digits = 0) {
  return Number(x).toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: 0 });
}

/**
 * A value of a move, in at most five characters.
 *
 * @param {number} x
 */
export function short(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return "-";
  let text = x.toFixed(2);
  if (size >= 1e6) text = `${(x / 1e6).toFixed(1)}M`;
  else if (size >= 1e4) text = `${(x / 1e3).toFixed(1)}k`;
  else if (Number.isInteger(x) || size >= 100) text = x.toFixed(0);
  else if (size >= 10) text = x.toFixed(1);
  return /[1-9]/.test(text) ? text.replace("-", "\u2212") : text.replace("-", "");
}

/**
 * A moment in local time: "14:05" today, "3 Nov, 14:05" before.
 *
 * @param {string} iso
 */
export function when(iso) {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return "";
  const time = moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (moment.toDateString() === new Date().toDateString()) return time;
  /** @type {Intl.DateTimeFormatOptions} */
  const day = { day: "numeric", month: "short" };
  if (moment.getFullYear() !== new Date().getFullYear()) day.year = "numeric";
  return `${moment.toLocaleDateString([], day)}, ${time}`;
}

/**
 * What this browser was told to keep under a name, or null.
 *
 * @param {string} name
 */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(`boardlab.${name}`) ?? "null");
  } catch {
    return null; // storage is switched off, or holds something else
  }
}

/**
 * Keep something in this browser, where it allows that.
 *
 * @param {string} name
 * @param {any} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`boardlab.${name}`, JSON.stringify(value));
  } catch {
    // nothing depends on it
  }
}
