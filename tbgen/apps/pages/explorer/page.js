// The explorer: what is looked at stands in the address; everything else follows from it.
//
// Where things are, from what is pure to what is seen:
//   scores.js    scores and outcomes: numbers, words, points
//   chess.js     setups and positions by chessops, moves, own and accrued scores, names of endings
//   source.js    where answers come from: a server, or
//   tables.js    tables, with files.js (bytes of a file, checked, and where a position lies in it)
//   solve.js     tables that the browser solves, with solver.js (the worker), solving.js (calls of kernels), packed.js (solved tables
//                in parts) and solved.js (where a position lies in them)
//   known.js     what is known of a position without a table
//   elements.js  elements, scores as they are seen and explained, copying
//   game.js      positions as FENs, addresses, links and pasted texts have them; the tree of those that were looked at; PGN
//   board.js     the board, and setting a position up
//   verdict.js   what is said of a position, with a table or without
//   moves.js     the list of moves, best play, and what follows a move
//   figures.js   other accrued scores, the map of a man, the card of the ending
//   drill.js     drills
//   endings.js   the gallery and the search for endings, with finder.js, which pages of records have, too
//   controls.js  the form, buttons and keys
//   page.js      this file: what is shown, and in what order
import { Board, askPromotion, dotsOf, showTools, wireTools } from './board.js';
import { brokenRule, legalMoves, parseFen, positionOf, randomPosition } from './chess.js';
import { FAMOUS, Form, wireControls } from './controls.js';
import { byId, explainScores, make, moverOf, say } from './elements.js';
import { ManMap, Strip, mapOf, showEnding } from './figures.js';
import { Game, addressOf, endingInAddress, inAddress, lichessOf, placeAnyhow, placeOf, showGame } from './game.js';
import { Pointer, after, askAhead, movesOf, untilGoal } from './moves.js';
import { signed } from './scores.js';
import { NAMES, figuresOf, isInTables, pageOf, probe, solvable, solving, source, tableOf } from './source.js';
import { makeFen, makeSquare, makeUci, opposite } from './vendor/chessops.js';
import { colorOf, provedByMoves, solved, titleOf, unknown, verdict } from './verdict.js';

const NAME = document.title;
const OF_ANSWERS = ['strip-part', 'moves-part', 'type', 'ending', 'ask-line', 'ask-drill'];
const LINE_OF_TABLES = 'Show best play';
const LINE_OF_SOLVED = 'Show moves that keep it';
const STRIP_MARGIN = 60; // pixels beside the chart of accrued scores

let game = null; // the history: every position that was looked at, and the one that is shown
let setup = null; // what its FEN writes; null if that cannot be read
let position = null; // null if the setup cannot be played on
let answer = null; // null while it is asked for
let drill = null; // a drill that goes on, or has just ended
let isEdited = false;
let note = ''; // of how the position was read
let asked = 0;

const board = new Board({ played, setUp, chosen: (square) => map.chosen(square) });
const map = new ManMap(board, { changed: () => showStatus(), squaresOf: (man) => mapOf(game.now, man, outcomes) });
const pointer = new Pointer(board, (uci) => after(game.now, answer, uci, site));
const strip = new Strip(byId('runs'), byId('strip'), openWith);
const form = new Form((begun, text) => {
  scrollTo(0, 0);
  begin(begun, { said: text });
});

const outcomes = (fens) => source.outcomes(fens);
const lineFrom = ({ fen, accrued }) => source.line(fen, accrued);
const site = { probe, line: lineFrom, isQuick: source.linesAreQuick, tries };
const solvedLineFrom = ({ fen, accrued }) => source.solvedLine(fen, accrued);

// Where a position comes from.

/** Look at a game that no move leads to. Nothing stays that belonged to the position before. */
function begin(begun, { isSetUp = false, man = '', said = '' } = {}) {
  game = begun;
  drill = null;
  map.man = man;
  isEdited = isSetUp;
  note = said;
  return go();
}

/** Look at another position, given as a FEN and an accrued score. */
function open(given) {
  const place = placeAnyhow(given);
  scrollTo(0, 0);
  return begin(new Game(place), { said: place.note });
}

/** Look at the same position with another accrued score; its map stays. */
function openWith(accrued) {
  const place = placeOf({ fen: game.now.fen, accrued });
  return begin(new Game(place), { man: map.man, said: place.note });
}

/** Look at a position that was set up, and go on setting up. */
function edit(fen, accrued = '') {
  return begin(new Game({ fen, accrued }), { isSetUp: true });
}

/** Play a move; a map goes on with its man. */
function follow(uci) {
  if (drill && !answer) return look(); // a drill grades every move, and needs the answer for that
  drill?.played(answer, uci);
  game.play(uci);
  isEdited = false;
  note = '';
  return go();
}

/** Go to another position of the game. */
function step(node) {
  if (!node) return;
  game.jump(node);
  isEdited = false;
  note = '';
  go({ replace: true });
}

/** Look at the position that the game stands on; `replace` keeps it out of the browser's history. */
function go({ replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](game.way, '', addressOf(game.now));
  return look();
}

/** Stand where the browser's history says, or the address. */
function restore(way) {
  drill = null;
  isEdited = false;
  note = '';
  if (way && game?.follow(way)) return look();
  map.man = '';
  if (!way) {
    game = gameInAddress();
    return go({ replace: true });
  }
  game = new Game(way);
  game.follow(way);
  return look();
}

/** The position that the address names. What cannot be read is shown as it is, with what is wrong. */
function gameInAddress() {
  const given = inAddress(FAMOUS[0]);
  try {
    const place = placeAnyhow(given);
    note = place.note;
    return new Game(place);
  } catch {
    return new Game({ fen: given.fen });
  }
}

/** Look at what the address asks for when the page is loaded: a position, or one of an ending at random. */
function start() {
  const ending = endingInAddress();
  if (!ending) return restore(history.state);
  game = new Game({ fen: randomPosition(ending), accrued: '' });
  return go({ replace: true });
}

async function played(from, to) {
  const moves = legalMoves(position).filter((each) => makeSquare(each.from) === from && makeSquare(each.to) === to);
  const promotion = moves.length > 1 ? await askPromotion() : undefined;
  const move = moves.find((each) => each.promotion === promotion);
  if (move) follow(makeUci(move));
  else look();
}

/** Men were put elsewhere; the side to move stays. */
function setUp(men) {
  const [before, turn = 'w'] = game.now.fen.split(' ');
  if (men !== before) edit(`${men} ${turn} - - 0 1`);
}

// What is shown.

async function look() {
  asked += 1;
  const number = asked;
  const { fen, accrued, uci } = game.now;
  const fault = read(fen);
  answer = null;
  byId('solving').hidden = true; // a solve goes on
  say(); // of another position
  isEdited ||= setup !== null && fault !== null;
  map.stand(setup, uci);
  form.fill(game.now, note);
  showEditor();
  if (!drill) showDrill(); // not the one of the position before
  const men = setup ? fen.split(' ')[0] : '8/8/8/8/8/8/8/8';
  board.show(position, { men, lastMove: uci, isEdited });
  showStatus();
  showGame(game, step);
  document.title = NAME;
  if (fault) refuse(`Not a position that can be played on: ${fault}.`, setup ? '' : homeButton());
  else await askFor(fen, accrued, number);
  document.documentElement.dataset.shown = String(number); // tests wait for it
}

/** Read the position; returns what is wrong with it. */
function read(fen) {
  setup = null;
  position = null;
  try {
    setup = parseFen(fen);
    position = positionOf(setup);
    return null;
  } catch (error) {
    return error.message;
  }
}

function showEditor() {
  byId('edit').setAttribute('aria-pressed', String(isEdited));
  byId('editing').hidden = !isEdited;
  document.body.classList.toggle('edited', isEdited);
  showTools(setup);
}

async function askFor(fen, accrued, number) {
  byId('answer').setAttribute('aria-busy', 'true');
  try {
    if (!isInTables(position)) {
      offerSolve().catch((error) => say(error.message));
      await showUnknown(fen, accrued, number);
      return;
    }
    const found = await probe({ fen, accrued });
    if (number === asked) show(found);
  } catch (error) {
    if (number !== asked) return;
    if (error.isMissing) await showUnknown(fen, accrued, number);
    else refuse(error.message, error.isLost ? retryButton() : '');
  }
}

/** Solve the table that is missing; where others are here, only if somebody asks for it. */
async function offerSolve() {
  const name = solvable(position);
  if (!name) return;
  const number = asked;
  const solves = await solving();
  if (number === asked) solves.want(name, { isAsked: !NAMES.length, told: () => !answer?.outcome && look() });
}

/** Say why there is no answer; a button may lead on. */
function refuse(text, wayOn = '') {
  showVerdict(make('p', {}, text), wayOn);
  for (const id of OF_ANSWERS) byId(id).hidden = true;
}

const retryButton = () => make('button', { type: 'button', onclick: () => look() }, 'Retry');

/** Looks at the same men with the other side to move, where that is legal. */
function turnButton() {
  const turned = { ...setup, turn: opposite(setup.turn), epSquare: undefined };
  if (isDrilled() || brokenRule(turned)) return '';
  const fen = makeFen(turned);
  const onclick = () => begin(new Game({ fen, accrued: '' }));
  return make('button', { type: 'button', class: 'link', onclick }, `Let ${moverOf(fen)} move`);
}

function homeButton() {
  const [fen, accrued] = FAMOUS[0];
  return make('button', { type: 'button', onclick: () => open({ fen, accrued }) }, 'Show the first position');
}

function showVerdict(...parts) {
  byId('answer').removeAttribute('aria-busy');
  byId('verdict').style.removeProperty('--shade');
  byId('verdict').replaceChildren(...parts);
}

function show(found) {
  const number = asked;
  answer = found;
  game.now.held = found.outcome === found.accrued ? found.accrued : null;
  showVerdict(...verdict(found, turnButton()));
  byId('verdict').style.setProperty('--shade', colorOf(found));
  byId('strip-part').hidden = found.strip.length < 2;
  if (found.strip.length > 1) strip.show(found, byId('answer').clientWidth - STRIP_MARGIN);
  showMoves();
  const isDone = !found.moves.length || found.dtg === 0;
  byId('ask-line').hidden = isDone || found.dtg === null; // without distances, no line is known to make progress
  byId('ask-line').textContent = LINE_OF_TABLES;
  byId('ask-drill').hidden = isDone;
  drill?.shown(found).catch((error) => say(error.message));
  showDrill();
  showStatus();
  showGame(game, step);
  const name = tableOf(position);
  const table = { name, page: pageOf(name), figures: figuresOf(name) };
  showEnding(found, position, table, { isShown: () => number === asked, open, random: openRandom });
  byId('lichess').href = lichessOf(game.now);
  document.title = `${titleOf(found)} · ${NAME}`;
}

/** Without a table: what the position says itself, what captures and promotions prove, and what a solve has proved. */
async function showUnknown(fen, accrued, number) {
  const { bareAnswer, withKnown, withSolved } = await import('./known.js');
  if (number !== asked) return;
  for (const id of OF_ANSWERS) byId(id).hidden = true;
  byId('lichess').href = lichessOf(game.now);
  showBare(bareAnswer(position, game.now));
  const known = await withKnown(answer, position, { isHere: isInTables, outcomes }).catch(() => null);
  if (number !== asked) return;
  if (known) showBare(known, { proved: provedByMoves(known), value: known.bounds.isProved ? known.bounds.least : null });
  if (!position.castles.castlingRights.isEmpty()) return; // nothing is solved with rights to castle
  const found = await source.solved?.(fen, accrued).catch(() => null);
  if (!found || number !== asked) return;
  showBare(withSolved(answer, found.moves), { proved: solved(found), value: found.exact ? found.lower.outcome : null });
  byId('ask-line').hidden = !found.exact || !found.moves.length;
  byId('ask-line').textContent = LINE_OF_SOLVED;
}

/** Show an answer without an outcome below what is proved of it; `value` is the outcome if that is proved. */
function showBare(found, { proved = [], value = null } = {}) {
  answer = found;
  showVerdict(...proved, ...unknown(found, NAMES, turnButton(), { isProved: value !== null }));
  if (value !== null) byId('verdict').style.setProperty('--shade', colorOf({ outcome: value }));
  showMoves();
  showStatus();
}

function showMoves() {
  const hadFocus = byId('moves').querySelector('.move:focus-visible');
  const does = { play: (uci) => answer && follow(uci), point: (uci, row) => answer && pointer.point(uci, row) };
  pointer.begin(drill ? null : askAhead(game.now, answer, site));
  byId('moves-part').hidden = !answer.moves.length;
  byId('type').hidden = !answer.moves.length;
  byId('why').hidden = !answer.outcome && !answer.moves.some((move) => move.known);
  byId('moves').replaceChildren(...movesOf(answer, does));
  if (hadFocus) (byId('moves').querySelector('.move') ?? byId('back')).focus({ preventScroll: true });
}

/** Who is to move, beside the board, with the arrows of best moves and the dots of a score that is on the board. */
function showStatus() {
  const turn = setup?.turn ?? 'white';
  const mover = [make('span', { class: `disc ${turn}` }), make('b', {}, `${moverOf(`- ${turn[0]}`)} to move.`)];
  const dots = isReached() ? dotsOf(position) : [];
  const said = dots.length ? ` The dots are the moves that ${moverOf(answer.fen)} has left: ${signed(answer.own)}.` : '';
  if (answer) board.suggest(bestMoves(), dots);
  byId('status').replaceChildren(...mover, said);
  byId('status').classList.toggle('short', !said && !map.man);
  if (answer?.outcome && !isEdited) map.show(mover);
  else map.hide();
  const hasBest = Boolean(answer?.moves.some((move) => move.best));
  byId('best').disabled = !hasBest && !answer?.tried;
  byId('best').textContent = hasBest || !answer?.tried ? 'Best' : 'Keep';
}

/** Whether the accrued score is that of the position on the board. */
function isReached() {
  if (!answer || isEdited || answer.own !== answer.accrued) return false;
  return Boolean(game.now.uci) || answer.outcome === answer.accrued;
}

/** Show the move to try from a position, where none is known to be best. */
function tries(tried, uci) {
  tried.tried = uci;
  if (tried === answer) showStatus();
}

/** The moves that are worth an arrow. */
function bestMoves() {
  if (isEdited || isDrilled() || answer.outcome === answer.accrued) return [];
  const best = answer.moves.filter((move) => move.best).map((move) => move.uci);
  return best.length || !answer.tried ? best : [answer.tried];
}

function openRandom(material) {
  return open({ fen: randomPosition(material) });
}

// Drills and best play.

const isDrilled = () => drill !== null && !drill.isOver;

function showDrill() {
  byId('drill-part').hidden = !drill;
  document.body.classList.toggle('drilled', isDrilled());
}

/** Play a position against the tables; later a game goes on from there. */
async function startDrill(given) {
  const { Drill } = await import('./drill.js');
  const place = placeOf(given);
  const first = await probe(place);
  await begin(new Game(place));
  drill = new Drill(first, {
    source, follow,
    place: byId('drill-part'),
    drill: startDrill,
    point: (uci) => board.suggest([uci], []),
    node: () => game.now,
    jump: (node) => step(node),
    isShown: (shown) => shown === answer,
    leave: leaveDrill,
    after: (move) => probe(placeAfter(game.now, move.uci)),
  });
  board.face(drill.side);
  show(first);
  scrollTo(0, 0);
}

function leaveDrill() {
  drill = null;
  look();
}

function placeAfter(node, uci) {
  const branch = new Game(node);
  branch.play(uci);
  return branch.now;
}

/** Best play to the goal goes into the game; from there on the score is held for ever. */
async function askLine() {
  const from = game.now;
  const isSolved = answer.outcome === null; // no table has it
  const steps = await (isSolved ? solvedLineFrom(from) : lineFrom(from));
  if (game.now !== from) return;
  if (!steps.length) say('The solve looked for no line: tbgen solve --line finds one.');
  for (const each of untilGoal(steps)) {
    game.play(each.uci);
    game.now.held = each.outcome === each.accrued ? each.accrued : null;
  }
  game.jump(from);
  showGame(game, step);
}

wireTools({ now: () => ({ setup, accrued: game.now.accrued }), edit });
wireControls({
  board, step, follow, look, open, startDrill, askLine, openRandom,
  showMapOf: (square) => map.choose(square),
  game: () => game,
  position: () => position,
  answer: () => answer,
  toggleEditor: () => { isEdited = !isEdited; return look(); },
});
explainScores();
if (!NAMES.length && await solving()) navigator.serviceWorker?.register(`offline.js?build=${document.documentElement.dataset.build}`);
addEventListener('popstate', (event) => restore(event.state));
start();
