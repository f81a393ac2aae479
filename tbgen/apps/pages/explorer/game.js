// One history: a tree of positions, with the way that was taken through it, PGN in and out, and its moves on the page.
import { accruedAfter, accruedOf, fenOf, isReset, ownOf, parseMove, parsePosition, play, sanOf } from './chess.js';
import { make } from './elements.js';
import { placeOf } from './place.js';
import { formatScore, signed } from './scores.js';
import { makeUci } from './vendor/chessops.js';

const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';
const RESULTS = ['1-0', '0-1', '1/2-1/2', '*'];

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

/** Words and buttons; `jump` is called with a position of the game. */
export function movesOfGame(game, jump) {
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
