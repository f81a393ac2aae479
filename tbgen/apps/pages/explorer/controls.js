// Buttons, fields and keys: what each does.
import { brokenRule, canonical, materialOf, parseFen, parseMove } from './chess.js';
import { byId, copy, make, say } from './elements.js';
import { Game, addressOf, isPgn, parsePgn, placeOf, positionIn } from './game.js';
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
}

/** A FEN with the accrued score as its seventh field. */
const fenOf = ({ fen, accrued }) => (accrued ? `${fen} ${accrued}` : fen);

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const linkOf = (now) => new URL(addressOf(now), location.href).href;

const TEXTS = {
  link: ({ now }) => linkOf(now),
  fen: ({ now }) => fenOf(now),
  pgn: (game) => game.toPgn(),
};

/** Whether a copied text leads to a server that nobody else can ask. */
const isOfThisMachine = (name) => name === 'link' && LOCAL.test(location.hostname);

/** Copy something of a game. */
function offer(name, game, place) {
  const text = TEXTS[name](game);
  if (!isOfThisMachine(name)) return copy(text, place);
  return copy(text, place, { copied: 'Copied. The link works on this machine only.', toCopy: 'Copy this; it works on this machine only:' });
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
  const { Gallery, strangePositions } = await import('./endings.js');
  return does(new Gallery(await strangePositions(), ENDINGS, { open: page.open, drill: page.startDrill, pageOf }));
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

// The form below the board: what somebody types or pastes becomes a game to look at.

export class Form {
  #shown = ''; // the FEN that is looked at
  #filled = ''; // what the page has put into the field of the accrued score
  #isSelected = false; // by a click, since the field has the focus

  /** `begin` is called with a game, and with a note of what was ignored or changed. */
  constructor(begin) {
    this.begin = begin;
    byId('ask').onsubmit = (event) => {
      event.preventDefault();
      this.#ask();
    };
    byId('fen').oninput = (event) => {
      this.#fillAccrued();
      if (event.inputType === 'insertFromPaste') this.#ask();
    };
    byId('fen').onclick = () => this.#selectShown();
    byId('fen').onblur = () => { this.#isSelected = false; };
    byId('fen').onkeydown = (event) => {
      if (event.key !== 'Enter' || event.shiftKey) return;
      event.preventDefault();
      byId('ask').requestSubmit();
    };
  }

  /** Show what is looked at, until somebody types. */
  fill({ fen, accrued }, note) {
    this.#shown = fen;
    this.#filled = accrued;
    byId('fen').value = fen;
    byId('fen').scrollLeft = 0; // Firefox stays where the caret was
    byId('accrued').value = accrued;
    byId('note').textContent = note;
  }

  /** While a position is typed, the other field has what it says of the accrued score. */
  #fillAccrued() {
    const text = byId('fen').value;
    const { fen, accrued } = positionIn(text);
    const isErased = isPgn(text) || fen.split(' ')[4] === '0';
    this.#filled = isErased ? '' : accrued;
    byId('accrued').value = this.#filled;
  }

  /** What is shown is there to be replaced by what somebody pastes; a second click puts the caret where it is wanted. */
  #selectShown() {
    const field = byId('fen');
    if (field.value === this.#shown && !this.#isSelected) field.select();
    this.#isSelected = true;
  }

  /** What cannot be read leaves everything as it is. */
  #ask() {
    try {
      this.#begin(byId('fen').value, byId('accrued').value.trim());
      document.activeElement.blur(); // keys are the board's again, and a telephone's keyboard goes away
    } catch (error) {
      byId('note').textContent = `${error.message}. The board is as it was.`;
    }
  }

  /** A score that is left from the position before does not count; one that somebody chose does. */
  #begin(text, accrued) {
    if (isPgn(text)) {
      this.begin(parsePgn(text), '');
      return;
    }
    const given = positionIn(text);
    if (!given.fen.includes('/')) throw Error('That is no FEN, no link to a position and no game as PGN');
    const isChosen = text.trim() === this.#shown || accrued !== this.#filled;
    const place = placeOf(isChosen ? { fen: given.fen, accrued } : given);
    const broken = brokenRule(parseFen(place.fen));
    if (broken) throw Error(`Not a position that can be played on: ${broken}`);
    this.begin(new Game(place), place.note);
  }
}

// Positions to start from.

export const FAMOUS = [
  ['8/8/4K3/5Bk1/8/8/8/8 w - - 33 30', 'G4.0', 'A bishop is worth something', 'Once held to G4.0, the king can be held to one move'],
  ['8/6k1/8/4K3/8/8/8/8 b - - 0 1', '', 'Two bare kings', 'The opposition is worth a score'],
  ['8/8/8/2kNK3/8/8/8/8 b - - 0 1', '', 'A knight alone', 'Published with the rules: G3.5'],
  ['7K/8/k1P5/7p/8/8/8/8 w - - 0 1', '', 'Réti’s study', 'A draw in ordinary chess; Black wins by very little'],
  ['8/8/8/8/8/4k3/R7/K2b4 w - - 0 1', '', 'Rook against bishop', 'The strip shows what a bad score costs'],
  ['8/8/8/8/8/2k5/1R6/K7 w - - 0 1', '', 'Rook against king', 'The longest mate, 31 plies'],
  ['8/8/8/1k6/8/8/P7/K7 w - - 0 1', '', 'A rook pawn', 'Draws of ordinary chess are not equal'],
  ['8/8/8/3k4/8/3K4/8/BN6 w - - 0 1', '', 'Bishop and knight', 'Mate, whatever has accrued'],
];
