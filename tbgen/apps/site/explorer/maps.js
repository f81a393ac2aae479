// A map of one man: the value that the position would have with him on each square.
import { badge } from './badge.js';
import { make } from './elements.js';
import { squareOf } from './rules.js';
import { parseScore, worth } from './scores.js';

const WRITTEN_OUT = 6; // squares

/** Marks for the board. */
export function fieldsOf(squares) {
  const there = Object.entries(squares).filter(([, value]) => value);
  return there.map(([name, value]) => ({ square: squareOf(name), score: value.outcome }));
}

/** In words: how often each outcome occurs, best for White first, and where. */
export function mapInWords(squares) {
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
