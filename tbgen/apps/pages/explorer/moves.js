// The moves in groups: those that keep the outcome, then those that give it away, with the least loss first.
import { badge, make, moverOf } from './elements.js';
import { codeOf, givenAway, inPlies, inWords, parseScore } from './scores.js';

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
    const { outcome = '', isExact = false } = move.known ?? {};
    const key = isExact ? outcome : `at most ${outcome}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(move);
  }
  return [...groups.values()].map((moves) => groupOf(titleOfKnown(moves[0].known, answer), moves, answer, does));
}

function titleOfKnown(known, { fen }) {
  if (!known) return ['Not known', make('small', {}, `no table within two plies; ${ORDER}`)];
  const words = make('small', {}, inWords(parseScore(known.outcome)));
  return [known.isExact ? 'Comes to' : `${moverOf(fen)} gets at most`, badge(known.outcome), words];
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
