// Lines can be stepped through, positions and games can be copied; without scripts lines can be read.
"use strict";

const COPIED_FOR = 2000; // milliseconds
const NEAR = "200px"; // a line that is so close to what is seen gets moves to click
const RESULTS = { "G0.0": "1-0", "-G0.0": "0-1", "G0.5": "1/2-1/2", "-G0.5": "1/2-1/2" };
const GO = {
  first: () => 0,
  back: (now) => now - 1,
  on: (now) => now + 1,
  last: (now, plies) => plies,
};
const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };

const lines = new WeakMap(); // by their figures

// What only a script can use is made by one: on the pages of all endings it would be four megabytes.

function buttonOf(name, sign, label) {
  const button = document.createElement("button");
  button.type = "button";
  button.name = name;
  button.textContent = sign;
  if (label) button.setAttribute("aria-label", label);
  return button;
}

/** An empty place for words that screen readers speak when they change. */
function spokenPlace(className, attribute, value) {
  const place = document.createElement("span");
  place.className = className;
  place.setAttribute(attribute, value);
  return place;
}

function addSteps(stepper) {
  const said = spokenPlace("said", "aria-live", "polite");
  const steps = stepsOf(stepper.closest("figure"));
  said.textContent = `${steps.length} plies`;
  stepper.append(
    buttonOf("first", "«", "To the first position"),
    buttonOf("back", "‹", "One ply back"),
    buttonOf("on", "›", "One ply on"),
    buttonOf("last", "»", "To the last position"),
    said,
  );
}

function addCopying(under) {
  under.append(buttonOf("fen", "Copy FEN"));
  const isGame = under.closest("figure")?.dataset.outcome;
  if (isGame) under.append(buttonOf("pgn", "Copy PGN"));
  under.append(spokenPlace("copied", "role", "status"));
}

// The line of a figure.

/** The line of a figure, made when it is first asked for. */
function lineOf(figure) {
  if (!lines.has(figure)) lines.set(figure, makeLine(figure));
  return lines.get(figure);
}

function makeLine(figure) {
  const board = figure.querySelector("svg.board");
  const list = figure.querySelector(".moves");
  const { fen } = figure.querySelector(".under").dataset;
  const hasSeventhField = fen.split(" ").length > 6;
  return {
    board,
    list,
    fen,
    pgn: list.textContent.trim(),
    moves: splitMoves(list),
    steps: stepsOf(figure),
    scores: scoresOf(figure),
    firstScoreIsOld: hasSeventhField,
    rows: [...document.querySelectorAll(`table[data-figure="${figure.id}"] tbody tr`)],
    men: menOn(board),
    words: board.getAttribute("aria-label"),
    now: 0, // plies
  };
}

function stepsOf(figure) {
  return figure.dataset.steps.match(/\S+/g) ?? [];
}

/** The scores that accrue, each with the ply at which it does: "0 G4.0 3 G1.5". */
function scoresOf(figure) {
  const texts = figure.dataset.scores.split(/ (?=\d)/);
  return texts.map((text) => {
    const [ply, score] = text.split(" ");
    return { ply: Number(ply), score };
  });
}

/** Give each move of a list an element of its own. */
function splitMoves(list) {
  const moves = [];
  const parts = [];
  for (const word of list.textContent.split(/\s+/).filter(Boolean)) {
    const isNumber = /^\d+\.+$/.test(word);
    if (isNumber) {
      parts.push(`${word} `);
      continue;
    }
    const move = document.createElement("span");
    move.textContent = word;
    moves.push(move);
    parts.push(move, " ");
  }
  list.replaceChildren(...parts);
  return moves;
}

// What is shown.

/** Show a figure's line after some plies; `wanted` makes their number from that of now and of all. */
function show(figure, wanted) {
  const line = lineOf(figure);
  const plies = line.moves.length;
  const now = Math.max(0, Math.min(plies, wanted(line.now, plies)));
  const position = firstPosition(line.men, line.fen);
  line.steps.slice(0, now).forEach((step) => play(position, step));
  position.men.forEach(draw);
  markTurn(line.board, position);
  line.moves[line.now - 1]?.removeAttribute("data-now");
  line.now = now;
  markSquares(line);
  markRow(line);
  markMove(line);
  say(figure, line);
  link(figure, fenOf(position), carriedScore(line, position));
}

function draw({ use, color, role, x, y, isTaken }) {
  use.setAttribute("href", `#${color}-${role}`);
  use.setAttribute("x", x);
  use.setAttribute("y", y);
  use.toggleAttribute("data-taken", isTaken);
}

/** The circle beside the board has the colour of the side to move. */
function markTurn(board, { isWhite }) {
  board.querySelector("circle.turn").setAttribute("fill", isWhite ? "#fff" : "#000");
}

/** Colour the squares of the last move. */
function markSquares({ board, steps, now }) {
  board.querySelectorAll(".moved").forEach((square) => square.remove());
  if (now === 0) return;
  const { from, to } = readStep(steps[now - 1]);
  for (const name of [from, to]) {
    const square = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const shape = { class: "moved", ...placeOf(name), width: SQUARE, height: SQUARE };
    for (const [key, value] of Object.entries(shape)) square.setAttribute(key, value);
    board.querySelector("use").after(square);
  }
}

/** Mark the row of a table that goes with the board. A table may begin with the first position. */
function markRow({ rows, steps, now }) {
  const rowsBefore = rows.length - steps.length;
  rows.forEach((row, index) => row.toggleAttribute("data-now", index === rowsBefore - 1 + now));
}

function markMove({ list, moves, now }) {
  const move = moves[now - 1];
  move?.setAttribute("data-now", "");
  list.scrollTop = move ? move.offsetTop - list.clientHeight / 2 : 0;
}

function say(figure, line) {
  const { board, moves, now, words } = line;
  const said = figure.querySelector(".said");
  if (now === 0) {
    board.setAttribute("aria-label", words);
    said.textContent = `${moves.length} plies`;
    return;
  }
  const move = moves[now - 1].textContent;
  const score = accruedIn(line).score.replace("-", "−");
  board.setAttribute("aria-label", `The board after ply ${now}, ${move}`);
  said.textContent = `${now} of ${moves.length}: ${move}, accrued ${score}`;
}

/** The score that has accrued now, and the ply at which it did. */
function accruedIn({ scores, now }) {
  return scores.findLast(({ ply }) => ply <= now);
}

/** The accrued score if it is from before the position that is shown; else null. */
function carriedScore(line, { clock }) {
  const { ply, score } = accruedIn(line);
  const isOld = ply < line.now || (ply === 0 && line.firstScoreIsOld);
  return isOld && clock > 0 ? score : null;
}

/** Let what is copied, and the link to the explorer, be the position that is shown. */
function link(figure, fen, accrued) {
  const under = figure.querySelector(".under");
  under.dataset.fen = accrued ? `${fen} ${accrued}` : fen;
  const explorer = under.querySelector("a.explore");
  if (!explorer) return;
  const [page] = explorer.getAttribute("href").split("?");
  const score = accrued ? `&accrued=${accrued}` : "";
  explorer.setAttribute("href", `${page}?fen=${fen.replaceAll(" ", "_")}${score}`);
}

// What is copied.

function pgnOf(figure) {
  const { pgn, fen } = lineOf(figure);
  const { outcome, material } = figure.dataset;
  const isZugzwang = figure.id.startsWith("zugzwang-");
  const result = RESULTS[outcome] ?? "*";
  const tags = {
    Event: isZugzwang ? "Best play from a mutual zugzwang" : `Longest best play to ${outcome}`,
    Site: material,
    Date: "????.??.??",
    Round: "-",
    White: "Best play",
    Black: "Best play",
    Result: result,
    FEN: fen,
    RMobilityResult: outcome,
    SetUp: "1",
  };
  const heads = Object.entries(tags).map(([name, value]) => `[${name} "${value}"]\n`);
  return `${heads.join("")}\n${pgn} ${result}\n`;
}

async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea"); // pages over plain http have no clipboard
  area.className = "copying";
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("refused");
}

async function copyFrom(button) {
  const under = button.closest(".under");
  const said = under.querySelector(".copied");
  const text = button.name === "fen" ? under.dataset.fen : pgnOf(button.closest("figure"));
  try {
    await copyText(text);
    said.textContent = "Copied";
  } catch {
    said.textContent = "The browser does not allow it";
  }
  setTimeout(() => { said.textContent = ""; }, COPIED_FOR);
}

// What readers do.

function clickInFigure(figure, target) {
  const button = target.closest("button");
  if (button && button.name in GO) show(figure, GO[button.name]);
  else if (button) copyFrom(button);
  else if (target.matches(".moves span")) show(figure, () => lineOf(figure).moves.indexOf(target) + 1);
}

/** A click on a row of a table shows the position that goes with it. */
function clickInRow(row) {
  const figure = document.getElementById(row.closest("table").dataset.figure);
  const rowsBefore = row.parentNode.rows.length - lineOf(figure).steps.length;
  show(figure, () => row.sectionRowIndex - rowsBefore + 1);
}

document.addEventListener("click", ({ target }) => {
  const figure = target.closest("figure.line");
  const row = target.closest("table[data-figure] tbody tr");
  if (figure) clickInFigure(figure, target);
  else if (row) clickInRow(row);
});

document.addEventListener("keydown", (event) => {
  const name = KEYS[event.key];
  const figure = event.target.closest("figure.line[data-steps]");
  if (!name || !figure || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  show(figure, GO[name]);
});

document.querySelectorAll(".stepper").forEach(addSteps);
document.querySelectorAll(".under").forEach(addCopying);

/** A game begins at its end: without scripts on a board of its own, with them on that which moves. */
function begin(figure) {
  lineOf(figure);
  if (figure.dataset.at !== "end") return;
  const [moving, last] = figure.querySelectorAll("svg.board");
  last.remove();
  moving.removeAttribute("hidden");
  show(figure, GO.last);
}

// Moves can be clicked once the line has come into sight.
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    begin(target);
    seen.unobserve(target);
  }
}, { rootMargin: NEAR });
document.querySelectorAll("figure.line[data-steps]").forEach((figure) => seen.observe(figure));
