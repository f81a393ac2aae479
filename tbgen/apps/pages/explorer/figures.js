// Figures beside the verdict: the same position with another accrued score, in sentences and as a chart; with one man elsewhere,
// as a map; and how often each outcome occurs in its ending.
import { PAIRS, brokenRule, canonical, endingInWords, manInWords, materialOf, parseFen } from './chess.js';
import { badge, byId, make, say, shade } from './elements.js';
import { formatScore, inPlies, inWords, parseScore, signed, worth } from './scores.js';
import { makeFen, makeSquare, parseSquare } from './vendor/chessops.js';

// Another accrued score.

const LABEL_WIDTH = 46; // pixels

/** Neighbours of a strip that come to the same: one outcome, or each score held for ever. */
function runsOf(strip) {
  const runs = [];
  for (const [place, { accrued, outcome, dtg }] of strip.entries()) {
    const last = runs.at(-1);
    const isHeld = accrued === outcome;
    const isNext = strip[place + 1]?.outcome === outcome;
    if (last?.outcome === outcome) {
      last.to = place;
      if (!isHeld) last.plies.push(dtg);
    } else if (isHeld && !isNext && last?.areHeld) {
      last.to = place;
    } else if (isHeld && !isNext) {
      runs.push({ from: place, to: place, areHeld: true });
    } else {
      runs.push({ from: place, to: place, outcome, plies: isHeld ? [] : [dtg] });
    }
  }
  return runs;
}

/** Which accrued scores a run of the strip has, which goes from the best for White to the best for Black. */
function between(strip, { from, to }) {
  const isFirst = from === 0;
  const isLast = to === strip.length - 1;
  if (isFirst && isLast) return 'Whatever has accrued';
  const first = strip[from].accrued;
  const last = strip[to].accrued;
  if (holderOf(first) === holderOf(last)) return `${holderOf(first)} has ${scoresOfOneSide({ first, last, isFirst, isLast })}`;
  const whites = isFirst ? 'any score' : `${signed(first)} or worse`;
  const blacks = isLast ? 'any score' : `${signed(last)} or worse`;
  return `White has ${whites}, or Black has ${blacks}`;
}

const holderOf = (text) => (text.startsWith('-') ? 'Black' : 'White');

/** The best scores of White stand first, the best of Black last. */
function scoresOfOneSide({ first, last, isFirst, isLast }) {
  if (first === last) return signed(first);
  if (isFirst) return `${signed(last)} or ${holderOf(last) === 'White' ? 'better' : 'worse'}`;
  if (isLast) return `${signed(first)} or ${holderOf(first) === 'Black' ? 'better' : 'worse'}`;
  return `${signed(first)} to ${signed(last)}`;
}

function inSome(plies) {
  if (plies.length === 0 || plies.includes(null)) return '';
  const least = Math.min(...plies);
  const most = Math.max(...plies);
  return least === most ? ` in ${inPlies(most)}` : ` in ${least} to ${inPlies(most)}`;
}

function rowOf(strip, run, now) {
  const what = run.areHeld
    ? ['It stays: nobody can better it.']
    : [badge(run.outcome), inSome(run.plies), make('span', { class: 'soft' }, ` ${inWords(parseScore(run.outcome))}`)];
  const isNow = run.from <= now && now <= run.to;
  return make('li', { 'data-now': isNow }, make('b', {}, between(strip, run)), make('span', {}, ...what));
}

function inShort({ accrued, outcome, dtg }) {
  if (outcome === accrued) return `${signed(outcome)} is held for ever`;
  return dtg === null ? signed(outcome) : `${signed(outcome)} in ${inPlies(dtg)}`;
}

/** The sentences, and a chart with a mark that can be moved. The chart's elements stay while the position does. */
export class Strip {
  #drawn = ''; // the strip of the chart, as text

  constructor(sentences, chart, choose) { Object.assign(this, { sentences, chart, choose }); }

  show(answer, width) {
    const { strip } = answer;
    const text = JSON.stringify(strip);
    const now = strip.findIndex((each) => each.accrued === answer.accrued);
    this.sentences.replaceChildren(...runsOf(strip).map((run) => rowOf(strip, run, now)));
    if (text !== this.#drawn) this.#draw(answer, width);
    this.#drawn = text;
    this.pick.value = now;
    this.read();
  }

  #draw({ strip, own }, width) {
    const read = make('p', { class: 'read', 'aria-hidden': 'true' });
    this.read = () => {
      const each = strip[Number(this.pick.value)];
      const accrued = `${signed(each.accrued)}${each.accrued === own ? ' (its own)' : ''}`;
      read.replaceChildren(`With ${accrued} accrued: `, make('b', {}, inShort(each)));
      this.pick.setAttribute('aria-valuetext', `${accrued} accrued: ${inShort(each)}`);
    };
    this.pick = make('input', {
      class: 'pick', type: 'range', min: 0, max: strip.length - 1, step: 1, 'aria-label': 'Accrued score', '--cells': strip.length,
      oninput: () => this.read(),
      onchange: () => this.choose(strip[Number(this.pick.value)].accrued),
    });
    const labels = make('div', { class: 'labels', 'aria-hidden': 'true' }, make('span', {}, 'accrued'), make('span', {}, 'outcome'));
    const picked = make('div', { class: 'picked' }, bandsOf(strip, width), this.pick, ticksOf(strip));
    this.chart.replaceChildren(make('div', { class: 'labelled' }, labels, picked), read);
  }
}

/** Above the accrued scores, below their outcomes. */
function bandsOf(strip, width) {
  const outcomes = [];
  for (const { outcome } of strip) {
    if (outcomes.at(-1)?.outcome === outcome) outcomes.at(-1).cells += 1;
    else outcomes.push({ outcome, cells: 1 });
  }
  const bars = outcomes.map(({ outcome, cells }) => {
    const isWide = (cells / strip.length) * width >= LABEL_WIDTH;
    const bar = make('span', shade(parseScore(outcome)), isWide ? signed(outcome) : '');
    bar.style.flexGrow = cells;
    return bar;
  });
  const sheet = strip.map((each) => make('span', shade(parseScore(each.accrued))));
  const above = make('div', { class: 'band sheet' }, ...sheet);
  const below = make('div', { class: 'band worth' }, ...bars);
  return make('div', { class: 'bands', 'aria-hidden': 'true' }, above, below);
}

function ticksOf(strip) {
  const quarters = [0, 1, 2, 3, 4].map((part) => Math.round((part * (strip.length - 1)) / 4));
  const ticks = [...new Set(quarters)].map((place) => make('span', {}, signed(strip[place].accrued)));
  return make('div', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks);
}

// A map of one man: the value that the position would have with him on each square.

const WRITTEN_OUT = 6; // squares

/** The outcomes of a position with one man on each square, by its name; null where the man cannot stand.
 *
 * `outcomes` asks for those of FENs with accrued scores.
 */
export async function mapOf({ fen, accrued }, man, outcomes) {
  const setup = parseFen(fen);
  const from = parseSquare(man);
  const fens = new Map();
  for (const square of setup.board.occupied.without(from).complement()) {
    const board = setup.board.clone();
    board.set(square, board.take(from));
    const moved = { ...setup, board, epSquare: undefined };
    if (!brokenRule(moved)) fens.set(square, `${makeFen(moved)} ${accrued}`.trim());
  }
  const found = await outcomes([...fens.values()]);
  const values = new Map([...fens.keys()].map((square, place) => [square, found[place]]));
  return Object.fromEntries(Array.from({ length: 64 }, (_, square) => [makeSquare(square), values.get(square) ?? null]));
}

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
    const men = [...(this.#setup?.board ?? [])].map(([square, man]) => [makeSquare(square), manInWords(man)]);
    const options = men.map(([square, man]) => option(square, `${square} ${man}`));
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

// The card of the ending: how often each outcome occurs with either side to move, with a mark at this one.

const MOST_WRITTEN = 6; // outcomes under a bar

/** Show the card of a position with an outcome.
 *
 * `table` has its `name`, the `page` of its records and its `figures`, which are promised. `site` has `isShown()`,
 * `open(place)` and `random(material)`.
 */
export async function showEnding({ outcome }, position, { name, page, figures }, site) {
  const scope = name.endsWith(PAIRS) ? PAIRS : '';
  const material = `${materialOf(position)}${scope}`;
  const { flipped } = canonical(material);
  const facts = await figures.catch(() => null);
  if (!site.isShown()) return;
  byId('ending').hidden = facts === null;
  if (!facts) return;
  const shown = { material, flipped, turn: position.turn, outcome, page, ...site };
  byId('ending').replaceChildren(...endingOf(facts, shown));
}

/** `facts` are those of the table; `flipped` tells that its colours are exchanged here. */
function endingOf(facts, { material, flipped, turn, outcome, page, open, random }) {
  const sides = [sideOf(facts, 'White', 'white', flipped), sideOf(facts, 'Black', 'black', flipped)];
  const here = sides.find((side) => side.turn === turn);
  const found = here.rows.find(({ text }) => text === outcome);
  const longest = sides.flatMap(({ rows }) => rows).reduce((most, row) => (row.plies > most.plies ? row : most));
  const example = (row) => {
    const words = `${signed(row.text)} in ${inPlies(row.plies)}`;
    return flipped ? words : make('button', { type: 'button', onclick: () => open({ fen: row.fen }) }, words);
  };
  const bars = sides.flatMap((side) => barOf(side, side === here ? outcome : null));
  return [
    make('h2', { id: 'ending-title' }, `${endingInWords(material)} (${material})`),
    make('p', { class: 'soft small' }, 'How often each outcome is the value of a position that has just arisen; the mark is at this one.'),
    ...bars,
    make('dl', { class: 'ending-facts' },
      factOf('Positions, all placements', facts.positions.toLocaleString('en')),
      found && longest.fen && factOf(`Longest to ${signed(outcome)}, ${here.name} to move`, example(found)),
      longest.fen && factOf('Longest of all', example(longest)),
      factOf('Another', make('button', { type: 'button', id: 'random', onclick: () => random(material) }, 'Random position')),
      page && factOf('More', make('a', { href: page }, `the page of ${facts.material}`))),
  ];
}

const factOf = (name, ...what) => make('div', {}, make('dt', {}, name), make('dd', {}, ...what));

/** The outcomes with one side to move, best for White first. */
function sideOf(facts, name, turn, flipped) {
  const { positions, outcomes } = facts.sides[(turn === 'white') !== flipped ? 'white' : 'black'];
  const rows = Object.entries(outcomes).map(([text, each]) => {
    const score = parseScore(text) * (flipped ? -1 : 1);
    return { score, text: formatScore(score), count: each.count, plies: each.max_dtg, fen: each.fen, share: percent(each.count, positions) };
  });
  rows.sort((a, b) => worth(b.score) - worth(a.score));
  return { name, turn, positions, rows };
}

/** A bar with a part for each outcome, and the most frequent ones in words. */
function barOf({ name, positions, rows }, marked) {
  const parts = rows.map((row) => partOf(row, positions, row.text === marked));
  const most = [...rows].sort((a, b) => b.count - a.count).slice(0, MOST_WRITTEN);
  const words = most.flatMap(({ text, share }) => [badge(text), ` ${share} `]);
  const others = rows.length - most.length;
  if (others) words.push(`and ${others} other${others === 1 ? '' : 's'}`);
  const spoken = most.map(({ text, share }) => `${signed(text)} ${share}`).join(', ');
  const band = make('div', { class: 'band', role: 'img', 'aria-label': `${name} to move: ${spoken}` }, ...parts);
  return [
    make('div', { class: 'share' }, make('span', { class: 'small' }, `${name} to move`), band),
    make('p', { class: 'soft small' }, ...words),
  ];
}

function partOf({ score, text, count, share }, positions, isNow) {
  const part = make('span', { ...shade(score), 'data-now': isNow, title: `${signed(text)}: ${share}` });
  part.style.flexGrow = count / positions;
  part.style.flexBasis = '0';
  return part;
}

function percent(part, whole) {
  const share = (100 * part) / whole;
  if (part === whole) return '100 %';
  if (share < 0.1) return '< 0.1 %';
  return share > 99.9 ? '> 99.9 %' : `${share.toFixed(1)} %`;
}
