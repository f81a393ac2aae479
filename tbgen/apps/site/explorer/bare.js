// What a position says without a table: its own score, and its moves with the scores that they reach.
import { accruedAfter, accruedOf, isReset, legalMoves, ownOf, play, sanOf } from './chess.js';
import { canonical, materialOf } from './materials.js';
import { codeOf, formatScore } from './scores.js';
import { makeUci } from './vendor/chessops.js';

/** An answer without an outcome, and the name of the table that would have it.
 *
 * Moves that leave the opponent the fewest replies come first, for these count in the game.
 */
export function bareAnswer(position, place) {
  const material = materialOf(position);
  const accrued = accruedOf(place);
  const moves = legalMoves(position).map((move) => bareMove(position, move, accrued));
  moves.sort((one, other) => one.ownCode - other.ownCode);
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
