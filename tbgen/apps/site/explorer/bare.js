// What a position says without a table: its own score, and its moves with the scores that they reach.
import { accruedOf } from './accrued.js';
import { canonical, materialOf } from './materials.js';
import { accruedAfter, isReset, legalMoves, ownOf, play, sanOf, uciOf } from './rules.js';
import { formatScore } from './scores.js';

/** An answer without an outcome, and the name of the table that would have it. */
export function bareAnswer(position, place) {
  const material = materialOf(position);
  const accrued = accruedOf(place);
  return {
    fen: place.fen,
    material,
    table: canonical(material).name,
    own: formatScore(ownOf(position)),
    accrued: formatScore(accrued),
    outcome: null,
    moves: legalMoves(position).map((move) => bareMove(position, move, accrued)),
    strip: [],
  };
}

function bareMove(position, move, accrued) {
  const reset = isReset(position, move);
  const reached = accruedAfter(play(position, move), reset, accrued);
  return { uci: uciOf(move), san: sanOf(position, move), reset, accrued: formatScore(reached), known: null };
}
