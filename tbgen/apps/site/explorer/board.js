// The board: chessground, to play moves on or to set positions up, with arrows, dots and colours of squares.
import { Chessground } from './vendor/chessground.min.js';
import { shade } from './badge.js';
import { byId, make } from './elements.js';
import { inWords, isCheck, legalMoves, menOf, nameOf, play, uciOf } from './rules.js';
import { parseScore, signed } from './scores.js';

const ROLES = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
const NAMES = { w: 'white', b: 'black' };
const TOOLS = [['hand', '✥', 'Move men'], ['bin', '✕', 'Take men away']];
const MOST_ARROWS = 3; // more hide the men

/** How many legal moves lead to each square. */
function targetsOf(position) {
  const found = new Map();
  for (const { to } of legalMoves(position)) found.set(to, (found.get(to) ?? 0) + 1);
  return found;
}

export class Board {
  #ground;
  #position = null;
  #arrows = []; // best moves
  #marks = []; // marks that stay, while no move is pointed at
  #man = null; // what is put on squares that are touched while a position is set up

  /** `played(from, to)`, `setUp(men)` and `chosen(square)` are called with what somebody did. */
  constructor({ played, setUp, chosen }) {
    Object.assign(this, { setUp, chosen });
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
    this.#position = isEdited ? null : position;
    this.suggest([], []);
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
    });
    if (!isEdited) this.#choose(null);
    const words = position ? inWords(position) : 'A position that cannot be played on.';
    byId('in-words').textContent = words;
    byId('board').querySelector('cg-container')?.setAttribute('aria-hidden', 'true');
  }

  turn() {
    this.#ground.setAutoShapes([]);
    this.#ground.toggleOrientation();
    requestAnimationFrame(() => this.point(null)); // what the old board has still to draw would pass for drawn on the new one
  }

  /** Turn the board so that a side plays upwards. */
  face(side) { if (this.#ground.state.orientation !== NAMES[side]) this.turn(); }

  /** What a picture of the board shows. */
  get shown() {
    return { men: this.#ground.state.pieces, isUpright: this.#ground.state.orientation === 'white', arrows: this.#arrows, marks: this.#marks };
  }

  /** Arrows of best moves, and marks of squares: how many moves lead there, or the score of the man there. */
  suggest(moves, marks) {
    [this.#arrows, this.#marks] = [moves.slice(0, MOST_ARROWS), marks];
    this.point(null);
  }

  /** Show a move with the squares of the replies to it, and the best reply if it is known.
   *
   * Without a move the board shows again what is suggested.
   */
  point(uci, reply = null) {
    const width = this.#arrows.length > 1 ? 6 : 10;
    const arrows = uci ? [arrowOf(uci, 10)] : this.#arrows.map((move) => arrowOf(move, width));
    if (reply) arrows.push(arrowOf(reply, 8, 'red'));
    this.#ground.setAutoShapes(arrows);
    const move = uci && this.#position && legalMoves(this.#position).find((each) => uciOf(each) === uci);
    this.#draw(move ? dotsOf(play(this.#position, move)) : this.#marks);
  }

  #draw(marks) {
    const container = byId('board').querySelector('cg-container'), upright = this.#ground.state.orientation === 'white';
    let layer = byId('marks');
    if (!layer) layer = make('div', { id: 'marks' });
    if (layer.parentNode !== container) container.append(layer);
    layer.replaceChildren(...marks.map(({ square, ...mark }) => {
      const [x, y] = upright ? [square & 7, 7 - (square >> 3)] : [7 - (square & 7), square >> 3];
      const made = mark.score
        ? make('span', { class: 'field', ...shade(parseScore(mark.score)) }, signed(mark.score).replace('G', ''))
        : make('span', { class: mark.taken ? 'dot ring' : 'dot' }, mark.count > 1 ? String(mark.count) : '');
      made.style.gridArea = `${y + 1} / ${x + 1}`;
      return made;
    }));
  }

  #spareMen(color, place) {
    for (const role of ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn']) {
      const man = { color, role };
      const button = make('button', { type: 'button', 'aria-label': `Add a ${color} ${role}`, 'aria-pressed': 'false' }, make('span', { class: 'cg-wrap' }, make('piece', { class: `${role} ${color}` })));
      button.addEventListener('click', () => this.#choose(this.#man?.button === button ? null : { ...man, button }));
      button.addEventListener('mousedown', (event) => { event.preventDefault(); this.#ground.dragNewPiece(man, event, true); });
      place.append(button);
    }
    for (const [role, sign, label] of color === 'white' ? TOOLS : []) {
      const button = make('button', { type: 'button', 'aria-label': label, title: label, 'aria-pressed': 'false' }, sign);
      button.addEventListener('click', () => this.#choose(this.#man?.button === button ? null : { color, role, button }));
      place.append(button);
    }
  }

  #choose(man) {
    this.#man?.button.setAttribute('aria-pressed', 'false');
    this.#man = man;
    man?.button.setAttribute('aria-pressed', 'true');
  }

  #touched(square) {
    if (!this.isEdited) this.chosen(square);
    if (!this.isEdited || !this.#man || this.#man.role === 'hand') return;
    const { color, role } = this.#man, there = this.#ground.state.pieces.get(square);
    const isSame = there && there.color === color && there.role === role;
    this.#ground.setPieces(new Map([[square, isSame || role === 'bin' ? undefined : { color, role }]]));
    this.#ground.cancelMove();
    this.setUp(this.#ground.getFen());
  }
}

function arrowOf(uci, lineWidth, brush = 'blue') {
  return { orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush, modifiers: { lineWidth } };
}

/** The squares that the side to move can go to, each with its number of moves. */
export const dotsOf = (position) => [...targetsOf(position)].map(([square, count]) => ({ square, count, taken: position.board[square] !== null }));

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
