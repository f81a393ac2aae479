// Answers from files of tables, computed in the browser; the same answers as those of `tbgen serve`.
import {
  PAIRS, accruedAfter, brokenRule, canonical, fenOf, hasEnPassant, hasOpposedPair, isReset, legalMoves, materialOf, ownOf, parseFen,
  parsePosition, play, positionOf, sanOf, scoresOf, whyImpossible,
} from './chess.js';
import { codeOf, formatScore, parseScore, worth } from './scores.js';
import { Shelf, compare, turned } from './files.js';
import { makeUci } from './vendor/chessops.js';

const LEAST_CODE = 2; // with a lower one the game has ended
const MOST_PLIES = 2000;

export class Tables {
  #shelves = new Map();

  /** `base` is the address of the folder of tables; those in `listed` with a star have no distances.
   *
   * `solvedShelf` promises one that the browser has solved, or null.
   */
  constructor(base, listed = [], solvedShelf = async () => null) {
    this.base = base;
    this.listed = listed;
    this.solvedShelf = solvedShelf;
  }

  /** A position with its moves and its strip. */
  async probe(fen, accruedText) {
    const position = parsePosition(fen);
    const { own, accrued, fault } = scoresOf(position, accruedText);
    if (fault) throw Error(fault);
    const [[outcome, dtg], moves, strip] = await Promise.all([
      this.#value(position, own, accrued),
      this.#moves(position, accrued),
      this.#strip(position, own),
    ]);
    return {
      fen: fenOf(position),
      material: canonical(materialOf(position)).name,
      own: formatScore(own),
      accrued: formatScore(accrued),
      outcome: formatScore(outcome),
      dtg,
      moves: allTold(moves),
      strip,
    };
  }

  /** The outcomes of some positions in short, null for one that is none; a seventh field is what has accrued. */
  outcomes(fens) {
    return Promise.all(fens.map((fen) => this.#short(fen)));
  }

  async #short(fen) {
    const setup = parseFen(fen);
    if (brokenRule(setup)) return null;
    const position = positionOf(setup);
    const { own, accrued, fault } = scoresOf(position, fen.split(' ')[6] ?? '');
    if (fault) return null;
    const [outcome, dtg] = await this.#value(position, own, accrued);
    return { outcome: formatScore(outcome), dtg };
  }

  /** Best play from a position: until the goal is reached and the position repeats, or the game ends. */
  async line(fen, accruedText) {
    let position = parsePosition(fen);
    let accrued = parseScore((await this.probe(fen, accruedText)).accrued);
    const steps = [];
    const seen = new Set(); // positions since the goal was reached
    while (steps.length < MOST_PLIES) {
      const moves = await this.#moves(position, accrued);
      if (!moves.length) break;
      if (moves[0].outcome === accrued) {
        if (seen.has(placeIn(position))) break;
        seen.add(placeIn(position));
      }
      const best = bestOf(moves);
      if (!best.length) throw Error(`Only the outcomes of ${materialOf(position)} are here: no line is known to make progress.`);
      const chosen = best.find((move) => seen.has(placeIn(move.after))) ?? best[0];
      const [outcome, dtg] = await this.#value(chosen.after, chosen.own, chosen.accrued);
      steps.push({ ...told(chosen, { isBest: true, keeps: true }), outcome: formatScore(outcome), dtg });
      position = chosen.after;
      accrued = chosen.accrued;
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
    const possible = scoresUpTo(own).filter((accrued) => accrued === own || !whyImpossible(position, accrued));
    return Promise.all(possible.map(async (accrued) => {
      const [outcome, dtg] = await this.#value(position, own, accrued);
      return { accrued: formatScore(accrued), outcome: formatScore(outcome), dtg };
    }));
  }

  /** All moves with their values, best first. */
  async #moves(position, accrued) {
    const mover = position.turn === 'white' ? 1 : -1;
    const moves = await Promise.all(legalMoves(position).map((move) => this.#move(position, move, accrued)));
    const held = worth(accrued) * mover;
    const merit = ({ outcome, dtg }) => {
      const value = worth(outcome) * mover;
      return [-value, value >= held ? dtg : -dtg];
    };
    return moves.sort((a, b) => compare(merit(a), merit(b)) || (a.uci < b.uci ? -1 : 1));
  }

  async #move(position, move, accrued) {
    const after = play(position, move);
    const own = ownOf(after);
    const reset = isReset(position, move);
    const reached = accruedAfter(after, reset, accrued);
    const [outcome, dtg] = reset ? await this.#entry(after) : await this.#value(after, own, reached);
    const isHeld = !reset && reached === accrued && outcome === accrued && codeOf(own) >= codeOf(accrued);
    const plies = isHeld ? 0 : dtg + 1;
    return {
      uci: makeUci(move), san: sanOf(position, move), reset, own, accrued: reached, outcome,
      dtg: dtg === null ? null : plies,
      after,
    };
  }

  /** The value with the position's own score accrued. */
  async #entry(position) {
    if (hasEnPassant(position)) return this.#searched(position, ownOf(position));
    const { shelf, place, sign } = await this.#find(position);
    const [outcome, dtg] = await shelf.entry(place);
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
    const { name, flipped } = canonical(materialOf(position));
    const shelf = await this.#shelfFor(name, position);
    const squares = {};
    for (const [square, man] of position.board) {
      const color = (man.color === 'white') !== flipped ? 'white' : 'black';
      const slot = `${color} ${man.role}`;
      squares[slot] ??= [];
      squares[slot].push(flipped ? turned(square) : square);
    }
    for (const each of Object.values(squares)) each.sort((a, b) => a - b);
    const strongerMoves = (position.turn === 'white') !== flipped;
    return { shelf, place: shelf.placeOf(squares, strongerMoves), sign: flipped ? -1 : 1 };
  }

  /** The whole table; where it is missing and two pawns face each other, that of pairs. */
  async #shelfFor(name, position) {
    const pairs = `${name}${PAIRS}`;
    if (this.#lists(pairs) && !this.#lists(name) && hasOpposedPair(position)) return this.#shelf(pairs);
    try {
      return await this.#shelf(name);
    } catch (missing) {
      if (!missing.isMissing || !hasOpposedPair(position)) throw missing;
      return this.#shelf(pairs).catch((error) => {
        throw error.isMissing ? missing : error;
      });
    }
  }

  #lists(name) { return this.listed.includes(name) || this.listed.includes(`${name}*`); }

  #shelf(name) {
    let shelf = this.#shelves.get(name);
    if (!shelf) {
      shelf = this.#open(name);
      shelf.catch(() => this.#shelves.delete(name));
      this.#shelves.set(name, shelf);
    }
    return shelf;
  }

  async #open(name) {
    const solved = this.#lists(name) ? null : await this.solvedShelf(name);
    return solved ?? Shelf.open(this.base, name, !this.listed.includes(`${name}*`));
  }
}

/** The scores that can have accrued beside an own one: the best for White first, none above it. */
function scoresUpTo(own) {
  if (codeOf(own) < LEAST_CODE) return [own];
  const scores = [];
  for (let code = LEAST_CODE; code <= codeOf(own); code++) scores.push(code + 1);
  const others = scores.map((score) => -score).reverse();
  return [...scores, ...others];
}

/** Those that keep the outcome come first. */
const keepingOf = (moves) => moves.filter((move) => move.outcome === moves[0].outcome);

/** The moves of best play. Without distances, only a move that alone keeps the outcome is known to be. */
function bestOf(moves) {
  const keeping = keepingOf(moves);
  if (keeping.length === 1) return keeping;
  if (keeping.some(({ dtg }) => dtg === null)) return [];
  return keeping.filter(({ dtg }) => dtg === moves[0].dtg);
}

const placeIn = (position) => fenOf(position).split(' ').slice(0, 4).join(' ');

/** All moves as JSON has them. */
function allTold(moves) {
  const best = bestOf(moves);
  const keeping = keepingOf(moves);
  return moves.map((move) => told(move, { isBest: best.includes(move), keeps: keeping.includes(move) }));
}

function told({ uci, san, reset, own, accrued, outcome, dtg }, { isBest, keeps }) {
  const scores = { own: formatScore(own), accrued: formatScore(accrued), outcome: formatScore(outcome) };
  return { uci, san, reset, ...scores, dtg, best: isBest, keeps };
}
