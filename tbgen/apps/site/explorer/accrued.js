// The score that has accrued: which one counts in a position, and which ones no game can carry into it.
import { ownOf, parseFen } from './rules.js';
import { codeOf, parseScore } from './scores.js';

const MOST_KING_CODE = 17; // a bare king has at most 8 moves

/** A position's own score, the one that counts, and why a score that is said to have accrued cannot have. */
export function scoresOf(position, accrued) {
  const own = ownOf(position);
  const given = (accrued && parseScore(accrued)) || own;
  const why = given === own ? null : whyImpossible(position, given);
  return {
    own,
    accrued: codeOf(own) < codeOf(given) ? own : given,
    fault: why && `Impossible accrued score ${accrued}: ${why}.`,
  };
}

/** The score that counts in a position: the one that has accrued, or its own. */
export const accruedOf = ({ fen, accrued }) => scoresOf(parseFen(fen), accrued).accrued;

/** Why no game can carry a score into a position; null if one can. */
export function whyImpossible({ board }, accrued) {
  if (codeOf(accrued) < 2) return 'the game would have ended before this position';
  const men = {
    white: board.filter((man) => man !== null && man < 'a').length,
    black: board.filter((man) => man !== null && man > 'a').length,
  };
  const [holder, other] = accrued > 0 ? ['white', 'black'] : ['black', 'white'];
  if (men[holder] === 1 && codeOf(accrued) % 2 === 0) return 'a king alone gives no check';
  if (men[other] === 1 && codeOf(accrued) > MOST_KING_CODE) return 'a king alone has at most 8 moves';
  return null;
}
