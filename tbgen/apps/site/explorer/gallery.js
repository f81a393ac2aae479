// The gallery and the puzzle of the day, as far as there are tables of them.
import { CHANGES, LONGEST, PUZZLES, ZUGZWANGS } from './collection.js';
import { make } from './elements.js';
import { canonical, materialOf } from './materials.js';
import { placeOf } from './place.js';
import { parseFen } from './rules.js';
import { inPlies, signed } from './scores.js';
import { addressOf } from './share.js';

const DAY = 86_400_000; // milliseconds

const turned = (fen) => fen.replace(/[wb]$/, (turn) => (turn === 'w' ? 'b' : 'w'));
const side = (fen) => (fen.endsWith('w') ? 'White' : 'Black');
const whole = (fen) => `${fen} - - 0 1`;

export class Gallery {
  /** `names` are the endings that are here; `open` and `drill` are called with a position. */
  constructor(names, { open, drill }) {
    Object.assign(this, { names: new Set(names), open, drill });
  }

  #here(rows) { return rows.filter(([fen]) => this.names.has(canonical(materialOf(parseFen(whole(fen)))).name)); }

  /** The puzzle of a day, which everybody has who has the same tables. */
  puzzleOf(date) {
    const puzzles = this.#here(PUZZLES), day = Math.floor((date - date.getTimezoneOffset() * 60_000) / DAY);
    if (!puzzles.length) throw Error('There is no puzzle of the endings that are here.');
    return puzzles[day % puzzles.length];
  }

  async daily(date = new Date()) { await this.drill({ fen: whole(this.puzzleOf(date)[0]), accrued: '' }); }

  fill(place) {
    const longest = new Map(this.#here(LONGEST).map((row) => [row[1], row])); // those of most men come last, and stay
    place.replaceChildren(
      ...this.#part('Mutual zugzwang: whoever moves spoils it', this.#here(ZUGZWANGS), ([fen, white, black]) => [
        [fen, '', `${signed(white)} if ${side(fen)} moves`], [turned(fen), '', `${signed(black)} if ${side(turned(fen))} does`]]),
      ...this.#part('The best move depends on what has accrued', this.#here(CHANGES), ([fen, accrued]) => [
        [fen, '', `${side(fen)} to move`], [fen, accrued, `with ${signed(accrued)} accrued`]]),
      ...this.#part('The longest way to each score', [...longest.values()], ([fen, outcome, plies]) => [
        [fen, '', `${signed(outcome)} in ${inPlies(plies)}`]]));
  }

  #part(title, rows, linksOf) {
    if (!rows.length) return [];
    return [make('h3', {}, title), make('ul', { class: 'gallery' }, ...rows.map((row) => make('li', {}, make('b', {}, materialOf(parseFen(whole(row[0])))), ' ',
      ...linksOf(row).flatMap(([fen, accrued, text]) => [this.#link({ fen: whole(fen), accrued }, text), ' ']))))];
  }

  #link(given, text) {
    const place = placeOf(given);
    const open = (event) => { event.preventDefault(); this.open(place); scrollTo(0, 0); };
    return make('a', { href: addressOf(place), onclick: open }, text);
  }
}
