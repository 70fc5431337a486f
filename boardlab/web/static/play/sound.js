// Sounds of a live game, made by the browser itself: a tap for a move, a chord for the end. They are off until the
// person turns them on, and the browser remembers that.

import { recall, remember } from "../common/dom.js";

const KEY = "sound";
/** @type {AudioContext | null} */
let context = null;

/** Whether the person wants to hear something. */
export function soundIsOn() {
  return recall(KEY) === true;
}

/** Turn sounds on or off; returns whether they are on now. */
export function toggleSound() {
  const on = !soundIsOn();
  remember(KEY, on);
  if (on) playSound("move");
  return on;
}

/** @type {{ [kind: string]: { pitches: number[], length: number, apart: number, wave: OscillatorType } }} */
const SOUNDS = {
  move: { pitches: [190], length: 0.09, apart: 0, wave: "triangle" },
  reply: { pitches: [150], length: 0.09, apart: 0, wave: "triangle" },
  won: { pitches: [523, 659, 784], length: 0.35, apart: 0.1, wave: "sine" },
  lost: { pitches: [392, 330, 262], length: 0.35, apart: 0.12, wave: "sine" },
  ended: { pitches: [392, 392], length: 0.25, apart: 0.14, wave: "sine" },
};

/** @param {"move" | "reply" | "won" | "lost" | "ended"} kind */
export function playSound(kind) {
  if (!soundIsOn() || !("AudioContext" in window)) return;
  context ??= new AudioContext();
  const { pitches, length, apart, wave } = SOUNDS[kind];
  for (const [i, pitch] of pitches.entries()) {
    const start = context.currentTime + i * apart;
    const tone = new OscillatorNode(context, { type: wave, frequency: pitch });
    const volume = new GainNode(context, { gain: 0.18 });
    volume.gain.setValueAtTime(0.18, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + length);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + length);
  }
}
