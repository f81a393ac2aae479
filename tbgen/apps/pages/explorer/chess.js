// Chess, by chessops: what a FEN writes, positions that can be played on, their moves, scores and names.
//
// A *setup* is what a FEN writes; a *position* can be played on. Squares count from a1 = 0 to h8 = 63.
import { codeOf, parseScore } from './scores.js';
import {
  Board, Chess, SquareSet, charToRole, emptySetup, makeFen, makeSan, makeSquare, opposite, parseFen as readFen, parseSan, parseUci,
} from './vendor/chessops.js';

const SIDES = { white: 'White', black: 'Black' };
const PROMOTIONS = ['queen', 'rook', 'bishop', 'knight'];
const MOST_KING_CODE = 17; // a bare king has at most 8 moves

// What a FEN writes.

const WRONG_MEN = 'a FEN has eight ranks of eight squares, and men by their letters';
const WRONG = {
  ERR_TURN: 'the side to move is w or b',
  ERR_EP_SQUARE: 'the en passant square is one of a3 to h3 or a6 to h6',
  ERR_HALFMOVES: 'clock and move number are numbers',
  ERR_FULLMOVES: 'clock and move number are numbers',
};
const CASTLES = { K: [4, 7], Q: [4, 0], k: [60, 63], q: [60, 56] }; // squares of king and rook

/** The setup that a FEN writes; an Error that says what is wrong with it. Fields may be missing at the end. */
export function parseFen(text) {
  const fields = text.trim().split(/[\s_]+/).slice(0, 6);
  const castling = fields[2] ?? '-';
  if (!/^(-|[KQkq]{1,4})$/.test(castling)) throw Error(`${castling} names no rights to castle: these are K, Q, k and q`);
  const setup = readFen(fields.join(' ')).unwrap((read) => read, ({ message }) => { throw Error(WRONG[message] ?? WRONG_MEN); });
  if (setup.pockets || setup.remainingChecks) throw Error(WRONG_MEN); // fields of other games
  setup.board.promoted = SquareSet.empty();
  if (setup.epSquare !== undefined && !isPassed(setup, setup.epSquare)) throw Error('the en passant square does not follow a double step');
  if (![...castling].every((right) => right === '-' || mayStand(setup, right))) {
    throw Error('castling rights need king and rook on their first squares');
  }
  return setup;
}

/** Whether king and rook stand where a right to castle needs them. */
function mayStand({ board }, right) {
  const [king, rook] = CASTLES[right];
  const color = right < 'a' ? 'white' : 'black';
  return board.kingOf(color) === king && board.pieces(color, 'rook').has(rook);
}

/** Whether a pawn of the other side may just have passed a square by a double step. */
export function isPassed({ board, turn }, square) {
  const [rank, forward] = turn === 'white' ? [5, 8] : [2, -8];
  if (square >> 3 !== rank || board.has(square) || board.has(square + forward)) return false;
  return board.pieces(opposite(turn), 'pawn').has(square - forward);
}

/** The first rule of chess that a setup breaks; null if it can be played on. */
export function brokenRule(setup) {
  const { board, turn } = setup;
  for (const [color, name] of Object.entries(SIDES)) {
    const kings = board.pieces(color, 'king').size();
    if (kings !== 1) return kings ? `${name} has ${kings} kings` : `${name} has no king`;
  }
  if (SquareSet.backranks().intersects(board.pawn)) return 'a pawn stands on the first or last rank';
  if (areBeside(board.kingOf('white'), board.kingOf('black'))) return 'the kings touch';
  const isSound = Chess.fromSetup(setup).isOk;
  return isSound ? null : `${SIDES[opposite(turn)]} is in check, but ${SIDES[turn]} is to move`;
}

function areBeside(one, other) {
  const files = Math.abs((one & 7) - (other & 7));
  const ranks = Math.abs((one >> 3) - (other >> 3));
  return Math.max(files, ranks) === 1;
}

// Positions and moves.

/** The position of a setup; an Error names the rule that it breaks. */
export const positionOf = (setup) => Chess.fromSetup(setup).unwrap((position) => position, () => { throw Error(brokenRule(setup)); });

export const parsePosition = (fen) => positionOf(parseFen(fen));

/** A position as a FEN; a right to take en passant is written only if somebody has it. */
export const fenOf = (position) => makeFen({ ...position.toSetup(), halfmoves: position.halfmoves, fullmoves: position.fullmoves });

/** The side to move of a FEN. */
export const turnIn = (fen) => (fen.split(' ')[1] === 'b' ? 'black' : 'white');

/** Whether a FEN has a right to castle. */
export const hasCastling = (fen) => fen.split(' ')[2] !== '-';

export const hasEnPassant = (position) => position.epSquare !== undefined && position.toSetup().epSquare !== undefined;

const isPromotion = ({ board }, { from, to }) => board.pawn.has(from) && SquareSet.backranks().has(to);

/** A move as everybody writes it: a king that castles goes two squares. */
function standard({ board, turn }, { from, to, promotion }) {
  const castles = board.king.has(from) && board[turn].has(to); // chessops has the king take his rook
  if (!castles) return { from, to, promotion };
  return { from, to: to > from ? from + 2 : from - 2 };
}

/** The legal moves. */
export function legalMoves(position) {
  const moves = [];
  for (const [from, targets] of position.allDests()) {
    for (const to of targets) {
      if (isPromotion(position, { from, to })) moves.push(...PROMOTIONS.map((promotion) => ({ from, to, promotion })));
      else moves.push(standard(position, { from, to }));
    }
  }
  return moves;
}

/** Whether a move is a capture or a pawn move. */
export const isReset = ({ board }, { from, to }) => board.pawn.has(from) || board.has(to);

/** The position after a move. */
export function play(position, move) {
  const after = position.clone();
  after.play(move);
  return after;
}

/** A move in short notation. */
export const sanOf = (position, move) => makeSan(position, move);

/** The legal move that a text writes in SAN or as in UCI; null if there is none or several. */
export function parseMove(position, text) {
  const move = parseSan(position, text.replaceAll('0', 'O')) ?? parseUci(text.toLowerCase());
  return move && position.isLegal(move) ? standard(position, move) : null;
}

// Scores.

/** The score of a position itself, as a signed number. */
export function ownOf(position) {
  const context = position.ctx();
  let moves = 0;
  for (const [from, targets] of position.allDests(context)) {
    const isLast = position.board.pawn.has(from) && targets.intersects(SquareSet.backranks());
    moves += targets.size() * (isLast ? PROMOTIONS.length : 1);
  }
  const code = 2 * moves + (context.checkers.isEmpty() ? 1 : 0);
  return position.turn === 'white' ? -(code + 1) : code + 1;
}

/** The accrued score in a position that a move has led to: a reset starts anew, otherwise only a lower score replaces it. */
export function accruedAfter(after, reset, accrued) {
  const own = ownOf(after);
  return reset || Math.abs(own) < Math.abs(accrued) ? own : accrued;
}

/** A position's own score, the one that counts, and why a score that is said to have accrued cannot have. */
export function scoresOf(position, accrued) {
  const own = ownOf(position);
  const given = accrued ? parseScore(accrued) : own;
  const why = given === own ? null : whyImpossible(position, given);
  return {
    own,
    accrued: codeOf(own) < codeOf(given) ? own : given,
    fault: why && `Impossible accrued score ${accrued}: ${why}.`,
  };
}

/** The score that counts in a position: the one that has accrued, or its own. */
export const accruedOf = ({ fen, accrued }) => scoresOf(parsePosition(fen), accrued).accrued;

/** Why no game can carry a score into a position; null if one can. */
export function whyImpossible({ board }, accrued) {
  if (codeOf(accrued) < 2) return 'the game would have ended before this position';
  const [holder, other] = accrued > 0 ? ['white', 'black'] : ['black', 'white'];
  if (board[holder].size() === 1 && codeOf(accrued) % 2 === 0) return 'a king alone gives no check';
  if (board[other].size() === 1 && codeOf(accrued) > MOST_KING_CODE) return 'a king alone has at most 8 moves';
  return null;
}

// In words.

/** A man in words. */
export const manInWords = ({ color, role }) => `${color} ${role}`;

/** The men and the side to move in words. */
export function inWords({ board, turn }) {
  const sides = Object.entries(SIDES).map(([color, name]) => {
    const men = [...'KQRBNP'].flatMap((letter) => [...board.pieces(color, charToRole(letter))].map((square) => letter + makeSquare(square)));
    return `${name}: ${men.join(', ') || 'nothing'}. `;
  });
  return `${sides.join('')}${SIDES[turn]} to move.`;
}

// Materials: names of endings, as files of tables have them, and in words.

/** In the name of a table of the positions in which two pawns face each other. */
export const PAIRS = '.pairs';

const ORDER = 'KQRBNP';
const MEN = { Q: ['queen', 'queens'], R: ['rook', 'rooks'], B: ['bishop', 'bishops'], N: ['knight', 'knights'], P: ['pawn', 'pawns'] };
const NUMBERS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

function isStronger(white, black) {
  if (white.length !== black.length) return white.length > black.length;
  const place = [...white].findIndex((man, at) => man !== black[at]);
  return place < 0 || ORDER.indexOf(white[place]) < ORDER.indexOf(black[place]);
}

/** The sides of a material, and what stands behind them in the name of a table of pairs. */
function partsOf(material) {
  const scope = material.endsWith(PAIRS) ? PAIRS : '';
  const [white, black] = material.slice(0, material.length - scope.length).split('v');
  return { white, black, scope };
}

/** The name of a table, and whether the colours of a position of this material are exchanged in it. */
export function canonical(material) {
  const { white, black, scope } = partsOf(material);
  if (isStronger(white, black)) return { name: material, flipped: false };
  return { name: `${black}v${white}${scope}`, flipped: true };
}

/** The material on a board. */
export function materialOf({ board }) {
  const side = (color) => [...ORDER].map((letter) => letter.repeat(board.pieces(color, charToRole(letter)).size())).join('');
  return `${side('white')}v${side('black')}`;
}

/** Whether a white pawn stands below a black one on the same file. */
export function hasOpposedPair({ board }) {
  const black = board.pieces('black', 'pawn');
  return [...board.pieces('white', 'pawn')].some((square) => black.intersect(SquareSet.fromFile(square & 7)).last() > square);
}

/** An ending as players name it: "Rook against bishop" is KRvKB. */
export function endingInWords(material) {
  const { white, black, scope } = partsOf(material);
  const sides = [white, black].map((side) => sideInWords(side) || 'king');
  if (sides.every((side) => side === 'king')) return 'Two bare kings';
  const words = sides.join(' against ') + (scope && ', pawns face to face');
  return words[0].toUpperCase() + words.slice(1);
}

/** The men beside the king. */
function sideInWords(side) {
  const kinds = Object.keys(MEN).filter((man) => side.includes(man));
  const words = kinds.map((man) => {
    const number = side.split(man).length - 1;
    return number === 1 ? MEN[man][0] : `${NUMBERS[number] ?? number} ${MEN[man][1]}`;
  });
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

// Positions drawn at random.

const LEAST_MOVES = 2; // of a position that is drawn

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
