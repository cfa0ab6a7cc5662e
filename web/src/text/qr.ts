/**
 * A QR code of a text, as rows of dark and light.
 *
 * Bytes in level M (a seventh may be unreadable), the smallest size that holds
 * them, up to size 20: 666 bytes, more than any link of ours. It knows nothing
 * of the screen.
 */

/** Per size from 1: error bytes of each block, and how many blocks there are. */
const ERROR_BYTES = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const BYTE_MODE = 4;
/** Level M, in the order the format bits count levels. */
const LEVEL_M = 0;

type Cells = Uint8Array[];

export function qr(text: string): readonly (readonly boolean[])[] {
  const bytes = new TextEncoder().encode(text);
  const size = sizeFor(bytes.length);
  const stream = interleaved(padded(bytes, size), size);
  const width = 4 * size + 17;
  const grid = () => Array.from({ length: width }, () => new Uint8Array(width));
  const dark = grid();
  const fixed = grid();
  drawFixed(dark, fixed, size);
  drawData(dark, fixed, stream);
  let best: { cells: Cells; cost: number } | undefined;
  for (let mask = 0; mask < 8; mask++) {
    const cells = dark.map((row) => row.slice());
    cells.forEach((row, y) => {
      row.forEach((_, x) => {
        if (!fixed[y]?.[x] && masked(mask, x, y)) row[x] = row[x] ? 0 : 1;
      });
    });
    drawFormat(cells, mask);
    const cost = penalty(cells);
    if (!best || cost < best.cost) best = { cells, cost };
  }
  return (best?.cells ?? dark).map((row) => Array.from(row, Boolean));
}

/** All cells that can carry data, in bytes. */
function capacity(size: number): number {
  const width = 4 * size + 17;
  const marks = size === 1 ? 0 : Math.floor(size / 7) + 2;
  let cells = width * width - 3 * 64 - 2 * 15 - 1 - 2 * (width - 16);
  // Alignment marks: those on a timing line share five cells with it.
  if (marks > 0) cells -= 25 * (marks * marks - 3) - 10 * (marks - 2);
  if (size >= 7) cells -= 36;
  return Math.floor(cells / 8);
}

const errorsOf = (size: number): number => ERROR_BYTES[size - 1] ?? 0;
const blocksOf = (size: number): number => BLOCKS[size - 1] ?? 0;
const room = (size: number): number => capacity(size) - errorsOf(size) * blocksOf(size);
const lengthBits = (size: number): number => (size < 10 ? 8 : 16);

function sizeFor(count: number): number {
  for (let size = 1; size <= BLOCKS.length; size++) {
    if (4 + lengthBits(size) + 8 * count <= 8 * room(size)) return size;
  }
  throw new RangeError(`${count} bytes are too many for a QR code`);
}

function padded(bytes: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(room(size));
  let at = 0;
  const put = (value: number, bits: number): void => {
    for (let bit = bits - 1; bit >= 0; bit--, at++) {
      const byte = at >> 3;
      out[byte] = (out[byte] ?? 0) | (((value >> bit) & 1) << (7 - (at & 7)));
    }
  };
  put(BYTE_MODE, 4);
  put(bytes.length, lengthBits(size));
  for (const byte of bytes) put(byte, 8);
  // Four bits end the text, unless it fills everything; the rest of the byte stays 0.
  at = Math.min(8 * out.length, (at + 4 + 7) & ~7);
  for (let turn = 0; at < 8 * out.length; turn++) put(turn % 2 === 0 ? 0xec : 0x11, 8);
  return out;
}

/** Multiplies in the field of 256 elements that QR codes use. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product & 0xff;
}

/** The polynomial whose roots are the first `count` powers of 2, without its leading 1. */
function generator(count: number): Uint8Array {
  const out = new Uint8Array(count);
  out[count - 1] = 1;
  let root = 1;
  for (let turn = 0; turn < count; turn++) {
    for (let at = 0; at < count; at++) out[at] = times(out[at] ?? 0, root) ^ (out[at + 1] ?? 0);
    root = times(root, 2);
  }
  return out;
}

function errorBytes(data: Uint8Array, divisor: Uint8Array): Uint8Array {
  const rest = new Uint8Array(divisor.length);
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0);
    rest.copyWithin(0, 1);
    rest[rest.length - 1] = 0;
    divisor.forEach((part, at) => {
      rest[at] = (rest[at] ?? 0) ^ times(part, factor);
    });
  }
  return rest;
}

/** Blocks with their error bytes, taken in turns, so that one stain hits many blocks a little. */
function interleaved(data: Uint8Array, size: number): Uint8Array {
  const count = blocksOf(size);
  const divisor = generator(errorsOf(size));
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const blocks: Uint8Array[] = [];
  for (let block = 0, at = 0; block < count; block++) {
    const length = short + (block >= longFrom ? 1 : 0);
    blocks.push(data.subarray(at, at + length));
    at += length;
  }
  const errors = blocks.map((block) => errorBytes(block, divisor));
  const out: number[] = [];
  const take = (from: readonly Uint8Array[], length: number): void => {
    for (let at = 0; at < length; at++)
      for (const block of from) if (at < block.length) out.push(block[at] ?? 0);
  };
  take(blocks, short + 1);
  take(errors, divisor.length);
  return Uint8Array.from(out);
}

/** Rows and columns on which alignment marks stand. */
export function alignments(size: number): number[] {
  if (size === 1) return [];
  const count = Math.floor(size / 7) + 2;
  const last = 4 * size + 10;
  const step = 2 * Math.ceil((last - 6) / (2 * (count - 1)));
  const found = [6];
  for (let at = count - 2; at >= 0; at--) found.push(last - at * step);
  return found;
}

function drawFixed(dark: Cells, fixed: Cells, size: number): void {
  const width = dark.length;
  const put = (x: number, y: number, on: boolean): void => {
    const row = dark[y];
    const known = fixed[y];
    if (!row || !known || x < 0 || x >= width) return;
    row[x] = on ? 1 : 0;
    known[x] = 1;
  };
  for (let at = 0; at < width; at++) {
    put(6, at, at % 2 === 0);
    put(at, 6, at % 2 === 0);
  }
  const square = (x: number, y: number, reach: number, light: readonly number[]): void => {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        put(x + dx, y + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  const places = alignments(size);
  for (const y of places)
    for (const x of places) {
      const corner = (x === 6 && (y === 6 || y === width - 7)) || (y === 6 && x === width - 7);
      if (!corner) square(x, y, 2, [1]);
    }
  square(3, 3, 4, [2, 4]);
  square(width - 4, 3, 4, [2, 4]);
  square(3, width - 4, 4, [2, 4]);
  // Kept free for the format, which depends on the mask.
  for (let at = 0; at < 9; at++) {
    if (at !== 6) {
      put(8, at, false);
      put(at, 8, false);
    }
    if (at < 8) {
      put(width - 1 - at, 8, false);
      put(8, width - 1 - at, at === 7);
    }
  }
  if (size < 7) return;
  const bits = (size << 12) | checkBits(size, 12, 0x1f25);
  for (let at = 0; at < 18; at++) {
    const [far, near] = [width - 11 + (at % 3), Math.floor(at / 3)];
    put(far, near, ((bits >> at) & 1) === 1);
    put(near, far, ((bits >> at) & 1) === 1);
  }
}

function checkBits(value: number, count: number, divisor: number): number {
  let rest = value;
  for (let turn = 0; turn < count; turn++) rest = (rest << 1) ^ ((rest >> (count - 1)) * divisor);
  return rest;
}

function drawFormat(cells: Cells, mask: number): void {
  const width = cells.length;
  const value = (LEVEL_M << 3) | mask;
  const bits = ((value << 10) | checkBits(value, 10, 0x537)) ^ 0x5412;
  const put = (x: number, y: number, at: number): void => {
    const row = cells[y];
    if (row) row[x] = (bits >> at) & 1;
  };
  for (let at = 0; at < 15; at++) {
    const skip = at < 6 ? at : at + 1;
    // Around the first square.
    if (at < 8) put(8, skip, at);
    else put(at === 8 ? 7 : 14 - at, 8, at);
    // And once more, split over the two others.
    if (at < 8) put(width - 1 - at, 8, at);
    else put(8, width - 15 + at, at);
  }
}

/** In columns of two, from the right, up and down by turns. */
function drawData(dark: Cells, fixed: Cells, stream: Uint8Array): void {
  const width = dark.length;
  let at = 0;
  for (let right = width - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const up = ((right + 1) & 2) === 0;
    for (let step = 0; step < width; step++) {
      const y = up ? width - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (!row || fixed[y]?.[x]) continue;
        if (at < 8 * stream.length) row[x] = ((stream[at >> 3] ?? 0) >> (7 - (at & 7))) & 1;
        at++;
      }
    }
  }
}

function masked(mask: number, x: number, y: number): boolean {
  switch (mask) {
    case 0:
      return (x + y) % 2 === 0;
    case 1:
      return y % 2 === 0;
    case 2:
      return x % 3 === 0;
    case 3:
      return (x + y) % 3 === 0;
    case 4:
      return (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0;
    case 5:
      return ((x * y) % 2) + ((x * y) % 3) === 0;
    case 6:
      return (((x * y) % 2) + ((x * y) % 3)) % 2 === 0;
    default:
      return (((x + y) % 2) + ((x * y) % 3)) % 2 === 0;
  }
}

/** How hard a pattern is to read: long runs, full squares, false corners, too much of one shade. */
function penalty(cells: Cells): number {
  const width = cells.length;
  const at = (x: number, y: number): number => cells[y]?.[x] ?? 0;
  let cost = 0;
  let count = 0;
  for (let y = 0; y < width; y++) {
    cost += line((x) => at(x, y), width) + line((x) => at(y, x), width);
    for (let x = 0; x < width; x++) {
      count += at(x, y);
      const one = at(x, y);
      if (x > 0 && y > 0 && one === at(x - 1, y) && one === at(x, y - 1) && one === at(x - 1, y - 1))
        cost += 3;
    }
  }
  return cost + 10 * Math.floor(Math.abs((count * 20) / (width * width) - 10));
}

function line(cell: (at: number) => number, width: number): number {
  let cost = 0;
  let run = 0;
  let bits = 0;
  for (let at = 0; at < width; at++) {
    run = at > 0 && cell(at) === cell(at - 1) ? run + 1 : 1;
    if (run === 5) cost += 3;
    else if (run > 5) cost += 1;
    bits = ((bits << 1) | cell(at)) & 0x7ff;
    if (at >= 10 && (bits === 0x5d0 || bits === 0x05d)) cost += 40;
  }
  return cost;
}
