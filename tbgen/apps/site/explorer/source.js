// Where answers come from: a server, or files of tables. What was answered once is kept.
import { PAIRS, canonical, hasOpposedPair, materialOf } from './materials.js';

const { source: kind, base = '../', report = '', pageless = '', tables = '' } = document.documentElement.dataset;
const MOST_KEPT = 500; // answers

const listed = tables.split(' ').filter(Boolean); // with a star where a table has no distances

/** The names of the tables that are here. */
export const NAMES = listed.map((name) => name.replace('*', ''));

/** The names of endings, without pairs of those that are here whole. */
export const ENDINGS = NAMES.filter((name) => !name.endsWith(PAIRS) || !NAMES.includes(name.slice(0, -PAIRS.length)));

/** The name of the table here that has a position; null if there is none. */
export function tableOf({ board }) {
  const { name } = canonical(materialOf({ board }));
  if (NAMES.includes(name)) return name;
  const pairs = `${name}${PAIRS}`;
  return NAMES.includes(pairs) && hasOpposedPair({ board }) ? pairs : null;
}

const withoutPage = pageless.split(' ');

/** The page of records of an ending; empty if there is none. */
export const pageOf = (name) => (report && !withoutPage.includes(name) ? `${report}material/${name}.html` : '');

export const source = await sourceOf(kind);

async function sourceOf(name) {
  if (name === 'server') return new (await import('./server.js')).Server(base);
  return new (await import('./tables.js')).Tables(`${base}tables/`, listed);
}

const answers = new Map(); // promises, by what was asked

/** A position with its moves and its strip. */
export function probe({ fen, accrued }) {
  const key = `${fen} ${accrued}`;
  if (!answers.has(key)) keep(key, source.probe(fen, accrued));
  return answers.get(key);
}

function keep(key, answer) {
  answers.set(key, answer);
  answer.catch(() => answers.delete(key));
  if (answers.size > MOST_KEPT) answers.delete(answers.keys().next().value);
}

const endings = new Map();

/** What a table holds, in figures. */
export function figuresOf(name) {
  if (!endings.has(name)) endings.set(name, source.ending(name));
  return endings.get(name);
}
