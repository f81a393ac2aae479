// Positions drawn at random.
import { brokenRule, formatFen, legalMoves } from './rules.js';

const LEAST_MOVES = 2;

/** Men on other squares, drawn until the position can be played on and there is a choice. */
export function drawPosition(men, turn, random = Math.random) {
  for (;;) {
    const drawn = { board: scattered(men, random), turn, castling: '-', ep: -1, clock: 0, number: 1 };
    if (!brokenRule(drawn) && legalMoves(drawn).length >= LEAST_MOVES) return drawn;
  }
}

function scattered(men, random) {
  const board = Array(64).fill(null);
  for (const man of men) {
    let square;
    do square = Math.floor(64 * random()); while (board[square] !== null);
    board[square] = man;
  }
  return board;
}

/** A position of an ending such as KRvKB, either side to move, as a FEN. */
export function randomPosition(material, random = Math.random) {
  const [white, black] = material.split('v');
  const turn = random() < 0.5 ? 'w' : 'b';
  return formatFen(drawPosition([...white, ...black.toLowerCase()], turn, random));
}
