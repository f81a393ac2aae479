// Places: a position with the score that has accrued, written in one way only, as addresses, links and FENs have it.
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

// Addresses and links.

const ENDING = /^K[QRBNP]{0,3}vK[QRBNP]{0,3}(\.pairs)?$/;
const MEN = /(?<![a-z\d])(?:[\dkqrbnp]+\/){7}[\dkqrbnp]+/i;

export function addressOf({ fen, accrued }) {
  const position = `?fen=${encodeURI(fen.replaceAll(' ', '_'))}`;
  const score = accrued ? `&accrued=${encodeURIComponent(accrued)}` : '';
  return position + score;
}

/** The position in the page's own address; without one, a famous one. */
export function inAddress([fen, accrued]) {
  return location.search.includes('fen=') ? fromQuery(location.search) : { fen, accrued };
}

/** The ending that the address asks a position of, as `?ending=KRvKB`; null if it asks for none. */
export function endingInAddress() {
  const name = new URLSearchParams(location.search).get('ending') ?? '';
  return ENDING.test(name) ? name : null;
}

function fromQuery(query) {
  const given = new URLSearchParams(query);
  const there = positionIn(given.get('fen') ?? '');
  return given.has('accrued') ? { fen: there.fen, accrued: given.get('accrued') } : there;
}

/** The position that a text writes: a FEN with what may follow it, or a link that has one.
 *
 * `isField` tells that the accrued score is the FEN's own seventh field.
 */
export function positionIn(text) {
  const query = /\?\S*\bfen=\S*/.exec(text);
  if (query) return fromQuery(query[0]);
  let words = text.trim();
  if (words.includes('://')) words = decodeURIComponent(words.replace(/[?#].*/, ''));
  const men = MEN.exec(words);
  const fields = (men ? words.slice(men.index) : words).split(/[\s_]+/).filter(Boolean);
  return { fen: fields.slice(0, 6).join(' '), accrued: fields[6] ?? '', isField: true };
}

/** The same position on the analysis board of lichess. */
export const lichessOf = ({ fen }) => `https://lichess.org/analysis/standard/${encodeURI(fen.replaceAll(' ', '_'))}`;
