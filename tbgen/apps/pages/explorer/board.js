// The board: chessground, to play moves on or to set positions up, with arrows, dots and colours of squares; and the tools that
// change a position as a whole.
import { brokenRule, hasEnPassant, inWords, isPassed, legalMoves, play, positionOf } from './chess.js';
import { byId, make, shade } from './elements.js';
import { parseScore, signed } from './scores.js';
import { Chessground } from './vendor/chessground.min.js';
import {
  SquareSet, flipHorizontal, flipVertical, makeBoardFen, makeFen, makeSquare, makeUci, opposite, shiftDown, shiftLeft, shiftRight,
  shiftUp, transformBoard,
} from './vendor/chessops.js';

const ROLES = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];
const PROMOTIONS = ['queen', 'rook', 'bishop', 'knight'];
const HAND = 'hand';
const BIN = 'bin';
const TOOLS = [[HAND, '✥', 'Move men'], [BIN, '✕', 'Take men away']];
const ANIMATION = 150; // milliseconds
const MOST_ARROWS = 3; // more hide the men

export class Board {
  #ground;
  #position = null;
  #arrows = []; // best moves
  #marks = []; // marks that stay, while no move is pointed at
  #man = null; // what is put on squares that are touched while a position is set up

  /** `played(from, to)`, `setUp(men)` and `chosen(square)` are called with what somebody did. */
  constructor({ played, setUp, chosen }) {
    this.setUp = setUp;
    this.chosen = chosen;
    this.isEdited = false;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#ground = Chessground(byId('board'), {
      animation: { duration: isStill ? 0 : ANIMATION },
      draggable: { deleteOnDropOff: false, showGhost: true },
      drawable: { enabled: true },
      events: { change: () => this.#changed(), select: (square) => this.#touched(square) },
      movable: { events: { after: (from, to) => !this.isEdited && played(from, to) } },
    });
    this.#spareMen('black', byId('black-men'));
    this.#spareMen('white', byId('white-men'));
    this.#tools(byId('white-men'));
  }

  /** Show a position; without one that can be played on, `men` alone. */
  show(position, { men, lastMove, isEdited }) {
    this.isEdited = isEdited;
    this.#position = isEdited ? null : position;
    this.suggest([], []);
    byId('black-men').hidden = !isEdited;
    byId('white-men').hidden = !isEdited;
    this.#ground.state.dom.bounds.clear(); // the board may have been moved by what is shown above it
    const turn = position?.turn ?? 'white';
    const played = { free: false, color: turn, dests: position ? targetsByMan(position) : new Map() };
    this.#ground.set({
      fen: position ? makeBoardFen(position.board) : men,
      turnColor: turn,
      check: position ? position.isCheck() : false,
      lastMove: lastMove ? [lastMove.slice(0, 2), lastMove.slice(2, 4)] : [],
      draggable: { deleteOnDropOff: isEdited },
      movable: isEdited ? { free: true, color: 'both', dests: undefined } : played,
    });
    if (!isEdited) this.#choose(null);
    byId('in-words').textContent = position ? inWords(position) : 'A position that cannot be played on.';
    byId('board').querySelector('cg-container')?.setAttribute('aria-hidden', 'true');
  }

  turn() {
    this.#ground.setAutoShapes([]);
    this.#ground.toggleOrientation();
    requestAnimationFrame(() => this.point(null)); // what the old board has still to draw would pass for drawn on the new one
  }

  /** Turn the board so that a side plays upwards. */
  face(side) {
    if (this.#ground.state.orientation !== side) this.turn();
  }

  get #isUpright() { return this.#ground.state.orientation === 'white'; }

  /** Arrows of best moves, and marks of squares: how many moves lead there, or the score of the man there. */
  suggest(moves, marks) {
    this.#arrows = moves.slice(0, MOST_ARROWS);
    this.#marks = marks;
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
    const move = uci && this.#position && legalMoves(this.#position).find((each) => makeUci(each) === uci);
    this.#draw(move ? dotsOf(play(this.#position, move)) : this.#marks);
  }

  #draw(marks) {
    const container = byId('board').querySelector('cg-container');
    const layer = byId('marks') ?? make('div', { id: 'marks' });
    if (layer.parentNode !== container) container.append(layer);
    layer.replaceChildren(...marks.map((mark) => this.#placed(markOf(mark), mark.square)));
  }

  /** A mark in the row and the column of its square. */
  #placed(mark, square) {
    const file = square & 7;
    const rank = square >> 3;
    const column = this.#isUpright ? file : 7 - file;
    const row = this.#isUpright ? 7 - rank : rank;
    mark.style.gridArea = `${row + 1} / ${column + 1}`;
    return mark;
  }

  #spareMen(color, place) {
    for (const role of ROLES) {
      const man = make('span', { class: 'cg-wrap' }, make('piece', { class: `${role} ${color}` }));
      const button = this.#tool({ color, role }, man, `Add a ${color} ${role}`);
      button.addEventListener('mousedown', (event) => {
        event.preventDefault();
        this.#ground.dragNewPiece({ color, role }, event, true);
      });
      place.append(button);
    }
  }

  #tools(place) {
    for (const [role, sign, label] of TOOLS) place.append(this.#tool({ role }, sign, label));
  }

  /** A button that chooses what is put on squares, and ends the choice when it is pressed again. */
  #tool(man, content, label) {
    const button = make('button', { type: 'button', 'aria-label': label, title: label, 'aria-pressed': 'false' }, content);
    button.addEventListener('click', () => this.#choose(this.#man?.button === button ? null : { ...man, button }));
    return button;
  }

  #choose(man) {
    this.#man?.button.setAttribute('aria-pressed', 'false');
    this.#man = man;
    man?.button.setAttribute('aria-pressed', 'true');
  }

  #changed() {
    if (this.isEdited) setTimeout(() => this.setUp(this.#ground.getFen()));
  }

  #touched(square) {
    if (!this.isEdited) {
      this.chosen(square);
      return;
    }
    if (!this.#man || this.#man.role === HAND) return;
    const { color, role } = this.#man;
    const there = this.#ground.state.pieces.get(square);
    const isSame = there && there.color === color && there.role === role;
    this.#ground.setPieces(new Map([[square, isSame || role === BIN ? undefined : { color, role }]]));
    this.#ground.cancelMove();
    this.setUp(this.#ground.getFen());
  }
}

/** The squares that each man can go to, by name. */
function targetsByMan(position) {
  const targets = new Map();
  for (const { from, to } of legalMoves(position)) {
    targets.set(makeSquare(from), [...(targets.get(makeSquare(from)) ?? []), makeSquare(to)]);
  }
  return targets;
}

/** The score of a man on a square, or a dot with a number of moves. */
function markOf({ score, taken, count }) {
  if (score) return make('span', { class: 'field', ...shade(parseScore(score)) }, signed(score).replace('G', ''));
  return make('span', { class: taken ? 'dot ring' : 'dot' }, count > 1 ? String(count) : '');
}

function arrowOf(uci, lineWidth, brush = 'blue') {
  return { orig: uci.slice(0, 2), dest: uci.slice(2, 4), brush, modifiers: { lineWidth } };
}

/** The squares that the side to move can go to, each with its number of moves. */
export function dotsOf(position) {
  const counts = new Map();
  for (const { to } of legalMoves(position)) counts.set(to, (counts.get(to) ?? 0) + 1);
  return [...counts].map(([square, count]) => ({ square, count, taken: position.board.has(square) }));
}

/** Ask what a pawn becomes; null if nobody says. */
export function askPromotion() {
  return new Promise((resolve) => {
    const choices = PROMOTIONS.map((value) => make('button', { type: 'submit', value }, value[0].toUpperCase() + value.slice(1)));
    const dialog = make('dialog', { 'aria-label': 'Promote to' }, make('form', { method: 'dialog' }, ...choices));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// Setting a position up: the men all at once, the side to move, and the right to take en passant.

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
