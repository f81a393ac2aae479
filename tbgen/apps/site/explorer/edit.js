// Positions with their men moved or exchanged all at once.

/** The men, each square's place by `to`, without rights to castle; null if a man would leave the board. */
function rearranged(position, to, change = (man) => man) {
  const after = { ...position, board: Array(64).fill(null), castling: '-', ep: -1 };
  for (const [square, man] of position.board.entries()) {
    if (man === null) continue;
    const target = to(square);
    if (target < 0) return null;
    after.board[target] = change(man);
  }
  return after;
}

export const mirrored = (position) => rearranged(position, (square) => square ^ 7);

/** All men one square on: by 1 or -1 along the rank, by 8 or -8 along the file. */
export function shifted(position, by) {
  return rearranged(position, (square) => {
    const x = (square & 7) + (Math.abs(by) === 1 ? by : 0);
    const y = (square >> 3) + (Math.abs(by) === 8 ? by / 8 : 0);
    return x >= 0 && x < 8 && y >= 0 && y < 8 ? 8 * y + x : -1;
  });
}

/** Colours exchanged, the board upside down. */
export function swapped(position) {
  const exchanged = (man) => (man < 'a' ? man.toLowerCase() : man.toUpperCase());
  const after = rearranged(position, (square) => square ^ 56, exchanged);
  return { ...after, turn: position.turn === 'w' ? 'b' : 'w' };
}

/** The same score of the other side. */
export function flipped(accrued) {
  if (!accrued) return '';
  return accrued.startsWith('-') ? accrued.slice(1) : `-${accrued}`;
}
