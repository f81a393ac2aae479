// What is known of a position that no table has: its own score, its moves with the scores that they reach, ends of the game, and
// tables that captures, promotions and moves that end the right to castle lead to.
import { accruedAfter, accruedOf, canonical, fenOf, isReset, legalMoves, materialOf, ownOf, play, sanOf, turnIn } from './chess.js';
import { codeOf, formatScore, parseScore, worth } from './scores.js';
import { makeUci } from './vendor/chessops.js';

/** An answer without an outcome, and the name of the table that would have it.
 *
 * Moves that leave the opponent the fewest replies come first, for these count in the game.
 */
export function bareAnswer(position, place) {
  const material = materialOf(position);
  const accrued = accruedOf(place);
  const moves = legalMoves(position).map((move) => bareMove(position, move, accrued));
  moves.sort((one, other) => one.ownCode - other.ownCode || (one.uci < other.uci ? -1 : 1));
  return {
    fen: place.fen,
    material,
    table: canonical(material).name,
    own: formatScore(ownOf(position)),
    accrued: formatScore(accrued),
    outcome: null,
    moves,
    strip: [],
  };
}

function bareMove(position, move, accrued) {
  const reset = isReset(position, move);
  const after = play(position, move);
  return {
    uci: makeUci(move),
    san: sanOf(position, move),
    reset,
    ownCode: codeOf(ownOf(after)),
    accrued: formatScore(accruedAfter(after, reset, accrued)),
    known: null,
  };
}

// What moves and replies lead to.

const LEAST_CODE = 2; // a lower score is a mate or a stalemate
const ANYTHING = 10_000; // more than any outcome is worth
const MOST_NAMED = 3; // moves
const UNKNOWN_PLIES = 1e6; // more than any line has
const MATE_BY = { white: 'G0.0', black: '-G0.0' };
const MATE_OF = { white: '-G0.0', black: 'G0.0' };

/** The answer with what is `known` of each move, with the `bounds` that this proves, and which moves are `losing`, in words.
 *
 * `known` is null, or has an `outcome`: with `isExact` that of the move, else the best that the move can come to.
 * A `reply` leads to it, unless the move itself does. With `isSolved`, a solve has proved it; with `isLeast`, the
 * mover gets it for certain, and perhaps more.
 * `plies` says how far the move is from it, null where that is not known.
 * `isHere` says whether a table has a position, `outcomes` asks for the outcomes of FENs with accrued scores.
 */
export async function withKnown(answer, position, { isHere, outcomes }) {
  const accrued = parseScore(answer.accrued);
  const ahead = legalMoves(position).map((move) => lookAhead(position, move, accrued, isHere));
  const ends = ahead.flatMap(({ end, replies }) => [end, ...replies.map((reply) => reply.end)]);
  await fillIn(ends.filter((end) => end && !end.outcome), outcomes);
  const { turn } = position;
  const known = new Map(ahead.map((seen) => [seen.uci, knownOf(seen, turn)]));
  const moves = answer.moves.map((move) => ({ ...move, known: known.get(move.uci) }));
  moves.sort((one, other) => mostOf(other, turn) - mostOf(one, turn));
  const bounds = moves.length ? boundsOf(moves, turn) : { least: answer.own, most: answer.own, best: '', isBounded: true, isProved: true };
  const losing = losingMoves(moves, turn);
  return { ...answer, bounds, losing, moves: bounds.isProved ? withBest(moves, bounds.most, turn) : moves };
}

/** The same answer with what a solve has proved of its moves. */
export function withSolved(answer, solved) {
  const proved = new Map(solved.map((move) => [move.uci, move]));
  const turn = turnIn(answer.fen);
  const moves = answer.moves.map((move) => {
    const bracket = proved.get(move.uci);
    const known = bracket?.exact ? solvedAs(bracket.lower, { isExact: true }) : move.known ?? boundIn(bracket, turn);
    return { ...move, known, best: bracket?.best ?? false };
  });
  moves.sort((one, other) => other.best - one.best || mostOf(other, turn) - mostOf(one, turn));
  return { ...answer, moves };
}

const solvedAs = ({ outcome }, what) => ({ outcome, plies: null, reply: null, isExact: false, isSolved: true, ...what });

/** The bound of a move that says more: the least that the mover gets, else the most; null if neither says anything. */
function boundIn(bracket, turn) {
  if (!bracket) return null;
  const [least, most] = turn === 'white' ? [bracket.lower, bracket.upper] : [bracket.upper, bracket.lower];
  if (least.outcome !== MATE_OF[turn]) return solvedAs(least, { isLeast: true });
  return most.outcome === MATE_BY[turn] ? null : solvedAs(most);
}

/** A move with its end, or without one the replies with theirs. */
function lookAhead(position, move, accrued, isHere) {
  const after = play(position, move);
  const reached = accruedAfter(after, isReset(position, move), accrued);
  const end = endOf(after, reached, isHere);
  return { uci: makeUci(move), end, replies: end ? [] : repliesOf(after, reached, isHere) };
}

/** How the game ends in a position, or the FEN by which a table has it; null for other positions. */
function endOf(position, accrued, isHere) {
  const own = ownOf(position);
  if (codeOf(own) < LEAST_CODE) return { outcome: formatScore(own), plies: 1 };
  return isHere(position) ? { fen: `${fenOf(position)} ${formatScore(accrued)}`, outcome: null, plies: null } : null;
}

function repliesOf(position, accrued, isHere) {
  return legalMoves(position).map((move) => {
    const after = play(position, move);
    const end = endOf(after, accruedAfter(after, isReset(position, move), accrued), isHere);
    return { uci: makeUci(move), san: sanOf(position, move), end };
  });
}

/** Ask the tables for the outcomes of ends, and how many plies away they are. */
async function fillIn(ends, outcomes) {
  if (!ends.length) return;
  const answers = await outcomes(ends.map((end) => end.fen));
  ends.forEach((end, place) => {
    const { outcome = null, dtg = null } = answers[place] ?? {};
    end.outcome = outcome;
    end.plies = dtg ? dtg + 1 : null; // with the move that leads there
  });
}

/** What is known of a move. If all replies are known, the worst one tells what the move comes to, else the most that it can. */
function knownOf({ end, replies }, turn) {
  if (end) return end.outcome ? { outcome: end.outcome, plies: end.plies, reply: null, isExact: true } : null;
  const answered = replies.filter((reply) => reply.end?.outcome);
  if (!answered.length) return null;
  answered.sort((one, other) => byChoice(one.end, other.end, turn));
  const [reply] = answered;
  const { outcome, plies } = reply.end;
  const isExact = answered.length === replies.length || outcome === MATE_OF[turn]; // nothing is worse than that
  const isBound = outcome !== MATE_BY[turn]; // nothing is better than that
  if (!isExact && !isBound) return null;
  const distance = isBound || plies === null ? null : plies + 1; // with the move that is replied to
  return { outcome, plies: distance, reply, isExact };
}

/** Which of two replies the side that waits for `turn` rather makes, as a number to sort by.
 *
 * It is the reply that is worth least to `turn`. Of equal ones, the waiting side mates by the quickest, and else plays the
 * longest. A reply whose distance is not known counts as the longest.
 */
function byChoice(one, other, turn) {
  if (one.outcome !== other.outcome) return worthTo(turn, one.outcome) - worthTo(turn, other.outcome);
  const later = (one.plies ?? UNKNOWN_PLIES) - (other.plies ?? UNKNOWN_PLIES);
  return one.outcome === MATE_OF[turn] ? later : -later;
}

/** A number that is the greater, the better an outcome is for a side. */
const worthTo = (turn, outcome) => (turn === 'white' ? 1 : -1) * worth(parseScore(outcome));

/** The most that a move can be worth; one of which no such bound is known may come to anything. */
const mostOf = ({ known }, turn) => (known && !known.isLeast ? worthTo(turn, known.outcome) : ANYTHING);

/** The least and the most that the side to move gets, as far as its moves prove it, and the move that gets the least for certain.
 *
 * The moves stand in the order of the most that they can be worth.
 */
function boundsOf(moves, turn) {
  const certain = moves.find((move) => move.known?.isExact);
  const isBounded = moves.length > 0 && moves.every((move) => move.known);
  const least = certain?.known.outcome ?? MATE_OF[turn];
  const most = isBounded ? moves[0].known.outcome : MATE_BY[turn];
  const best = least === MATE_OF[turn] ? '' : certain.san; // a loss is certain with any move
  return { least, most, best, isBounded, isProved: least === most };
}

/** Moves that certainly come to the proved value are best, and come first; of those that mate the quickest. */
function withBest(moves, value, turn) {
  const proved = moves.filter(({ known }) => known?.isExact && known.outcome === value);
  const distances = proved.map(({ known }) => known.plies);
  const isTimed = value === MATE_BY[turn] && !distances.includes(null);
  const quickest = Math.min(...distances);
  const marked = moves.map((move) => ({ ...move, best: proved.includes(move) && (!isTimed || move.known.plies === quickest) }));
  return marked.sort((one, other) => other.best - one.best);
}

/** Which moves lose by mate, in words; empty if none is known to, or all are. */
function losingMoves(moves, turn) {
  const isLost = ({ known }) => known?.outcome === MATE_OF[turn];
  const lost = moves.filter(isLost);
  const others = moves.filter((move) => !isLost(move));
  if (!lost.length || !others.length) return '';
  if (others.length <= MOST_NAMED && others.length < lost.length) return `All moves but ${named(others)} lose by mate.`;
  if (lost.length <= MOST_NAMED) return `${named(lost)} ${lost.length === 1 ? 'loses' : 'lose'} by mate.`;
  return `${lost.length} of ${moves.length} moves lose by mate.`;
}

const named = (moves) => new Intl.ListFormat('en-GB').format(moves.map((move) => move.san));
