// What the same position is worth with each score that can have accrued: in sentences, and as a chart.
import { badge, shade } from './badge.js';
import { make } from './elements.js';
import { inPlies, inWords, parseScore, signed } from './scores.js';

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
