// The positions of a line of moves: the men after some plies, and the FEN that names them.
// `step.js` shows them. Both are plain scripts, because pages from a disk can load no modules.
"use strict";

const SQUARE = 45; // units of a drawing
const ROLES = { n: "knight", b: "bishop", r: "rook", q: "queen" };
const LETTERS = { pawn: "p", knight: "n", bishop: "b", rook: "r", queen: "q", king: "k" };

/** Where a square is drawn: its upper left corner. */
function placeOf(square) {
  return {
    x: (square.charCodeAt(0) - "a".charCodeAt(0)) * SQUARE,
    y: ("8".charCodeAt(0) - square.charCodeAt(1)) * SQUARE,
  };
}

/** The men of a drawn board. */
function menOn(board) {
  const men = [];
  for (const use of board.querySelectorAll("use[x]")) {
    const [color, role] = use.getAttribute("href").slice(1).split("-");
    const x = Number(use.getAttribute("x"));
    const y = Number(use.getAttribute("y"));
    men.push({ use, color, role, x, y, isTaken: false });
  }
  return men;
}

/** A step of a line, `e2e4`; behind the square of a man that it takes in passing, `d4,e4d3`, or
 * behind the move of the rook that castles, `h1f1,e1g1`. */
function readStep(text) {
  const parts = text.split(",");
  const move = parts.at(-1);
  const to = move.slice(2, 4);
  const before = parts.length > 1 ? parts[0] : to;
  const castles = before.length === 4;
  return {
    from: move.slice(0, 2),
    to,
    taken: castles ? null : before,
    rookFrom: castles ? before.slice(0, 2) : null,
    rookTo: castles ? before.slice(2) : null,
    promotion: ROLES[move[4]],
  };
}

/** The position that a FEN and the men of its board give. */
function firstPosition(men, fen) {
  const [, turn, castling, passing, clock, number] = fen.split(" ");
  return {
    men: men.map((man) => ({ ...man })),
    isWhite: turn === "w",
    rights: [...castling.replace("-", "")].map((letter) => rightOf(letter, men)),
    passing,
    clock: Number(clock),
    number: Number(number),
  };
}

/** A right to castle: its letter, and where its king and rook stand. */
function rightOf(letter, men) {
  const color = letter === letter.toUpperCase() ? "white" : "black";
  const king = men.find((man) => man.color === color && man.role === "king");
  const rooks = men.filter((man) => man.color === color && man.role === "rook" && man.y === king.y);
  rooks.sort((one, other) => one.x - other.x);
  const wanted = letter.toLowerCase();
  let rook = rooks.find(({ x }) => x === (wanted.charCodeAt(0) - "a".charCodeAt(0)) * SQUARE);
  if (wanted === "k") rook = rooks.at(-1);
  if (wanted === "q") rook = rooks[0];
  return { letter, places: [king, rook].map(({ x, y }) => ({ x, y })) };
}

/** Play a step; the position changes. */
function play(position, text) {
  const step = readStep(text);
  const man = manOn(position, step.from);
  const taken = step.taken ? manOn(position, step.taken) : undefined;
  const rook = step.rookFrom ? manOn(position, step.rookFrom) : undefined;
  position.rights = position.rights.filter(({ places }) => !isTouched(places, step));
  const isReset = taken !== undefined || man.role === "pawn";
  position.clock = isReset ? 0 : position.clock + 1;
  if (taken) taken.isTaken = true;
  if (rook) Object.assign(rook, placeOf(step.rookTo));
  Object.assign(man, placeOf(step.to));
  position.passing = passingAfter(position, man, step);
  if (step.promotion) man.role = step.promotion;
  if (!position.isWhite) position.number += 1;
  position.isWhite = !position.isWhite;
}

/** Whether a step leaves one of some places, or takes there. */
function isTouched(places, { from, to }) {
  const squares = [from, to].map(placeOf);
  return places.some(({ x, y }) => squares.some((square) => square.x === x && square.y === y));
}

function manOn(position, square) {
  const { x, y } = placeOf(square);
  return position.men.find((man) => !man.isTaken && man.x === x && man.y === y);
}

/** The square where a pawn may now be taken en passant; "-" if there is none. */
function passingAfter({ men }, man, { from, to }) {
  const hasPassed = man.role === "pawn" && Math.abs(from[1] - to[1]) === 2;
  const isSeen = men.some((other) => isBeside(other, man));
  if (!hasPassed || !isSeen) return "-";
  const rank = (Number(from[1]) + Number(to[1])) / 2;
  return `${to[0]}${rank}`;
}

/** Whether a man is a pawn of the other colour beside another man. */
function isBeside(other, man) {
  if (other.isTaken || other.role !== "pawn" || other.color === man.color) return false;
  return other.y === man.y && Math.abs(other.x - man.x) === SQUARE;
}

function fenOf({ men, isWhite, rights, passing, clock, number }) {
  const rows = Array.from({ length: 8 }, () => Array(8).fill(1));
  for (const man of men) {
    if (!man.isTaken) rows[man.y / SQUARE][man.x / SQUARE] = letterOf(man);
  }
  const placement = rows.map(rowInFen).join("/");
  const castling = rights.map(({ letter }) => letter).join("") || "-";
  return [placement, isWhite ? "w" : "b", castling, passing, clock, number].join(" ");
}

function letterOf({ color, role }) {
  const letter = LETTERS[role];
  return color === "white" ? letter.toUpperCase() : letter;
}

/** A rank: a 1 for each free square becomes the number of neighbours that are free. */
function rowInFen(row) {
  return row.join("").replace(/1+/g, (free) => free.length);
}
