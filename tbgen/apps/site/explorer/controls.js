// Buttons, fields and keys beside the form: what each does.
import { parseFen, parseMove } from './chess.js';
import { byId, make, say } from './elements.js';
import { FAMOUS } from './famous.js';
import { canonical, materialOf } from './materials.js';
import { addressOf, offer } from './share.js';
import { ENDINGS, pageOf, tableOf } from './source.js';
import { makeUci } from './vendor/chessops.js';

/** `page` is what the explorer can do, and what it shows. */
export function wireControls(page) {
  wireBoard(page);
  wireMoves(page);
  wireShare(page);
  wireEndings(page);
  wireKeys(page);
  wirePrinting();
}

function wireBoard(page) {
  const { game } = page;
  byId('first').onclick = () => game().back && page.step(game().first);
  byId('back').onclick = () => page.step(game().back);
  byId('on').onclick = () => page.step(game().on);
  byId('last').onclick = () => game().on && page.step(game().last);
  byId('turn-board').onclick = () => page.board.turn();
  byId('edit').onclick = page.toggleEditor;
  byId('map').onchange = () => page.showMapOf(byId('map').value);
}

function wireMoves(page) {
  byId('best').onclick = () => {
    const answer = page.answer();
    const best = answer?.moves.find((move) => move.best)?.uci ?? answer?.tried;
    if (best) page.follow(best);
  };
  byId('type').onsubmit = (event) => {
    event.preventDefault();
    playTyped(page);
  };
  byId('ask-line').onclick = () => page.askLine().catch((error) => say(error.message));
  byId('ask-drill').onclick = () => page.startDrill(page.game().now);
}

function playTyped({ position, follow }) {
  const text = byId('typed').value.trim();
  const move = position() && parseMove(position(), text);
  say(move ? '' : `${text} is no legal move here.`);
  if (!move) return;
  byId('typed').value = '';
  follow(makeUci(move));
}

function wireShare(page) {
  byId('share').hidden = false;
  byId('share').onclick = ({ target }) => {
    if (target.name) offer(target.name, page.game(), byId('said'));
  };
  byId('picture').onclick = async () => {
    const { savePicture } = await import('./picture.js');
    savePicture(page.board.shown, page.answer());
  };
}

function wireEndings(page) {
  byId('famous-list').replaceChildren(...FAMOUS.map((row) => famousLink(row, page.open)));
  byId('puzzle').onclick = () => openGallery(page, (gallery) => gallery.daily()).catch((error) => say(error.message));
  byId('gallery').ontoggle = () => {
    if (byId('gallery').open) openGallery(page, (gallery) => gallery.fill(byId('gallery').querySelector('div')));
  };
  byId('endings').ontoggle = async () => {
    const { wireSearch } = await import('./endings.js');
    wireSearch(ENDINGS, { random: page.openRandom, pageOf });
  };
}

function famousLink([fen, accrued, title, words], open) {
  const onclick = (event) => {
    event.preventDefault();
    open({ fen, accrued });
  };
  const setup = parseFen(fen);
  const missing = tableOf(setup) ? '' : ` (needs a table: ${canonical(materialOf(setup)).name})`;
  const link = make('a', { href: addressOf({ fen, accrued }), onclick }, make('b', {}, title), make('span', {}, words + missing));
  return make('li', {}, link);
}

async function openGallery(page, does) {
  const { Gallery } = await import('./gallery.js');
  return does(new Gallery(ENDINGS, { open: page.open, drill: page.startDrill, pageOf }));
}

function isTyping({ target }) {
  return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog');
}

function wireKeys(page) {
  byId('letters').checked = recalled('letters') !== 'off';
  byId('letters').onchange = () => remember('letters', byId('letters').checked ? 'on' : 'off');
  addEventListener('keydown', (event) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const does = doesOf(event, page);
    if (!does) return;
    event.preventDefault();
    does();
  });
}

/** What a key does; undefined if it is left to the browser. */
function doesOf({ key, target }, { game, step, board }) {
  if (key === ' ' && !/^(BUTTON|SUMMARY)$/.test(target.tagName)) return () => byId('best').click();
  if (byId('letters').checked && key === 'f') return () => board.turn();
  if (byId('letters').checked && key === 'e') return () => byId('edit').click();
  return {
    ArrowLeft: () => step(game().back),
    ArrowRight: () => step(game().on),
    Home: () => step(game().first),
    End: () => step(game().last),
    ArrowDown: () => focusMove(1),
    ArrowUp: () => focusMove(-1),
  }[key];
}

/** Go so many moves on in the list. */
function focusMove(by) {
  const moves = [...document.querySelectorAll('.move')].filter((each) => each.offsetParent);
  const place = moves.indexOf(document.activeElement) + by;
  moves[Math.min(moves.length - 1, Math.max(0, place))]?.focus();
}

/** A browser may keep nothing; then it is forgotten with the page. */
function recalled(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* forgotten */ }
}

/** A printed board keeps its size: its men are placed by pixels. */
function wirePrinting() {
  const frame = document.querySelector('.frame');
  addEventListener('beforeprint', () => { frame.style.width = `${frame.clientWidth}px`; });
  addEventListener('afterprint', () => { frame.style.width = ''; });
}
