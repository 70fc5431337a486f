// Buttons that several views have: an icon alone, and an icon whose words give way on a small screen.

import { h, icon } from "./dom.js";

/** @typedef {Parameters<typeof icon>[0]} IconName */

/**
 * An icon alone, which says what it does when it is pointed at.
 *
 * @param {string} label
 * @param {IconName} name
 * @param {() => void} onclick
 */
export function iconButton(label, name, onclick) {
  return h("button", { class: "icon-button", type: "button", title: label, "aria-label": label, onclick }, icon(name));
}

/**
 * An icon with words in the head of a game.
 *
 * @param {string} title
 * @param {IconName} name
 * @param {() => void} onclick
 */
export function headButton(title, name, onclick) {
  return h("button", { class: "button ghost", type: "button", title, onclick }, icon(name), h("span", {}, title));
}
