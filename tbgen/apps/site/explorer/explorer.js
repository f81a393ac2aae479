// The explorer: what is looked at stands in the address; everything else follows from it.
import { Board, askPromotion } from './board.js';
import { byId, make } from './elements.js';
import { FAMOUS } from './famous.js';
import { canonical, materialOf } from './materials.js';
import { brokenRule, formatFen, legalMoves, nameOf, parseFen, parseMove, play, uciOf } from './rules.js';
import { parseScore, shadeOf } from './scores.js';
import { complaint, endingOf, lineOf, movesOf, stripOf, verdict } from './view.js';

const { source: kind, base = '../', report = '' } = document.documentElement.dataset;
const source = kind === 'server'
  ? new (await import('./server.js')).Server(base)
  : new (await import('./tables.js')).Tables(`${base}tables/`);

let state = null; // what is looked at: fen, accrued, and the move that led there
let position = null; // null if it cannot be played on
let answer = null;
let line = null; // best play that is being stepped through: its steps, and the positions after them
let isEdited = false;
let asked = 0;

const board = new Board({ played, setUp });

function inAddress() {
  const query = new URLSearchParams(location.search);
  const words = (query.get('fen') ?? '').trim().split(/[\s_]+/).filter(Boolean);
  if (!words.length) return { fen: FAMOUS[0][0], accrued: FAMOUS[0][1] };
  return { fen: words.slice(0, 6).join(' '), accrued: query.get('accrued') ?? words[6] ?? '' };
}

function addressOf({ fen, accrued }) {
  return `?fen=${encodeURI(fen.replace(/ /g, '_'))}${accrued ? `&accrued=${encodeURIComponent(accrued)}` : ''}`;
}

/** Look at another position; `replace` keeps it out of the browser's history. */
function go(next, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](next.lastMove ?? null, '', addressOf(next));
  look(next);
}

async function look(next) {
  state = next;
  answer = null;
  let fault = null;
  try {
    position = parseFen(next.fen);
    fault = brokenRule(position);
  } catch (error) {
    [position, fault] = [null, error.message];
  }
  byId('fen').value = next.fen;
  byId('accrued').value = next.accrued;
  for (const each of document.querySelectorAll('[name=turn]')) each.checked = each.value === (position?.turn ?? 'w');
  byId('edit').setAttribute('aria-pressed', String(isEdited));
  byId('editing').hidden = !isEdited;
  board.show(position && (isEdited || !fault) ? position : null, { men: next.fen.split(' ')[0], lastMove: next.lastMove, isEdited: isEdited || !!fault });
  showLine();
  if (fault) return refuse(`Not a position that can be played on: ${fault}.`);
  if (next.accrued && parseScore(next.accrued) === null) return refuse(`${next.accrued} is no score; write G3.5 for White or -G3.5 for Black.`);
  const number = ++asked;
  byId('verdict').setAttribute('aria-busy', 'true');
  try {
    const found = await source.probe(next.fen, next.accrued);
    if (number === asked) show(found);
  } catch (error) {
    if (number === asked) refuse(error.message);
  }
  document.documentElement.dataset.shown = String(number); // tests wait for it
}

function refuse(text) {
  asked++;
  byId('verdict').style.removeProperty('--shade');
  byId('verdict').removeAttribute('aria-busy');
  byId('verdict').replaceChildren(...complaint(text));
  for (const id of ['strip-part', 'moves-part', 'ending']) byId(id).hidden = true;
  byId('line-part').hidden = !line;
  byId('best').disabled = true;
}

function show(found) {
  answer = found;
  byId('verdict').removeAttribute('aria-busy');
  byId('verdict').style.setProperty('--shade', `var(${shadeOf(parseScore(found.outcome))})`);
  byId('verdict').replaceChildren(...verdict(found));
  byId('strip-part').hidden = found.strip.length < 2;
  if (found.strip.length > 1) byId('strip').replaceChildren(...stripOf(found, byId('answer').clientWidth - 60, (accrued) => go({ ...state, accrued: accrued === found.own ? '' : accrued })));
  byId('moves-part').hidden = !found.moves.length;
  byId('moves').replaceChildren(...movesOf(found, { play: follow, point: (uci) => board.point(uci) }));
  byId('best').disabled = !found.moves.length;
  showLine();
  showEnding(found);
  document.title = `${found.outcome} · ${found.material} · r-mobility explorer`;
}

async function showEnding(found) {
  const material = materialOf(position), { name, flipped } = canonical(material), number = asked;
  try {
    const facts = await ending(name);
    if (number !== asked) return;
    const shown = { material, flipped, turn: position.turn, outcome: found.outcome, report, open: (fen) => go({ fen, accrued: '' }) };
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

/** Play a move of the answer. */
function follow({ uci, accrued, own }) {
  const move = legalMoves(position).find((each) => uciOf(each) === uci);
  go({ fen: formatFen(play(position, move)), accrued: accrued === own ? '' : accrued, lastMove: uci });
}

/** Play a move that the answer may not know yet. */
async function choose(moves) {
  let move = moves[0];
  if (moves.length > 1) {
    const promotion = await askPromotion();
    move = moves.find((each) => each.promotion === promotion);
  }
  const uci = move && uciOf(move), known = answer?.moves.find((each) => each.uci === uci);
  if (known) follow(known);
  else look(state);
}

function played(from, to) { choose(legalMoves(position).filter((each) => nameOf(each.from) === from && nameOf(each.to) === to)); }

/** Men were put elsewhere; the side to move stays. */
function setUp(men) {
  const [, turn = 'w'] = state.fen.split(' ');
  if (men !== state.fen.split(' ')[0]) go({ fen: `${men} ${turn} - - 0 1`, accrued: state.accrued });
}

/** Change the men, each square's place by `to`. */
function rearrange(to, change = (man) => man) {
  if (!position) return;
  const after = { ...position, board: Array(64).fill(null), ep: -1 };
  for (const [square, man] of position.board.entries()) {
    if (man === null) continue;
    const target = to(square);
    if (target < 0) return; // a man would leave the board
    after.board[target] = change(man);
  }
  return after;
}

const goTo = (after, accrued = state.accrued) => after && go({ fen: formatFen(after), accrued });

function shifted(by) {
  return rearrange((square) => {
    const x = (square & 7) + (Math.abs(by) === 1 ? by : 0), y = (square >> 3) + (Math.abs(by) === 8 ? by / 8 : 0);
    return x >= 0 && x < 8 && y >= 0 && y < 8 ? 8 * y + x : -1;
  });
}

function swapped() {
  const after = rearrange((square) => square ^ 56, (man) => (man < 'a' ? man.toLowerCase() : man.toUpperCase()));
  if (after) after.turn = after.turn === 'w' ? 'b' : 'w';
  const { accrued } = state;
  return [after, accrued && (accrued.startsWith('-') ? accrued.slice(1) : `-${accrued}`)];
}

/** Best play: asked for once, then stepped through; it goes when another way is taken. */
async function askLine() {
  const { fen, accrued } = state, steps = await source.line(fen, accrued);
  let now = parseFen(fen);
  const places = [{ fen, accrued }];
  for (const each of steps) {
    now = play(now, legalMoves(now).find((move) => uciOf(move) === each.uci));
    places.push({ fen: formatFen(now), accrued: each.accrued === each.own ? '' : each.accrued, lastMove: each.uci });
  }
  const first = parseFen(fen);
  line = { steps, places, firstPly: 2 * (first.number - 1) + (first.turn === 'b' ? 1 : 0) };
  showLine();
}

function showLine() {
  const at = line ? line.places.findIndex(({ fen, accrued }) => fen === state.fen && accrued === state.accrued) : -1;
  if (at < 0) line = null;
  byId('line-part').hidden = !line && !answer?.moves.length;
  if (!line) {
    byId('line').replaceChildren(make('button', { type: 'button', id: 'ask-line', onclick: () => askLine().catch((error) => refuse(error.message)) }, 'Show the line'));
    return;
  }
  byId('line').replaceChildren(...lineOf(line, at, (to) => go(line.places[to], { replace: true })));
  const moves = byId('line').querySelector('.line-moves'), now = moves.querySelector('[aria-current]');
  if (now) moves.scrollTop = now.offsetTop - moves.offsetTop - moves.clientHeight / 2;
}

async function copy() {
  const { fen, accrued } = state, fields = fen.split(' ');
  if (accrued && fields[4] === '0') fields[4] = '1'; // a reset would have wiped the score out
  try {
    await navigator.clipboard.writeText([...fields, ...(accrued ? [accrued] : [])].join(' '));
    byId('said').textContent = 'Copied.';
  } catch {
    byId('said').textContent = 'The browser does not allow it.';
  }
}

function onKey(event) {
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog')) return;
  const moves = [...document.querySelectorAll('.move')].filter((each) => each.offsetParent), at = moves.indexOf(document.activeElement);
  const does = {
    ArrowLeft: () => history.back(),
    ArrowRight: () => history.forward(),
    ArrowDown: () => moves[Math.min(moves.length - 1, at + 1)]?.focus(),
    ArrowUp: () => moves[Math.max(0, at - 1)]?.focus(),
    f: () => board.turn(),
    e: () => byId('edit').click(),
    ' ': event.target.tagName === 'BUTTON' || event.target.tagName === 'SUMMARY' ? null : () => byId('best').click(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

function wire() {
  byId('back').onclick = () => history.back();
  byId('forward').onclick = () => history.forward();
  byId('best').onclick = () => answer?.moves.length && follow(answer.moves[0]);
  byId('turn-board').onclick = () => board.turn();
  byId('edit').onclick = () => { isEdited = !isEdited; look(state); };
  byId('mirror').onclick = () => goTo(rearrange((square) => square ^ 7));
  byId('swap').onclick = () => goTo(...swapped());
  byId('kings').onclick = () => go({ fen: '4k3/8/8/8/8/8/8/4K3 w - - 0 1', accrued: '' });
  for (const each of document.querySelectorAll('[data-shift]')) each.onclick = () => goTo(shifted(Number(each.dataset.shift)));
  for (const each of document.querySelectorAll('[name=turn]')) {
    each.onchange = () => {
      const fields = state.fen.split(' ');
      [fields[1], fields[3]] = [each.value, '-'];
      go({ fen: fields.join(' '), accrued: state.accrued });
    };
  }
  byId('ask').onsubmit = (event) => {
    event.preventDefault();
    const words = byId('fen').value.trim().split(/[\s_]+/);
    go({ fen: words.slice(0, 6).join(' '), accrued: words[6] ?? byId('accrued').value.trim() });
  };
  byId('type').onsubmit = (event) => {
    event.preventDefault();
    const text = byId('typed').value.trim(), move = position && parseMove(position, text);
    byId('said').textContent = move ? '' : `${text} is no legal move here.`;
    if (!move) return;
    byId('typed').value = '';
    choose([move]);
  };
  byId('type').hidden = false;
  byId('copy').onclick = copy;
  addEventListener('keydown', onKey);
  addEventListener('popstate', (event) => look({ ...inAddress(), lastMove: event.state ?? undefined }));
  byId('famous-list').replaceChildren(...FAMOUS.map(([fen, accrued, title, words]) =>
    make('li', {}, make('a', { href: addressOf({ fen, accrued }), onclick: (event) => { event.preventDefault(); isEdited = false; go({ fen, accrued }); scrollTo(0, 0); } }, make('b', {}, title), make('span', {}, words)))));
}

wire();
look({ ...inAddress(), lastMove: history.state ?? undefined });
