// What is said of a position: the verdict, the strip, the moves, the line, the ending.
import { make } from './elements.js';
import { formatScore, inPlies, inWords, parseScore, pointsOf, shadeOf } from './scores.js';

const OPEN_GROUPS = 2;
const LABEL_WIDTH = 46; // pixels

const shade = (score) => ({ '--shade': `var(${shadeOf(score)})`, 'data-shade': shadeOf(score).slice(2) });
const badge = (text, kind = '') => make('span', { class: `score ${kind}`, ...shade(parseScore(text)) }, text);
const sentence = (score) => `${inWords(score)}.`;

/** What the fifty-move rule makes of the value, where it matters; without a server nobody has searched. */
function clockOf(answer) {
  const left = Math.max(0, 100 - Number(answer.fen.split(' ')[4]));
  const known = answer.outcome_within ?? (left === 0 ? answer.accrued : answer.outcome);
  const isShort = !answer.outcome_within && left > 0 && answer.dtg > left;
  if (left === 100 || answer.moves.length === 0 || (known === answer.outcome && !isShort)) return [];
  return [`The fifty-move rule leaves ${inPlies(left)}: ${isShort ? 'fewer than best play needs' : known}.`];
}

/** What stands in a big box: the outcome in words, how far away it is, what the clock leaves, points and scores. */
export function verdict(answer) {
  const outcome = parseScore(answer.outcome), points = pointsOf(outcome).map((each) => each.toFixed(4)).join('–');
  const isOver = answer.moves.length === 0;
  let way = `In ${inPlies(answer.dtg)} with best play.`;
  if (isOver) way = 'The game is over.';
  else if (answer.outcome === answer.accrued) way = 'It has accrued, and nobody can better it.';
  else if (answer.dtg === null) way = 'How far away it is, no table here says.';
  return [
    make('p', {}, badge(answer.outcome, 'big'), ' ', sentence(outcome)),
    make('p', {}, way),
    ...clockOf(answer).map((said) => make('p', {}, said)),
    make('p', { class: 'facts' }, `Points ${points}. Accrued ${answer.accrued}, the position’s own score ${answer.own}.`),
  ];
}

export function complaint(text) {
  return [make('p', {}, text)];
}

/** Neighbours of a strip that come to the same: one outcome, or each score standing. */
function runsOf(strip) {
  const runs = [];
  for (const [place, each] of strip.entries()) {
    const stands = each.outcome === each.accrued, last = runs.at(-1);
    const goesOn = last && (stands ? last.stands : !last.stands && last.outcome === each.outcome);
    const over = (most) => (each.dtg === null ? null : most(last.most, last.least, each.dtg));
    if (goesOn) Object.assign(last, { to: place, most: over(Math.max), least: over(Math.min) });
    else runs.push({ from: place, to: place, stands, outcome: each.outcome, least: each.dtg, most: each.dtg });
  }
  return runs;
}

const between = (strip, { from, to }) => (from === to ? strip[from].accrued : `${strip[from].accrued} … ${strip[to].accrued}`);

function plies({ least, most }) {
  return least === most ? `in ${inPlies(most)}` : `in ${least} to ${inPlies(most)}`;
}

const told = (each) => (each.outcome === each.accrued ? `${each.outcome} stands` : `${each.outcome} in ${inPlies(each.dtg)}`);

/** The strip: a band with what is on the sheet above a band with what that comes to, and a mark that can be moved. */
export function stripOf(answer, width, choose) {
  const { strip } = answer, now = strip.findIndex((each) => each.accrued === answer.accrued);
  const sheet = strip.map((each) => make('span', shade(parseScore(each.accrued))));
  const outcomes = [];
  for (const [place, each] of strip.entries()) {
    const last = outcomes.at(-1);
    if (last && last.outcome === each.outcome) last.cells += 1;
    else outcomes.push({ outcome: each.outcome, cells: 1, place });
  }
  const worth = outcomes.map(({ outcome, cells }) => {
    const cell = make('span', shade(parseScore(outcome)), (cells / strip.length) * width >= LABEL_WIDTH ? outcome : '');
    cell.style.flexGrow = cells;
    return cell;
  });
  const read = make('p', { class: 'read', 'aria-hidden': 'true' });
  const show = (place) => {
    const each = strip[place];
    read.replaceChildren(`On the sheet ${each.accrued}${each.accrued === answer.own ? ' (its own)' : ''}: `, make('b', {}, told(each)));
    pick.setAttribute('aria-valuetext', `${each.accrued} on the sheet: ${told(each)}`);
  };
  const pick = make('input', {
    class: 'pick', type: 'range', min: 0, max: strip.length - 1, step: 1, value: now, 'aria-label': 'Score on the sheet', '--cells': strip.length,
    oninput: () => show(Number(pick.value)), onchange: () => choose(strip[Number(pick.value)].accrued),
  });
  show(Math.max(0, now));
  const ticks = [...new Set([0, Math.floor((strip.length - 1) / 4), Math.floor((strip.length - 1) / 2), Math.ceil((3 * (strip.length - 1)) / 4), strip.length - 1])];
  return [
    make('div', { class: 'labelled' },
      make('div', { class: 'labels', 'aria-hidden': 'true' }, make('span', {}, 'accrued'), make('span', {}, 'worth')),
      make('div', { class: 'picked' },
        make('div', { class: 'bands', 'aria-hidden': 'true' }, make('div', { class: 'band sheet' }, ...sheet), make('div', { class: 'band worth' }, ...worth)),
        pick,
        make('div', { class: 'ticks', 'aria-hidden': 'true' }, ...ticks.map((place) => make('span', {}, strip[place].accrued))))),
    read,
    make('ul', { class: 'runs' }, ...runsOf(strip).map((run) => runRow(strip, run, now))),
  ];
}

function runRow(strip, run, now) {
  const what = run.stands ? [make('b', {}, 'stands'), ': nobody can better it'] : [badge(run.outcome), ' ', plies(run), ': ', inWords(parseScore(run.outcome))];
  return make('li', { 'data-now': run.from <= now && now <= run.to }, make('span', { class: 'number' }, between(strip, run)), make('span', {}, ...what));
}

/** The moves in two lists: what keeps the outcome, and what gives it away. */
export function movesOf(answer, { play, point }) {
  if (!answer.moves.length) return [make('p', {}, 'There are no legal moves.')];
  const kept = answer.moves.filter((each) => each.keeps), lost = answer.moves.filter((each) => !each.keeps);
  const groups = [];
  for (const each of lost) {
    if (groups.at(-1)?.[0].outcome !== each.outcome) groups.push([]);
    groups.at(-1).push(each);
  }
  const parts = [groupOf('Keep', '', kept, answer, { play, point })];
  const drawn = groups.map((group) => {
    const outcome = group[0].outcome;
    return groupOf('Give it away for', inWords(parseScore(outcome)), group, answer, { play, point });
  });
  parts.push(...drawn.slice(0, OPEN_GROUPS));
  const far = drawn.slice(OPEN_GROUPS), count = groups.slice(OPEN_GROUPS).flat().length;
  if (far.length) parts.push(make('details', {}, make('summary', {}, `${count} more that ${count === 1 ? 'gives' : 'give'} away still more`), ...far));
  return parts;
}

function groupOf(title, words, moves, answer, { play, point }) {
  const rows = moves.map((each) => {
    const sets = each.accrued !== answer.accrued || each.reset;
    const remark = each.reset ? `anew from ${each.accrued}` : sets ? `reaches ${each.accrued}` : '';
    const show = () => point(each.uci);
    const button = make(
      'button',
      { type: 'button', class: each.best ? 'move best' : 'move', onclick: () => play(each), onmouseenter: show, onfocus: show, onmouseleave: () => point(null), onblur: () => point(null) },
      make('b', {}, each.san),
      make('span', {}, each.dtg === 0 ? 'stands' : inPlies(each.dtg)),
      make('i', {}, remark),
    );
    if (each.best) button.append(make('span', { class: 'unseen' }, ', best play'));
    return make('li', {}, button);
  });
  const shown = make('div', { class: 'group' }, make('h3', {}, title, ' ', badge(moves[0].outcome), make('small', {}, words)), make('ol', {}, ...rows));
  return shown;
}

/** The best line with its stepper; `at` is how many plies of it have been played. */
export function lineOf(line, at, step) {
  const go = (text, label, to) => make('button', { type: 'button', 'aria-label': label, disabled: to < 0 || to > line.steps.length || to === at, onclick: () => step(to) }, text);
  const moves = make('p', { class: 'line-moves', tabindex: 0, role: 'group', 'aria-label': 'Moves of best play' });
  line.steps.forEach((each, place) => {
    const ply = line.firstPly + place, number = ply % 2 === 0 ? `${ply / 2 + 1}. ` : place === 0 ? `${(ply + 1) / 2}… ` : '';
    moves.append(number, make('button', { type: 'button', 'aria-current': at === place + 1 && 'step', onclick: () => step(place + 1) }, each.san), ' ');
    if (each.outcome === each.accrued && (place === 0 || line.steps[place - 1].outcome !== line.steps[place - 1].accrued)) moves.append(make('span', { class: 'reached' }, `${each.accrued} is reached `));
  });
  const buttons = make('div', { class: 'bar', role: 'group', 'aria-label': 'Through the line' },
    go('«', 'To the first position', 0), go('‹', 'One ply back', at - 1), go('›', 'One ply on', at + 1), go('»', 'To the last position', line.steps.length),
    make('span', { class: 'soft small' }, at ? `${at} of ${inPlies(line.steps.length)}` : inPlies(line.steps.length)));
  return [buttons, moves];
}

/** The card of the ending: how often each outcome occurs with either side to move, with a mark at this one. */
export function endingOf(facts, { material, flipped, turn, outcome, report, open }) {
  const sides = [['White', 'w'], ['Black', 'b']].map(([name, side]) => {
    const stored = facts.sides[(side === 'w') !== flipped ? 'white' : 'black'];
    return { name, side, positions: stored.positions, outcomes: sorted(stored.outcomes, flipped) };
  });
  const rows = sides.map(({ name, side, positions, outcomes }) => {
    const spans = outcomes.map(([score, each]) => {
      const span = make('span', { ...shade(score), 'data-now': side === turn && formatScore(score) === outcome, title: `${formatScore(score)}: ${percent(each.count, positions)}` });
      span.style.flexGrow = each.count / positions;
      span.style.flexBasis = '0';
      return span;
    });
    const words = outcomes.slice().sort((a, b) => b[1].count - a[1].count).slice(0, 6).map(([score, each]) => `${formatScore(score)} ${percent(each.count, positions)}`).join(', ');
    return [make('div', { class: 'share' }, make('span', { class: 'small' }, `${name} to move`), make('div', { class: 'band', role: 'img', 'aria-label': `${name} to move: ${words}` }, ...spans)), make('p', { class: 'soft small' }, words)];
  });
  const here = sides.find(({ side }) => side === turn), found = here.outcomes.find(([score]) => formatScore(score) === outcome);
  const longest = sides.flatMap(({ outcomes }) => outcomes).reduce((a, b) => (b[1].max_dtg > a[1].max_dtg ? b : a));
  const fact = (name, ...what) => make('div', {}, make('dt', {}, name), make('dd', {}, ...what));
  const example = ([score, each]) => (flipped ? `${formatScore(score)} in ${inPlies(each.max_dtg)}` : make('button', { type: 'button', onclick: () => open(each.fen) }, `${formatScore(score)} in ${inPlies(each.max_dtg)}`));
  return [
    make('h2', { id: 'ending-title' }, `The ending ${material}`),
    make('p', { class: 'soft small' }, 'How often each outcome is the value of a position that has just arisen; the mark is at this one.'),
    ...rows.flat(),
    make('dl', { class: 'ending-facts' },
      fact('Positions', facts.positions.toLocaleString('en')),
      found && longest[1].fen && fact(`Longest to ${outcome}, ${here.name} to move`, example(found)),
      longest[1].fen && fact('Longest of all', example(longest)),
      report && fact('More', make('a', { href: `${report}material/${facts.material}.html` }, `the page of ${facts.material}`))),
  ];
}

function sorted(outcomes, flipped) {
  const rows = Object.entries(outcomes).map(([text, each]) => [parseScore(text) * (flipped ? -1 : 1), each]);
  return rows.sort(([a], [b]) => Math.sign(b) * (3000 - Math.abs(b)) - Math.sign(a) * (3000 - Math.abs(a)));
}

function percent(part, whole) {
  const share = (100 * part) / whole;
  if (part === whole) return '100 %';
  return share < 0.1 ? '< 0.1 %' : share > 99.9 ? '> 99.9 %' : `${share.toFixed(1)} %`;
}
