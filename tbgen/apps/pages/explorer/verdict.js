// What is said of a position: of one that a table has its value, of another why there is none, what leads on, and what is proved. Words of scores: scores.js.
import { PAIRS, canonical, endingInWords, hasCastling, hasOpposedPair, parseFen } from './chess.js';
import { badge, make, moverOf, waiterOf, wayOn } from './elements.js';
import { addressOf, lichessOf } from './game.js';
import { gainerOf, inPlies, inWords, parseScore, pointsOf, shadeOf, signed } from './scores.js';

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

/** The verdict in short, for the page's title. */
export function titleOf({ outcome, moves, material }) {
  const words = inWords(parseScore(outcome), moves.length === 0);
  return `${signed(outcome)}: ${words} · ${material}`;
}

/** The colour of a verdict's box. */
export const colorOf = (answer) => `var(${shadeOf(parseScore(answer.outcome))})`;

// Without a table.

const SOLVE = 'Solve it with tbgen';
const MOST_TABLE_MEN = 5;
const MOST_PAIRS_MEN = 6;
const MOST_LICHESS_MEN = 7;
const MOST_SOLVED_FREE = 6; // men beside pawns

/** Why no table answers, what the position says itself, what leads on unless the value is proved, and what tables there are. */
export function unknown(answer, names, turn, { isProved = false } = {}) {
  const mover = make('b', {}, `${moverOf(answer.fen)} to move. `);
  const accrued = answer.own === answer.accrued ? ['.'] : [', and ', badge(answer.accrued), ' has accrued.'];
  return [
    make('p', {}, reasonOf(answer)),
    make('p', {}, mover, 'The position’s own score is ', badge(answer.own), ...accrued, ' ', turn),
    ...(isProved ? [] : [inOrdinaryChess(answer), ...commandsFor(answer)]),
    hasCastling(answer.fen) && !isBeyondSolving(answer) ? withoutCastling(answer) : '',
    names.length ? make('details', {}, make('summary', {}, counted(names)), make('p', { class: 'small' }, names.join(', '))) : '',
  ];
}

const counted = (names) => `${names.length} ending${names.length === 1 ? ' is' : 's are'} here`;

const menOf = (material) => material.length - 1;
const isBeyondSolving = ({ material }) => menOf(material.replaceAll('P', '')) > MOST_SOLVED_FREE;

/** Why no table answers. */
function reasonOf({ material, fen }) {
  const men = menOf(material);
  if (men > MOST_PAIRS_MEN) return `Tables have at most six men; this position has ${men}.`;
  if (hasCastling(fen)) return 'Tables know no castling rights.';
  return `No table of ${material} (${endingInWords(material).toLowerCase()}) is here.`;
}

/** Where ordinary chess's answer is, and what it says of this game. */
function inOrdinaryChess({ material, fen, moves }) {
  if (!moves.length) return '';
  const hasTables = menOf(material) <= MOST_LICHESS_MEN && !hasCastling(fen);
  const [words, meaning] = hasTables
    ? ['Ask lichess’s tables', ': a win there is a forced mate here; a draw there means that nobody forces mate.']
    : ['Analyse it at lichess', ': a forced mate there is one here.'];
  const href = hasTables ? `${lichessOf({ fen })}#explorer` : lichessOf({ fen }); // which opens the tables
  const link = make('a', { href, target: '_blank', rel: 'noopener noreferrer' }, words);
  return make('p', {}, 'Ordinary chess: ', link, meaning);
}

/** Commands for a machine with tbgen. They solve no position with castling rights. */
function commandsFor(answer) {
  const { material, table, fen, accrued, own } = answer;
  if (hasCastling(fen) && !isBeyondSolving(answer)) return [];
  const men = menOf(material);
  if (men <= MOST_TABLE_MEN) return [wayOn(`With tbgen, this builds the table; ${AGAIN}:`, `tbgen build ${table}`)];
  const position = accrued === own ? fen : `${fen} ${accrued}`;
  const side = moverOf(fen);
  const proof = `This looks for a proof that ${side} does not lose, without tables:`;
  const hold = wayOn(proof, `tbgen hold "${position}" --side ${side.toLowerCase()}`);
  if (isBeyondSolving(answer)) return [folded(SOLVE, hold)];
  const solve = wayOn('This solves this one position, and tbgen serve shows the result; with --plan it only says how long that takes:', `tbgen solve "${position}"`);
  if (men > MOST_PAIRS_MEN || !hasOpposedPair(parseFen(fen))) return [folded(SOLVE, solve, hold)];
  const build = wayOn(`This builds the table of two pawns face to face; ${AGAIN}:`, `tbgen build ${table}${PAIRS} --outcomes`);
  return [folded(SOLVE, solve, build, hold)];
}

function withoutCastling({ fen }) {
  const fields = fen.split(' ');
  fields[2] = '-';
  const href = addressOf({ fen: fields.join(' '), accrued: '' });
  return make('p', {}, make('a', { href }, 'Look at the position without castling rights'));
}

/** What a solve has proved: the value, or the least and the greatest that it can be, and the moves that are best. */
export function solved({ lower, upper, exact, moves }) {
  const best = moves.filter((each) => each.best).map((each) => each.san).join(', ');
  const value = exact
    ? make('p', {}, badge(lower.outcome, { kind: 'big' }), ' ', `${inWords(parseScore(lower.outcome))}, with best play.`)
    : make('p', {}, 'With best play between ', badge(lower.outcome), ' and ', badge(upper.outcome), ': more is not proved.');
  return [value, best ? make('p', {}, `Proved to be best: ${best}.`) : ''];
}

// What moves and replies prove.

/** What the moves prove of a position, in words; nothing if they prove nothing. */
export function provedByMoves({ fen, moves, bounds, losing }) {
  const { least, most, best, isBounded, isProved } = bounds;
  if (!moves.length) return [make('p', {}, badge(least, { kind: 'big' }), ` ${inWords(parseScore(least), true)}.`)];
  const shown = isProved && best ? moves.find((move) => move.best).san : best;
  const leading = hasCastling(fen) ? 'moves into tables' : 'captures and promotions';
  const way = `what ${leading} lead to${shown && `: ${shown}`}`;
  if (isProved) {
    const value = [badge(least, { kind: 'big' }), ' ', `${inWords(parseScore(least))}, with best play.`];
    return [make('p', {}, ...value), make('p', {}, `Proved by ${way}.`)];
  }
  const parts = [];
  if (best) parts.push(' at least ', badge(least), isBounded ? ' and' : '');
  if (isBounded) parts.push(' at most ', badge(most));
  const proved = parts.length ? [make('p', {}, `${moverOf(fen)} gets`, ...parts, `, by ${way}.`)] : [];
  return losing ? [...proved, make('p', {}, losing)] : proved;
}

/** What is known to follow a move that leads to no table: the reply that does, and words. */
export function whatIsKnown({ fen, moves }, uci) {
  const { known } = moves.find((move) => move.uci === uci);
  if (!known) return { reply: null, words: ['No table knows what follows.'] };
  const { outcome, reply, isExact, isLeast } = known;
  const value = [badge(outcome), ` ${inWords(parseScore(outcome))}.`];
  if (!reply) return { reply: null, words: ['Solved: ', isExact ? '' : `at ${isLeast ? 'least' : 'most'} `, ...value] };
  return { reply: reply.uci, words: [`${waiterOf(fen)} ${isExact ? 'replies' : 'can reply'} ${reply.san}: `, ...value] };
}

// Commands for a machine with tbgen.

/** What shows a new table: a server lists its tables when it starts, a folder of files when it is written. */
const AGAIN = document.documentElement.dataset.source === 'server'
  ? 'then start tbgen serve again'
  : 'then write these pages again with tbgen site --explorer';

/** Commands that take many lines: where they would push the moves out of sight, a touch shows them. */
function folded(title, ...ways) {
  const open = matchMedia('(min-width: 54rem) and (min-height: 50rem)').matches;
  return make('details', { open }, make('summary', {}, title), ...ways);
}
