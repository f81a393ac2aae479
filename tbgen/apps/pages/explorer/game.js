// What is looked at: a position with its accrued score, and the game that it stands in.
import {
  accruedAfter, accruedOf, brokenRule, fenOf, isReset, ownOf, parseFen, parseMove, parsePosition, play, positionOf, sanOf, scoresOf,
} from './chess.js';
import { byId, make } from './elements.js';
import { codeOf, formatScore, parseScore, signed } from './scores.js';
import { makeFen, makeUci } from './vendor/chessops.js';

// A place is a position with the score that has accrued, written in one way only, as addresses, links and FENs have it.

/** The place that a FEN and a score name; an Error says what is wrong with them.
 *
 * `accrued` is empty if the position's own score counts. `note` tells what was ignored or changed: a FEN's seventh field
 * (`isField`) means nothing with a halfmove clock of 0, because a capture or a pawn move has just erased the old score.
 * A score that somebody chose for such a position sets the clock to 1.
 */
export function placeOf({ fen, accrued = '', isField = false }) {
  const setup = parseFen(fen);
  const written = makeFen(setup);
  if (!accrued) return { fen: written, accrued: '', note: '' };
  const score = parseScore(accrued);
  if (brokenRule(setup)) return { fen: written, accrued: '', note: '' };
  const text = signed(formatScore(score));
  const { own, fault } = scoresOf(positionOf(setup), formatScore(score));
  if (score === own) return { fen: written, accrued: '', note: '' };
  if (isField && setup.halfmoves === 0) {
    return { fen: written, accrued: '', note: `${text} is ignored: with a halfmove clock of 0, the position’s own score counts.` };
  }
  if (fault) throw Error(signed(fault.slice(0, -1)));
  if (codeOf(own) < codeOf(score)) {
    return { fen: written, accrued: '', note: `${text} is ignored: the position’s own score ${signed(formatScore(own))} is lower.` };
  }
  if (setup.halfmoves > 0) return { fen: written, accrued: formatScore(score), note: '' };
  const later = makeFen({ ...setup, halfmoves: 1 });
  return { fen: later, accrued: formatScore(score), note: 'The halfmove clock is 1 now: with 0, no other score can have accrued.' };
}

/** The same; a score that cannot have accrued is ignored, and the note says why. */
export function placeAnyhow(given) {
  try {
    return placeOf(given);
  } catch (error) {
    return { ...placeOf({ fen: given.fen }), note: `${error.message}. It is ignored.` };
  }
}

// Addresses and links.

const ENDING = /^K[QRBNP]{0,3}vK[QRBNP]{0,3}(\.pairs)?$/;
const OPERATIONS = /\s[a-z_]{3,}\s[^;]*;.*$/s; // of a line of EPD, as `tbgen study find` prints it
const MEN = /(?<![a-z\d])(?:[\dkqrbnp]+\/){7}[\dkqrbnp]+/i;

export function addressOf({ fen, accrued }) {
  const position = `?fen=${encodeURI(fen.replaceAll(' ', '_'))}`;
  const score = accrued ? `&accrued=${encodeURIComponent(accrued)}` : '';
  return position + score;
}

/** The position in the page's own address; without one, a famous one. */
export function inAddress([fen, accrued]) {
  return location.search.includes('fen=') ? fromQuery(location.search) : { fen, accrued };
}

/** The ending that the address asks a position of, as `?ending=KRvKB`; null if it asks for none. */
export function endingInAddress() {
  const name = new URLSearchParams(location.search).get('ending') ?? '';
  return ENDING.test(name) ? name : null;
}

function fromQuery(query) {
  const given = new URLSearchParams(query);
  const there = positionIn(given.get('fen') ?? '');
  return given.has('accrued') ? { fen: there.fen, accrued: given.get('accrued') } : there;
}

/** The position that a text writes: a FEN with what may follow it, or a link that has one.
 *
 * `isField` tells that the accrued score is the FEN's own seventh field.
 */
export function positionIn(text) {
  const query = /\?\S*\bfen=\S*/.exec(text);
  if (query) return fromQuery(query[0]);
  let words = text.trim().replace(OPERATIONS, '');
  if (words.includes('://')) words = decodeURIComponent(words.replace(/[?#].*/, ''));
  const men = MEN.exec(words);
  const fields = (men ? words.slice(men.index) : words).split(/[\s_]+/).filter(Boolean);
  return { fen: fields.slice(0, 6).join(' '), accrued: fields[6] ?? '', isField: true };
}

/** The same position on the analysis board of lichess. */
export const lichessOf = ({ fen }) => `https://lichess.org/analysis/standard/${encodeURI(fen.replaceAll(' ', '_'))}`;

// A game: a tree of positions, with the way that was taken through it, PGN in and out, and its moves on the page.

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const RESULTS = ['1-0', '0-1', '1/2-1/2', '½-½', '1/2-0', '½-0', '0-1/2', '0-½', '*'];

/** The position after a move, with what has accrued in it. */
function nodeAfter(node, uci) {
  const position = parsePosition(node.fen);
  const move = parseMove(position, uci);
  const after = play(position, move);
  const accrued = accruedAfter(after, isReset(position, move), accruedOf(node));
  return {
    fen: fenOf(after),
    accrued: accrued === ownOf(after) ? '' : formatScore(accrued),
    uci,
    san: sanOf(position, move),
    parent: node,
    children: [],
  };
}

export class Game {
  constructor({ fen, accrued = '' }) {
    this.root = { fen, accrued, parent: null, children: [] };
    this.now = this.root;
  }

  /** Go on with a move, a new one or one that is in the tree. */
  play(uci) {
    const from = this.now;
    let next = from.children.find((each) => each.uci === uci);
    if (!next) {
      next = nodeAfter(from, uci);
      from.children.push(next);
    }
    from.next = next;
    this.now = next;
  }

  get back() { return this.now.parent; }
  get on() { return this.now.next ?? this.now.children[0]; }

  /** Stand on a position of the tree; the way there becomes the one that is taken forward. */
  jump(node) {
    for (let each = node; each.parent; each = each.parent) each.parent.next = each;
    this.now = node;
  }

  /** The first or the last position of the way that was taken. */
  get first() { return this.root; }
  get last() {
    let found = this.now;
    while (found.next ?? found.children[0]) found = found.next ?? found.children[0];
    return found;
  }

  /** How to come to the position that is shown again: where the history begins, and the moves from there. */
  get way() {
    const moves = [];
    for (let each = this.now; each.parent; each = each.parent) moves.unshift(each.uci);
    return { fen: this.root.fen, accrued: this.root.accrued, moves };
  }

  /** Follow a way; false if it is none of this game. */
  follow({ fen, accrued, moves }) {
    if (fen !== this.root.fen || accrued !== this.root.accrued) return false;
    this.now = this.root;
    for (const uci of moves) this.play(uci);
    return true;
  }

  toPgn() {
    const heads = this.#tags().map(([name, value]) => `[${name} "${value}"]\n`).join('');
    const words = [...this.words()].map((each) => (typeof each === 'string' ? each : each.san));
    const moves = [...words, '*'].join(' ').replaceAll('( ', '(').replaceAll(' )', ')');
    return `${heads}\n${moves}\n`;
  }

  #tags() {
    const { fen, accrued } = this.root;
    const tags = [
      ['Event', 'r-mobility explorer'], ['Site', '?'], ['Date', '????.??.??'], ['Round', '-'],
      ['White', '?'], ['Black', '?'], ['Result', '*'],
    ];
    if (fen !== START) tags.push(['SetUp', '1'], ['FEN', fen]);
    if (accrued) tags.push(['RMobilityAccrued', accrued]);
    return tags;
  }

  /** The moves as PGN writes them: numbers, brackets and positions, in their order.
   *
   * What is still to be said lies on a stack, the next last: a game may have more plies than calls may nest.
   */
  * words() {
    const ahead = [{ from: this.root, isFirst: true }];
    while (ahead.length) {
      const each = ahead.pop();
      if (typeof each === 'string') {
        yield each;
      } else if (each.move) {
        yield* numbered(each.move, true);
      } else if (each.from.children.length) {
        const [next, ...others] = each.from.children;
        yield* numbered(next, each.isFirst);
        ahead.push({ from: next, isFirst: others.length > 0 });
        for (const move of others.reverse()) ahead.push(')', { from: move, isFirst: false }, { move }, '(');
      }
    }
  }
}

function* numbered(node, isFirst) {
  const [, turn, , , , number] = node.parent.fen.split(' ');
  if (turn === 'w') yield `${number}.`;
  else if (isFirst) yield `${number}...`;
  yield node;
}

export const isPgn = (text) => /^\s*\[\w+ +"/.test(text) || /(^|\s)\d+\.+\s*[a-hKQRBNO]/.test(text);

/** Where a game begins by its tags. */
function beginningOf(tags) {
  const fields = (tags.FEN ?? START).split(/\s+/);
  const accrued = tags.RMobilityAccrued ?? fields[6] ?? '';
  return placeOf({ fen: fields.slice(0, 6).join(' '), accrued, isField: true });
}

/** The game that a PGN writes, at the end of its main line; an Error names a move that is not legal. */
export function parsePgn(text) {
  const head = /^(?:\s*\[\w+\s+"(?:[^"\\]|\\.)*"\]\s*)*/.exec(text)[0];
  const tags = Object.fromEntries([...head.matchAll(/\[(\w+)\s+"([^"]*)"\]/g)].map(([, name, value]) => [name, value]));
  const game = new Game(beginningOf(tags));
  const open = []; // where the branches begin that are read
  for (const word of wordsIn(text.slice(head.length))) {
    if (word === '(') {
      open.push(game.now);
      game.now = game.now.parent ?? game.now;
    } else if (word === ')') {
      game.now = open.pop() ?? game.now;
    } else if (RESULTS.includes(word)) {
      break;
    } else {
      playWord(game, word);
    }
  }
  for (let each = game.root; each; [each] = each.children) [each.next] = each.children;
  game.now = game.last;
  return game;
}

/** Moves, brackets and results, without comments and numbers. */
function wordsIn(moves) {
  const bare = moves.replace(/\{[^}]*\}|;[^\n]*|\$\d+/g, ' ').replace(/\d+\.+/g, ' ');
  return bare.match(/[()]|[^\s()]+/g) ?? [];
}

function playWord(game, word) {
  const position = parsePosition(game.now.fen);
  const move = parseMove(position, word.replace(/[?!]+$/, ''));
  if (!move) throw Error(`${word} is no legal move at move ${position.fullmoves}`);
  game.play(makeUci(move));
}

// The moves of the game with its branches, on the page.

/** Show the moves; `jump` is called with a position of the game. */
export function showGame(game, jump) {
  const place = byId('game');
  const hadFocus = place.contains(document.activeElement);
  byId('game-part').hidden = !game.root.children.length;
  place.replaceChildren(...movesOfGame(game, jump));
  for (const id of ['first', 'back']) byId(id).setAttribute('aria-disabled', String(!game.back));
  for (const id of ['on', 'last']) byId(id).setAttribute('aria-disabled', String(!game.on));
  const now = place.querySelector('[aria-current]');
  if (!now) return;
  place.scrollTop = now.offsetTop - place.offsetTop - place.clientHeight / 2;
  if (hadFocus) now.focus({ preventScroll: true });
}

/** Words and buttons. */
function movesOfGame(game, jump) {
  const parts = [];
  for (const word of game.words()) {
    if (typeof word === 'string') {
      parts.push(`${word} `);
      continue;
    }
    const isNow = word === game.now && 'step';
    parts.push(make('button', { type: 'button', 'aria-current': isNow, onclick: () => jump(word) }, word.san), ' ');
    if (word.held && word.held !== word.parent.held) {
      parts.push(make('span', { class: 'soft' }, `${signed(word.held)} held for ever from here `));
    }
  }
  return parts;
}
