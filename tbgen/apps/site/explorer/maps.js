// A map of one man: the value that the position would have with him on each square.
import { badge } from './badge.js';
import { manInWords } from './chess.js';
import { byId, make, say } from './elements.js';
import { parseScore, worth } from './scores.js';
import { makeSquare, parseSquare } from './vendor/chessops.js';

const WRITTEN_OUT = 6; // squares

export class ManMap {
  man = ''; // the square of the man whose map is shown
  #setup = null;

  /** `changed` is called when another man is chosen; `squaresOf(man)` promises the values. */
  constructor(board, { changed, squaresOf }) { Object.assign(this, { board, changed, squaresOf }); }

  /** A position is shown, after a move if there was one: the map goes on with its man, if he is there. */
  stand(setup, uci) {
    if (this.man && uci?.startsWith(this.man)) this.man = uci.slice(2, 4);
    if (this.man && !setup?.board.has(parseSquare(this.man))) this.man = '';
    this.#setup = setup;
  }

  choose(square) {
    this.man = square;
    this.changed();
  }

  /** A square of the board was touched: while a map is shown, another man can be chosen so. */
  chosen(square) {
    if (this.man && this.#setup?.board.has(parseSquare(square))) this.choose(square);
  }

  hide() {
    byId('map-words').hidden = true;
    document.body.classList.remove('mapped');
    this.#showMen();
  }

  /** Colour the squares, and say it beside who is to move. */
  async show(mover) {
    const { man } = this;
    const setup = this.#setup;
    this.hide();
    if (!man) return;
    try {
      const squares = await this.squaresOf(man);
      if (setup !== this.#setup || man !== this.man) return;
      this.board.suggest([], fieldsOf(squares));
      const words = ` Each square has the value with the ${manInWords(setup.board.get(parseSquare(man)))} there.`;
      byId('status').replaceChildren(...mover, words);
      byId('map-words').replaceChildren(...mapInWords(squares));
      byId('map-words').hidden = false;
      document.body.classList.add('mapped');
    } catch (error) {
      say(error.message);
    }
  }

  #showMen() {
    const option = (value, text) => make('option', { value, selected: value === this.man }, text);
        const options = [...(this.#setup?.board ?? [])].map(([square, man]) => option(makeSquare(square), `${makeSquare(square)} ${manInWords(man)}`));
    byId('map').replaceChildren(option('', this.man ? 'No map' : 'Map'), ...options);
  }
}

/** Marks for the board. */
function fieldsOf(squares) {
  const there = Object.entries(squares).filter(([, value]) => value);
  return there.map(([name, value]) => ({ square: parseSquare(name), score: value.outcome }));
}

/** How often each outcome occurs, best for White first, and where. */
function mapInWords(squares) {
  const places = new Map();
  for (const [square, value] of Object.entries(squares)) {
    if (value) places.set(value.outcome, [...(places.get(value.outcome) ?? []), square]);
  }
  const rows = [...places].sort(([a], [b]) => worth(parseScore(b)) - worth(parseScore(a)));
  return rows.map(([outcome, there]) => make('li', {}, badge(outcome), ...placesInWords(there)));
}

function placesInWords(squares) {
  const names = squares.join(', ');
  if (squares.length <= WRITTEN_OUT) return [` on ${names}`];
  return [` on ${squares.length} squares`, make('span', { class: 'unseen' }, `: ${names}`)];
}
