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
const movers = (man, turn) => man !== null && isWhite(man) === (turn === 'w');
const onBoard = (x, y) => x >= 0 && x < 8 && y >= 0 && y < 8;
const other = (turn) => (turn === 'w' ? 'b' : 'w');

/** The position that a FEN writes; an Error that says what is wrong with it. Fields may be missing at the end. */
export function parseFen(text) {
  const [men = '', turn = 'w', castling = '-', ep = '-', clock = '0', number = '1'] = text.trim().split(/[\s_]+/);
  const ranks = men.split('/'), board = Array(64).fill(null);
  if (ranks.length !== 8) throw Error('a FEN has eight ranks');
  ranks.forEach((rank, row) => {
    let x = 0;
    for (const sign of rank) {
      if (/[1-8]/.test(sign)) x += Number(sign);
      else if (/[kqrbnp]/i.test(sign) && x < 8) board[8 * (7 - row) + x++] = sign;
      else throw Error(`${sign} is no man`);
    }
    if (x !== 8) throw Error(`rank ${8 - row} has not eight squares`);
  });
  if (!/^[wb]$/.test(turn)) throw Error('the side to move is w or b');
  if (!/^(-|[a-h][36])$/.test(ep)) throw Error(`${ep} is no en passant square`);
  if (!/^\d{1,5}$/.test(clock) || !/^\d{1,5}$/.test(number)) throw Error('clock and move number are numbers');
  return { board, turn, castling, ep: ep === '-' ? -1 : squareOf(ep), clock: Number(clock), number: Number(number) };
}

export function menOf(position) {
  const rows = [];
  for (let y = 7; y >= 0; y--) rows.push(position.board.slice(8 * y, 8 * y + 8).map((man) => man ?? '1').join(''));
  return rows.join('/').replace(/1+/g, (run) => String(run.length));
}

export const formatFen = (position) =>
  [menOf(position), position.turn, position.castling, position.ep < 0 ? '-' : nameOf(position.ep), position.clock, position.number].join(' ');

/** The first rule of chess that a position breaks; null if it can be played on. */
export function brokenRule(position) {
  for (const [king, name] of [['K', 'White'], ['k', 'Black']]) {
    const kings = position.board.filter((man) => man === king).length;
    if (kings !== 1) return kings ? `${name} has ${kings} kings` : `${name} has no king`;
  }
  if (position.board.some((man, square) => /p/i.test(man ?? '') && (square < 8 || square > 55))) return 'a pawn stands on the first or last rank';
  const idle = { ...position, turn: other(position.turn) };
  if (isCheck(idle)) return `${idle.turn === 'w' ? 'White' : 'Black'} is in check, but ${idle.turn === 'w' ? 'Black' : 'White'} is to move`;
  return null;
}

/** Whether a side's men attack a square. */
function attacks(board, turn, square) {
  const x = square & 7, y = square >> 3, up = turn === 'w' ? 1 : -1, own = turn === 'w' ? (man) => man.toUpperCase() : (man) => man;
  for (const dx of [-1, 1]) if (onBoard(x + dx, y - up) && board[square - 8 * up + dx] === own('p')) return true;
  for (const kind of ['n', 'k']) {
    for (const [dx, dy] of STEPS[kind]) if (onBoard(x + dx, y + dy) && board[square + dx + 8 * dy] === own(kind)) return true;
  }
  for (const kind of ['b', 'r']) {
    for (const [dx, dy] of STEPS[kind]) {
      for (let n = 1; onBoard(x + n * dx, y + n * dy); n++) {
        const man = board[square + n * (dx + 8 * dy)];
        if (man === null) continue;
        if (man === own(kind) || man === own('q')) return true;
        break;
      }
    }
  }
  return false;
}

/** Whether the side to move is in check. */
export function isCheck({ board, turn }) {
  const king = board.indexOf(turn === 'w' ? 'K' : 'k');
  return king >= 0 && attacks(board, other(turn), king);
}

function* pseudoMoves({ board, turn, ep }) {
  const up = turn === 'w' ? 1 : -1;
  for (let from = 0; from < 64; from++) {
    const man = board[from];
    if (!movers(man, turn)) continue;
    const kind = man.toLowerCase(), x = from & 7, y = from >> 3;
    if (kind === 'p') {
      const to = [];
      if (board[from + 8 * up] === null) {
        to.push(from + 8 * up);
        if (y === (turn === 'w' ? 1 : 6) && board[from + 16 * up] === null) to.push(from + 16 * up);
      }
      for (const dx of [-1, 1]) {
        const target = from + 8 * up + dx;
        if (onBoard(x + dx, y + up) && (target === ep || (board[target] !== null && !movers(board[target], turn)))) to.push(target);
      }
      for (const square of to) {
        if (square < 8 || square > 55) for (const promotion of 'qrbn') yield { from, to: square, promotion };
        else yield { from, to: square };
      }
      continue;
    }
    for (const [dx, dy] of STEPS[kind]) {
      for (let n = 1; onBoard(x + n * dx, y + n * dy); n++) {
        const to = from + n * (dx + 8 * dy);
        if (movers(board[to], turn)) break;
        yield { from, to };
        if (board[to] !== null || kind === 'k' || kind === 'n') break;
      }
    }
  }
}

const isPawn = (man) => man === 'P' || man === 'p';
const takesEnPassant = ({ board, ep }, { from, to }) => to === ep && isPawn(board[from]) && (from & 7) !== (to & 7);

/** Whether a move is a capture or a pawn move. */
export const isReset = ({ board }, { from, to }) => isPawn(board[from]) || board[to] !== null;

/** The position after a move; a right to take en passant is kept only if somebody has it. */
export function play(position, move) {
  const after = moved(position, move);
  if (isPawn(position.board[move.from]) && Math.abs(move.to - move.from) === 16) {
    const ep = (move.from + move.to) >> 1;
    if (legalMoves({ ...after, ep }).some((each) => takesEnPassant({ ...after, ep }, each))) after.ep = ep;
  }
  return after;
}

function moved(position, move) {
  const board = position.board.slice(), man = board[move.from], white = position.turn === 'w';
  if (takesEnPassant(position, move)) board[move.to + (white ? -8 : 8)] = null;
  board[move.from] = null;
  board[move.to] = move.promotion ? (white ? move.promotion.toUpperCase() : move.promotion) : man;
  const castle = castleOf(position, move);
  if (castle) [board[castle[3]], board[castle[4]]] = [null, board[castle[3]]];
  return {
    board, turn: other(position.turn), castling: rightsAfter(position, move), ep: -1,
    clock: isReset(position, move) ? 0 : position.clock + 1, number: position.number + (white ? 0 : 1),
  };
}

// Where castling leads: right, king from and to, rook from and to.
const CASTLES = [['K', 4, 6, 7, 5], ['Q', 4, 2, 0, 3], ['k', 60, 62, 63, 61], ['q', 60, 58, 56, 59]];

const between = (a, b) => Array.from({ length: Math.abs(a - b) - 1 }, (_, n) => Math.min(a, b) + n + 1);

/** Castling, where the rights, the squares between and the enemy allow it. */
function* castles({ board, turn, castling }) {
  for (const [right, from, to, rook] of CASTLES) {
    const [man, tower] = isWhite(right) ? 'KR' : 'kr';
    if (!castling.includes(right) || isWhite(right) !== (turn === 'w') || board[from] !== man || board[rook] !== tower) continue;
    if (between(from, rook).some((square) => board[square] !== null)) continue;
    if (![from, ...between(from, to), to].some((square) => attacks(board, other(turn), square))) yield { from, to };
  }
}

const castleOf = ({ board }, { from, to }) => /k/i.test(board[from]) && Math.abs(from - to) === 2 && CASTLES.find((each) => each[1] === from && each[2] === to);

/** What rights are left when a move leaves or takes a king's or rook's first square. */
function rightsAfter({ castling }, { from, to }) {
  const left = [...castling].filter((right) => !CASTLES.some(([each, king, , rook]) => each === right && [king, rook].some((square) => square === from || square === to)));
  return left.join('') || '-';
}

/** The legal moves; a king's square is given to the attacker, so that pins need no care. */
export function legalMoves(position) {
  const moves = [...pseudoMoves(position), ...castles(position)];
  return moves.filter((move) => !isCheck({ ...moved(position, move), turn: position.turn }));
}

export const hasEnPassant = (position) => position.ep >= 0 && legalMoves(position).some((move) => takesEnPassant(position, move));

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
  const { board } = position, kind = board[move.from].toUpperCase(), takes = board[move.to] !== null || takesEnPassant(position, move);
  let text = kind;
  if (castleOf(position, move)) text = move.to > move.from ? 'O-O' : 'O-O-O';
  else if (kind === 'P') text = takes ? nameOf(move.from)[0] : '';
  else {
    const rivals = legalMoves(position).filter(({ from, to }) => to === move.to && from !== move.from && board[from] === board[move.from]);
    const [file, rank] = nameOf(move.from);
    if (rivals.length) {
      if (!rivals.some(({ from }) => (from & 7) === (move.from & 7))) text += file;
      else if (!rivals.some(({ from }) => from >> 3 === move.from >> 3)) text += rank;
      else text += file + rank;
    }
  }
  if (text[0] !== 'O') text += (takes ? 'x' : '') + nameOf(move.to) + (move.promotion ? `=${move.promotion.toUpperCase()}` : '');
  const after = play(position, move);
  return isCheck(after) ? text + (legalMoves(after).length ? '+' : '#') : text;
}

const MOVE = /^([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])=?([QRBNqrbn]?)[+#]?$/;

/** The legal move that a text writes in SAN or as in UCI; null if there is none or several. */
export function parseMove(position, text) {
  const castling = /^[O0]-[O0](-[O0])?[+#]?$/.exec(text), found = MOVE.exec(text);
  if (!castling && !found) return null;
  const [, kind, file, rank, to, promotion] = found ?? [];
  const fits = (move) => {
    const castle = castleOf(position, move), from = nameOf(move.from);
    if (castling) return castle && (move.to < move.from) === Boolean(castling[1]);
    const isKind = position.board[move.from].toUpperCase() === (kind || 'P') || (!kind && file && rank);
    return isKind && nameOf(move.to) === to && from.startsWith(file) && from.endsWith(rank) && (move.promotion ?? '') === promotion.toLowerCase();
  };
  const moves = legalMoves(position).filter(fits);
  return moves.length === 1 ? moves[0] : null;
}

const KINDS = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };

/** A man in words. */
export const manInWords = (man) => `${isWhite(man) ? 'white' : 'black'} ${KINDS[man.toLowerCase()]}`;

/** The men and the side to move in words. */
export function inWords({ board, turn }) {
  const side = (order) => [...order].flatMap((man) => board.flatMap((each, square) => (each === man ? [man.toUpperCase() + nameOf(square)] : [])));
  return `White: ${side('KQRBNP').join(', ') || 'nothing'}. Black: ${side('kqrbnp').join(', ') || 'nothing'}. ${turn === 'w' ? 'White' : 'Black'} to move.`;
}
