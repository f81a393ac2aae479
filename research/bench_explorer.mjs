#!/usr/bin/env node
// Measure the explorer's reader of plain files: requests, bytes, rounds that wait for each other, and time.
//
//     bench_explorer.mjs DIR [--men N] [--positions N] [--milliseconds N]
//
// Positions are those of tests/readers/vectors.csv that have so many men (4), evenly drawn (60), each with its moves and
// its strip. Every request to the files of DIR takes so many milliseconds (40). First nothing is known of any table;
// then comes the position after the best move. Rounds are counted apart: no request is answered before all that can
// be asked without it have been asked.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '..');
globalThis.fzstd = createRequire(import.meta.url)(path.join(root, 'tbgen/apps/pages/explorer/vendor/fzstd.js')); // no module
const { Tables } = await import(path.join(root, 'tbgen/apps/pages/explorer/tables.js'));
const { fenOf, legalMoves, parsePosition, play } = await import(path.join(root, 'tbgen/apps/pages/explorer/chess.js'));
const { makeUci } = await import(path.join(root, 'tbgen/apps/pages/explorer/vendor/chessops.js'));

const text = (value) => ({ type: 'string', default: value });
const { values, positionals: [folder] } = parseArgs({ allowPositionals: true, options: { men: text('4'), positions: text('60'), milliseconds: text('40') } });
const IDLE = 20; // milliseconds without a request, after which all that can be asked has been asked

const counts = { requests: 0, bytes: 0, rounds: 0 };
let waiting = [], timer = null, counted = true;

function answerAll() {
  const now = waiting;
  [waiting, timer] = [[], null];
  counts.rounds++;
  for (const answer of now) answer();
}

globalThis.fetch = (url, { headers }) => new Promise((done) => {
  counts.requests++;
  const answer = () => done(part(path.join(folder, url), headers.Range));
  if (!counted) return setTimeout(answer, Number(values.milliseconds));
  waiting.push(answer);
  clearTimeout(timer);
  timer = setTimeout(answerAll, IDLE);
});

/** What a host replies that knows Range. */
function part(file, range) {
  if (!fs.existsSync(file)) return { status: 404 };
  const open = fs.openSync(file), { size } = fs.fstatSync(open), [, from, to] = /bytes=(\d*)-(\d*)/.exec(range);
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from), end = from === '' ? size : Math.min(size, Number(to) + 1);
  const found = new Uint8Array(end - start);
  fs.readSync(open, found, 0, found.length, start);
  fs.closeSync(open);
  counts.bytes += found.length;
  return { status: 206, headers: { get: () => `bytes ${start}-${end - 1}/${size}` }, arrayBuffer: async () => found.buffer };
}

async function measured(tables, fen, accrued) {
  Object.assign(counts, { requests: 0, bytes: 0, rounds: 0 });
  const begun = performance.now(), answer = await tables.probe(fen, accrued);
  return { ...counts, milliseconds: performance.now() - begun, answer };
}

function after(fen, { uci, accrued, own }) {
  const position = parsePosition(fen), move = legalMoves(position).find((each) => makeUci(each) === uci);
  return [fenOf(play(position, move)), accrued === own ? '' : accrued];
}

const rows = fs.readFileSync(path.join(root, 'tests/readers/vectors.csv'), 'utf8').trim().split('\n').slice(1).map((row) => row.split(','));
const known = rows.filter(([table, kind]) => table.length - 1 === Number(values.men) && !/refused|over/.test(kind) && fs.existsSync(path.join(folder, `${table}.h5`)));
const drawn = Array.from({ length: Number(values.positions) }, (_, place) => known[Math.floor((place * known.length) / Number(values.positions))]);

const found = { first: [], next: [] };
for (const [, , fen, accrued] of drawn) {
  for (counted of [true, false]) {
    const tables = new Tables(''), first = await measured(tables, fen, accrued), next = await measured(tables, ...after(fen, first.answer.moves[0]));
    for (const [name, each] of Object.entries({ first, next })) {
      if (counted) found[name].push({ ...each, milliseconds: null });
      else found[name].at(-1).milliseconds = each.milliseconds;
    }
  }
}
for (const [name, all] of Object.entries(found)) {
  for (const [share, words] of [[0.5, 'median'], [0.9, 'nine of ten'], [1, 'most']]) {
    const of = (key) => all.map((each) => each[key]).sort((a, b) => a - b)[Math.ceil(share * all.length) - 1];
    console.log(`${name} position, ${words}: ${of('requests')} requests, ${of('bytes')} bytes, ${of('rounds')} rounds, ${Math.round(of('milliseconds'))} ms`);
  }
}
