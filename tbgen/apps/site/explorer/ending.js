// The card of the ending: how often each outcome occurs with either side to move, with a mark at this one.
import { make } from './elements.js';
import { formatScore, inPlies, parseScore, signed, worth } from './scores.js';
import { badge, shade } from './view.js';

export function endingOf(facts, { material, flipped, turn, outcome, report, open }) {
  const sides = [['White', 'w'], ['Black', 'b']].map(([name, side]) => {
    const stored = facts.sides[(side === 'w') !== flipped ? 'white' : 'black'];
    return { name, side, positions: stored.positions, outcomes: sorted(stored.outcomes, flipped) };
  });
  const rows = sides.map(({ name, side, positions, outcomes }) => {
    const spans = outcomes.map(([score, each]) => {
      const span = make('span', { ...shade(score), 'data-now': side === turn && formatScore(score) === outcome, title: `${signed(formatScore(score))}: ${percent(each.count, positions)}` });
      span.style.flexGrow = each.count / positions;
      span.style.flexBasis = '0';
      return span;
    });
    const most = outcomes.slice().sort((a, b) => b[1].count - a[1].count).slice(0, 6);
    const words = most.flatMap(([score, each]) => [badge(formatScore(score)), ` ${percent(each.count, positions)} `]);
    const spoken = most.map(([score, each]) => `${signed(formatScore(score))} ${percent(each.count, positions)}`).join(', ');
    return [make('div', { class: 'share' }, make('span', { class: 'small' }, `${name} to move`), make('div', { class: 'band', role: 'img', 'aria-label': `${name} to move: ${spoken}` }, ...spans)), make('p', { class: 'soft small' }, ...words)];
  });
  const here = sides.find(({ side }) => side === turn), found = here.outcomes.find(([score]) => formatScore(score) === outcome);
  const longest = sides.flatMap(({ outcomes }) => outcomes).reduce((a, b) => (b[1].max_dtg > a[1].max_dtg ? b : a));
  const fact = (name, ...what) => make('div', {}, make('dt', {}, name), make('dd', {}, ...what));
  const words = ([score, each]) => `${signed(formatScore(score))} in ${inPlies(each.max_dtg)}`;
  const example = (row) => (flipped ? words(row) : make('button', { type: 'button', onclick: () => open(row[1].fen) }, words(row)));
  return [
    make('h2', { id: 'ending-title' }, `The ending ${material}`),
    make('p', { class: 'soft small' }, 'How often each outcome is the value of a position that has just arisen; the mark is at this one.'),
    ...rows.flat(),
    make('dl', { class: 'ending-facts' },
      fact('Positions, all placements', facts.positions.toLocaleString('en')),
      found && longest[1].fen && fact(`Longest to ${signed(outcome)}, ${here.name} to move`, example(found)),
      longest[1].fen && fact('Longest of all', example(longest)),
      report && fact('More', make('a', { href: `${report}material/${facts.material}.html` }, `the page of ${facts.material}`))),
  ];
}

function sorted(outcomes, flipped) {
  const rows = Object.entries(outcomes).map(([text, each]) => [parseScore(text) * (flipped ? -1 : 1), each]);
  return rows.sort(([a], [b]) => worth(b) - worth(a));
}

function percent(part, whole) {
  const share = (100 * part) / whole;
  if (part === whole) return '100 %';
  return share < 0.1 ? '< 0.1 %' : share > 99.9 ? '> 99.9 %' : `${share.toFixed(1)} %`;
}
