// Files of tables (format 3, docs/tables.md): bytes that are read by Range requests and checked, and the places of positions in them.
import './vendor/fzstd.js'; // puts `fzstd` into the global scope
import { codeOf, worth } from './scores.js';

// A file. Nothing is answered from bytes that are not sound.

const { decompress } = globalThis.fzstd;

const FORMAT = '3';
const GAME = 'r-mobility';
const SEAL_BYTES = 512;
const HEAD_BYTES = 8192; // asked for with the seal: a short list of blocks may lie behind it
const TAIL_BYTES = 65536; // asked for next: the index and short columns, often all of them
const ROW_BYTES = 16; // offset, size and CRC-32 of a chunk
const READERS = {
  u1: (view, at) => view.getUint8(at),
  i1: (view, at) => view.getInt8(at),
  u2: (view, at) => view.getUint16(at, true),
  u4: (view, at) => view.getUint32(at, true),
  u8: (view, at) => Number(view.getBigUint64(at, true)), // exact as far as numbers in files go, 2^48
};

/** How to read items of a kind: one value, or a list of the values of their fields. */
function itemsOf(kind) {
  if (typeof kind === 'string') return { width: Number(kind.slice(2)), read: READERS[kind.slice(1)] };
  const fields = [];
  let width = 0;
  for (const [, each] of kind) {
    const at = width;
    const field = itemsOf(each);
    fields.push((view, start) => field.read?.(view, start + at));
    width += field.width;
  }
  return { width, read: (view, start) => fields.map((field) => field(view, start)) };
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = crc & 1;
    crc >>>= 1;
    if (isOdd) crc ^= 0xedb88320;
  }
  return crc >>> 0;
});

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

async function sha256(bytes) {
  if (!globalThis.crypto?.subtle) throw Error('This page must come from https or from this machine, or tables cannot be checked.');
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes put back in order that were stored plane by plane. */
function unshuffled(bytes, width) {
  const items = bytes.length / width;
  const ordered = new Uint8Array(bytes.length);
  for (let plane = 0; plane < width; plane++) {
    for (let item = 0; item < items; item++) ordered[item * width + plane] = bytes[plane * items + item];
  }
  return ordered;
}

export class LayerFile {
  static kept = new Map(); // chunks of all files as promises, so that each is asked for once; the last one used is the last
  static most = 256; // one has at most 256 kB

  /** The outcomes or distances at an address, with seal and index checked. */
  static async open(url, name, layer) {
    const file = new LayerFile();
    file.url = url;
    file.name = layer === 'outcomes' ? name : `${name} (${layer})`;
    const head = await file.#fetched(`0-${HEAD_BYTES - 1}`);
    const seal = file.#sealIn(head, { name, layer });
    const start = Number(seal.index);
    const end = Number(seal.length);
    const from = Math.max(end - TAIL_BYTES, 0); // "the last 64 kB" without saying where they begin would need leave of another host
    const tail = await file.#fetched(`${from}-${end - 1}`);
    if (head.length !== Math.min(HEAD_BYTES, end) || tail.length !== end - from) throw file.damaged('a part of it came cut short');
    file.head = head;
    file.tail = { start: from, bytes: tail };
    const index = await file.#bytes(start, end);
    if ((await sha256(index)) !== seal['sha256-of-index']) throw file.damaged('its index is not what was written');
    file.digest = seal.sha256;
    file.outcomes = seal.outcomes;
    file.#readIndex(index);
    return file;
  }

  /** The lines of the seal, each a word and its value. */
  #sealIn(head, { name, layer }) {
    const text = new TextDecoder().decode(head.subarray(0, SEAL_BYTES));
    const lines = text.split('\n').map((line) => line.trim().split(' '));
    const seal = Object.fromEntries(lines.filter((words) => words.length === 2));
    if (!text.startsWith('tbgen table\n') || seal.material !== name) throw this.damaged('it has no seal of its own');
    if (seal.format !== FORMAT) throw Error(`The table ${name} has format ${seal.format}; this page reads format ${FORMAT}.`);
    if (seal.game !== GAME || seal.layer !== layer) throw this.damaged(`it has the ${seal.layer} of the game ${seal.game}`);
    return seal;
  }

  #readIndex(index) {
    const end = index.indexOf(10); // the line's end
    const facts = JSON.parse(new TextDecoder().decode(index.subarray(0, end)));
    let at = end + 1;
    this.sets = {};
    for (const [name, [kind, items, chunkItems, shuffled, chunks]] of Object.entries(facts.datasets)) {
      const rows = new DataView(index.buffer, index.byteOffset + at, ROW_BYTES * chunks);
      this.sets[name] = { ...itemsOf(kind), items, chunkItems, shuffled, rows };
      at += ROW_BYTES * chunks;
    }
    this.axes = JSON.parse(facts.attributes.axes);
  }

  /** One item of a dataset: a value, or a list of the values of its fields. */
  async item(name, place) {
    const { chunkItems, width, read } = this.sets[name];
    const number = Math.floor(place / chunkItems);
    return read(await this.#chunk(name, number), (place - number * chunkItems) * width);
  }

  /** Neighbouring items, which may lie in two chunks. */
  items(name, from, to) {
    return Promise.all(Array.from({ length: to - from }, (_, place) => this.item(name, from + place)));
  }

  /** A whole dataset. */
  async column(name) {
    const { items, chunkItems, width, read } = this.sets[name];
    const column = [];
    for (let number = 0; column.length < items; number++) {
      const view = await this.#chunk(name, number);
      const count = Math.min(chunkItems, items - column.length);
      for (let place = 0; place < count; place++) column.push(read(view, place * width));
    }
    return column;
  }

  #chunk(name, number) {
    const { kept, most } = LayerFile;
    const key = `${this.url} ${name} ${number}`;
    let chunk = kept.get(key);
    if (!chunk) {
      chunk = this.#read(name, number);
      chunk.catch(() => kept.delete(key)); // another time it may come whole
    }
    kept.delete(key);
    kept.set(key, chunk);
    if (kept.size > most) kept.delete(kept.keys().next().value);
    return chunk;
  }

  async #read(name, number) {
    const { width, chunkItems, shuffled, rows } = this.sets[name];
    const row = ROW_BYTES * number;
    const offset = Number(rows.getBigUint64(row, true));
    const size = rows.getUint32(row + 8, true);
    const crc = rows.getUint32(row + 12, true);
    const packed = await this.#bytes(offset, offset + size);
    if (crc32(packed) !== crc) throw this.damaged(`chunk ${number} of ${name} is not what was written`);
    let bytes = decompress(packed);
    if (bytes.length !== chunkItems * width) throw this.damaged(`chunk ${number} of ${name} has another size`);
    if (shuffled) bytes = unshuffled(bytes, width);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Some bytes, from the head or the tail if they lie there. */
  async #bytes(from, to) {
    if (to <= this.head.length) return this.head.subarray(from, to);
    if (from >= this.tail.start) return this.tail.bytes.subarray(from - this.tail.start, to - this.tail.start);
    if (to > this.tail.start) return joined(await this.#bytes(from, this.tail.start), await this.#bytes(this.tail.start, to));
    const bytes = await this.#fetched(`${from}-${to - 1}`);
    if (bytes.length !== to - from) throw this.damaged('a part of it came cut short');
    return bytes;
  }

  async #fetched(range) {
    let reply;
    try {
      reply = await fetch(this.url, { headers: { Range: `bytes=${range}` } });
    } catch {
      throw Object.assign(Error(`The table ${this.name} cannot be fetched.`), { isLost: true });
    }
    if (reply.status === 404) throw Object.assign(Error(`No table ${this.name} is here.`), { isMissing: true });
    if (reply.status === 200) {
      reply.body?.cancel();
      throw Error(`This host does not give files in part (Range), which tables need: ${this.name}. nginx, Caddy and Apache do.`);
    }
    if (reply.status !== 206) throw Error(`The host said ${reply.status} for the table ${this.name}.`);
    const given = reply.headers.get('content-range');
    const bytes = new Uint8Array(await reply.arrayBuffer().catch(() => new ArrayBuffer(0)));
    if (given !== null && !isAnswerTo(range, given)) throw this.damaged('a part of it came cut short');
    return bytes;
  }

  damaged(why) { return Error(`Damaged table ${this.name}: ${why}.`); }
}

/** Whether a part that was given is the one that was asked for, or as much of it as the file has. */
function isAnswerTo(range, given) {
  const [from, to] = range.split('-').map(Number);
  const size = Number(given.split('/')[1]);
  return given.startsWith(`bytes ${from}-${size <= to ? size - 1 : to}/`);
}

function joined(...parts) {
  const found = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    found.set(part, at);
    at += part.length;
  }
  return found;
}

// An open table: its two files, and the places of positions in them.

export const TRIANGLE = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27]; // squares of the white king without pawns

export const turned = (square) => square ^ 56;
const mirrored = (square) => square ^ 7;
const transposed = (square) => ((square & 7) << 3) | (square >> 3);
const byFile = (square) => transposed(square); // pawns are ordered file by file
const ascending = (a, b) => a - b;

/** An open table, which finds the places of positions. */
export class Shelf {
  static async open(base, name, hasDistances) {
    const shelf = new Shelf();
    const distances = hasDistances ? LayerFile.open(`${base}${name}.dtg.h5`, name, 'distances') : Promise.resolve(null);
    distances.catch(() => {}); // it is said when they are asked for
    shelf.outcomes = await LayerFile.open(`${base}${name}.h5`, name, 'outcomes');
    shelf.distances = shelf.#belonging(distances);
    shelf.distances.catch(() => {});
    const men = shelf.outcomes.axes.slice(2); // of the file: black king, other men backwards, white king
    shelf.slots = [men.at(-1), ...men.slice(1, -1).reverse(), men[0]];
    shelf.pawns = (name.match(/P/g) ?? []).length;
    shelf.plane = (shelf.pawns ? 64 : TRIANGLE.length) * 64 ** (men.length - 1); // places with one side to move
    if (shelf.pawns) await shelf.#readBlocks();
    return shelf;
  }

  /** Distances that belong to these outcomes; null if there are none. */
  async #belonging(opened) {
    try {
      const file = await opened;
      if (file && file.outcomes !== this.outcomes.digest) throw file.damaged('it belongs to other outcomes than those beside it, or they are damaged');
      return file;
    } catch (error) {
      if (error.isMissing) return null;
      throw error;
    }
  }

  /** The number of each block by the squares of its pawns. */
  async #readBlocks() {
    const squares = await this.outcomes.column('block_squares');
    this.blocks = new Map();
    for (let block = 0; block * this.pawns < squares.length; block++) {
      this.number(squares.slice(block * this.pawns, (block + 1) * this.pawns), block);
    }
  }

  /** Give the block of pawns on these squares its number. */
  number(pawns, block) { this.blocks.set(pawns.map(byFile).join(), block); }

  /** Where the table keeps a position: squares by man, and whether the stronger side is to move. */
  placeOf(squares, strongerMoves) {
    const { block, men } = this.pawns ? this.#inBlock(squares) : this.#inTriangle(squares);
    return this.placeIn(2 * block + (strongerMoves ? 0 : 1), men[0], this.#othersOf(men));
  }

  /** Where the file keeps the white king and the others beside him, in a block with one side to move. */
  placeIn(plane, king, others) {
    let place = plane;
    for (const square of others.reverse()) place = 64 * place + square;
    return this.pawns ? 64 * place + king : 10 * place + TRIANGLE.indexOf(king);
  }

  /** The square of each man of the table, kings and all. */
  #menOf(squares) {
    return this.slots.map((slot, place) => {
      const before = this.slots.slice(0, place).filter((each) => each === slot).length;
      return squares[slot][before];
    });
  }

  /** The board or its mirror image, whichever block the pawns have. */
  #inBlock(squares) {
    const keyOf = (change) => ['white pawn', 'black pawn'].flatMap((man) => {
      const files = (squares[man] ?? []).map((square) => byFile(change(square)));
      return files.sort(ascending);
    });
    const key = keyOf((square) => square);
    const image = keyOf(mirrored);
    const order = compare(key, image);
    const men = this.#menOf(squares);
    const isMirrored = order > 0 || (order === 0 && (men[0] & 4) !== 0);
    const block = this.blocks.get((order > 0 ? image : key).join());
    return { block, men: isMirrored ? men.map(mirrored) : men };
  }

  /** The image of the board with the white king in the triangle a1-d1-d4. */
  #inTriangle(squares) {
    const men = this.#menOf(squares);
    return { block: 0, men: men.map(intoTriangle(men[0])) };
  }

  /** The men beside the white king; with him on the diagonal, the lesser of two images. */
  #othersOf([king, ...others]) {
    const sorted = this.#sorted(others);
    if (this.pawns || king % 9 !== 0) return sorted;
    const image = this.#sorted(sorted.map(transposed));
    return compare(image, sorted) < 0 ? image : sorted;
  }

  /** Equal men in ascending order. */
  #sorted(others) {
    const slots = this.slots.slice(1);
    const sorted = others.slice();
    for (let from = 0; from < slots.length;) {
      let to = from + 1;
      while (to < slots.length && slots[to] === slots[from]) to++;
      sorted.splice(from, to - from, ...sorted.slice(from, to).sort(ascending));
      from = to;
    }
    return sorted;
  }

  /** Ask for what the distance of every break needs while other parts are on their way. */
  expectBreaks() {
    this.expected ??= this.distances.then((file) => file?.item('symbol_groups', 0)).catch(() => {}); // it is said when it is needed
  }

  /** Entry value and its distance, which is null where only outcomes are here. */
  async entry(place) {
    const [{ entry }, dtg] = await Promise.all([this.#symbol(place), this.#dtg(place)]);
    return [entry, dtg];
  }

  /** What becomes of an accrued score that nobody can better for its holder. */
  async held(place, accrued) {
    const { number, first, rows } = await this.#symbol(place);
    const row = await rowFor(this.outcomes, 'outcome_rows', first, rows, accrued);
    const outcome = row && isWorse(row[2], accrued) ? row[2] : accrued;
    if (!(await this.distances)) return [outcome, null];
    if (outcome === accrued) return [accrued, 0];
    return [outcome, await this.#dtgOfBreak(place, number, accrued)];
  }

  /** What a position is worth, distances left aside: a symbol, its entry value and its rows. */
  async #symbol(place) {
    const number = await this.outcomes.item('symbol', place);
    const [entry, first, rows] = await this.outcomes.item('symbols', number);
    return { number, entry, first, rows };
  }

  async #dtg(place) {
    const file = await this.distances;
    if (!file) return null;
    const [stored, { entry }] = await Promise.all([file.item('dtg', place), this.#symbol(place)]);
    const strongerMoves = Math.floor(place / this.plane) % 2 === 0;
    return stored ^ (entry > 0 === strongerMoves ? 1 : 0);
  }

  async #dtgOfBreak(place, symbol, accrued) {
    const file = await this.distances;
    const firstState = async () => {
      const [dtg, firstGroup] = await Promise.all([this.#dtg(place), file.item('symbol_groups', symbol)]);
      return file.item('group_states', firstGroup + dtg);
    };
    const [detail, start] = await Promise.all([file.item('detail', place), firstState()]);
    const [first, rows] = await file.item('states', start + detail);
    const row = await rowFor(file, 'rows', first, rows, accrued);
    if (!row) throw file.damaged('its breaks are not those of the outcomes');
    return row[3];
  }
}

/** Whether an outcome is worse than an accrued score for the holder of that. */
export function isWorse(outcome, accrued) {
  return accrued < 0 ? worth(outcome) > worth(accrued) : worth(outcome) < worth(accrued);
}

/** The last of some rows that stands for an accrued score. */
async function rowFor(file, name, first, count, accrued) {
  const holder = accrued < 0 ? 1 : 0;
  const code = codeOf(accrued);
  const rows = await file.items(name, first, first + count);
  return rows.findLast((row) => row[0] === holder && row[1] <= code);
}

/** The order of two lists of numbers. */
export function compare(a, b) {
  const place = a.findIndex((each, at) => each !== b[at]);
  return place < 0 ? 0 : a[place] - b[place];
}

/** The symmetry that brings the white king into the triangle a1-d1-d4. */
function intoTriangle(king) {
  const steps = [];
  if ((king & 7) > 3) steps.push(mirrored);
  if (king >> 3 > 3) steps.push(turned);
  const image = (square) => steps.reduce((now, step) => step(now), square);
  const there = image(king);
  if (there >> 3 > (there & 7)) steps.push(transposed);
  return image;
}
