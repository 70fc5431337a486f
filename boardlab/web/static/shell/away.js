// A banner while the server is away. It comes after a moment, as a stream that breaks is usually there again at once.

import { listen } from "../common/api.js";
import { h } from "../common/dom.js";

const PATIENCE = 1500; // milliseconds

/** Watch the connection for as long as the page is open. */
export function watchServer() {
  const banner = h(
    "div",
    { class: "away", role: "status", hidden: true },
    "The server is away. This page goes on by itself when it is back; nothing is lost.",
  );
  document.body.append(banner);
  let timer = 0;
  listen("away", () => {
    clearTimeout(timer);
    timer = setTimeout(() => (banner.hidden = false), PATIENCE);
  });
  listen("open", () => {
    clearTimeout(timer);
    banner.hidden = true;
  });
}
