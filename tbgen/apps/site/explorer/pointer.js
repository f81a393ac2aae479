// What is shown while somebody points at a move: the move with its replies on the board, and what follows in words.
import { byId } from './elements.js';

const PATIENCE = 120; // milliseconds, so that a pointer on its way asks nothing
const HINT = 'Point at a move to see the best reply and how the line ends.';
const AGAIN = ' Touch it again to play it.';

export class Pointer {
  #uci = null; // the move that is pointed at
  #timer = 0;

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

  /** The moves that are shown are about to be replaced by others. */
  end() {
    clearTimeout(this.#timer);
    this.#uci = null;
    this.#put(null);
  }

  #put(row) {
    const words = byId('why');
    words.replaceChildren(HINT);
    if (row) row.append(words);
    else byId('moves').before(words);
  }

  async #tell(uci, row) {
    const { reply, words } = await this.follows(uci).catch((error) => ({ reply: null, words: [error.message] }));
    if (this.#uci !== uci) return;
    this.board.point(uci, reply);
    byId('why').replaceChildren(...words, row ? AGAIN : '');
  }
}
