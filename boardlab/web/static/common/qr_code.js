// A QR code of a short text, for a link that another device shall open: bytes, error correction level L, versions 1 to 5
// (ISO/IEC 18004), each of which is a single block. Always with mask 0, which every reader understands.

import { s } from "./dom.js";

/** Codewords for data and for error correction, by version. */
const VERSIONS = [
  [19, 7],
  [34, 10],
  [55, 15],
  [80, 20],
  [108, 26],
];

/**
 * The modules of the code by rows, true where it is dark; null for a text that is too long.
 *
 * @param {string} text
 * @returns {boolean[][] | null}
 */
export function qrModules(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = 1 + VERSIONS.findIndex(([data]) => bytes.length <= data - 2);
  if (version === 0) return null;
  const [data, correction] = VERSIONS[version - 1];
  const words = dataWords(bytes, data);
  const code = new Code(version);
  code.write([...words, ...remainder(words, correction)]);
  code.writeFormat();
  return code.dark;
}

/**
 * A QR code as a picture; null for a text that is too long.
 *
 * @param {string} text
 */
export function qrPicture(text) {
  const dark = qrModules(text);
  if (!dark) return null;
  const size = dark.length + 8;
  const path = dark.flatMap((row, y) => row.map((on, x) => (on ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  return s(
    "svg",
    { class: "qr-code", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "QR code of the link" },
    s("rect", { width: size, height: size, fill: "#fff" }),
    s("path", { d: path, fill: "#000", "shape-rendering": "crispEdges" }),
  );
}

/**
 * Mode, length, the bytes, and what fills up the rest.
 *
 * @param {number[]} bytes
 * @param {number} count
 */
function dataWords(bytes, count) {
  const half = [4, bytes.length >> 4, bytes.length & 15, ...bytes.flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const words = [];
  for (let k = 0; k < half.length; k += 2) words.push((half[k] << 4) | (half[k + 1] ?? 0));
  for (let k = 0; words.length < count; k++) words.push(k % 2 ? 17 : 236);
  return words;
}

/**
 * The codewords of Reed and Solomon: the remainder of the data by the generator, over the field of 256 elements.
 *
 * @param {number[]} words
 * @param {number} count
 */
function remainder(words, count) {
  let generator = [1];
  for (let k = 0, root = 1; k < count; k++, root = times(root, 2)) {
    const next = [...generator, 0];
    generator.forEach((factor, i) => (next[i + 1] ^= times(factor, root)));
    generator = next;
  }
  const rest = [...words, ...Array(count).fill(0)];
  for (let k = 0; k < words.length; k++) {
    const lead = rest[k];
    generator.forEach((factor, i) => (rest[k + i] ^= times(factor, lead)));
  }
  return rest.slice(words.length);
}

function times(a, b) {
  let product = 0;
  for (let k = 7; k >= 0; k--) {
    product = (product << 1) ^ (product & 128 ? 0x11d : 0);
    if ((b >> k) & 1) product ^= a;
  }
  return product & 255;
}

class Code {
  /** @param {number} version */
  constructor(version) {
    this.size = 17 + 4 * version;
    /** @type {boolean[][]} */
    this.dark = Array.from({ length: this.size }, () => Array(this.size).fill(false));
    this.fixed = Array.from({ length: this.size }, () => Array(this.size).fill(false));
    for (let k = 0; k < this.size; k++) {
      this.set(6, k, k % 2 === 0);
      this.set(k, 6, k % 2 === 0);
    }
    for (const [y, x] of [
      [3, 3],
      [3, this.size - 4],
      [this.size - 4, 3],
    ])
      this.square(y, x, 4, (ring) => ring !== 2 && ring !== 4);
    if (version > 1) this.square(this.size - 7, this.size - 7, 2, (ring) => ring !== 1);
    this.writeFormat(); // keeps its places
  }

  set(y, x, on) {
    this.dark[y][x] = on;
    this.fixed[y][x] = true;
  }

  /** Rings around a middle, as far as they lie on the code. */
  square(middleY, middleX, reach, isDark) {
    for (let y = middleY - reach; y <= middleY + reach; y++)
      for (let x = middleX - reach; x <= middleX + reach; x++)
        if (y >= 0 && x >= 0 && y < this.size && x < this.size)
          this.set(y, x, isDark(Math.max(Math.abs(y - middleY), Math.abs(x - middleX))));
  }

  /** Level L and mask 0, with their error correction, twice. */
  writeFormat() {
    const value = 0b01000;
    let rest = value;
    for (let k = 0; k < 10; k++) rest = (rest << 1) ^ (rest >> 9 ? 0x537 : 0);
    const bits = ((value << 10) | rest) ^ 0x5412;
    const bit = (k) => ((bits >> k) & 1) === 1;
    for (let k = 0; k < 15; k++) {
      const along = k < 6 ? k : k < 8 ? k + 1 : this.size - 15 + k;
      this.set(along, 8, bit(k));
      const across = k < 8 ? this.size - 1 - k : k === 8 ? 7 : 14 - k;
      this.set(8, across, bit(k));
    }
    this.set(this.size - 8, 8, true);
  }

  /** The codewords in columns of two, from the lower right corner up and down, with every other module turned over. */
  write(words) {
    const bits = words.flatMap((word) => [7, 6, 5, 4, 3, 2, 1, 0].map((k) => ((word >> k) & 1) === 1));
    let at = 0;
    for (let right = this.size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      const upwards = ((right + 1) & 2) === 0;
      for (let k = 0; k < this.size; k++) {
        const y = upwards ? this.size - 1 - k : k;
        for (const x of [right, right - 1]) {
          if (this.fixed[y][x]) continue;
          const mask = (x + y) % 2 === 0;
          this.dark[y][x] = (bits[at++] ?? false) !== mask;
        }
      }
    }
  }
}
