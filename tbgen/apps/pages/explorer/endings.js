// Endings that are here: how they are found, and the gallery of their strangest positions.
import { canonical, endingInWords, materialOf, parseFen } from './chess.js';
import { byId, make, wayOn } from './elements.js';
import './finder.js';
import { addressOf, placeOf } from './game.js';
import { inPlies, parseScore, signed, worth } from './scores.js';

// Endings found by their names or in words, with a position of each drawn at random.

/** Fill the list, and let it follow what is typed. */
export function wireSearch(names, { random, pageOf }) {
  const field = byId('find-ending');
  function find() {
    const isAskedFor = globalThis.endingsAskedFor(field.value);
    const fitting = names.filter((name) => isAskedFor(name, endingInWords(name)));
    const rows = fitting.map((name) => rowOf(name, { random, pageOf }));
    byId('found-endings').replaceChildren(...rows);
    const hint = rows.length ? '' : ': write men, such as krpkr, or words, such as rook and pawn';
    byId('found-number').textContent = `${fitting.length} of ${names.length}${hint}`;
  }
  field.oninput = find;
  find();
}

function rowOf(name, { random, pageOf }) {
  const words = endingInWords(name);
  const onclick = () => random(name);
  const title = `A position of ${name} at random`;
  const draw = make('button', { type: 'button', title, onclick }, make('b', {}, words), ` ${name}`);
  const href = pageOf(name);
  if (!href) return make('li', {}, draw);
  const page = make('a', { href, 'aria-label': `The page of ${name}` }, 'page');
  return make('li', {}, draw, ' ', page);
}

// The gallery and the puzzle of the day, as far as there are tables of them.

const DAY = 86_400_000; // milliseconds
const MINUTE = 60_000;

const turned = (fen) => fen.replace(/[wb]$/, (turn) => (turn === 'w' ? 'b' : 'w'));
const side = (fen) => (fen.endsWith('w') ? 'White' : 'Black');
const whole = (fen) => `${fen} - - 0 1`;
const materialIn = (fen) => materialOf(parseFen(whole(fen)));

/** Longest lines, mutual zugzwangs, positions whose best move depends on what has accrued, and puzzles. */
export async function strangePositions() {
  const parts = ['gallery.json', 'chosen.json'].map(async (name) => (await fetch(name)).json());
  return Object.assign({}, ...await Promise.all(parts));
}

/** How many zugzwangs an ending has, and the command that finds them. */
function allOf(name, number) {
  if (number < 2) return '';
  const command = `tbgen study find ${name} --where "zugzwang AND white"`;
  const words = 'With tbgen, this finds them. Each line can be pasted into the field Position:';
  return make('details', {}, make('summary', {}, `all ${number.toLocaleString('en')} of them`), wayOn(words, command));
}

export class Gallery {
  /** `names` are the endings that are here; `open` and `drill` are called with a position; `pageOf` gives pages of endings. */
  constructor({ longest, zugzwangs, changes, puzzles }, names, { open, drill, pageOf }) {
    this.names = new Set(names);
    Object.assign(this, { longest, zugzwangs, changes, puzzles, open, drill, pageOf });
  }

  #here(rows) { return rows.filter(([fen]) => this.names.has(canonical(materialIn(fen)).name)); }

  /** The puzzle of a day, which everybody has who has the same tables. */
  puzzleOf(date) {
    const puzzles = this.#here(this.puzzles);
    const day = Math.floor((date - date.getTimezoneOffset() * MINUTE) / DAY);
    if (!puzzles.length) throw Error('There is no puzzle of the endings that are here.');
    return puzzles[day % puzzles.length];
  }

  async daily(date = new Date()) {
    const [fen] = this.puzzleOf(date);
    await this.drill({ fen: whole(fen) });
  }

  fill(place) {
    const byOutcome = new Map(this.#here(this.longest).map((row) => [row[1], row])); // those of most men come last, and stay
    const longest = [...byOutcome.values()].sort(([, one], [, other]) => worth(parseScore(other)) - worth(parseScore(one)));
    place.replaceChildren(
      ...this.#part('Mutual zugzwang: whoever moves spoils it', this.#here(this.zugzwangs), ([fen, white, black]) => [
        [fen, '', `${signed(white)} if ${side(fen)} moves`],
        [turned(fen), '', `${signed(black)} if ${side(turned(fen))} does`],
      ], (name, [, , , number]) => allOf(name, number)),
      ...this.#part('The best move depends on what has accrued', this.#here(this.changes), ([fen, accrued]) => [
        [fen, '', `${side(fen)} to move`],
        [fen, accrued, `with ${signed(accrued)} accrued`],
      ]),
      ...this.#part('The longest way to each score', longest, ([fen, outcome, plies]) => [
        [fen, '', `${signed(outcome)} in ${inPlies(plies)}`],
      ]),
    );
  }

  /** Rows with links; `more` is what follows the links of an ending. */
  #part(title, rows, linksOf, more) {
    if (!rows.length) return [];
    const items = rows.map((row) => {
      const material = materialIn(row[0]);
      const links = linksOf(row).flatMap(([fen, accrued, text]) => [this.#link({ fen: whole(fen), accrued }, text), ' ']);
      return make('li', {}, this.#name(material), ' ', ...links, more?.(canonical(material).name, row) ?? '');
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
