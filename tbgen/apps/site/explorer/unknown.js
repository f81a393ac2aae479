// What is said of a position that no table has: why, what leads on, and what a solve has proved.
import { badge, moverOf } from './badge.js';
import { hasCastling, parseFen } from './chess.js';
import { make } from './elements.js';
import { howLong } from './howlong.js';
import { PAIRS, endingInWords, hasOpposedPair } from './materials.js';
import { inWords, parseScore } from './scores.js';
import { addressOf, lichessOf } from './share.js';
import { AGAIN, folded, wayOn } from './ways.js';

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
  const figures = make('p', { class: 'small' }, howLong(material));
  if (men > MOST_PAIRS_MEN || !hasOpposedPair(parseFen(fen))) return [folded(SOLVE, solve, figures, hold)];
  const build = wayOn(`This builds the table of two pawns face to face; ${AGAIN}:`, `tbgen build ${table}${PAIRS} --outcomes`);
  return [folded(SOLVE, solve, figures, build, hold)];
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
