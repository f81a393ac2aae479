// Chess: positions as FEN, legal moves, SAN, scores of positions. Squares count from a1 = 0 to h8 = 63.

const STEPS = {
  n: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]],
  b: [[1, 1], [1, -1], [-1, -1], [-1, 1]],
  r: [[1, 0], [0, -1], [-1, 0], [0, 1]],
};
STEPS.q = STEPS.k = [...STEPS.b, ...STEPS.r];

export const nameOf = (square) => 'abcdefgh'[square & 7] + ((square >> 3) + 1);
export const squareOf = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);
const isWhite = (man) => man < 'a';
const isPawn = (man) => man === 'P' || man === 'p';
const movers = (man, turn) => man !== null && isWhite(man) === (turn === 'w');
const onBoard = (x, y) => x >= 0 && x < 8 && y >= 0 && y < 8;
const other = (turn) => (turn === 'w' ? 'b' : 'w');
const SIDES = { w: 'White', b: 'Black' };

/** Whether a FEN has a right to castle. */
export const hasCastling = (fen) => fen.split(' ')[2] !== '-';

/** The position that a FEN writes; an Error that says what is wrong with it. Fields may be missing at the end. */
export function parseFen(text) {
  const [men = '', turn = 'w', castling = '-', ep = '-', clock = '0', number = '1'] = text.trim().split(/[\s_]+/);
  const ranks = men.split('/');
  if (ranks.length !== 8) throw Error('a FEN has eight ranks');
  const board = ranks.map((rank, row) => rankOf(rank, 8 - row)).reverse().flat();
  if (!/^[wb]$/.test(turn)) throw Error('the side to move is w or b');
  if (!/^(-|[KQkq]{1,4})$/.test(castling)) throw Error(`${castling} names no rights to castle: these are K, Q, k and q`);
  if (!/^(-|[a-h][36])$/.test(ep)) throw Error(`${ep} is no en passant square`);
  if (!/^\d{1,5}$/.test(clock) || !/^\d{1,5}$/.test(number)) throw Error('clock and move number are numbers');
  return { board, turn, castling, ep: ep === '-' ? -1 : squareOf(ep), clock: Number(clock), number: Number(number) };
}

/** The eight squares of a rank. */
function rankOf(text, number) {
  const squares = [];
  for (const sign of text) {
    if (/[1-8]/.test(sign)) squares.push(...Array(Number(sign)).fill(null));
    else if (/[kqrbnp]/i.test(sign)) squares.push(sign);
    else throw Error(`${sign} is no man`);
  }
  if (squares.length !== 8) throw Error(`rank ${number} has not eight squares`);
  return squares;
}

export function menOf(position) {
  const rows = [];
  for (let y = 7; y >= 0; y--) {
    const rank = position.board.slice(8 * y, 8 * y + 8);
    rows.push(rank.map((man) => man ?? '1').join(''));
  }
  return rows.join('/').replace(/1+/g, (run) => String(run.length));
}

export function formatFen(position) {
  const { turn, castling, clock, number } = position;
  const ep = position.ep < 0 ? '-' : nameOf(position.ep);
  return [menOf(position), turn, castling, ep, clock, number].join(' ');
}

/** The first rule of chess that a position breaks; null if it can be played on. */
export function brokenRule(position) {
  for (const [king, name] of [['K', 'White'], ['k', 'Black']]) {
    const kings = position.board.filter((man) => man === king).length;
    if (kings !== 1) return kings ? `${name} has ${kings} kings` : `${name} has no king`;
  }
  const ends = [...position.board.slice(0, 8), ...position.board.slice(56)];
  if (ends.some(isPawn)) return 'a pawn stands on the first or last rank';
  if (attacksOfKing(position.board.indexOf('K')).includes(position.board.indexOf('k'))) return 'the kings touch';
  const idle = other(position.turn);
  if (isCheck({ ...position, turn: idle })) return `${SIDES[idle]} is in check, but ${SIDES[position.turn]} is to move`;
  if (position.ep >= 0 && !isPassed(position, position.ep)) return 'the en passant square does not follow a double step';
  if (!CASTLES.every((castle) => mayStand(position, castle))) return 'castling rights need king and rook on their first squares';
  return null;
}

/** Whether a pawn of the other side may just have passed a square by a double step. */
export function isPassed({ board, turn }, square) {
  const [rank, forward, pawn] = turn === 'w' ? [5, 8, 'p'] : [2, -8, 'P'];
  return square >> 3 === rank && board[square] === null && board[square + forward] === null && board[square - forward] === pawn;
}

const attacksOfKing = (square) => stepsFrom(square, STEPS.k);

/** Whether a side's men attack a square. */
function attacks(board, turn, square) {
  const own = (kind) => (turn === 'w' ? kind.toUpperCase() : kind);
  const up = turn === 'w' ? 1 : -1;
  if (stepsFrom(square, [[-1, -up], [1, -up]]).some((from) => board[from] === own('p'))) return true;
  for (const kind of ['n', 'k']) {
    if (stepsFrom(square, STEPS[kind]).some((from) => board[from] === own(kind))) return true;
  }
  for (const kind of ['b', 'r']) {
    const seen = STEPS[kind].map((step) => firstMan(board, square, step));
    if (seen.some((man) => man !== null && (man === own(kind) || man === own('q')))) return true;
  }
  return false;
}

/** The squares one step away. */
function stepsFrom(square, steps) {
  const x = square & 7;
  const y = square >> 3;
  const there = steps.filter(([dx, dy]) => onBoard(x + dx, y + dy));
  return there.map(([dx, dy]) => square + dx + 8 * dy);
}

/** The squares on a line, in their order. */
function* lineFrom(square, [dx, dy]) {
  let x = (square & 7) + dx;
  let y = (square >> 3) + dy;
  while (onBoard(x, y)) {
    yield 8 * y + x;
    x += dx;
    y += dy;
  }
}

/** The man that stands first on a line; null if there is none. */
function firstMan(board, square, step) {
  for (const there of lineFrom(square, step)) if (board[there] !== null) return board[there];
  return null;
}

/** Whether the side to move is in check. */
export function isCheck({ board, turn }) {
  const king = board.indexOf(turn === 'w' ? 'K' : 'k');
  return king >= 0 && attacks(board, other(turn), king);
}

/** All moves that may leave the king in check. */
function* pseudoMoves(position) {
  const { board, turn } = position;
  for (let from = 0; from < 64; from++) {
    if (!movers(board[from], turn)) continue;
    if (isPawn(board[from])) yield* pawnMoves(position, from);
    else yield* manMoves(position, from);
  }
}

function* pawnMoves({ board, turn, ep }, from) {
  const up = turn === 'w' ? 1 : -1;
  const start = turn === 'w' ? 1 : 6;
  const isEnemy = (to) => board[to] !== null && !movers(board[to], turn);
  const targets = stepsFrom(from, [[-1, up], [1, up]]).filter((to) => to === ep || isEnemy(to));
  const ahead = from + 8 * up;
  if (board[ahead] === null) {
    targets.push(ahead);
    if (from >> 3 === start && board[ahead + 8 * up] === null) targets.push(ahead + 8 * up);
  }
  for (const to of targets) {
    if (to >= 8 && to < 56) yield { from, to };
    else for (const promotion of 'qrbn') yield { from, to, promotion };
  }
}

function* manMoves({ board, turn }, from) {
  const kind = board[from].toLowerCase();
  for (const step of STEPS[kind]) {
    for (const to of lineFrom(from, step)) {
      if (!movers(board[to], turn)) yield { from, to };
      if (board[to] !== null || kind === 'k' || kind === 'n') break;
    }
  }
}

const takesEnPassant = ({ board, ep }, { from, to }) => to === ep && isPawn(board[from]) && (from & 7) !== (to & 7);

/** Whether a move is a capture or a pawn move. */
export const isReset = ({ board }, { from, to }) => isPawn(board[from]) || board[to] !== null;

/** The position after a move; a right to take en passant is kept only if somebody has it. */
export function play(position, move) {
  const after = moved(position, move);
  if (!isPawn(position.board[move.from]) || Math.abs(move.to - move.from) !== 16) return after;
  const passed = { ...after, ep: (move.from + move.to) / 2 };
  return hasEnPassant(passed) ? passed : after;
}

function moved(position, move) {
  const isWhites = position.turn === 'w';
  const board = position.board.slice();
  if (takesEnPassant(position, move)) board[move.to + (isWhites ? -8 : 8)] = null;
  board[move.to] = promoted(board[move.from], move.promotion);
  board[move.from] = null;
  const castle = castleOf(position, move);
  if (castle) {
    board[castle.rookTo] = board[castle.rook];
    board[castle.rook] = null;
  }
  return {
    board,
    turn: other(position.turn),
    castling: rightsAfter(position, move),
    ep: -1,
    clock: isReset(position, move) ? 0 : position.clock + 1,
    number: position.number + (isWhites ? 0 : 1),
  };
}

function promoted(man, kind) {
  if (!kind) return man;
  return isWhite(man) ? kind.toUpperCase() : kind;
}

const CASTLES = [
  { right: 'K', king: 4, kingTo: 6, rook: 7, rookTo: 5 },
  { right: 'Q', king: 4, kingTo: 2, rook: 0, rookTo: 3 },
  { right: 'k', king: 60, kingTo: 62, rook: 63, rookTo: 61 },
  { right: 'q', king: 60, kingTo: 58, rook: 56, rookTo: 59 },
];

function between(a, b) {
  const least = Math.min(a, b);
  return Array.from({ length: Math.abs(a - b) - 1 }, (_, n) => least + n + 1);
}

/** Whether king and rook stand where a right to castle needs them, if there is this right. */
function mayStand({ board, castling }, { right, king, rook }) {
  if (!castling.includes(right)) return true;
  const [man, tower] = isWhite(right) ? 'KR' : 'kr';
  return board[king] === man && board[rook] === tower;
}

/** Castling, where the rights, the squares between and the enemy allow it. */
function* castles({ board, turn, castling }) {
  for (const { right, king, kingTo, rook } of CASTLES) {
    if (!castling.includes(right) || isWhite(right) !== (turn === 'w')) continue;
    if (between(king, rook).some((square) => board[square] !== null)) continue;
    const way = [king, ...between(king, kingTo), kingTo];
    if (!way.some((square) => attacks(board, other(turn), square))) yield { from: king, to: kingTo };
  }
}

/** The castling that a move is; undefined if it is another move. */
function castleOf({ board }, { from, to }) {
  if (!/k/i.test(board[from]) || Math.abs(from - to) !== 2) return undefined;
  return CASTLES.find(({ king, kingTo }) => king === from && kingTo === to);
}

/** What rights are left when a move leaves or takes a king's or rook's first square. */
function rightsAfter({ castling }, { from, to }) {
  const touched = ({ king, rook }) => [king, rook].some((square) => square === from || square === to);
  const lost = CASTLES.filter(touched).map(({ right }) => right);
  return [...castling].filter((right) => !lost.includes(right)).join('') || '-';
}

/** The legal moves; a king's square is given to the attacker, so that pins need no care. */
export function legalMoves(position) {
  const moves = [...pseudoMoves(position), ...castles(position)];
  return moves.filter((move) => !isCheck({ ...moved(position, move), turn: position.turn }));
}

export function hasEnPassant(position) {
  return position.ep >= 0 && legalMoves(position).some((move) => takesEnPassant(position, move));
}

/** The score of a position itself, as a signed number. */
export function ownOf(position) {
  const code = 2 * legalMoves(position).length + (isCheck(position) ? 0 : 1);
  return position.turn === 'w' ? -(code + 1) : code + 1;
}

/** The accrued score in a position that a move has led to: a reset starts anew, otherwise only a lower score replaces it. */
export function accruedAfter(after, reset, accrued) {
  const own = ownOf(after);
  return reset || Math.abs(own) < Math.abs(accrued) ? own : accrued;
}

export const uciOf = ({ from, to, promotion = '' }) => nameOf(from) + nameOf(to) + promotion;

/** A move in short notation. */
export function sanOf(position, move) {
  const after = play(position, move);
  const text = bareSan(position, move);
  if (!isCheck(after)) return text;
  return legalMoves(after).length ? `${text}+` : `${text}#`;
}

/** The same without a sign for check. */
function bareSan(position, move) {
  const { from, to, promotion } = move;
  if (castleOf(position, move)) return to > from ? 'O-O' : 'O-O-O';
  const takes = position.board[to] !== null || takesEnPassant(position, move);
  const target = `${takes ? 'x' : ''}${nameOf(to)}`;
  if (isPawn(position.board[from])) {
    const become = promotion ? `=${promotion.toUpperCase()}` : '';
    return `${takes ? nameOf(from)[0] : ''}${target}${become}`;
  }
  return `${position.board[from].toUpperCase()}${originOf(position, move)}${target}`;
}

/** What tells a move from that of a like man to the same square: the file, the rank, or both. */
function originOf(position, { from, to }) {
  const { board } = position;
  const rivals = legalMoves(position).filter((move) => move.to === to && move.from !== from && board[move.from] === board[from]);
  const [file, rank] = nameOf(from);
  if (!rivals.length) return '';
  if (!rivals.some((move) => (move.from & 7) === (from & 7))) return file;
  if (!rivals.some((move) => move.from >> 3 === from >> 3)) return rank;
  return file + rank;
}

const MOVE = /^([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])=?([QRBNqrbn]?)[+#]?$/;

/** The legal move that a text writes in SAN or as in UCI; null if there is none or several. */
export function parseMove(position, text) {
  const castling = /^[O0]-[O0](-[O0])?[+#]?$/.exec(text);
  const written = MOVE.exec(text);
  if (!castling && !written) return null;
  const moves = legalMoves(position).filter((move) => {
    if (!castling) return isWritten(position, move, written);
    return castleOf(position, move) && (move.to < move.from) === Boolean(castling[1]);
  });
  return moves.length === 1 ? moves[0] : null;
}

function isWritten(position, move, [, kind, file, rank, to, promotion]) {
  const from = nameOf(move.from);
  const isKind = position.board[move.from].toUpperCase() === (kind || 'P') || (!kind && file && rank);
  const isPlace = nameOf(move.to) === to && from.startsWith(file) && from.endsWith(rank);
  return isKind && isPlace && (move.promotion ?? '') === promotion.toLowerCase();
}

const KINDS = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

/** A man in words. */
export const manInWords = (man) => `${isWhite(man) ? 'white' : 'black'} ${KINDS[man.toLowerCase()]}`;

/** The men and the side to move in words. */
export function inWords({ board, turn }) {
  const menIn = (order) => {
    const names = [...order].flatMap((man) => squaresOf(board, man).map((square) => man.toUpperCase() + nameOf(square)));
    return names.join(', ') || 'nothing';
  };
  return `White: ${menIn('KQRBNP')}. Black: ${menIn('kqrbnp')}. ${SIDES[turn]} to move.`;
}

function squaresOf(board, man) {
  return [...board.keys()].filter((square) => board[square] === man);
}
