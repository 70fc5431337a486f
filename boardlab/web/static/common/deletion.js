// Deleting something at the server, after the person was asked.

import { del } from "./api.js";
import { confirmQuestion, toast } from "./dom.js";

/**
 * Ask, and delete; `gone` is called afterwards, unless the person is in another view by then. A refusal is shown.
 *
 * @param {Api.DeletePath} path
 * @param {{ title: string, text: string, action?: string }} question
 * @param {() => unknown} gone
 */
export async function askAndDelete(path, { title, text, action = "Delete" }, gone) {
  if (!(await confirmQuestion({ title, text, action, danger: true }))) return;
  const asked = view();
  try {
    await del(path);
    if (view() === asked) await gone();
  } catch (error) {
    toast(error.message, "error");
  }
}

/** Where the person is, but for what is chosen there. */
function view() {
  return location.hash.split("?")[0];
}
