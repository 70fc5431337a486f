// Which live game this browser is playing, so that it can be resumed from the gallery.

import { get } from "../common/api.js";
import { recall, remember } from "../common/dom.js";

const KEY = "live-game";

/** @param {Api.LiveGameView} view */
export function rememberLiveGame(view) {
  remember(KEY, view.id);
}

/** The game is over. */
export function forgetLiveGame() {
  remember(KEY, null);
}

/** The game that this browser was playing, if it is still going on. */
export async function lastLiveGame() {
  const id = recall(KEY);
  if (!id) return null;
  try {
    const view = await get(`/api/tables/${encodeURIComponent(id)}`);
    return view.over || view.resigned !== null ? null : view;
  } catch {
    return null;
  }
}
