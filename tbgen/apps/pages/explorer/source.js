// Where answers come from: a server, or files of tables. What was answered once is kept.
import { PAIRS, canonical, hasOpposedPair, materialOf } from './chess.js';

// Answers of `tbgen serve`: what /r-mobility and /tables say.

const UNKNOWN = ['MissingTableError', 'TooManyMenError'];

class Server {
  linesAreQuick = true; // a question each; on plain files a line reads many parts of tables

  /** `base` leads from the page to the server's root. */
  constructor(base) { this.base = base; }

  async #get(path, asked = {}, options = {}) {
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''));
    let reply;
    try {
      reply = await fetch(`${this.base}${path}?${query}`, { headers: { Accept: 'application/json' }, ...options });
    } catch {
      throw Object.assign(Error('The server does not answer.'), { isLost: true });
    }
    if (reply.ok) return options.body ? (await reply.text()).trim().split('\n').map(JSON.parse) : reply.json();
    const facts = await reply.json().catch(() => ({ message: `the server said ${reply.status}` }));
    const text = `${facts.message[0].toUpperCase()}${facts.message.slice(1)}.`;
    throw Object.assign(Error(text), { isMissing: UNKNOWN.includes(facts.error), isLost: reply.status >= 500 });
  }

  /** A position with its moves and its strip, and after any plies without a reset what the fifty-move rule leaves. */
  probe(fen, accrued) {
    const fifty = Number(fen.split(' ')[4]) > 0 ? 'reset' : '';
    return this.#get('r-mobility', { fen, accrued, fifty, strip: '1' });
  }

  /** Best play from a position. */
  async line(fen, accrued) { return (await this.#get('r-mobility/line', { fen, accrued })).line; }

  /** What a solve has proved of a position that no table has; refused where there is none. */
  solved(fen, accrued) { return this.#get('r-mobility/solved', { fen, accrued }); }

  /** Moves that keep the proved value of such a position and make progress. */
  async solvedLine(fen, accrued) { return (await this.#get('r-mobility/solved', { fen, accrued, line: '1' })).line ?? []; }

  /** The outcomes of some positions in short, null for one that is none; a seventh field is what has accrued. */
  async outcomes(fens) {
    const posted = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: fens.join('\n') };
    const answers = await this.#get('r-mobility', { brief: '1' }, posted);
    return answers.map((answer) => (answer.error ? null : answer));
  }

  /** What a table holds, in figures. */
  ending(material) { return this.#get(`tables/${material}.json`); }
}

// The source of this page.

const { source: kind, base = '../', report = '', pageless = '', tables = '', solver = '' } = document.documentElement.dataset;
const MOST_KEPT = 500; // answers

const listed = tables.split(' ').filter(Boolean); // with a star where a table has no distances

/** The names of the tables that are here. */
export const NAMES = listed.map((name) => name.replace('*', ''));

/** The names of endings, without pairs of those that are here whole. */
export const ENDINGS = NAMES.filter((name) => !name.endsWith(PAIRS) || !NAMES.includes(name.slice(0, -PAIRS.length)));

let solves = null;

/** What solves tables in this page, loaded when it is first asked for; null where it solves none. */
export async function solving() {
  if (solver) solves ??= await (await import('./solve.js')).Solves.of(solver);
  return solves;
}

if (!NAMES.length) await solving(); // without other tables, those that were solved at other visits are wanted at once

/** The name of the table here that has a position; null if there is none. */
export function tableOf({ board }) {
  const { name } = canonical(materialOf({ board }));
  if (NAMES.includes(name) || solves?.names.has(name)) return name;
  const pairs = `${name}${PAIRS}`;
  return NAMES.includes(pairs) && hasOpposedPair({ board }) ? pairs : null;
}

/** Whether a table here has a position. None has one with rights to castle. */
export const isInTables = (position) => tableOf(position) !== null && position.castles.castlingRights.isEmpty();

const SOLVABLE = /^K[QRBNP]*vK[QRBNP]*$/;
const MOST_SOLVED = 'KRvKN'.length; // four men

/** The name of the table that the page can solve for a position; null if there is none. */
export function solvable({ board, castles }) {
  const { name } = canonical(materialOf({ board }));
  const can = SOLVABLE.test(name) && name.length <= MOST_SOLVED && castles.castlingRights.isEmpty();
  return solver && can ? name : null;
}

const withoutPage = pageless.split(' ');

/** The page of records of an ending; empty if there is none. */
export const pageOf = (name) => (report && !withoutPage.includes(name) ? `${report}material/${name}.html` : '');

export const source = await sourceOf(kind);

async function sourceOf(name) {
  if (name === 'server') return new Server(base);
  return new (await import('./tables.js')).Tables(`${base}tables/`, listed, async (name) => solves?.shelf(name));
}

const answers = new Map(); // promises, by what was asked

/** A position with its moves and its strip. */
export function probe({ fen, accrued }) {
  return kept(answers, `${fen} ${accrued}`, () => source.probe(fen, accrued));
}

/** What is kept for a key, or the answer to a question; one that fails is asked again. */
function kept(map, key, ask) {
  if (!map.has(key)) {
    const answer = ask();
    map.set(key, answer);
    answer.catch(() => map.delete(key));
    if (map.size > MOST_KEPT) map.delete(map.keys().next().value);
  }
  return map.get(key);
}

const endings = new Map();

/** What a table holds, in figures; null of a table that was solved here. */
export function figuresOf(name) {
  if (!NAMES.includes(name)) return Promise.resolve(null);
  return kept(endings, name, () => source.ending(name));
}
