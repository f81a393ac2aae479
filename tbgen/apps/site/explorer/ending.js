// The card of the ending: how often each outcome occurs with either side to move, with a mark at this one.
import { badge, shade } from './badge.js';
import { make } from './elements.js';
import { endingInWords } from './materials.js';
import { formatScore, inPlies, parseScore, signed, worth } from './scores.js';

const MOST_WRITTEN = 6; // outcomes under a bar

/** `facts` are those of the table; `flipped` tells that its colours are exchanged here. */
export function endingOf(facts, { material, flipped, turn, outcome, page, open, random }) {
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
