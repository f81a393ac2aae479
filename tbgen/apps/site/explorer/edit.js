// Setups with their men moved or exchanged all at once.
import { SquareSet, flipHorizontal, flipVertical, opposite, shiftDown, shiftLeft, shiftRight, shiftUp, transformBoard } from './vendor/chessops.js';

const SHIFTS = {
  left: [shiftLeft, SquareSet.fromFile(0)],
  right: [shiftRight, SquareSet.fromFile(7)],
  up: [shiftUp, SquareSet.fromRank(7)],
  down: [shiftDown, SquareSet.fromRank(0)],
}; // how squares go, and from which a man would leave the board

/** A setup with other men; rights to castle and to take en passant are gone. */
const withMen = (setup, board) => ({ ...setup, board, castlingRights: SquareSet.empty(), epSquare: undefined });

export const mirrored = (setup) => withMen(setup, transformBoard(setup.board, flipHorizontal));

/** All men one square on; null if a man would leave the board. */
export function shifted(setup, way) {
  const [shift, edge] = SHIFTS[way];
  return setup.board.occupied.intersects(edge) ? null : withMen(setup, transformBoard(setup.board, shift));
}

/** Colours exchanged, the board upside down. */
export function swapped(setup) {
  const board = transformBoard(setup.board, flipVertical);
  const { white, black } = board;
  Object.assign(board, { white: black, black: white });
  return { ...withMen(setup, board), turn: opposite(setup.turn) };
}

/** The same score of the other side. */
export function flipped(accrued) {
  if (!accrued) return '';
  return accrued.startsWith('-') ? accrued.slice(1) : `-${accrued}`;
}
