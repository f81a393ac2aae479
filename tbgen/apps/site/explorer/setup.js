// Setting a position up: the men all at once, the side to move, and the right to take en passant.
import { flipped, mirrored, shifted, swapped } from './edit.js';
import { byId, make } from './elements.js';
import { formatFen, hasEnPassant, isPassed, nameOf } from './rules.js';

const KINGS = '4k3/8/8/8/8/8/8/4K3 w - - 0 1';

/** Wire the tools. `now()` gives the position that is set up, null if none can be read, and the accrued score.
 *
 * `edit(fen, accrued)` shows another one.
 */
export function wireTools({ now, edit }) {
  function change(changed, accruedOf = () => '') {
    const { position, accrued } = now();
    const after = position && changed(position);
    if (after) edit(formatFen(after), accruedOf(accrued));
  }
  byId('mirror').onclick = () => change(mirrored, (accrued) => accrued);
  byId('swap').onclick = () => change(swapped, flipped);
  byId('kings').onclick = () => edit(KINGS, '');
  byId('passant').onchange = () => change((position) => ({ ...position, ep: Number(byId('passant').value) }));
  for (const button of document.querySelectorAll('[data-shift]')) {
    button.onclick = () => change((position) => shifted(position, Number(button.dataset.shift)));
  }
  for (const choice of document.querySelectorAll('[name=turn]')) {
    choice.onchange = () => change((position) => ({ ...position, turn: choice.value, ep: -1 }));
  }
}

/** Show the side to move, and the pawns that may be taken en passant. */
export function showTools(position) {
  const turn = position?.turn ?? 'w';
  for (const choice of document.querySelectorAll('[name=turn]')) choice.checked = choice.value === turn;
  const squares = position ? passantSquares(position) : [];
  const options = squares.map((square) => make('option', { value: square, selected: square === position.ep }, `on ${nameOf(square)}`));
  byId('passant').replaceChildren(make('option', { value: -1 }, 'not possible'), ...options);
  byId('passant').parentElement.hidden = squares.length === 0;
}

/** The squares on which a pawn that has just made two steps could be taken. */
function passantSquares(position) {
  const squares = [...position.board.keys()].filter((square) => isPassed(position, square));
  return squares.filter((square) => hasEnPassant({ ...position, ep: square }));
}
