// What stands above the moves: best play, and while somebody points at a move, what follows that one.
import { byId } from './elements.js';

const PATIENCE = 120; // milliseconds, so that a pointer on its way asks nothing
const REST = 300; // milliseconds, so that going through a game asks nothing
const HINT = 'Point at a move to see the best reply and how the line ends.';
const AGAIN = ' Touch it again to play it.';

export class Pointer {
  #uci = null; // the move that is pointed at
  #timer = 0;
  #rest = [HINT]; // what is said while nobody points

  /** `follows(uci)` promises the best reply to a move, and words. */
  constructor(board, follows) { Object.assign(this, { board, follows }); }

  /** Show what follows a move, in a row of moves or above them; null shows nothing of that any longer. */
  point(uci, row = null) {
    clearTimeout(this.#timer);
    this.#uci = uci;
    this.board.point(uci);
    this.#put(row);
    if (uci) this.#timer = setTimeout(() => this.#tell(uci, row), row ? 0 : PATIENCE);
  }

  /** Other moves are about to be shown. A promise of words of best play may come in their time. */
  begin(ask = null) {
    clearTimeout(this.#timer);
    this.#uci = null;
    this.#rest = [HINT];
    this.#put(null);
    if (ask) this.#timer = setTimeout(() => this.#tellBest(ask), REST);
  }

  #put(row) {
    const words = byId('why');
    words.replaceChildren(...this.#rest);
    words.classList.toggle('hint', this.#rest[0] === HINT); // which a narrow page has no room for
    if (row) row.append(words);
    else byId('moves').before(words);
  }

  async #tell(uci, row) {
    const { reply, words } = await this.follows(uci).catch((error) => ({ reply: null, words: [error.message] }));
    if (this.#uci !== uci) return;
    this.board.point(uci, reply);
    byId('why').replaceChildren(...words, row ? AGAIN : '');
  }

  async #tellBest(ask) {
    const before = this.#rest;
    const words = await ask().catch(() => []); // what fails is said where somebody points
    if (this.#rest !== before || !words.length) return;
    this.#rest = words;
    if (!this.#uci) this.#put(null);
  }
}
