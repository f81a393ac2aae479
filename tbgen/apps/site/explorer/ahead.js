// What stands above the moves: how play goes on, and what follows a move that somebody points at.
import { bestPlay, whatFollows } from './why.js';

const MOST_UNASKED = 100; // plies of best play: they take a server 30 ms

/** What follows a move: the reply, and words. `site` has `probe` and `line`. */
export async function after(node, answer, uci, site) {
  const { known } = answer.moves.find((move) => move.uci === uci);
  const isInTable = answer.outcome || (known && !known.reply && !known.isSolved); // or it ends the game, and nothing follows
  if (isInTable) return whatFollows(node, uci, site);
  const { whatIsKnown } = await import('./known.js');
  return whatIsKnown(answer, uci);
}

/** Promises words on how play goes on; null if it leads to no other score, or is not to be told unasked.
 *
 * `site` has `isQuick`, too, and `tries(uci)`, which learns of the move to try where no distances are known.
 */
export function askAhead(node, answer, site) {
  const proved = answer.outcome === null && answer.moves.find((move) => move.best && move.known && !move.known.isSolved);
  if (proved) return () => afterProved(node, answer, proved, site);
  const leadsOn = answer.outcome !== null && answer.outcome !== answer.accrued;
  if (!leadsOn || !site.isQuick) return null;
  if (answer.dtg === null) return () => tryFrom(node, answer, site);
  return answer.dtg <= MOST_UNASKED ? () => bestPlay(node, site) : null;
}

/** A move that captures and promotions prove to be best, and what follows it. */
async function afterProved(node, answer, { uci, san }, site) {
  const { words } = await after(node, answer, uci, site);
  return [`${san}. `, ...words];
}

/** Without distances, the move to try is the one that is hardest to answer. */
async function tryFrom(node, answer, site) {
  const { hardestToAnswer } = await import('./keeping.js');
  const { uci, words } = await hardestToAnswer(node, answer, site);
  site.tries(answer, uci);
  return words;
}
