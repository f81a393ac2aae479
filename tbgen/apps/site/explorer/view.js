// What is said of a position: the verdict, the moves, the game, and every accrued score.
import { make } from './elements.js';
import { inPlies, inWords, parseScore, pointsOf, shadeOf, signed, worth } from './scores.js';

const OPEN_GROUPS = 2;
const LABEL_WIDTH = 46; // pixels

export const shade = (score) => ({ '--shade': `var(${shadeOf(score)})`, 'data-shade': shadeOf(score).slice(2) });

/** A score with its colour, which explains itself; inside of a button it is a part of that. */
export function badge(text, { kind = '', inside = false } = {}) {
  const attributes = { class: `score ${kind}`, 'data-g': text, ...shade(parseScore(text)) };
  return inside ? make('span', attributes, signed(text)) : make('button', { type: 'button', ...attributes }, signed(text));
}

const bySide = (turn) => (turn === 'w' ? 'White' : 'Black');

/** What the fifty-move rule makes of the value, where it matters. */
function clockOf(answer) {
  const left = Math.max(0, 100 - Number(answer.fen.split(' ')[4]));
  const known = answer.outcome_within ?? (left === 0 ? answer.accrued : answer.outcome);
  const isShort = !answer.outcome_within && left > 0 && answer.dtg > left;
  if (left === 100 || answer.moves.length === 0 || (known === answer.outcome && !isShort)) return [];
  return [`The fifty-move rule leaves ${inPlies(left)}: ${isShort ? 'fewer than best play needs' : signed(known)}.`];
}

/** What stands in a big box: the outcome in words, how far away it is, what the clock leaves, points and scores. */
export function verdict(answer) {
  const outcome = parseScore(answer.outcome), points = pointsOf(outcome).map((each) => each.toFixed(4)).join('–');
  const isOver = answer.moves.length === 0;
  let way = `In ${inPlies(answer.dtg)} with best play.`;
  if (isOver) way = 'The game is over.';
  else if (answer.outcome === answer.accrued) way = 'Held for ever from here: it has accrued, and nobody can better it.';
  else if (answer.dtg === null) way = 'How far away it is, no table here says.';
  return [
    make('p', {}, badge(answer.outcome, { kind: 'big' }), ' ', `${inWords(outcome, isOver)}.`),
    make('p', {}, isOver ? '' : make('b', {}, `${bySide(answer.fen.split(' ')[1])} to move. `), way),
    ...clockOf(answer).map((said) => make('p', {}, said)),
    make('p', { class: 'facts' }, `Points ${points}. Accrued `, badge(answer.accrued), ', the position’s own score ', badge(answer.own), '.'),
  ];
}

/** Where no table answers: what the position says itself, and what tables there are. */
export function unknown(answer, names) {
  return [
    make('p', {}, `No table of ${answer.material} is here.`),
    make('p', {}, make('b', {}, `${bySide(answer.fen.split(' ')[1])} to move. `), 'The position’s own score is ', badge(answer.own), ', and ', badge(answer.accrued), ' has accrued.'),
    names.length ? make('details', {}, make('summary', {}, `${names.length} ending${names.length === 1 ? ' is' : 's are'} here`), make('p', { class: 'small' }, names.join(', '))) : '',
  ];
}

/** What a solve has proved: the value, or the least and the greatest that it can be, and the moves that are best. */
export function solved({ lower, upper, exact, moves }) {
  const least = badge(lower.outcome), most = badge(upper.outcome);
  const best = moves.filter((each) => each.best).map((each) => each.san).join(', ');
  return [
    exact
      ? make('p', {}, badge(lower.outcome, { kind: 'big' }), ' ', `${inWords(parseScore(lower.outcome))}, with best play.`)
      : make('p', {}, 'With best play between ', least, ' and ', most, ': more is not proved.'),
    best ? make('p', {}, `Proved to be best: ${best}.`) : '',
  ];
}

/** Neighbours of a strip that come to the same: one outcome, or each score held for ever. */
function runsOf(strip) {
  const runs = [];
  for (const [place, { accrued, outcome, dtg }] of strip.entries()) {
    const last = runs.at(-1), isHeld = accrued === outcome, isNext = strip[place + 1]?.outcome === outcome;
    if (last?.outcome === outcome) Object.assign(last, { to: place, plies: isHeld ? last.plies : [...last.plies, dtg] });
    else if (isHeld && !isNext && last?.areHeld) last.to = place;
    else runs.push({ from: place, to: place, plies: isHeld ? [] : [dtg], ...(isHeld && !isNext ? { areHeld: true } : { outcome }) });
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
  if (plies.includes(null)) return '';
  const [least, most] = [Math.min(...plies), Math.max(...plies)];
  return least === most ? ` in ${inPlies(most)}` : ` in ${least} to ${inPlies(most)}`;
}

function runRow(strip, run, now) {
  const what = run.areHeld ? ['nothing changes, it is held for ever'] : [badge(run.outcome), inSome(run.plies), make('span', { class: 'soft' }, ` ${inWords(parseScore(run.outcome))}`)];
  return make('li', { 'data-now': run.from <= now && now <= run.to }, make('b', {}, between(strip, run)), make('span', {}, ...what));
}

const told = (each) => (each.outcome === each.accrued ? `${signed(each.outcome)} is held for ever` : `${signed(each.outcome)} in ${inPlies(each.dtg)}`);

/** Every accrued score: sentences, and a chart with a mark that can be moved. The elements stay while the position does. */
export class Strip {
  #shown = '';

  constructor(sentences, chart, choose) { Object.assign(this, { sentences, chart, choose }); }

  show(answer, width) {
    const { strip } = answer, text = JSON.stringify(strip), now = strip.findIndex((each) => each.accrued === answer.accrued);
    this.sentences.replaceChildren(...runsOf(strip).map((run) => runRow(strip, run, now)));
    if (text !== this.#shown) this.#draw(answer, width);
    this.#shown = text;
    this.pick.value = now;
    this.read();
  }

  #draw({ strip, own }, width) {
    const sheet = strip.map((each) => make('span', shade(parseScore(each.accrued)))), outcomes = [];
    for (const each of strip) {
      if (outcomes.at(-1)?.outcome === each.outcome) outcomes.at(-1).cells += 1;
      else outcomes.push({ outcome: each.outcome, cells: 1 });
    }
    const bars = outcomes.map(({ outcome, cells }) => {
      const cell = make('span', shade(parseScore(outcome)), (cells / strip.length) * width >= LABEL_WIDTH ? signed(outcome) : '');
      cell.style.flexGrow = cells;
      return cell;
    });
    const read = make('p', { class: 'read', 'aria-hidden': 'true' });
    this.read = () => {
      const each = strip[Number(this.pick.value)], accrued = `${signed(each.accrued)}${each.accrued === own ? ' (its own)' : ''}`;
      read.replaceChildren(`With ${accrued} accrued: `, make('b', {}, told(each)));
      this.pick.setAttribute('aria-valuetext', `${accrued} accrued: ${told(each)}`);
    };
    this.pick = make('input', {
      class: 'pick', type: 'range', min: 0, max: strip.length - 1, step: 1, 'aria-label': 'Accrued score', '--cells': strip.length,
      oninput: () => this.read(), onchange: () => this.choose(strip[Number(this.pick.value)].accrued),
    });
    const ticks = [...new Set([0, 1, 2, 3, 4].map((part) => Math.round((part * (strip.length - 1)) / 4)))];
    this.chart.replaceChildren(
      make('div', { class: 'labelled' },
        make('div', { class: 'labels', 'aria-hidden': 'true' }, make('span', {}, 'accrued'), make('span', {}, 'outcome')),
        make('div', { class: 'picked' },
          make('div', { class: 'bands', 'aria-hidden': 'true' }, make('div', { class: 'band sheet' }, ...sheet), make('div', { class: 'band worth' }, ...bars)),
          this.pick,
          make('div', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks.map((place) => make('span', {}, signed(strip[place].accrued)))))),
      read,
    );
  }
}

/** The moves in two lists: what keeps the outcome, and what gives it away. */
export function movesOf(answer, does) {
  if (!answer.moves.length) return [make('p', {}, 'There are no legal moves.')];
  if (!answer.outcome) return [groupOf(['Legal moves'], answer.moves, answer, does)];
  const kept = answer.moves.filter((each) => each.keeps), groups = [];
  for (const each of answer.moves.filter((each) => !each.keeps)) {
    if (groups.at(-1)?.[0].outcome !== each.outcome) groups.push([]);
    groups.at(-1).push(each);
  }
  const drawn = groups.map((group) => groupOf(['Give it away for', badge(group[0].outcome), make('small', {}, inWords(parseScore(group[0].outcome)))], group, answer, does));
  const far = drawn.slice(OPEN_GROUPS), count = groups.slice(OPEN_GROUPS).flat().length;
  const more = far.length ? make('details', {}, make('summary', {}, `${count} more that ${count === 1 ? 'gives' : 'give'} away still more`), ...far) : '';
  return [groupOf(['Keep', badge(answer.outcome)], kept, answer, does), ...drawn.slice(0, OPEN_GROUPS), more];
}

function remark(each, answer) {
  if (each.reset) return ['anew from ', badge(each.accrued, { inside: true })];
  return each.accrued !== answer.accrued ? ['reaches ', badge(each.accrued, { inside: true })] : [];
}

function groupOf(title, moves, answer, { play, point }) {
  const rows = moves.map((each) => {
    const show = () => point(each.uci), hide = () => point(null);
    const button = make(
      'button',
      { type: 'button', class: each.best ? 'move best' : 'move', onclick: () => play(each.uci), onmouseenter: show, onfocus: show, onmouseleave: hide, onblur: hide },
      make('b', {}, each.san),
      make('span', {}, !answer.outcome ? '' : each.dtg === 0 ? 'for ever' : inPlies(each.dtg)),
      make('i', {}, ...remark(each, answer)),
    );
    if (each.best) button.append(make('span', { class: 'unseen' }, ', best play'));
    return make('li', {}, button);
  });
  return make('div', { class: 'group' }, make('h3', {}, ...title), make('ol', {}, ...rows));
}

/** The moves of the game with its branches; `held` tells of a position what is held for ever from there. */
export function gameOf(game, { jump, held }) {
  const parts = [];
  for (const each of game.words()) {
    if (typeof each === 'string') parts.push(`${each} `);
    else {
      parts.push(make('button', { type: 'button', 'aria-current': each === game.now && 'step', onclick: () => jump(each) }, each.san), ' ');
      const score = held(each);
      if (score && score !== held(each.parent)) parts.push(make('span', { class: 'soft' }, `${signed(score)} held for ever from here `));
    }
  }
  return parts;
}

const WRITTEN_OUT = 6; // squares

/** A map of one man in words: how often each outcome occurs, best for White first, and where. */
export function mapOf(squares) {
  const places = new Map();
  for (const [square, value] of Object.entries(squares)) if (value) places.set(value.outcome, [...(places.get(value.outcome) ?? []), square]);
  const rows = [...places].sort(([a], [b]) => worth(parseScore(b)) - worth(parseScore(a)));
  return rows.map(([outcome, there]) => make('li', {}, badge(outcome),
    there.length > WRITTEN_OUT ? ` on ${there.length} squares` : ` on ${there.join(', ')}`,
    there.length > WRITTEN_OUT && make('span', { class: 'unseen' }, `: ${there.join(', ')}`)));
}
