// Positions drawn at random.
import { brokenRule, legalMoves, positionOf } from './chess.js';
import { PAIRS, hasOpposedPair } from './materials.js';
import { Board, charToRole, emptySetup, makeFen } from './vendor/chessops.js';

const LEAST_MOVES = 2;

/** A setup of men on squares that are drawn until it can be played on and there is a choice.
 *
 * With `hasPair`, a white pawn stands below a black one.
 */
export function drawSetup(men, turn, { random = Math.random, hasPair = false } = {}) {
  for (;;) {
    const drawn = { ...emptySetup(), board: scattered(men, random), turn };
    if (hasPair && !hasOpposedPair(drawn)) continue;
    if (!brokenRule(drawn) && legalMoves(positionOf(drawn)).length >= LEAST_MOVES) return drawn;
  }
}

function scattered(men, random) {
  const board = Board.empty();
  for (const man of men) {
    let square;
    do square = Math.floor(64 * random()); while (board.has(square));
    board.set(square, man);
  }
  return board;
}

/** A position of a table such as KRvKB or KRPvKRP.pairs, either side to move, as a FEN. */
export function randomPosition(name, random = Math.random) {
  const hasPair = name.endsWith(PAIRS);
  const sides = name.replace(PAIRS, '').split('v');
  const men = ['white', 'black'].flatMap((color, side) => [...sides[side]].map((letter) => ({ color, role: charToRole(letter) })));
  const turn = random() < 0.5 ? 'white' : 'black';
  return makeFen(drawSetup(men, turn, { random, hasPair }));
}
