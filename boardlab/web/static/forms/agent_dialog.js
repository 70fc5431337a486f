// Choosing an agent in a dialog, where the page has room for its name only: the advisor of a live game, and the agents
// that are inspected.

import { get } from "../common/api.js";
import { h, openDialog } from "../common/dom.js";
import { agentPicker, given, newestFirst } from "./agent_picker.js";
import { FormError } from "./form.js";

/**
 * Who is asked about positions where nobody chose: the newest trained agent of the game, else the adviser.
 *
 * @param {string} game
 * @returns {Promise<ChosenAgent>}
 */
export async function usualAgent(game) {
  const files = newestFirst((await get("/api/files", { game })).filter((file) => !file.problem));
  return files.length ? { choice: { file: files[0].id }, label: files[0].name } : adviserOf(game);
}

/**
 * Who gives hints and values where nobody chose: the agent that knows the truth about the game, else the strongest.
 *
 * @param {string} game
 * @returns {Promise<ChosenAgent>}
 */
export async function adviserOf(game) {
  const { choice, label, exact } = await get("/api/adviser", { game });
  return { choice: given(choice), label, exact };
}

/**
 * Ask which agent; `onChoose` is called unless the dialog is closed.
 *
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.game
 * @param {Api.AgentChoice} [question.value] what is chosen so far
 * @param {(agent: ChosenAgent) => void} question.onChoose
 */
export async function chooseAgent({ title, game, value, onChoose }) {
  const picker = agentPicker({ label: "Agent", value });
  await picker.setGame(game);
  openDialog(title, (close) => {
    const take = (event) => {
      event.preventDefault();
      try {
        onChoose({ choice: picker.choice() ?? {}, label: picker.describe() });
      } catch (error) {
        if (error instanceof FormError) return; // shown beside the field
        throw error;
      }
      close();
    };
    return h(
      "form",
      { class: "stack", onsubmit: take, novalidate: true },
      picker.element,
      h("div", { class: "row end" }, h("button", { class: "button primary" }, "Use this agent")),
    );
  });
}
