// The explorer: what is looked at stands in the address; everything else follows from it.
import { Board, askPromotion, dotsOf } from './board.js';
import { flipped, mirrored, shifted, swapped } from './edit.js';
import { byId, make } from './elements.js';
import { endingOf } from './ending.js';
import { explainScores } from './explain.js';
import { FAMOUS } from './famous.js';
import { accruedOf } from './accrued.js';
import { Game, isPgn, parsePgn } from './game.js';
import { canonical, materialOf } from './materials.js';
import { placeAnyhow, placeOf } from './place.js';
import { accruedAfter, brokenRule, formatFen, isReset, legalMoves, manInWords, nameOf, ownOf, parseFen, parseMove, play, sanOf, squareOf, uciOf } from './rules.js';
import { formatScore, inWords, parseScore, shadeOf, signed } from './scores.js';
import { addressOf, inAddress, isEmbedded, offer, positionIn } from './share.js';
import { Strip, gameOf, mapOf, movesOf, solved, unknown, verdict } from './view.js';

const { source: kind, base = '../', report = '', tables = '' } = document.documentElement.dataset;
const listed = tables.split(' ').filter(Boolean); // with a star where a table has no distances
const NAMES = listed.map((each) => each.replace('*', ''));
const source = kind === 'server'
  ? new (await import('./server.js')).Server(base)
  : new (await import('./tables.js')).Tables(`${base}tables/`, listed);

const MOST_KEPT = 500; // answers
const NAME = document.title;

let game = null; // the history: every position that was looked at, and the one that is shown
let position = null; // null if it cannot be played on
let answer = null;
let drill = null; // a drill that goes on, or has just ended
let isEdited = false;
let said = ''; // of how a position was read
let filled = ''; // what the page has put into the field of the accrued score
let mapped = ''; // the square of the man whose map is shown
let asked = 0;

const board = new Board({ played, setUp, chosen: (square) => mapped && position?.board[squareOf(square)] && showMapOf(square) });
const strip = new Strip(byId('runs'), byId('strip'), (accrued) => openWith(accrued));

const answers = new Map(); // promises of what was asked already
function probe(fen, accrued) {
  const key = `${fen} ${accrued}`;
  if (!answers.has(key)) {
    answers.set(key, source.probe(fen, accrued));
    answers.get(key).catch(() => answers.delete(key));
    if (answers.size > MOST_KEPT) answers.delete(answers.keys().next().value);
  }
  return answers.get(key);
}

/** Look at the position that the game stands on; `replace` keeps it out of the browser's history. */
function go({ replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](game.way, '', addressOf(game.now));
  return look();
}

/** Look at a game that no move leads to. Nothing stays that belonged to the position before. */
function begin(begun, { isSetUp = false, map = '', note = '' } = {}) {
  game = begun;
  said = note;
  isEdited = isSetUp;
  mapped = map;
  drill = null;
  return go();
}

/** Look at another position, given as a FEN and an accrued score. */
function open(given) {
  const place = placeAnyhow(given);
  return begin(new Game(place), { note: place.note });
}

/** Look at the same position with another accrued score; its map stays. */
function openWith(accrued) {
  const place = placeOf({ fen: game.now.fen, accrued });
  return begin(new Game(place), { map: mapped, note: place.note });
}

function follow(uci) {
  if (answer) drill?.played(answer, uci);
  game.play(uci);
  said = '';
  isEdited = false;
  go();
}

function step(node) {
  if (!node) return;
  game.jump(node);
  said = '';
  isEdited = false;
  go({ replace: true });
}

/** Stand where the address and the browser's history say. */
function restore(way) {
  said = '';
  isEdited = false;
  drill = null;
  if (way && game?.follow(way)) return look();
  mapped = '';
  game = way ? gameOn(way) : gameInAddress();
  return way ? look() : go({ replace: true });
}

function gameOn(way) {
  const found = new Game(way);
  found.follow(way);
  return found;
}

/** The position that the address names. What cannot be read is shown as it is, with what is wrong. */
function gameInAddress() {
  const given = inAddress(FAMOUS[0]);
  try {
    const place = placeAnyhow(given);
    said = place.note;
    return new Game(place);
  } catch {
    return new Game({ fen: given.fen, accrued: '' });
  }
}

async function look() {
  const { fen, accrued, uci } = game.now;
  const number = ++asked;
  answer = null;
  let fault = null;
  try {
    position = parseFen(fen);
    fault = brokenRule(position);
  } catch (error) {
    [position, fault] = [null, error.message];
  }
  isEdited ||= position !== null && fault !== null;
  fill(fen, accrued);
  byId('note').textContent = said;
  const turn = position?.turn ?? 'w';
  for (const each of document.querySelectorAll('[name=turn]')) each.checked = each.value === turn;
  byId('edit').setAttribute('aria-pressed', String(isEdited));
  byId('editing').hidden = !isEdited;
  document.body.classList.toggle('edited', isEdited);
  board.show(fault ? null : position, { men: position ? fen.split(' ')[0] : '8/8/8/8/8/8/8/8', lastMove: uci, isEdited });
  if (uci?.startsWith(mapped)) mapped &&= uci.slice(2, 4);
  if (mapped && !position?.board[squareOf(mapped)]) mapped = '';
  showStatus();
  showGame();
  document.title = NAME;
  if (fault) refuse(`Not a position that can be played on: ${fault}.`);
  else await askFor(fen, accrued, number);
  document.documentElement.dataset.shown = String(number); // tests wait for it
}

/** What is looked at stands in the fields, until somebody types. */
function fill(fen, accrued) {
  byId('fen').value = fen;
  byId('accrued').value = accrued;
  filled = accrued;
}

async function askFor(fen, accrued, number) {
  byId('answer').setAttribute('aria-busy', 'true');
  try {
    if (!NAMES.includes(canonical(materialOf(position)).name)) return await showUnknown(fen, accrued, number);
    if (position.castling !== '-') return refuse('Tables know no castling rights.');
    const found = await probe(fen, accrued);
    if (number === asked) show(found);
  } catch (error) {
    if (number !== asked) return;
    if (error.isMissing) await showUnknown(fen, accrued, number);
    else refuse(error.message, error.isLost);
  }
}

function refuse(text, canRetry = false) {
  const retry = canRetry ? make('button', { type: 'button', onclick: () => look() }, 'Retry') : '';
  showVerdict(make('p', {}, text), retry);
  for (const id of ['strip-part', 'moves-part', 'ending', 'ask-line', 'ask-drill', 'picture']) byId(id).hidden = true;
}

function showVerdict(...parts) {
  byId('answer').removeAttribute('aria-busy');
  byId('verdict').style.removeProperty('--shade');
  byId('verdict').replaceChildren(...parts);
}

function show(found) {
  answer = found;
  game.now.held = found.outcome === found.accrued ? found.accrued : null;
  showVerdict(...verdict(found));
  byId('verdict').style.setProperty('--shade', `var(${shadeOf(parseScore(found.outcome))})`);
  byId('strip-part').hidden = found.strip.length < 2;
  if (found.strip.length > 1) strip.show(found, byId('answer').clientWidth - 60);
  showMoves();
  byId('ask-line').hidden = byId('ask-drill').hidden = !found.moves.length || found.dtg === 0;
  drill?.shown(found).catch((error) => { byId('said').textContent = error.message; });
  showDrill();
  showStatus();
  showGame();
  showEnding(found);
  showLinks();
  document.title = `${signed(found.outcome)}: ${inWords(parseScore(found.outcome), !found.moves.length)} · ${found.material} · ${NAME}`;
}

/** A position that has a verdict has a picture; a frame leads to the whole page. */
function showLinks() {
  byId('picture').hidden = false;
  byId('whole').href = addressOf(game.now).replace('&embed=1', '');
  byId('whole').hidden = !isEmbedded;
}

/** Without a table: the position's own score, the moves with what they reach, and what a solve has proved. */
async function showUnknown(fen, shown, number) {
  const accrued = accruedOf(game.now);
  const moves = legalMoves(position).map((move) => {
    const after = play(position, move), reset = isReset(position, move);
    return { uci: uciOf(move), san: sanOf(position, move), reset, accrued: formatScore(accruedAfter(after, reset, accrued)) };
  });
  answer = { fen: game.now.fen, material: materialOf(position), own: formatScore(ownOf(position)), accrued: formatScore(accrued), outcome: null, moves, strip: [] };
  showVerdict(...unknown(answer, NAMES));
  for (const id of ['strip-part', 'ending', 'ask-line', 'ask-drill', 'picture']) byId(id).hidden = true;
  showMoves();
  showStatus();
  const found = await source.solved?.(fen, shown).catch(() => null);
  if (found && number === asked) showVerdict(...solved(found), ...unknown(answer, NAMES));
}

const isDrilled = () => drill && !drill.isOver;

function showDrill() {
  byId('drill-part').hidden = !drill;
  document.body.classList.toggle('drilled', Boolean(isDrilled()));
}

/** Play a position against the tables; later a game goes on from there. */
async function startDrill({ fen, accrued }) {
  const { Drill } = await import('./drill.js');
  const first = await probe(fen, accrued);
  const site = {
    source, follow, place: byId('drill-part'), drill: startDrill,
    isShown: (found) => found === answer,
    leave: () => { drill = null; look(); },
    after: ({ uci }) => probe(...placeAfter(game.now, uci)),
  };
  await begin(new Game(placeOf({ fen, accrued })));
  drill = new Drill(site, first);
  board.face(drill.side);
  show(first);
}

function placeAfter(node, uci) {
  const branch = new Game(node);
  branch.play(uci);
  return [branch.now.fen, branch.now.accrued];
}

function showMoves() {
  const hadFocus = byId('moves').querySelector('.move:focus-visible');
  byId('moves-part').hidden = !answer.moves.length;
  byId('moves').replaceChildren(...movesOf(answer, { play: (uci) => answer && follow(uci), point: (uci) => answer && board.point(uci) }));
  if (hadFocus) (byId('moves').querySelector('.move') ?? byId('back')).focus({ preventScroll: true });
}

function showMapOf(square) {
  mapped = square;
  showStatus();
}

/** Every square with the value that the position would have with the chosen man there. */
async function showMap(side) {
  const number = asked, { fen, accrued } = game.now, man = mapped;
  try {
    const squares = await source.map(fen, accrued, man);
    if (number !== asked || man !== mapped) return;
    board.suggest([], Object.entries(squares).flatMap(([name, value]) => (value ? [{ square: squareOf(name), score: value.outcome }] : [])));
    byId('status').replaceChildren(...side, ` Each square has the value with the ${manInWords(position.board[squareOf(man)])} there.`);
    byId('map-words').replaceChildren(...mapOf(squares));
    byId('map-words').hidden = false;
  } catch (error) {
    byId('said').textContent = error.message;
  }
}

function showMen() {
  const men = [...(position?.board ?? []).entries()].filter(([, man]) => man !== null);
  const option = (value, text) => make('option', { value, selected: value === mapped }, text);
  byId('map').replaceChildren(option('', mapped ? 'No map' : 'Map of a man'), ...men.map(([square, man]) => option(nameOf(square), `${manInWords(man)} ${nameOf(square)}`)));
}

/** Who is to move, beside the board, with the arrows of best moves and the dots of a score that is on the board. */
function showStatus() {
  const turn = position?.turn ?? 'w', side = turn === 'w' ? 'White' : 'Black';
  const isReached = answer && answer.own === answer.accrued && (game.now.uci || answer.outcome === answer.accrued);
  const dots = isReached && !isEdited ? dotsOf(position) : [];
  const best = answer && !isEdited && !isDrilled() && answer.outcome !== answer.accrued ? answer.moves.filter((each) => each.best) : [];
  if (answer) board.suggest(best.map((each) => each.uci), dots);
  const said = dots.length ? ` The dots are the moves that ${side} has left: ${signed(answer.own)}.` : '';
  const toMove = [make('span', { class: `disc ${turn}` }), make('b', {}, `${side} to move.`)];
  byId('status').replaceChildren(...toMove, said);
  byId('map-words').hidden = true;
  showMen();
  if (mapped && answer?.outcome && !isEdited) showMap(toMove);
  byId('best').disabled = !answer?.moves.some((each) => each.keeps);
}

function showGame() {
  const hadFocus = byId('game').contains(document.activeElement);
  byId('game-part').hidden = !game.root.children.length;
  byId('game').replaceChildren(...gameOf(game, { jump: step, held: (node) => node.held }));
  for (const [id, node] of [['first', game.back], ['back', game.back], ['on', game.on], ['last', game.on]]) byId(id).setAttribute('aria-disabled', String(!node));
  const now = byId('game').querySelector('[aria-current]');
  if (!now) return;
  byId('game').scrollTop = now.offsetTop - byId('game').offsetTop - byId('game').clientHeight / 2;
  if (hadFocus) now.focus({ preventScroll: true });
}

async function showEnding(found) {
  const material = materialOf(position), { name, flipped: isFlipped } = canonical(material), number = asked;
  try {
    const facts = await ending(name);
    if (number !== asked) return;
    const shown = { material, flipped: isFlipped, turn: position.turn, outcome: found.outcome, report, open: (fen) => open({ fen }) };
    byId('ending').replaceChildren(...endingOf(facts, shown));
    byId('ending').hidden = false;
  } catch {
    byId('ending').hidden = true;
  }
}

const endings = new Map();
function ending(name) {
  if (!endings.has(name)) endings.set(name, source.ending(name));
  return endings.get(name);
}

async function played(from, to) {
  const moves = legalMoves(position).filter((each) => nameOf(each.from) === from && nameOf(each.to) === to);
  const promotion = moves.length > 1 ? await askPromotion() : undefined;
  const move = moves.find((each) => each.promotion === promotion);
  if (move) follow(uciOf(move));
  else look();
}

/** Men were put elsewhere; the side to move stays, and nothing has accrued. */
function setUp(men) {
  const [before, turn = 'w'] = game.now.fen.split(' ');
  if (men !== before) edit(`${men} ${turn} - - 0 1`);
}

/** Look at a position that was set up, and go on setting up. */
function edit(fen, accrued = '') {
  begin(new Game({ fen, accrued }), { isSetUp: true });
}

/** Look at the men after they have been rearranged; a score that has accrued stays where the board is only turned. */
function rearrange(after, accrued = '') {
  if (after) edit(formatFen(after), accrued);
}

/** Best play to the goal goes into the game; from there on the score is held for ever. */
async function askLine() {
  const from = game.now, steps = await source.line(from.fen, from.accrued);
  if (game.now !== from) return;
  for (const each of steps) {
    game.play(each.uci);
    game.now.held = each.outcome === each.accrued ? each.accrued : null;
    if (game.now.held) break;
  }
  game.jump(from);
  showGame();
}

/** Look at what somebody typed or pasted: a FEN, a link, or a game. An Error leaves everything as it is.
 *
 * The accrued score belongs to the position in the field: one that is left from the position before does not count.
 */
function ask(text, accrued) {
  if (isPgn(text)) return begin(parsePgn(text));
  const given = positionIn(text);
  const isChosen = text.trim() === game.now.fen || accrued !== filled;
  const place = placeOf(isChosen ? { fen: given.fen, accrued } : given);
  const broken = brokenRule(parseFen(place.fen));
  if (broken) throw Error(`Not a position that can be played on: ${broken}`);
  return begin(new Game(place), { note: place.note });
}

/** While a position is typed, the other field has what it says of the accrued score. */
function fillAccrued() {
  const { fen, accrued } = positionIn(byId('fen').value);
  const isErased = fen.split(' ')[4] === '0';
  filled = isErased || isPgn(byId('fen').value) ? '' : accrued;
  byId('accrued').value = filled;
}

function isTyping({ target }) {
  return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog');
}

function onKey(event) {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const moves = [...document.querySelectorAll('.move')].filter((each) => each.offsetParent), at = moves.indexOf(document.activeElement);
  const does = {
    ArrowLeft: () => step(game.back),
    ArrowRight: () => step(game.on),
    Home: () => step(game.first),
    End: () => step(game.last),
    ArrowDown: () => moves[Math.min(moves.length - 1, at + 1)]?.focus(),
    ArrowUp: () => moves[Math.max(0, at - 1)]?.focus(),
    ...(byId('letters').checked ? { f: () => board.turn(), e: () => byId('edit').click() } : {}),
    ' ': event.target.tagName === 'BUTTON' || event.target.tagName === 'SUMMARY' ? null : () => byId('best').click(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

async function openGallery(does) {
  const { Gallery } = await import('./gallery.js');
  return does(new Gallery(NAMES, { open, drill: startDrill }));
}

function wireBoard() {
  for (const [id, node] of [['first', () => game.back && game.first], ['back', () => game.back], ['on', () => game.on], ['last', () => game.on && game.last]]) byId(id).onclick = () => step(node());
  byId('best').onclick = () => answer?.moves[0]?.keeps && follow(answer.moves[0].uci);
  byId('turn-board').onclick = () => board.turn();
  byId('edit').onclick = () => { isEdited = !isEdited; look(); };
  byId('mirror').onclick = () => position && rearrange(mirrored(position), game.now.accrued);
  byId('swap').onclick = () => position && rearrange(swapped(position), flipped(game.now.accrued));
  byId('kings').onclick = () => edit('4k3/8/8/8/8/8/8/4K3 w - - 0 1');
  for (const each of document.querySelectorAll('[data-shift]')) each.onclick = () => position && rearrange(shifted(position, Number(each.dataset.shift)));
  for (const each of document.querySelectorAll('[name=turn]')) {
    each.onchange = () => {
      const fields = game.now.fen.split(' ');
      [fields[1], fields[3]] = [each.value, '-'];
      edit(fields.join(' '));
    };
  }
  byId('ask-drill').onclick = () => startDrill(game.now);
  byId('puzzle').onclick = () => openGallery((found) => found.daily()).catch((error) => { byId('said').textContent = error.message; });
  byId('gallery').ontoggle = () => byId('gallery').open && openGallery((found) => found.fill(byId('gallery').querySelector('div')));
  byId('map').onchange = () => showMapOf(byId('map').value);
  byId('ask-line').onclick = () => askLine().catch((error) => { byId('said').textContent = error.message; });
}

function wireForms() {
  byId('ask').onsubmit = (event) => {
    event.preventDefault();
    try {
      ask(byId('fen').value, byId('accrued').value.trim());
    } catch (error) {
      byId('note').textContent = `${error.message}. The board is as it was.`;
    }
  };
  byId('fen').oninput = fillAccrued;
  byId('fen').onkeydown = (event) => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    byId('ask').requestSubmit();
  };
  byId('type').onsubmit = (event) => {
    event.preventDefault();
    const text = byId('typed').value.trim(), move = position && parseMove(position, text);
    byId('said').textContent = move ? '' : `${text} is no legal move here.`;
    if (!move) return;
    byId('typed').value = '';
    follow(uciOf(move));
  };
  byId('type').hidden = byId('share').hidden = false;
  byId('share').onclick = ({ target }) => target.name && offer(target.name, game, byId('said'));
  byId('picture').onclick = async () => (await import('./picture.js')).savePicture(board.shown, answer);
}

function wireKeys() {
  try {
    byId('letters').checked = localStorage.getItem('letters') !== 'off';
  } catch { /* a browser may keep nothing; then letters are keys */ }
  byId('letters').onchange = () => {
    try {
      localStorage.setItem('letters', byId('letters').checked ? 'on' : 'off');
    } catch { /* it is forgotten with the page */ }
  };
  addEventListener('keydown', onKey);
}

/** A printed board keeps its size: its men are placed by pixels. */
function wirePrinting() {
  const frame = document.querySelector('.frame');
  addEventListener('beforeprint', () => { frame.style.width = `${frame.clientWidth}px`; });
  addEventListener('afterprint', () => { frame.style.width = ''; });
}

document.body.classList.toggle('embedded', isEmbedded);
wireBoard();
wireForms();
wireKeys();
wirePrinting();
explainScores();
addEventListener('popstate', (event) => restore(event.state));
byId('famous-list').replaceChildren(...FAMOUS.map(([fen, accrued, title, words]) =>
  make('li', {}, make('a', { href: addressOf({ fen, accrued }), onclick: (event) => { event.preventDefault(); open({ fen, accrued }); scrollTo(0, 0); } }, make('b', {}, title), make('span', {}, words)))));
restore(history.state);
