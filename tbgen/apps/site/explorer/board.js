// The board: chessground, to play moves on or to set positions up.
import { Chessground } from './vendor/chessground.min.js';
import { byId, make } from './elements.js';
import { inWords, isCheck, legalMoves, menOf, nameOf } from './rules.js';

const ROLES = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
const NAMES = { w: 'white', b: 'black' };

export class Board {
  #ground;
  #man = null; // what is put on squares that are touched while a position is set up

  /** `played(from, to)` and `setUp(men)` are called with what somebody did. */
  constructor({ played, setUp }) {
    this.setUp = setUp;
    this.isEdited = false;
    this.#ground = Chessground(byId('board'), {
      animation: { duration: matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 150 },
      draggable: { deleteOnDropOff: false, showGhost: true },
      drawable: { enabled: true },
      events: { change: () => this.isEdited && setTimeout(() => this.setUp(this.#ground.getFen())), select: (square) => this.#touched(square) },
      movable: { events: { after: (from, to) => !this.isEdited && played(from, to) } },
    });
    for (const [color, id] of [['black', 'black-men'], ['white', 'white-men']]) this.#spareMen(color, byId(id));
  }

  /** Show a position; without one that can be played on, `men` alone. */
  show(position, { men, lastMove, isEdited }) {
    this.isEdited = isEdited;
    byId('black-men').hidden = byId('white-men').hidden = !isEdited;
    this.#ground.state.dom.bounds.clear(); // the board may have been moved by what is shown above it
    const turn = NAMES[position?.turn ?? 'w'], dests = new Map();
    if (position && !isEdited) {
      for (const { from, to } of legalMoves(position)) dests.set(nameOf(from), [...(dests.get(nameOf(from)) ?? []), nameOf(to)]);
    }
    this.#ground.set({
      fen: position ? menOf(position) : men,
      turnColor: turn,
      check: position ? isCheck(position) : false,
      lastMove: lastMove ? [lastMove.slice(0, 2), lastMove.slice(2, 4)] : [],
      draggable: { deleteOnDropOff: isEdited },
      movable: isEdited ? { free: true, color: 'both', dests: undefined } : { free: false, color: turn, dests },
      drawable: { autoShapes: [] },
    });
    if (!isEdited) this.#choose(null);
    const words = position ? inWords(position) : 'A position that cannot be played on.';
    byId('in-words').textContent = words;
    byId('board').querySelector('cg-container')?.setAttribute('aria-hidden', 'true');
  }

  turn() { this.#ground.toggleOrientation(); }

  /** Draw the arrow of a move, or none. */
  point(uci) { this.#ground.setAutoShapes(uci ? [{ orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush: 'blue' }] : []); }

  #spareMen(color, place) {
    for (const role of ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']) {
      const man = { color, role };
      const button = make('button', { type: 'button', 'aria-label': `Add a ${color} ${role}`, 'aria-pressed': 'false' }, make('span', { class: 'cg-wrap' }, make('piece', { class: `${role} ${color}` })));
      button.addEventListener('click', () => this.#choose(this.#man?.button === button ? null : { ...man, button }));
      button.addEventListener('mousedown', (event) => { event.preventDefault(); this.#ground.dragNewPiece(man, event, true); });
      place.append(button);
    }
  }

  #choose(man) {
    this.#man?.button.setAttribute('aria-pressed', 'false');
    this.#man = man;
    man?.button.setAttribute('aria-pressed', 'true');
  }

  #touched(square) {
    if (!this.isEdited || !this.#man) return;
    const { color, role } = this.#man, there = this.#ground.state.pieces.get(square);
    const isSame = there && there.color === color && there.role === role;
    this.#ground.setPieces(new Map([[square, isSame ? undefined : { color, role }]]));
    this.#ground.cancelMove();
    this.setUp(this.#ground.getFen());
  }
}

/** Ask what a pawn becomes; null if nobody says. */
export function askPromotion() {
  return new Promise((resolve) => {
    const choices = 'qrbn'.split('').map((kind) => make('button', { type: 'submit', value: kind }, ROLES[kind][0].toUpperCase() + ROLES[kind].slice(1)));
    const dialog = make('dialog', { 'aria-label': 'Promote to' }, make('form', { method: 'dialog' }, ...choices));
    dialog.addEventListener('close', () => { dialog.remove(); resolve(dialog.returnValue || null); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
