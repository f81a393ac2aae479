// Drills: a position is played against the tables, and every move is graded by what it gives away.
import { make } from './elements.js';
import { brokenRule, formatFen, legalMoves, parseFen } from './rules.js';
import { inPlies, inWords, parseScore, pointsOf } from './scores.js';
import { badge } from './view.js';

const MOST_TRIED = 12; // replies that the table thinks about
const DRAWN = 60; // positions at once, when another one is looked for
const ROUNDS = 6;
const LEAST_PLIES = 3; // to the goal of another position

/** What a move gives away, in points of the side that makes it; 0 for a move that keeps the outcome. */
export function gradeOf(answer, uci) {
  const move = answer.moves.find((each) => each.uci === uci), side = answer.fen.split(' ')[1] === 'w' ? 0 : 1;
  const points = (text) => pointsOf(parseScore(text))[side];
  return { ...move, lost: move.keeps ? 0 : points(answer.outcome) - points(move.outcome) };
}

/** The move of the table: it keeps the outcome, does not concede at once, and leaves the fewest replies that keep it. */
export async function replyTo(answer, after) {
  const kept = answer.moves.filter((each) => each.keeps).slice(0, MOST_TRIED);
  const rated = await Promise.all(kept.map(async (each) => {
    const { moves, outcome, accrued } = await after(each);
    const concedes = !moves.length || outcome === accrued;
    return { each, concedes, replies: moves.filter((reply) => reply.keeps).length };
  }));
  rated.sort((a, b) => a.concedes - b.concedes || a.replies - b.replies || b.each.dtg - a.each.dtg);
  return rated[0].each;
}

/** Another position of the same men, with the same side to move and the same outcome; null if none was drawn. */
export async function another(fen, outcome, source, draw = Math.random) {
  const position = parseFen(fen), men = position.board.filter((man) => man !== null);
  const drawn = () => {
    const board = Array(64).fill(null);
    for (const man of men) {
      let square;
      do square = Math.floor(64 * draw()); while (board[square] !== null);
      board[square] = man;
    }
    return { ...position, board, ep: -1, clock: 0, number: 1 };
  };
  for (let round = 0; round < ROUNDS; round++) {
    const boards = Array.from({ length: 8 * DRAWN }, drawn).filter((each) => !brokenRule(each) && legalMoves(each).length > 1).slice(0, DRAWN);
    const found = await source.outcomes(boards.map(formatFen));
    const place = found.findIndex((each) => each?.outcome === outcome && (each.dtg === null || each.dtg >= LEAST_PLIES));
    if (place >= 0) return formatFen(boards[place]);
  }
  return null;
}

export class Drill {
  #waits = false; // for the table's move
  #grade = null; // of the last move

  /** `site` is what the page can do: look at positions, play moves, ask tables. */
  constructor(site, answer) {
    const accrued = answer.accrued === answer.own ? '' : answer.accrued;
    Object.assign(this, { site, side: answer.fen.split(' ')[1], fen: answer.fen, accrued, goal: answer.outcome });
    Object.assign(this, { lost: 0, moves: 0, isOver: false });
  }

  /** A move of the reader is about to be played. */
  played(answer, uci) {
    if (this.isOver || answer.fen.split(' ')[1] !== this.side) return;
    this.#grade = gradeOf(answer, uci);
    this.#waits = true;
    this.moves += 1;
    this.lost += this.#grade.lost;
  }

  /** The page shows a position; the table moves, if it is its turn. */
  async shown(answer) {
    const isStill = !answer.moves.length || answer.outcome === answer.accrued;
    this.isOver = isStill && this.moves > 0;
    this.#say(answer);
    if (this.isOver || !this.#waits || answer.fen.split(' ')[1] === this.side) return;
    this.#waits = false;
    const { uci } = await replyTo(answer, (each) => this.site.after(each));
    if (this.site.isShown(answer)) this.site.follow(uci);
  }

  #say(answer) {
    const name = this.side === 'w' ? 'White' : 'Black', last = this.#grade, parts = [];
    if (last) parts.push(make('p', { class: last.lost ? 'wrong' : 'right' }, make('b', {}, last.san), ...this.#graded(last)));
    if (this.isOver) parts.push(make('p', {}, badge(answer.outcome), answer.moves.length ? ' is held for ever. ' : ' ends the game. ', this.#total()));
    else parts.push(make('p', {}, `You play ${name}. Keep `, badge(answer.outcome), `: ${inWords(parseScore(answer.outcome))}.`));
    const does = (text, onclick) => make('button', { type: 'button', onclick }, text);
    this.site.place.replaceChildren(make('h2', { id: 'drill-title' }, 'Drill'), ...parts, make('div', { class: 'bar' },
      does('Begin again', () => this.site.drill(this)), does('Another like this', () => this.#another()), does('Leave the drill', () => this.site.leave())));
  }

  #total() {
    const moves = `${this.moves} move${this.moves === 1 ? '' : 's'}`;
    return this.lost ? `You gave away ${this.lost.toFixed(4)} points.` : `You gave nothing away in ${moves}.`;
  }

  #graded({ best, keeps, dtg, lost, outcome }) {
    if (best) return [' is best play.'];
    if (keeps) return [` keeps it, in ${inPlies(dtg)}: there is a better way.`];
    return [` gives it away for `, badge(outcome), `: ${lost < 0.00005 ? 'less than 0.0001' : lost.toFixed(4)} points.`];
  }

  async #another() {
    const fen = await another(this.fen, this.goal, this.site.source);
    if (fen) this.site.drill({ fen, accrued: '' });
    else this.site.place.append(make('p', {}, 'No other position like this was found.'));
  }
}
