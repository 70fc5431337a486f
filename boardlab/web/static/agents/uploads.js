// Files on their way to the server: one line each, with how much of it has been sent and what came of it. Several may be
// on their way at once; what was refused stays until it is dismissed.

import { upload } from "../common/api.js";
import { h, icon, replace, toast } from "../common/dom.js";

const SUFFIX = /\.agent$/i;
const UNUSABLE = /[^\p{L}\p{N}_ .()-]+/gu; // what the name of an agent cannot have

export class Uploads {
  /** @param {() => Promise<void>} onadded is called when a file has been added */
  constructor(onadded) {
    this.onadded = onadded;
    this.element = h("ul", { class: "uploads", "aria-label": "Uploads" });
  }

  /** @param {File[]} files */
  async addAll(files) {
    await Promise.all(files.map((file) => this.add(file)));
  }

  /** @param {File} file */
  async add(file) {
    const bar = h("progress", { max: 100, value: 0, "aria-label": `Sending ${file.name}` });
    const words = h("span", { class: "muted" }, "sending");
    const line = h(
      "li",
      { class: "notice upload", dataset: { file: file.name } },
      h("strong", {}, file.name),
      bar,
      words,
    );
    this.element.append(line);
    const name = file.name.replace(SUFFIX, "").replace(UNUSABLE, "_").slice(0, 80) || "agent";
    try {
      const kept = await upload(name, file, (share) => {
        bar.value = 100 * share;
        words.textContent = share < 1 ? `${Math.floor(100 * share)} % sent` : "being checked";
      });
      line.remove();
      toast(`${kept.name} was added.`);
      await this.onadded();
    } catch (error) {
      line.classList.add("error");
      line.setAttribute("role", "alert");
      const dismiss = { class: "icon-button", type: "button", title: "Dismiss", "aria-label": `Dismiss ${file.name}` };
      replace(
        line,
        h("p", {}, h("strong", {}, file.name), " was not added: ", error.message),
        h("button", { ...dismiss, onclick: () => line.remove() }, icon("close")),
      );
    }
  }
}
