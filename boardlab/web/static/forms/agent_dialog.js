// Choosing an agent in a dialog, where the page has room for its name only: the advisor of a live game, and the agents
// that are inspected.

import { get } from "../common/api.js";
import { h, openDialog } from "../common/dom.js";
import { agentPicker } from "./agent_picker.js";
import { FormError } from "./form.js";

/**
 * What is asked where nobody chose: the newest trained agent of the game, else tree search.
 *
 * @param {string} game
 * @returns {Promise<ChosenAgent>}
 */
export async function usualAgent(game) {
  const files = (await get("/api/files", { game })).filter((file) => !file.problem);
  if (files.length) return { choice: { file: files[0].id }, label: files[0].name };
  const agents = (await get("/api/agents", { game })).filter((agent) => agent.usable && !agent.needs_file);
  const found = agents.find((agent) => agent.agent === "mcts") ?? agents[0];
  return { choice: { agent: found.agent, options: {} }, label: found.title };
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
