// Drills: a position is played against the tables, and every move is graded by what it gives away.
import { drawSetup, hasOpposedPair, manInWords, parseFen, turnIn } from './chess.js';
import { badge, make, moverOf } from './elements.js';
import { givenAway, inPlies, inWords, parseScore, pointsOf } from './scores.js';
import { makeFen, parseSquare } from './vendor/chessops.js';

const MOST_TRIED = 12; // replies that the table thinks about
const DRAWN = 60; // positions at once, when another one is looked for
const ROUNDS = 6;
const LEAST_PLIES = 3; // to the goal of another position
const LEAST_LOSS = 0.00005; // points that are written with four digits

/** What a move gives away, in points of the side that makes it; 0 for a move that keeps the outcome. */
export function gradeOf(answer, uci) {
  const move = answer.moves.find((each) => each.uci === uci);
  const side = sideOf(answer) === 'white' ? 0 : 1;
  const points = (text) => pointsOf(parseScore(text))[side];
  const given = givenAway(parseScore(answer.outcome), parseScore(move.outcome), moverOf(answer.fen));
  return { ...move, given, lost: move.keeps ? 0 : points(answer.outcome) - points(move.outcome) };
}

const sideOf = ({ fen }) => turnIn(fen);

/** The move of the table: it keeps the outcome, does not concede at once, and leaves the fewest replies that keep it. */
export async function replyTo(answer, after) {
  const kept = answer.moves.filter((move) => move.keeps).slice(0, MOST_TRIED);
  const rated = await Promise.all(kept.map(async (move) => {
    const { moves, outcome, accrued } = await after(move);
    const concedes = !moves.length || outcome === accrued;
    return { move, concedes, replies: moves.filter((reply) => reply.keeps).length };
  }));
  rated.sort((a, b) => a.concedes - b.concedes || a.replies - b.replies || b.move.dtg - a.move.dtg);
  return rated[0].move;
}

/** Another position of the same men, with the same side to move and the same outcome; null if none was drawn. */
export async function another(fen, outcome, source, random = Math.random) {
  const { board, turn } = parseFen(fen);
  const men = [...board].map(([, man]) => man);
  const hasPair = hasOpposedPair({ board });
  for (let round = 0; round < ROUNDS; round++) {
    const fens = Array.from({ length: DRAWN }, () => makeFen(drawSetup(men, turn, { random, hasPair })));
    const values = await source.outcomes(fens);
    const place = values.findIndex((value) => value?.outcome === outcome && (value.dtg === null || value.dtg >= LEAST_PLIES));
    if (place >= 0) return fens[place];
  }
  return null;
}

export class Drill {
  #waits = false; // for the table's move
  #turns = []; // the reader's moves: where each was made, and its grade
  #hints = 0; // that were given in this position
  lost = 0; // points

  /** `site` is what the page can do: look at positions, play moves, ask tables. */
  constructor(answer, site) {
    this.site = site;
    this.side = sideOf(answer);
    this.fen = answer.fen;
    this.accrued = answer.accrued === answer.own ? '' : answer.accrued;
    this.goal = answer.outcome;
    this.isOver = false;
  }

  /** A move of the reader is about to be played. */
  played(answer, uci) {
    if (this.isOver || sideOf(answer) !== this.side) return;
    const grade = gradeOf(answer, uci);
    this.#turns.push({ node: this.site.node(), grade });
    this.#waits = true;
    this.#hints = 0;
    this.lost += grade.lost;
  }

  /** The page shows a position; the table moves, if it is its turn. */
  async shown(answer) {
    const isStill = !answer.moves.length || answer.outcome === answer.accrued;
    this.isOver = isStill && this.#turns.length > 0;
    this.#say(answer);
    if (this.isOver || !this.#waits || sideOf(answer) === this.side) return;
    this.#waits = false;
    const { uci } = await replyTo(answer, (move) => this.site.after(move));
    if (this.site.isShown(answer)) this.site.follow(uci);
  }

  #say(answer) {
    const last = this.#turns.at(-1)?.grade;
    const parts = [];
    if (last) parts.push(make('p', { class: last.lost ? 'wrong' : 'right' }, make('b', {}, last.san), ...gradeInWords(last)));
    parts.push(this.isOver ? this.#end(answer) : this.#task(answer));
    this.site.place.replaceChildren(make('h2', { id: 'drill-title' }, 'Drill'), ...parts, this.#buttons(answer));
  }

  #task({ outcome }) {
    const score = parseScore(outcome);
    const isMine = (score > 0) === (this.side === 'white');
    const [name, other] = this.side === 'white' ? ['White', 'Black'] : ['Black', 'White'];
    const task = isMine ? 'Keep ' : `Give ${other} no more than `;
    return make('p', {}, `You play ${name}. ${task}`, badge(outcome), `: ${inWords(score)}.`);
  }

  #end({ outcome, moves }) {
    const number = this.#turns.length;
    const total = this.lost
      ? `You gave away ${inPoints(this.lost)}.`
      : `You gave nothing away in ${number} move${number === 1 ? '' : 's'}.`;
    return make('p', {}, badge(outcome), moves.length ? ' is held for ever. ' : ' ends the game. ', total);
  }

  #buttons(answer) {
    const button = (text, onclick) => make('button', { type: 'button', onclick }, text);
    const buttons = [
      button('Begin again', () => this.site.drill(this)),
      button('Another like this', () => this.#another()),
      button('Leave the drill', () => this.site.leave()),
    ];
    if (this.#turns.length) buttons.unshift(button('Take back', () => this.#takeBack()));
    if (!this.isOver && sideOf(answer) === this.side) buttons.unshift(button('Hint', () => this.#hint(answer)));
    return make('div', { class: 'bar' }, ...buttons);
  }

  /** First which man moves, then the move. */
  #hint(answer) {
    this.#hints += 1;
    const { uci, san } = answer.moves[0];
    const square = uci.slice(0, 2);
    const man = manInWords(parseFen(answer.fen).board.get(parseSquare(square)));
    if (this.#hints > 1) this.site.point(uci);
    this.#add('hint', this.#hints > 1 ? `Play ${san}.` : `Move the ${man} on ${square}.`);
  }

  /** Stand where the last move was made; what it gave away counts no longer. */
  #takeBack() {
    const { node, grade } = this.#turns.pop();
    this.lost -= grade.lost;
    this.isOver = false;
    this.#waits = false;
    this.#hints = 0;
    this.site.jump(node);
  }

  async #another() {
    const fen = await another(this.fen, this.goal, this.site.source);
    if (fen) this.site.drill({ fen });
    else this.#add('none', 'No other position like this was found.');
  }

  #add(kind, text) {
    this.site.place.querySelector(`.${kind}`)?.remove();
    this.site.place.append(make('p', { class: kind }, text));
  }
}

function gradeInWords({ best, keeps, dtg, lost, outcome, given }) {
  if (best) return [' is best play.'];
  if (keeps && dtg === null) return [' keeps it.'];
  if (keeps) return [` keeps it, in ${inPlies(dtg)}: there is a better way.`];
  return [` gives ${given}, `, badge(outcome), `: ${inPoints(lost)}.`];
}

/** A loss, which is never written as none. */
export const inPoints = (lost) => `${lost < LEAST_LOSS ? 'less than 0.0001' : lost.toFixed(4)} points`;
