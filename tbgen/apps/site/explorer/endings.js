// Endings that are here, found by their names or in words, with a position of each drawn at random.
import { byId, make } from './elements.js';
import { PAIRS, endingInWords } from './materials.js';

const SIDES = /^k?([qrbnp]+)vk?([qrbnp]*)$/; // "RP v R", with the kings or without
const BETWEEN = ['against', 'versus', 'and', 'vs', 'v', 'ending', 'endings'];

/** Fill the list, and let it follow what is typed. */
export function wireSearch(names, { random, pageOf }) {
  const field = byId('find-ending');
  const endings = names.map((name) => ({ name, text: textOf(name) }));
  function find() {
    const words = wordsOf(field.value);
    const fitting = endings.filter(({ text }) => words.every((word) => text.includes(word)));
    const rows = fitting.map(({ name }) => rowOf(name, { random, pageOf }));
    byId('found-endings').replaceChildren(...rows);
    const hint = rows.length ? '' : ': write men, such as krpkr, or words, such as rook pawn';
    byId('found-number').textContent = `${fitting.length} of ${names.length}${hint}`;
  }
  field.oninput = find;
  find();
}

/** What is asked for, without words that say nothing of the men. */
function wordsOf(text) {
  const asked = text.toLowerCase();
  const sides = SIDES.exec(asked.replace(/[\s+]/g, ''));
  if (sides) return [`k${sides[1]}vk${sides[2]}`];
  const words = asked.split(/[\s,]+/).map((word) => word.replace(/s$/, ''));
  return words.filter((word) => word && !BETWEEN.includes(word));
}

/** All that an ending may be called by: its words, and its letters with either side first. */
function textOf(name) {
  const [white, black] = name.replace(PAIRS, '').split('v');
  const names = [`${white}v${black}`, `${black}v${white}`, white + black, black + white];
  return `${endingInWords(name)} ${names.join(' ')}`.toLowerCase();
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
