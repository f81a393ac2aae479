// Scores as they stand on the page: each has its colour, and explains itself.
import { make } from './elements.js';
import { parseScore, shadeOf, signed } from './scores.js';

/** The attributes that give an element the colour of a score. */
export const shade = (score) => ({ '--shade': `var(${shadeOf(score)})`, 'data-shade': shadeOf(score).slice(2) });

/** A score with its colour; inside of a button it is a part of that, and no button of its own. */
export function badge(text, { kind = '', inside = false } = {}) {
  const attributes = { class: `score ${kind}`, 'data-g': text, ...shade(parseScore(text)) };
  if (inside) return make('span', attributes, signed(text));
  return make('button', { type: 'button', ...attributes }, signed(text));
}

/** The name of the side to move of a FEN. */
export const moverOf = (fen) => (fen.split(' ')[1] === 'b' ? 'Black' : 'White');

/** The name of the other side. */
export const waiterOf = (fen) => (moverOf(fen) === 'White' ? 'Black' : 'White');
