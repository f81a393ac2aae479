// An open table: its two files, and the places of positions in them.
import { LayerFile } from './reader.js';
import { codeOf, worth } from './scores.js';

const TRIANGLE = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27]; // squares of the white king without pawns

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
      if (file && file.outcomes !== this.outcomes.digest) throw file.damaged('it belongs to other outcomes than those beside it');
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
      const placed = squares.slice(block * this.pawns, (block + 1) * this.pawns);
      this.blocks.set(placed.map(byFile).join(), block);
    }
  }

  /** Where the file keeps a position: squares by man, and whether the stronger side is to move. */
  placeOf(squares, strongerMoves) {
    const { block, men } = this.pawns ? this.#inBlock(squares) : this.#inTriangle(squares);
    const [king] = men;
    let place = 2 * block + (strongerMoves ? 0 : 1);
    for (const square of this.#othersOf(men).reverse()) place = 64 * place + square;
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
function isWorse(outcome, accrued) {
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
