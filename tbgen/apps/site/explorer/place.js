// Places: a position with the score that has accrued, written in one way only. Links and FENs then say the same to everybody.
import { brokenRule, parseFen, positionOf, scoresOf } from './chess.js';
import { codeOf, formatScore, parseScore, signed } from './scores.js';
import { makeFen } from './vendor/chessops.js';

/** The place that a FEN and a score name; an Error says what is wrong with them.
 *
 * `accrued` is empty if the position's own score counts. `note` tells what was ignored or changed: a FEN's seventh field
 * (`isField`) means nothing with a halfmove clock of 0, because a capture or a pawn move has just erased the old score.
 * A score that somebody chose for such a position sets the clock to 1.
 */
export function placeOf({ fen, accrued = '', isField = false }) {
  const setup = parseFen(fen);
  const written = makeFen(setup);
  if (!accrued) return { fen: written, accrued: '', note: '' };
  const score = parseScore(accrued);
  if (score === null) throw Error(`${accrued} is no score; write G3.5 for White or -G3.5 for Black`);
  if (brokenRule(setup)) return { fen: written, accrued: '', note: '' };
  const text = signed(formatScore(score));
  const { own, fault } = scoresOf(positionOf(setup), formatScore(score));
  if (score === own) return { fen: written, accrued: '', note: '' };
  if (isField && setup.halfmoves === 0) {
    return { fen: written, accrued: '', note: `${text} is ignored: with a halfmove clock of 0, the position’s own score counts.` };
  }
  if (fault) throw Error(signed(fault.slice(0, -1)));
  if (codeOf(own) < codeOf(score)) {
    return { fen: written, accrued: '', note: `${text} is ignored: the position’s own score ${signed(formatScore(own))} is lower.` };
  }
  if (setup.halfmoves > 0) return { fen: written, accrued: formatScore(score), note: '' };
  const later = makeFen({ ...setup, halfmoves: 1 });
  return { fen: later, accrued: formatScore(score), note: 'The halfmove clock is 1 now: with 0, no other score can have accrued.' };
}

/** The same; a score that cannot have accrued is ignored, and the note says why. */
export function placeAnyhow(given) {
  try {
    return placeOf(given);
  } catch (error) {
    return { ...placeOf({ fen: given.fen }), note: `${error.message}. It is ignored.` };
  }
}
