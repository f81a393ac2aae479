// What is said of a position in its box: the verdict, or what there is without a table.
import { badge, moverOf } from './badge.js';
import { make } from './elements.js';
import { PAIRS, canonical, endingInWords, hasOpposedPair } from './materials.js';
import { parseFen } from './rules.js';
import { gainerOf, inPlies, inWords, parseScore, pointsOf, shadeOf, signed } from './scores.js';
import { addressOf, copy } from './share.js';

const SOLVE = 'Solve it on your machine';
const FIFTY = 100; // plies
const AGAIN = 'then start tbgen serve again'; // a server lists its tables when it starts
const MOST_TABLE_MEN = 5;
const MOST_PAIRS_MEN = 6;
const MOST_SOLVED_FREE = 6; // men beside pawns

/** What the fifty-move rule makes of the value, where it matters. */
function clockOf(answer) {
  const left = Math.max(0, FIFTY - Number(answer.fen.split(' ')[4]));
  if (left === FIFTY || answer.moves.length === 0) return [];
  const known = answer.outcome_within ?? (left === 0 ? answer.accrued : answer.outcome);
  const isShort = !answer.outcome_within && left > 0 && answer.dtg > left;
  if (isShort) return [`The fifty-move rule leaves ${inPlies(left)}: fewer than best play needs.`];
  if (known === answer.outcome) return [];
  return [`The fifty-move rule leaves ${inPlies(left)}: ${signed(known)}.`];
}

function wayOf(answer) {
  if (answer.moves.length === 0) return 'The game is over.';
  if (answer.outcome === answer.accrued) return 'Held for ever from here: it has accrued, and nobody can better it.';
  if (answer.dtg === null) {
    const mover = moverOf(answer.fen);
    const task = gainerOf(answer) === mover ? 'has to make progress' : 'only has to keep it';
    return `How far away it is, no table here says. ${mover} ${task}.`;
  }
  return `In ${inPlies(answer.dtg)} with best play.`;
}

/** The outcome in words, how far away it is, what the clock leaves, points and scores.
 *
 * `turn` is a button that lets the other side move, or empty.
 */
export function verdict(answer, turn) {
  const outcome = parseScore(answer.outcome);
  const points = pointsOf(outcome).map((each) => each.toFixed(4)).join('–');
  const isOver = answer.moves.length === 0;
  const hasDistances = isOver || answer.dtg !== null;
  const mover = isOver ? '' : make('b', {}, `${moverOf(answer.fen)} to move. `);
  return [
    make('p', {}, badge(answer.outcome, { kind: 'big' }), ' ', `${inWords(outcome, isOver)}.`),
    make('p', {}, mover, wayOf(answer), ' ', turn),
    hasDistances ? '' : distancesOf(answer),
    ...clockOf(answer).map((text) => make('p', {}, text)),
    factsOf(answer, points),
  ];
}

function distancesOf({ material }) {
  const { name } = canonical(material);
  return folded('Add the distances on your machine', wayOn(`This adds them; ${AGAIN}:`, `tbgen build ${name}`));
}

function factsOf({ accrued, own }, points) {
  const ownScore = own === accrued ? [', the position’s own score.'] : [', the position’s own score ', badge(own), '.'];
  return make('p', { class: 'facts' }, `Points ${points}. Accrued `, badge(accrued), ...ownScore);
}

/** The colour of a verdict's box. */
export const colorOf = (answer) => `var(${shadeOf(parseScore(answer.outcome))})`;

/** Where no table answers: what the position says itself, what answers elsewhere unless the value is proved, and what tables there are. */
export function unknown(answer, names, turn, { isProved = false } = {}) {
  const mover = make('b', {}, `${moverOf(answer.fen)} to move. `);
  const accrued = answer.own === answer.accrued ? ['.'] : [', and ', badge(answer.accrued), ' has accrued.'];
  return [
    make('p', {}, reasonOf(answer)),
    make('p', {}, mover, 'The position’s own score is ', badge(answer.own), ...accrued, ' ', turn),
    ...(isProved ? [] : waysOn(answer)),
    names.length ? make('details', {}, make('summary', {}, counted(names)), make('p', { class: 'small' }, names.join(', '))) : '',
  ];
}

const counted = (names) => `${names.length} ending${names.length === 1 ? ' is' : 's are'} here`;

/** Why no table answers. */
function reasonOf({ material, fen }) {
  const men = material.length - 1;
  if (men > MOST_PAIRS_MEN) return `Tables have at most six men; here are ${men}.`;
  if (hasCastling(fen)) return 'Tables know no castling rights.';
  return `No table of ${material} (${endingInWords(material).toLowerCase()}) is here.`;
}

const isBeyondSolving = (material) => material.replaceAll('P', '').length - 1 > MOST_SOLVED_FREE;
const hasCastling = (fen) => fen.split(' ')[2] !== '-';

/** What leads on: the same position without castling rights, or commands for a machine with tbgen. */
function waysOn({ material, table, fen, accrued, own }) {
  const men = material.length - 1;
  const position = accrued === own ? fen : `${fen} ${accrued}`;
  const side = moverOf(fen).toLowerCase();
  if (hasCastling(fen) && !isBeyondSolving(material)) return [withoutCastling(fen)];
  if (men <= MOST_TABLE_MEN) return [wayOn(`On your machine, this builds the table; ${AGAIN}:`, `tbgen build ${table}`)];
  const proof = `This looks for a proof that ${moverOf(fen)} does not lose, without tables:`;
  const hold = wayOn(proof, `tbgen hold "${position}" --side ${side}`);
  if (isBeyondSolving(material)) return [folded(SOLVE, hold)];
  const solve = wayOn('This solves the position alone, for tbgen serve to show; --plan says how long it takes:', `tbgen solve "${position}"`);
  if (men > MOST_PAIRS_MEN || !hasOpposedPair(parseFen(fen))) return [folded(SOLVE, solve, hold)];
  return [folded(SOLVE, solve, wayOn(`This builds the table of two pawns face to face; ${AGAIN}:`, `tbgen build ${table}${PAIRS} --outcomes`), hold)];
}

/** Commands that take many lines: on a telephone, which runs none, a touch shows them. */
function folded(title, ...ways) {
  const open = matchMedia('(min-width: 54rem)').matches;
  return make('details', { open }, make('summary', {}, title), ...ways);
}

function withoutCastling(fen) {
  const fields = fen.split(' ');
  fields[2] = '-';
  const href = addressOf({ fen: fields.join(' '), accrued: '' });
  return make('p', {}, make('a', { href }, 'Look at the position without them'));
}

/** A command for a machine with tbgen, with a button that copies it. */
function wayOn(words, command) {
  const said = make('span', { role: 'status' });
  const onclick = () => copy(command, said);
  const button = make('button', { type: 'button', class: 'link', 'aria-label': `Copy ${command}`, onclick }, 'Copy');
  return make('p', { class: 'small' }, `${words} `, make('code', {}, command), ' ', button, ' ', said);
}

/** What a solve has proved: the value, or the least and the greatest that it can be, and the moves that are best. */
export function solved({ lower, upper, exact, moves }) {
  const best = moves.filter((each) => each.best).map((each) => each.san).join(', ');
  const value = exact
    ? make('p', {}, badge(lower.outcome, { kind: 'big' }), ' ', `${inWords(parseScore(lower.outcome))}, with best play.`)
    : make('p', {}, 'With best play between ', badge(lower.outcome), ' and ', badge(upper.outcome), ': more is not proved.');
  return [value, best ? make('p', {}, `Proved to be best: ${best}.`) : ''];
}
