// Scores and outcomes: signed numbers, +(code + 1) for White and -(code + 1) for Black, as files have them.

const SCORE = /^([-+−]|m(?=[Gg]))?([Gg])?(0|[1-9]\d{0,2})(?:\.([05]))?$/; // as tbgen/score.py has it

/** The signed number that a text such as "G3.5" or "-G3.5" writes; an Error if it writes none. */
export function parseScore(text) {
  const [found, sign = '+', letter, moves, half] = SCORE.exec(text.trim()) ?? [];
  if (!found || (!letter && !half)) throw Error(`${text} is no score; write G3.5 for White or -G3.5 for Black`);
  const code = 2 * Number(moves) + (half === '5' ? 1 : 0);
  return sign === '+' ? code + 1 : -(code + 1);
}

export const codeOf = (score) => Math.abs(score) - 1;

/** How a score is written. */
export function formatScore(score) {
  const code = codeOf(score);
  return `${score < 0 ? '-' : ''}G${Math.floor(code / 2)}.${code % 2 ? 5 : 0}`;
}

/** A number that is the greater, the better the score is for White. */
export const worth = (score) => Math.sign(score) * (3000 - Math.abs(score));

/** The side that has to make progress: the outcome is better for it than what has accrued. Empty where that is held. */
export function gainerOf({ outcome, accrued }) {
  if (outcome === accrued) return '';
  return worth(parseScore(outcome)) > worth(parseScore(accrued)) ? 'White' : 'Black';
}

/** How a score is shown: with a minus sign, which a hyphen is not. */
export const signed = (text) => text.replace('-', '−');

const sidesOf = (score) => (score > 0 ? ['White', 'Black'] : ['Black', 'White']);
const inMoves = (number) => `${number} legal move${number === 1 ? '' : 's'}`;

/** What an outcome says, without its full stop; a game that is over is told as what has happened. */
export function inWords(score, isOver = false) {
  const [holder, other] = sidesOf(score);
  const code = codeOf(score);
  const end = ['checkmate', 'stalemate'][code];
  if (end) return isOver ? `${end[0].toUpperCase()}${end.slice(1)} by ${holder}` : `${holder} forces ${end}`;
  return `${holder} holds ${other} to ${inMoves(code >> 1)}${code % 2 ? '' : ', in check'}`;
}

/** What a move of a side gives away that leads from one outcome to a worse one, in the words of `tbgen probe`. */
export function givenAway(before, after, mover) {
  const other = mover === 'White' ? 'Black' : 'White';
  const [holder] = sidesOf(before);
  if (holder !== mover) return `${other} more`;
  return sidesOf(after)[0] === mover ? 'away part of it' : `the score to ${other}`;
}

/** What a G means, for somebody who has never seen one. */
export function explained(score) {
  const [holder, other] = sidesOf(score);
  const code = codeOf(score);
  const counted = [`${other} is checkmated`, `${other} is stalemated`][code] ?? `${other} has ${inMoves(code >> 1)}`;
  let half = code % 2 ? ', and half a move more for not being in check' : ' and is in check';
  if (code === 0) half = '';
  return `${holder}’s score: ${counted}${half}. The lower, the better for ${holder}.`;
}

/** A distance, which is null where only outcomes are known. */
export const inPlies = (number) => `${number ?? 'some'} ${number === 1 ? 'ply' : 'plies'}`;

const SHADE_FROM = [0, 1, 2, 4, 6, 8, 12, 18]; // as tbgen/apps/pages/palette.py has them

/** The name of an outcome's colour. */
export function shadeOf(score) {
  const number = SHADE_FROM.filter((code) => code <= codeOf(score)).length - 1;
  return `--${score > 0 ? 'w' : 'b'}${number}`;
}

/** White's and Black's points under the exponential scheme. */
export function pointsOf(score) {
  const holders = 0.5 + 0.5 ** (1 + codeOf(score));
  return score > 0 ? [holders, 1 - holders] : [1 - holders, holders];
}
