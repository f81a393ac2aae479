// Positions drawn at random.
import { PAIRS, hasOpposedPair } from './materials.js';
import { brokenRule, formatFen, legalMoves } from './rules.js';

const LEAST_MOVES = 2;

/** Men on other squares, drawn until the position can be played on and there is a choice.
 *
 * With `hasPair`, a white pawn stands below a black one.
 */
export function drawPosition(men, turn, { random = Math.random, hasPair = false } = {}) {
  for (;;) {
    const drawn = { board: scattered(men, random), turn, castling: '-', ep: -1, clock: 0, number: 1 };
    if (hasPair && !hasOpposedPair(drawn)) continue;
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

/** A position of a table such as KRvKB or KRPvKRP.pairs, either side to move, as a FEN. */
export function randomPosition(name, random = Math.random) {
  const hasPair = name.endsWith(PAIRS);
  const [white, black] = name.replace(PAIRS, '').split('v');
  const turn = random() < 0.5 ? 'w' : 'b';
  return formatFen(drawPosition([...white, ...black.toLowerCase()], turn, { random, hasPair }));
}
