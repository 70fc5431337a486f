// How far compiling is, as a bar: agents and games are compiled once for a machine, which takes some seconds.

import { h } from "../common/dom.js";

/** @param {Api.Compiling} compiling */
export function compilingBar({ share, seconds }) {
  return h("progress", {
    class: "compiling",
    max: 1,
    value: share,
    "aria-label": "Compiled",
    title: `${Math.round(100 * share)} % after ${Math.round(seconds)} s`,
  });
}
