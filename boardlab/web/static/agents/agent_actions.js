// What can be done with an agent file, as a row of buttons: play against it, inspect, continue its training, rename, download,
// delete.

import { patch } from "../common/api.js";
import { askAndDelete } from "../common/deletion.js";
import { h, icon, openDialog } from "../common/dom.js";

/**
 * The buttons for a file; `changed` is called after it got another name, `gone` after it was deleted.
 *
 * @param {Api.AgentFileLine} file
 * @param {() => void} changed
 */
export function agentActions(file, changed, gone = changed) {
  const names = (/** @type {string} */ label) => ({ title: label, "aria-label": `${label} ${file.name}` });
  /** @type {(label: string, name: import("../common/buttons.js").IconName, href: string) => HTMLElement} */
  const link = (label, name, href) => h("a", { class: "icon-button", href, ...names(label) }, icon(name));
  /** @type {(label: string, name: import("../common/buttons.js").IconName, onclick: () => void) => HTMLElement} */
  const button = (label, name, onclick) =>
    h("button", { class: "icon-button", type: "button", onclick, ...names(label) }, icon(name));
  const hash = (view, values) => `#/${view}?${new URLSearchParams(values)}`;
  const download = { class: "icon-button", href: `/api/files/${file.id}/download`, download: "" };
  return [
    file.problem
      ? null
      : [
          link("Play against", "play", hash("play", { game: file.game, file: file.id })),
          link("Inspect", "inspect", hash("inspect", { file: file.id })),
          link("Continue training", "train", hash("train", { resume: file.id })),
        ],
    button("Rename", "edit", () => rename(file, changed)),
    h("a", { ...download, ...names("Download") }, icon("download")),
    button("Delete", "trash", () => remove(file, gone)),
  ];
}

/**
 * @param {Api.AgentFileLine} file
 * @param {() => void} changed
 */
function rename(file, changed) {
  const input = h("input", { type: "text", id: "new-name", value: file.name, maxlength: 80 });
  openDialog("Rename agent", (close) => {
    const problem = h("p", { class: "error", role: "alert", hidden: true });
    const save = async (event) => {
      event.preventDefault();
      try {
        await patch(`/api/files/${file.id}`, { name: input.value.trim() });
        close();
        await changed();
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
        input.focus();
      }
    };
    return h(
      "form",
      { class: "stack", onsubmit: save },
      h("div", { class: "field" }, h("label", { for: "new-name" }, "Name"), input, problem),
      h(
        "div",
        { class: "row end" },
        h("button", { class: "button", type: "button", onclick: close }, "Cancel"),
        h("button", { class: "button primary", type: "submit" }, "Rename"),
      ),
    );
  });
  input.select();
}

/**
 * @param {Api.AgentFileLine} file
 * @param {() => void} gone
 */
function remove(file, gone) {
  const text = "Everything it has learned will be lost. Download it first to keep a copy.";
  return askAndDelete(`/api/files/${file.id}`, { title: `Delete ${file.name}?`, text }, gone);
}
