// Setting a position up: the men all at once, the side to move, and the right to take en passant.
import { brokenRule, hasEnPassant, isPassed, positionOf } from './chess.js';
import { byId, make } from './elements.js';
import {
  SquareSet, flipHorizontal, flipVertical, makeFen, makeSquare, opposite, shiftDown, shiftLeft, shiftRight, shiftUp, transformBoard,
} from './vendor/chessops.js';

const KINGS = '4k3/8/8/8/8/8/8/4K3 w - - 0 1';

/** Wire the tools. `now()` gives the setup, null if none can be read, and the accrued score.
 *
 * `edit(fen, accrued)` shows another one.
 */
export function wireTools({ now, edit }) {
  function change(changed, accruedOf = () => '') {
    const { setup, accrued } = now();
    const after = setup && changed(setup);
    if (after) edit(makeFen(after), accruedOf(accrued));
  }
  byId('mirror').onclick = () => change(mirrored, (accrued) => accrued);
  byId('swap').onclick = () => change(swapped, flipped);
  byId('kings').onclick = () => edit(KINGS, '');
  byId('passant').onchange = () => change((setup) => ({ ...setup, epSquare: chosenSquare() }));
  for (const button of document.querySelectorAll('[data-shift]')) {
    button.onclick = () => change((setup) => shifted(setup, button.dataset.shift));
  }
  for (const choice of document.querySelectorAll('[name=turn]')) {
    choice.onchange = () => change((setup) => ({ ...setup, turn: choice.value, epSquare: undefined }));
  }
}

const chosenSquare = () => (byId('passant').value ? Number(byId('passant').value) : undefined);

/** Show the side to move, and the pawns that may be taken en passant. */
export function showTools(setup) {
  const turn = setup?.turn ?? 'white';
  for (const choice of document.querySelectorAll('[name=turn]')) choice.checked = choice.value === turn;
  const squares = setup ? passantSquares(setup) : [];
  const options = squares.map((square) => make('option', { value: square, selected: square === setup.epSquare }, `on ${makeSquare(square)}`));
  byId('passant').replaceChildren(make('option', { value: '' }, 'not possible'), ...options);
  byId('passant').parentElement.hidden = squares.length === 0;
}

/** The squares on which a pawn that has just made two steps could be taken. */
function passantSquares(setup) {
  if (brokenRule(setup)) return [];
  const squares = [...setup.board.occupied.complement()].filter((square) => isPassed(setup, square));
  return squares.filter((square) => hasEnPassant(positionOf({ ...setup, epSquare: square })));
}

// Setups with their men moved or exchanged all at once.

const SHIFTS = {
  left: [shiftLeft, SquareSet.fromFile(0)],
  right: [shiftRight, SquareSet.fromFile(7)],
  up: [shiftUp, SquareSet.fromRank(7)],
  down: [shiftDown, SquareSet.fromRank(0)],
}; // how squares go, and from which a man would leave the board

/** A setup with other men; rights to castle and to take en passant are gone. */
const withMen = (setup, board) => ({ ...setup, board, castlingRights: SquareSet.empty(), epSquare: undefined });

const mirrored = (setup) => withMen(setup, transformBoard(setup.board, flipHorizontal));

/** All men one square on; null if a man would leave the board. */
function shifted(setup, way) {
  const [shift, edge] = SHIFTS[way];
  return setup.board.occupied.intersects(edge) ? null : withMen(setup, transformBoard(setup.board, shift));
}

/** Colours exchanged, the board upside down. */
function swapped(setup) {
  const board = transformBoard(setup.board, flipVertical);
  const { white, black } = board;
  Object.assign(board, { white: black, black: white });
  return { ...withMen(setup, board), turn: opposite(setup.turn) };
}

/** The same score of the other side. */
function flipped(accrued) {
  if (!accrued) return '';
  return accrued.startsWith('-') ? accrued.slice(1) : `-${accrued}`;
}
