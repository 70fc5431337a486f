// The address of an inspection: game, position and agents, so that it can be kept and shared.
//
//     #/inspect?game=connect4&moves=a3.a3&ply=1&agent=mcts:time=2&agent=file=o8rr9iijxujk
//     #/inspect?game=tictactoe&setup=1.0.2.0.0.0.0.0.0&turn=0     (set up by hand)
//     #/inspect?game=othello&moves=a19&name=Ann&name=Bob&agent=level=strong     (of a stored game)

import { get } from "../common/api.js";

/**
 * Where an inspection begins.
 *
 * @typedef {object} Start
 * @property {string} game
 * @property {GameEvent[]} events
 * @property {number} ply
 * @property {ChosenAgent[]} agents
 * @property {Api.Setup | null} setup
 * @property {string[]} names of those who played, where it is a stored game
 */

/**
 * @param {URLSearchParams} query
 * @returns {Promise<Start>}
 */
export async function readAddress(query) {
  const agents = await Promise.all(query.getAll("agent").map(readAgent));
  const id = query.get("record");
  if (id) {
    const record = await get(`/api/records/${encodeURIComponent(id)}`);
    const ply = Number(query.get("ply") ?? record.events.length);
    return { game: record.game, events: record.events, ply, agents, setup: record.setup, names: record.seats };
  }
  let game = query.get("game");
  const fileId = query.get("file");
  if (fileId) {
    const file = await get(`/api/files/${encodeURIComponent(fileId)}`);
    agents.unshift({ choice: { file: file.id }, label: file.name });
    game = file.game;
  }
  const events = readEvents(query.get("moves") ?? "");
  const ply = Number(query.get("ply") ?? events.length);
  return { game: game ?? "connect4", events, ply, agents, setup: readSetup(query), names: query.getAll("name") };
}

/** @param {Start} start */
export function writeAddress({ game, events, ply, agents, setup, names }) {
  const query = new URLSearchParams({ game });
  if (setup) {
    query.set("setup", setup.values.join("."));
    query.set("turn", String(setup.player));
  }
  if (events.length) query.set("moves", writeEvents(events));
  if (ply !== events.length) query.set("ply", String(ply));
  for (const name of names) query.append("name", name);
  for (const { choice } of agents) query.append("agent", writeAgent(choice));
  return `#/inspect?${query}`;
}

/** @param {URLSearchParams} query */
function readSetup(query) {
  const text = query.get("setup");
  if (!text || !/^\d+(\.\d+)*$/.test(text)) return null;
  return { values: text.split(".").map(Number), player: Number(query.get("turn")) || 0 };
}

/**
 * @param {string} text
 * @returns {GameEvent[]}
 */
function readEvents(text) {
  return text
    .split(".")
    .filter((part) => /^[ac]\d+$/.test(part))
    .map((part) => {
      const number = Number(part.slice(1));
      return part[0] === "a" ? { action: number } : { chance: number };
    });
}

/** @param {GameEvent[]} events */
function writeEvents(events) {
  return events.map((event) => ("action" in event ? `a${event.action}` : `c${event.chance}`)).join(".");
}

/** @param {Api.AgentChoice} choice */
function writeAgent({ agent, options, file, level }) {
  if (level) return `level=${level}`;
  const parts = Object.entries(options ?? {}).map(([name, value]) => `${name}=${value}`);
  if (file) parts.push(`file=${file}`);
  return [agent, parts.join(",")].filter(Boolean).join(":");
}

/**
 * @param {string} text
 * @returns {Promise<ChosenAgent>}
 */
async function readAgent(text) {
  if (text.startsWith("level=")) {
    const level = /** @type {NonNullable<Api.AgentChoice["level"]>} */ (text.slice("level=".length));
    return { choice: { level }, label: level.charAt(0).toUpperCase() + level.slice(1) };
  }
  const alone = text.startsWith("file=");
  const [agent, rest = ""] = alone ? ["", text] : split(text, ":");
  /** @type {{ [name: string]: any }} */
  const options = {};
  for (const part of rest.split(",").filter(Boolean)) {
    const [name, value = ""] = split(part, "=");
    options[name] = readValue(value);
  }
  const { file, ...others } = options;
  const fileName = file ? (await get(`/api/files/${encodeURIComponent(file)}`)).name : "";
  /** @type {Api.AgentChoice} */
  const choice = agent ? { agent, options: others } : { file };
  if (agent && file) choice.file = file;
  return { choice, label: agent ? [agent, fileName].filter(Boolean).join(" on ") : fileName };
}

/**
 * The text before and after the first of a mark.
 *
 * @param {string} text
 * @param {string} mark
 */
function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string} text */
function readValue(text) {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
