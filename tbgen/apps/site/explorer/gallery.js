// The gallery and the puzzle of the day, as far as there are tables of them.
import { CHANGES, LONGEST, PUZZLES, ZUGZWANGS } from './collection.js';
import { parseFen } from './chess.js';
import { make } from './elements.js';
import { canonical, endingInWords, materialOf } from './materials.js';
import { placeOf } from './place.js';
import { inPlies, parseScore, signed, worth } from './scores.js';
import { addressOf } from './share.js';

const DAY = 86_400_000; // milliseconds
const MINUTE = 60_000;

const turned = (fen) => fen.replace(/[wb]$/, (turn) => (turn === 'w' ? 'b' : 'w'));
const side = (fen) => (fen.endsWith('w') ? 'White' : 'Black');
const whole = (fen) => `${fen} - - 0 1`;
const materialIn = (fen) => materialOf(parseFen(whole(fen)));

export class Gallery {
  /** `names` are the endings that are here; `open` and `drill` are called with a position; `pageOf` gives pages of endings. */
  constructor(names, { open, drill, pageOf }) {
    this.names = new Set(names);
    Object.assign(this, { open, drill, pageOf });
  }

  #here(rows) { return rows.filter(([fen]) => this.names.has(canonical(materialIn(fen)).name)); }

  /** The puzzle of a day, which everybody has who has the same tables. */
  puzzleOf(date) {
    const puzzles = this.#here(PUZZLES);
    const day = Math.floor((date - date.getTimezoneOffset() * MINUTE) / DAY);
    if (!puzzles.length) throw Error('There is no puzzle of the endings that are here.');
    return puzzles[day % puzzles.length];
  }

  async daily(date = new Date()) {
    const [fen] = this.puzzleOf(date);
    await this.drill({ fen: whole(fen) });
  }

  fill(place) {
    const byOutcome = new Map(this.#here(LONGEST).map((row) => [row[1], row])); // those of most men come last, and stay
    const longest = [...byOutcome.values()].sort(([, one], [, other]) => worth(parseScore(other)) - worth(parseScore(one)));
    place.replaceChildren(
      ...this.#part('Mutual zugzwang: whoever moves spoils it', this.#here(ZUGZWANGS), ([fen, white, black]) => [
        [fen, '', `${signed(white)} if ${side(fen)} moves`],
        [turned(fen), '', `${signed(black)} if ${side(turned(fen))} does`],
      ]),
      ...this.#part('The best move depends on what has accrued', this.#here(CHANGES), ([fen, accrued]) => [
        [fen, '', `${side(fen)} to move`],
        [fen, accrued, `with ${signed(accrued)} accrued`],
      ]),
      ...this.#part('The longest way to each score', longest, ([fen, outcome, plies]) => [
        [fen, '', `${signed(outcome)} in ${inPlies(plies)}`],
      ]),
    );
  }

  #part(title, rows, linksOf) {
    if (!rows.length) return [];
    const items = rows.map((row) => {
      const links = linksOf(row).flatMap(([fen, accrued, text]) => [this.#link({ fen: whole(fen), accrued }, text), ' ']);
      return make('li', {}, this.#name(materialIn(row[0])), ' ', ...links);
    });
    return [make('h3', {}, title), make('ul', { class: 'gallery' }, ...items)];
  }

  #name(material) {
    const words = make('b', { title: endingInWords(material) }, material);
    const href = this.pageOf(canonical(material).name);
    return href ? make('a', { href }, words) : words;
  }

  #link(given, text) {
    const place = placeOf(given);
    const onclick = (event) => {
      event.preventDefault();
      this.open(place);
    };
    return make('a', { href: addressOf(place), onclick }, text);
  }
}
