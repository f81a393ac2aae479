// Answers from files of tables, computed in the browser; the same answers as those of `tbgen serve`.
import { scoresOf, whyImpossible } from './accrued.js';
import { canonical, materialOf } from './materials.js';
import { LayerFile } from './reader.js';
import { accruedAfter, brokenRule, formatFen, hasEnPassant, isReset, legalMoves, nameOf, ownOf, parseFen, play, sanOf, squareOf, uciOf } from './rules.js';
import { codeOf, formatScore, parseScore, worth } from './scores.js';

const TRIANGLE = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];
const MOST_PLIES = 2000;

const turned = (square) => square ^ 56;
const mirrored = (square) => square ^ 7;
const transposed = (square) => ((square & 7) << 3) | (square >> 3);
const byFile = (square) => transposed(square); // pawns are ordered file by file

/** An open table, which finds the places of positions. */
class Shelf {
  static async open(base, name, hasDistances) {
    const shelf = new Shelf(), distances = hasDistances ? LayerFile.open(`${base}${name}.dtg.h5`, name, 'distances') : Promise.resolve(null);
    distances.catch(() => {}); // it is said when they are asked for
    shelf.outcomes = await LayerFile.open(`${base}${name}.h5`, name, 'outcomes');
    shelf.distances = distances.then((file) => {
      if (file && file.outcomes !== shelf.outcomes.digest) throw file.damaged('it belongs to other outcomes than those beside it');
      return file;
    }).catch((error) => {
      if (error.isMissing) return null;
      throw error;
    });
    shelf.distances.catch(() => {});
    const men = shelf.outcomes.axes.slice(2); // of the file: black king, other men backwards, white king
    shelf.slots = [men.at(-1), ...men.slice(1, -1).reverse(), men[0]];
    shelf.pawns = (name.match(/P/g) ?? []).length;
    shelf.plane = (shelf.pawns ? 64 : TRIANGLE.length) * 64 ** (men.length - 1); // places with one side to move
    if (shelf.pawns) {
      const squares = await shelf.outcomes.column('block_squares');
      shelf.blocks = new Map();
      for (let block = 0; block * shelf.pawns < squares.length; block++) {
        const placed = squares.slice(block * shelf.pawns, (block + 1) * shelf.pawns);
        shelf.blocks.set(placed.map(byFile).join(), block);
      }
    }
    return shelf;
  }

  /** Where the file keeps a position: squares by man, and whether the stronger side is to move. */
  placeOf(squares, strongerMoves) {
    let men = this.slots.map((slot, place) => squares[slot][this.slots.slice(0, place).filter((each) => each === slot).length]);
    let block = 0;
    if (this.pawns) {
      const keyOf = (change) => ['white pawn', 'black pawn'].flatMap((man) => (squares[man] ?? []).map((square) => byFile(change(square))).sort((a, b) => a - b));
      const [there, back] = [keyOf((square) => square), keyOf(mirrored)], order = compare(there, back);
      block = this.blocks.get((order <= 0 ? there : back).join());
      if (order > 0 || (order === 0 && men[0] & 4)) men = men.map(mirrored);
    } else {
      men = men.map(intoTriangle(men[0]));
    }
    let [king, rest] = [men[0], this.#sorted(men.slice(1))];
    if (!this.pawns && king % 9 === 0) {
      const other = this.#sorted(rest.map(transposed));
      if (compare(other, rest) < 0) rest = other;
    }
    let place = 2 * block + (strongerMoves ? 0 : 1);
    for (const square of rest.reverse()) place = 64 * place + square;
    return this.pawns ? 64 * place + king : 10 * place + TRIANGLE.indexOf(king);
  }

  /** Equal men in ascending order. */
  #sorted(rest) {
    const slots = this.slots.slice(1), found = rest.slice();
    for (let from = 0; from < slots.length; ) {
      let to = from + 1;
      while (to < slots.length && slots[to] === slots[from]) to++;
      found.splice(from, to - from, ...found.slice(from, to).sort((a, b) => a - b));
      from = to;
    }
    return found;
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
    const [, , outcome] = (await rowFor(this.outcomes, 'outcome_rows', first, rows, accrued)) ?? [];
    const isWorse = outcome !== undefined && (accrued < 0 ? worth(outcome) > worth(accrued) : worth(outcome) < worth(accrued));
    if (!(await this.distances)) return [isWorse ? outcome : accrued, null];
    return isWorse ? [outcome, await this.#dtgOfBreak(place, number, accrued)] : [accrued, 0];
  }

  /** What a position is worth, distances left aside: a symbol, its entry value and its rows. */
  async #symbol(place) {
    const number = await this.outcomes.item('symbol', place), [entry, first, rows] = await this.outcomes.item('symbols', number);
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

/** The last of some rows that stands for an accrued score. */
async function rowFor(file, name, first, count, accrued) {
  const holder = accrued < 0 ? 1 : 0, code = codeOf(accrued), rows = await file.items(name, first, first + count);
  return rows.findLast((row) => row[0] === holder && row[1] <= code);
}

function compare(a, b) {
  const place = a.findIndex((each, at) => each !== b[at]);
  return place < 0 ? 0 : a[place] - b[place];
}

/** The symmetry that brings the white king into the triangle a1-d1-d4. */
function intoTriangle(king) {
  const steps = [];
  if ((king & 7) > 3) steps.push(mirrored);
  if (king >> 3 > 3) steps.push(turned);
  const image = (square) => steps.reduce((now, step) => step(now), square), there = image(king);
  if (there >> 3 > (there & 7)) steps.push(transposed);
  return image;
}

const ROLES = { K: 'king', Q: 'queen', R: 'rook', B: 'bishop', N: 'knight', P: 'pawn' };

export class Tables {
  #shelves = new Map();

  /** `base` is the address of the folder of tables; those in `listed` with a star have no distances. */
  constructor(base, listed = []) { Object.assign(this, { base, listed }); }

  /** A position with its moves and its strip. */
  async probe(fen, accruedText) {
    const position = parseFen(fen), { own, accrued, fault } = scoresOf(position, accruedText);
    if (fault) throw Error(fault);
    const [[outcome, dtg], moves, strip] = await Promise.all([this.#value(position, own, accrued), this.#moves(position, accrued), this.#strip(position, own)]);
    return { fen: formatFen(position), material: canonical(materialOf(position)).name, own: formatScore(own), accrued: formatScore(accrued), outcome: formatScore(outcome), dtg, moves: moves.map((each) => told(each, moves[0])), strip };
  }

  /** The outcomes of some positions in short, null for one that is none. */
  outcomes(fens) {
    return Promise.all(fens.map(async (fen) => this.#short(parseFen(fen), '')));
  }

  async #short(position, accruedText) {
    const { own, accrued, fault } = scoresOf(position, accruedText);
    if (fault || brokenRule(position)) return null;
    const [outcome, dtg] = await this.#value(position, own, accrued);
    return { outcome: formatScore(outcome), dtg };
  }

  /** The position with one man on each square: its outcome and distance, null where the man cannot stand. */
  async map(fen, accruedText, man) {
    const position = parseFen(fen), from = squareOf(man);
    const values = await Promise.all(position.board.map((there, square) => {
      if (there !== null && square !== from) return null;
      const board = position.board.slice();
      [board[from], board[square]] = [null, position.board[from]];
      return this.#short({ ...position, board, ep: -1 }, accruedText);
    }));
    return Object.fromEntries(values.map((value, square) => [nameOf(square), value]));
  }

  /** Best play from a position: until the goal is reached and the position repeats, or the game ends. */
  async line(fen, accruedText) {
    let position = parseFen(fen), accrued = parseScore((await this.probe(fen, accruedText)).accrued);
    const steps = [], seen = new Set();
    while (steps.length < MOST_PLIES) {
      const moves = await this.#moves(position, accrued);
      if (!moves.length) break;
      if (moves[0].outcome === accrued) {
        if (seen.has(placeIn(position))) break;
        seen.add(placeIn(position));
      }
      const best = moves.filter((each) => isBest(each, moves[0]));
      if (!best.length) throw Error(`Only the outcomes of ${materialOf(position)} are here: no line is known to make progress.`);
      const chosen = (seen.size && best.find((each) => seen.has(placeIn(each.after)))) || best[0];
      const [outcome, dtg] = await this.#value(chosen.after, chosen.own, chosen.accrued);
      steps.push({ ...told(chosen, moves[0]), outcome: formatScore(outcome), dtg });
      [position, accrued] = [chosen.after, chosen.accrued];
    }
    return steps;
  }

  /** What a table holds, in figures. */
  async ending(material) {
    const reply = await fetch(`${this.base}${material}.json`);
    if (!reply.ok) throw Error(`No figures of ${material} are here.`);
    return reply.json();
  }

  async #strip(position, own) {
    const codes = codeOf(own) < 2 ? [] : Array.from({ length: codeOf(own) - 1 }, (_, place) => place + 2);
    const scores = codes.length ? [...codes.map((code) => code + 1), ...codes.map((code) => -(code + 1)).reverse()] : [own];
    const possible = scores.filter((accrued) => accrued === own || !whyImpossible(position, accrued));
    return Promise.all(possible.map(async (accrued) => {
      const [outcome, dtg] = await this.#value(position, own, accrued);
      return { accrued: formatScore(accrued), outcome: formatScore(outcome), dtg };
    }));
  }

  /** All moves with their values, best first. */
  async #moves(position, accrued) {
    const mover = position.turn === 'w' ? 1 : -1;
    const found = await Promise.all(legalMoves(position).map(async (move) => {
      const after = play(position, move), own = ownOf(after), reset = isReset(position, move);
      const reached = accruedAfter(after, reset, accrued);
      const [outcome, dtg] = reset ? await this.#entry(after) : await this.#value(after, own, reached);
      const stands = !reset && reached === accrued && outcome === accrued && codeOf(own) >= codeOf(accrued);
      return { uci: uciOf(move), san: sanOf(position, move), reset, own, accrued: reached, outcome, dtg: dtg === null ? null : stands ? 0 : dtg + 1, after };
    }));
    const held = worth(accrued) * mover;
    const merit = ({ outcome, dtg }) => [-worth(outcome) * mover, worth(outcome) * mover >= held ? dtg : -dtg];
    return found.sort((a, b) => compare(merit(a), merit(b)) || (a.uci < b.uci ? -1 : 1));
  }

  /** The value with the position's own score accrued. */
  async #entry(position) {
    if (hasEnPassant(position)) return this.#searched(position, ownOf(position));
    const { shelf, place, sign } = await this.#find(position), [outcome, dtg] = await shelf.entry(place);
    return [sign * outcome, dtg];
  }

  /** The value with a score accrued that the own one has gone into (docs/tables.md). */
  async #value(position, own, accrued) {
    if (accrued === own) return this.#entry(position);
    if (hasEnPassant(position)) return this.#searched(position, accrued);
    const { shelf, place, sign } = await this.#find(position);
    shelf.expectBreaks();
    const [entry, dtg] = await shelf.entry(place);
    if (codeOf(entry) < codeOf(own) && codeOf(entry) < codeOf(accrued)) return [sign * entry, dtg];
    const [outcome, plies] = await shelf.held(place, sign * accrued);
    return [sign * outcome, plies];
  }

  /** The value of a position with an en passant capture, which no table has: that of its best move. */
  async #searched(position, accrued) {
    const [{ outcome, dtg }] = await this.#moves(position, accrued);
    return [outcome, outcome === accrued && dtg !== null ? 0 : dtg];
  }

  /** Where a position lies; with exchanged colours its board is turned upside down. */
  async #find(position) {
    const { name, flipped } = canonical(materialOf(position)), shelf = await this.#shelf(name), squares = {};
    for (const [square, man] of position.board.entries()) {
      if (man === null) continue;
      const color = (man < 'a') !== flipped ? 'white' : 'black';
      (squares[`${color} ${ROLES[man.toUpperCase()]}`] ??= []).push(flipped ? turned(square) : square);
    }
    for (const each of Object.values(squares)) each.sort((a, b) => a - b);
    return { shelf, place: shelf.placeOf(squares, (position.turn === 'w') !== flipped), sign: flipped ? -1 : 1 };
  }

  #shelf(name) {
    let shelf = this.#shelves.get(name);
    if (!shelf) {
      shelf = Shelf.open(this.base, name, !this.listed.includes(`${name}*`));
      shelf.catch(() => this.#shelves.delete(name));
      this.#shelves.set(name, shelf);
    }
    return shelf;
  }
}

const isBest = ({ outcome, dtg }, first) => dtg !== null && outcome === first.outcome && dtg === first.dtg;
const placeIn = (position) => formatFen(position).split(' ').slice(0, 4).join(' ');

/** A move as JSON has it. */
function told({ uci, san, reset, own, accrued, outcome, dtg }, first) {
  const scores = { own: formatScore(own), accrued: formatScore(accrued), outcome: formatScore(outcome) };
  return { uci, san, reset, ...scores, dtg, best: isBest({ outcome, dtg }, first), keeps: outcome === first.outcome };
}
