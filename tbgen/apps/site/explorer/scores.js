// Scores and outcomes: signed numbers, +(code + 1) for White and -(code + 1) for Black, as files have them.

/** The signed number that a text such as "G3.5" or "-G3.5" writes; null if it writes none. */
export function parseScore(text) {
  const found = /^([-m−]?)g?(\d{1,3})(?:[.,]([05]))?$/i.exec(text.trim());
  if (!found) return null;
  const code = 2 * Number(found[2]) + (found[3] === '5' ? 1 : 0);
  return found[1] ? -(code + 1) : code + 1;
}

export const codeOf = (score) => Math.abs(score) - 1;

/** How a score is written. */
export const formatScore = (score) => `${score < 0 ? '-' : ''}G${Math.floor(codeOf(score) / 2)}.${codeOf(score) % 2 ? 5 : 0}`;

/** A number that is the greater, the better the score is for White. */
export const worth = (score) => Math.sign(score) * (3000 - Math.abs(score));

/** What an outcome says, without its full stop; `can` is for what play leads to, else it has happened. */
export function inWords(score) {
  const [holder, other] = score > 0 ? ['White', 'Black'] : ['Black', 'White'];
  const code = codeOf(score), moves = code >> 1;
  if (code === 0) return `${holder} forces checkmate`;
  if (code === 1) return `${holder} forces stalemate`;
  return `${holder} holds ${other} to ${moves} legal move${moves === 1 ? '' : 's'}${code % 2 ? '' : ', in check'}`;
}

/** A distance, which is null where only outcomes are known. */
export const inPlies = (number) => `${number ?? 'some'} ${number === 1 ? 'ply' : 'plies'}`;

const SHADE_FROM = [0, 1, 2, 4, 6, 8, 12, 18]; // as tbgen/apps/site/report/palette.py has them

/** The name of an outcome's colour. */
export const shadeOf = (score) => `--${score > 0 ? 'w' : 'b'}${SHADE_FROM.filter((code) => code <= codeOf(score)).length - 1}`;

/** White's and Black's points under the exponential scheme. */
export function pointsOf(score) {
  const holders = 0.5 + 0.5 ** (1 + codeOf(score));
  return score > 0 ? [holders, 1 - holders] : [1 - holders, holders];
}
