// What is said of a position that a table has.
import { badge, moverOf } from './badge.js';
import { make } from './elements.js';
import { canonical } from './materials.js';
import { gainerOf, inPlies, inWords, parseScore, pointsOf, shadeOf, signed } from './scores.js';
import { AGAIN, folded, wayOn } from './ways.js';

const FIFTY = 100; // plies

/** What the fifty-move rule makes of the value, where it matters. */
function clockOf(answer) {
  const left = Math.max(0, FIFTY - Number(answer.fen.split(' ')[4]));
  if (left === FIFTY || answer.moves.length === 0) return [];
  const known = answer.outcome_within ?? (left === 0 ? answer.accrued : answer.outcome);
  const isShort = !answer.outcome_within && left > 0 && answer.dtg > left;
  if (isShort) return [`The fifty-move rule leaves ${inPlies(left)}: fewer than best play needs.`];
  if (known === answer.outcome) return [];
  if (left === 0) return [`The fifty-move rule ends the game here, with ${signed(known)}.`];
  return [`The fifty-move rule leaves ${inPlies(left)}: within them, best play comes to ${signed(known)}.`];
}

function wayOf(answer) {
  if (answer.moves.length === 0) return 'The game is over.';
  if (answer.outcome === answer.accrued) return 'Held for ever from here: it has accrued, and nobody can better it.';
  if (answer.dtg === null) {
    return `No table here says how far away it is. ${gainerOf(answer)} has to make progress.`;
  }
  return `In ${inPlies(answer.dtg)} with best play.`;
}

/** The outcome in words, how far away it is, what the clock leaves, points and scores.
 *
 * `turn` is a button that lets the other side move, or empty.
 */
export function verdict(answer, turn) {
  const outcome = parseScore(answer.outcome);
  const [white, black] = pointsOf(outcome).map((each) => each.toFixed(4));
  const isOver = answer.moves.length === 0;
  const hasDistances = isOver || answer.dtg !== null;
  const mover = isOver ? '' : make('b', {}, `${moverOf(answer.fen)} to move. `);
  return [
    make('p', {}, badge(answer.outcome, { kind: 'big' }), ' ', `${inWords(outcome, isOver)}.`),
    make('p', {}, mover, wayOf(answer), ' ', turn),
    hasDistances ? '' : distancesOf(answer),
    ...clockOf(answer).map((text) => make('p', {}, text)),
    factsOf(answer, `White ${white}, Black ${black}`),
  ];
}

function distancesOf({ material }) {
  const { name } = canonical(material);
  return folded('Add the distances with tbgen', wayOn(`This adds them; ${AGAIN}:`, `tbgen build ${name}`));
}

function factsOf({ accrued, own }, points) {
  const ownScore = own === accrued ? [', the position’s own score.'] : [', the position’s own score ', badge(own), '.'];
  return make('p', { class: 'facts' }, `Points: ${points}. Accrued `, badge(accrued), ...ownScore);
}

/** The colour of a verdict's box. */
export const colorOf = (answer) => `var(${shadeOf(parseScore(answer.outcome))})`;
