// The moves in groups, and above them how play goes on, or what follows a move that somebody points at.
import { badge, byId, make, moverOf, waiterOf } from './elements.js';
import { Game } from './game.js';
import { codeOf, gainerOf, givenAway, inPlies, inWords, parseScore } from './scores.js';
import { whatIsKnown } from './verdict.js';

// Groups: the moves that keep the outcome, then those that give it away, with the least loss first.

const OPEN_GROUPS = 2; // of moves that give the outcome away
const ORDER = 'fewest replies first';

/** `does` has `play(uci)`, and `point(uci)`, which shows what follows a move; null ends that.
 *
 * With a row, `point` shows it there.
 */
export function movesOf(answer, does) {
  if (!answer.outcome) return groupsOfKnown(answer, does);
  const kept = answer.moves.filter((move) => move.keeps);
  const groups = [];
  for (const move of answer.moves.filter((each) => !each.keeps)) {
    if (groups.at(-1)?.[0].outcome !== move.outcome) groups.push([]);
    groups.at(-1).push(move);
  }
  const worse = groups.map((moves) => groupOf(titleOf(moves[0].outcome, answer), moves, answer, does));
  const open = worse.slice(0, OPEN_GROUPS);
  const far = groups.slice(OPEN_GROUPS).flat().length;
  const summary = `${far} more that ${far === 1 ? 'gives' : 'give'} away still more`;
  const folded = far ? make('details', {}, make('summary', {}, summary), ...worse.slice(OPEN_GROUPS)) : '';
  const title = ['Keep', badge(answer.outcome), sharpnessOf(answer)];
  return [groupOf(title, kept, answer, does), ...open, folded];
}

/** Without a table: moves of which the same is known stand together. */
function groupsOfKnown(answer, does) {
  if (!answer.moves.some((move) => move.known)) return [groupOf(['Legal moves', make('small', {}, ORDER)], answer.moves, answer, does)];
  const groups = new Map();
  for (const move of answer.moves) {
    const { outcome = '', isExact = false, isLeast = false } = move.known ?? {};
    const key = isExact ? outcome : `at ${isLeast ? 'least' : 'most'} ${outcome}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(move);
  }
  return [...groups.values()].map((moves) => groupOf(titleOfKnown(moves[0].known, answer), moves, answer, does));
}

function titleOfKnown(known, { fen }) {
  if (!known) return ['Not known', make('small', {}, `no table within two plies; ${ORDER}`)];
  const words = make('small', {}, inWords(parseScore(known.outcome)));
  return [known.isExact ? 'Comes to' : `${moverOf(fen)} gets at ${known.isLeast ? 'least' : 'most'}`, badge(known.outcome), words];
}

/** How many moves keep what the position is worth, and of a draw of ordinary chess, how many keep that. */
function sharpnessOf({ outcome, moves }) {
  if (moves.some((move) => !move.outcome)) return '';
  const keepOutcome = moves.filter((move) => move.outcome === outcome).length;
  const said = `${keepOutcome} of ${moves.length} moves`;
  return make('small', { class: 'sharpness' }, resultOf(outcome) === 'draw' ? `${said}; ${drawsOf(moves)}` : said);
}

function drawsOf(moves) {
  const number = moves.filter((move) => resultOf(move.outcome) === 'draw').length;
  if (number === 1) return '1 keeps the draw of ordinary chess';
  return `${number === moves.length ? 'all' : number} keep the draw of ordinary chess`;
}

/** The mate of a side, or a draw. */
const resultOf = (outcome) => (codeOf(parseScore(outcome)) === 0 ? outcome : 'draw');

function titleOf(outcome, { fen, outcome: before }) {
  const given = givenAway(parseScore(before), parseScore(outcome), moverOf(fen));
  return [`Give ${given}:`, badge(outcome), make('small', {}, inWords(parseScore(outcome)))];
}

function groupOf(title, moves, answer, does) {
  const rows = moves.map((move) => rowOf(move, answer, does));
  return make('div', { class: 'group' }, make('h3', {}, ...title), make('ol', {}, ...rows));
}

function rowOf(move, answer, does) {
  const row = make('li', {});
  const button = make(
    'button',
    { type: 'button', class: move.best ? 'move best' : 'move', ...listenersOf(move, row, answer, does) },
    make('b', {}, move.san),
    make('span', {}, distanceOf(move, answer)),
    make('i', {}, ...remarkOf(move, answer)),
  );
  if (move.best) button.append(make('span', { class: 'unseen' }, ', best play'));
  row.append(button);
  return row;
}

/** A finger cannot point without touching: its first touch shows what follows a move, the next one plays it.
 *
 * Where nothing is known to follow, the first touch plays.
 */
function listenersOf(move, row, answer, { play, point }) {
  let isTouched = false;
  let isShown = false;
  function enter() {
    if (!isTouched) point(move.uci);
  }
  function leave() {
    isShown = false;
    if (!isTouched) point(null); // after a finger, what it reads stays: rows that move would be missed by the next touch
  }
  function click() {
    if (!isTouched || isShown || !(answer.outcome || move.known)) {
      play(move.uci);
      return;
    }
    isShown = true;
    point(move.uci, row);
  }
  return {
    onpointerdown: (event) => { isTouched = event.pointerType === 'touch'; },
    onclick: click,
    onmouseenter: enter,
    onfocus: enter,
    onmouseleave: leave,
    onblur: leave,
  };
}

function distanceOf(move, answer) {
  if (move.known?.reply) return `then ${move.known.reply.san}`;
  const isUnknown = !answer.outcome && !move.known;
  if (isUnknown && isReached(move, answer)) return ''; // the score beside it says how many replies there are
  if (isUnknown) return inReplies(move.ownCode >> 1);
  if (move.known?.plies) return inPlies(move.known.plies);
  if (!answer.outcome || move.dtg === null) return '';
  return move.dtg === 0 ? 'for ever' : inPlies(move.dtg);
}

const inReplies = (number) => `${number} ${number === 1 ? 'reply' : 'replies'}`;

/** Whether the score after a move becomes the accrued one. */
const isReached = (move, answer) => move.reset || move.accrued !== answer.accrued;

/** The score that the move makes the accrued one. */
function remarkOf(move, answer) {
  if (move.known?.reply) return []; // the reply stands there
  if (!isReached(move, answer)) return [];
  const sign = move.reset ? signOf('↺', 'counts anew from ') : signOf('→', 'reaches ');
  return [sign, badge(move.accrued, { inside: true })];
}

function signOf(sign, words) {
  return make('span', { title: words }, make('span', { 'aria-hidden': 'true' }, `${sign} `), make('span', { class: 'unseen' }, words));
}

// What stands above the moves.

const MOST_UNASKED = 100; // plies of best play: they take a server 30 ms

/** What follows a move: the reply, and words. `site` has `probe` and `line`. */
export async function after(node, answer, uci, site) {
  const { known } = answer.moves.find((move) => move.uci === uci);
  const isInTable = answer.outcome || (known && !known.reply && !known.isSolved); // or it ends the game, and nothing follows
  if (isInTable) return whatFollows(node, uci, site);
  return whatIsKnown(answer, uci);
}

/** Promises words on how play goes on; null if it leads to no other score, or is not to be told unasked.
 *
 * `site` has `isQuick`, too, and `tries(uci)`, which learns of the move to try where no distances are known.
 */
export function askAhead(node, answer, site) {
  const proved = answer.outcome === null && answer.moves.find((move) => move.best && move.known && !move.known.isSolved);
  if (proved) return () => afterProved(node, answer, proved, site);
  const leadsOn = answer.outcome !== null && answer.outcome !== answer.accrued;
  if (!leadsOn || !site.isQuick) return null;
  if (answer.dtg === null) return () => tryFrom(node, answer, site);
  return answer.dtg <= MOST_UNASKED ? () => bestPlay(node, site) : null;
}

/** A move that captures and promotions prove to be best, and what follows it. */
async function afterProved(node, answer, { uci, san }, site) {
  const { words } = await after(node, answer, uci, site);
  return [`${san}. `, ...words];
}

/** Without distances, the move to try is the one that is hardest to answer. */
async function tryFrom(node, answer, site) {
  const { uci, words } = await hardestToAnswer(node, answer, site);
  site.tries(answer, uci);
  return words;
}

// Why a move is good or bad: the best reply to it, and how the line ends.

const MOST_WRITTEN = 6; // plies at the beginning of a longer line
const MOST_NAMED = 3; // replies

/** What follows a move in a position of a game: the best reply, and words.
 *
 * `probe` answers a position, `line` gives best play from one.
 */
async function whatFollows(node, uci, { probe, line }) {
  const game = new Game(node);
  game.play(uci);
  const answer = await probe(game.now);
  const value = badge(answer.outcome);
  const [best] = answer.moves;
  if (!best) return { reply: null, words: [value, ` ${inWords(parseScore(answer.outcome), true)}.`] };
  const replies = `${moverOf(answer.fen)} replies`;
  if (answer.outcome === answer.accrued) {
    return { reply: best.uci, words: [`${replies} ${best.san}. `, value, ' is held for ever: nobody can better it.'] };
  }
  if (answer.dtg === null) return { reply: onlyReply(answer), words: [`${repliesOf(answer)}: `, value, ` ${inWords(parseScore(answer.outcome))}.`] };
  const steps = untilGoal(await line(game.now));
  return { reply: best.uci, words: [`${replies} ${written(game.now, steps)}: `, value, ` ${inWords(parseScore(answer.outcome))}.`] };
}

/** The reply that alone keeps what the other side has; null if there are several. */
const onlyReply = ({ moves }) => moves.find((move) => move.best)?.uci ?? null;

/** The replies that keep what the other side has. Without distances, none of several is known to be best. */
function repliesOf({ fen, moves }) {
  const side = moverOf(fen);
  const keeping = moves.filter((move) => move.keeps).map((move) => move.san);
  const all = moves.length;
  if (keeping.length === all && all > MOST_NAMED) return `All ${all} replies come to the same`;
  if (keeping.length > MOST_NAMED) return `${side} has ${keeping.length} good replies of ${all}`;
  const last = keeping.pop();
  const named = keeping.length ? `${keeping.join(', ')} or ${last}` : last;
  return all === 1 || keeping.length ? `${side} replies ${named}` : `${side} has one good reply, ${named}`;
}

/** Best play from a position of a game, in words. */
async function bestPlay(node, { line }) {
  const steps = untilGoal(await line(node));
  if (!steps.length) return [];
  const { outcome } = steps.at(-1);
  return [`Best play: ${written(node, steps)}: `, badge(outcome), ` ${inWords(parseScore(outcome))}.`];
}

/** The steps of a line until its score has accrued. */
export function untilGoal(steps) {
  const last = steps.findIndex((step) => step.outcome === step.accrued);
  return last < 0 ? steps : steps.slice(0, last + 1);
}

/** The moves of a line with their numbers; a long one without its middle. */
function written(node, steps) {
  const game = new Game(node);
  const moves = steps.map(({ uci }) => {
    const number = numberIn(game.now.fen);
    game.play(uci);
    return { number, san: game.now.san };
  });
  if (moves.length <= MOST_WRITTEN + 1) return inText(moves);
  const last = moves.at(-1);
  return `${inText(moves.slice(0, MOST_WRITTEN))} … ${last.number} ${last.san}`;
}

function numberIn(fen) {
  const [, turn, , , , number] = fen.split(' ');
  return turn === 'w' ? `${number}.` : `${number}...`;
}

/** The first move has its number, and then each of White. */
function inText(moves) {
  const words = moves.map(({ number, san }, place) => (place > 0 && number.endsWith('...') ? san : `${number} ${san}`));
  return words.join(' ');
}

// With outcomes alone: of several moves that keep the outcome, the one that is hardest to answer.

const MOST_ASKED = 24; // moves
const MOST_PLIES = 6; // of a line

/** The move to try from a position of a game, and words: why this one, and how it goes on while single moves are good. */
async function hardestToAnswer(node, answer, { probe }) {
  const keeping = answer.moves.filter((move) => move.keeps);
  const isGainer = gainerOf(answer) === moverOf(answer.fen);
  const asked = keeping.slice(0, MOST_ASKED).map(async (move) => {
    const game = new Game(node);
    game.play(move.uci);
    const after = await probe(game.now);
    return { move, after, progress: isGainer ? progressOf(move, after) : NONE };
  });
  const tries = await Promise.all(asked);
  tries.sort((one, other) => other.progress.rank - one.progress.rank || shareOf(one.after) - shareOf(other.after));
  const [{ move, after, progress }] = tries;
  const steps = await onlyMoves(node, move, after, probe);
  const reason = tries.length === 1 ? 'The only move:' : progress.words || hardestOf(tries.length, answer);
  return { uci: move.uci, words: [`${reason} ${written(node, steps)}. `, ...endOf(steps.at(-1).after)] };
}

// What a move does for the side that has to make progress: the greater its rank, the better.
const REACHES = { rank: 2, words: 'The outcome is on the board after' };
const RESETS = { rank: 1, words: 'Progress that cannot be taken back:' };
const NONE = { rank: 0, words: '' };

function progressOf(move, after) {
  if (after.outcome === after.accrued) return REACHES;
  return move.reset ? RESETS : NONE;
}

const goodIn = ({ moves }) => moves.filter((move) => move.keeps);

/** The share of replies that are good: the smaller it is, the harder the move is to answer. */
const shareOf = (after) => (after.moves.length ? goodIn(after).length / after.moves.length : 0);

/** The move, and what follows while a single move keeps the outcome. */
async function onlyMoves(node, move, after, probe) {
  const game = new Game(node);
  game.play(move.uci);
  const steps = [{ uci: move.uci, after }];
  while (steps.length < MOST_PLIES) {
    const answer = steps.at(-1).after;
    const keeping = goodIn(answer);
    if (keeping.length !== 1 || answer.outcome === answer.accrued) break;
    game.play(keeping[0].uci);
    steps.push({ uci: keeping[0].uci, after: await probe(game.now) });
  }
  return steps;
}

function hardestOf(number, { fen }) {
  return `Hardest for ${waiterOf(fen)} of ${number} moves that keep it:`;
}

/** How a line of single moves ends. */
function endOf(answer) {
  if (!answer.moves.length) return ['The game is over.'];
  if (answer.outcome === answer.accrued) return [badge(answer.outcome), ' is held for ever then.'];
  const good = goodIn(answer).map((move) => move.san);
  const named = good.length > MOST_NAMED ? '' : `: ${good.join(', ')}`;
  return [`Then ${good.length} of ${answer.moves.length} moves of ${moverOf(answer.fen)} keep `, badge(answer.outcome), `${named}.`];
}

// Best play, and while somebody points at a move, what follows that one.

const PATIENCE = 120; // milliseconds, so that a pointer on its way asks nothing
const REST = 300; // milliseconds, so that going through a game asks nothing
const HINT = 'Point at a move to see the best reply and how the line ends.';
const AGAIN = ' Touch it again to play it.';

export class Pointer {
  #uci = null; // the move that is pointed at
  #timer = 0;
  #rest = [HINT]; // what is said while nobody points

  /** `follows(uci)` promises the best reply to a move, and words. */
  constructor(board, follows) { Object.assign(this, { board, follows }); }

  /** Show what follows a move, in a row of moves or above them; null shows nothing of that any longer. */
  point(uci, row = null) {
    clearTimeout(this.#timer);
    this.#uci = uci;
    this.board.point(uci);
    this.#put(row);
    if (uci) this.#timer = setTimeout(() => this.#tell(uci, row), row ? 0 : PATIENCE);
  }

  /** Other moves are about to be shown. A promise of words of best play may come in their time. */
  begin(ask = null) {
    clearTimeout(this.#timer);
    this.#uci = null;
    this.#rest = [HINT];
    this.#put(null);
    if (ask) this.#timer = setTimeout(() => this.#tellBest(ask), REST);
  }

  #put(row) {
    const words = byId('why');
    words.replaceChildren(...this.#rest);
    words.classList.toggle('hint', this.#rest[0] === HINT); // which a narrow page has no room for
    if (row) row.append(words);
    else byId('moves').before(words);
  }

  async #tell(uci, row) {
    const { reply, words } = await this.follows(uci).catch((error) => ({ reply: null, words: [error.message] }));
    if (this.#uci !== uci) return;
    this.board.point(uci, reply);
    byId('why').replaceChildren(...words, row ? AGAIN : '');
  }

  async #tellBest(ask) {
    const before = this.#rest;
    const words = await ask().catch(() => []); // what fails is said where somebody points
    if (this.#rest !== before || !words.length) return;
    this.#rest = words;
    if (!this.#uci) this.#put(null);
  }
}
