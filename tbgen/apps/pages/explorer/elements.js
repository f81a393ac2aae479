// What all parts of the page are made of: elements, scores with their colours, what is copied.
//
// Elements are made from names, attributes and children; styles are set by properties, as the policy wants it.
import { explained, parseScore, shadeOf, signed } from './scores.js';

/** An element; attributes whose names begin with `--` are custom properties, `on...` are listeners. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (key.startsWith('--')) element.style.setProperty(key, value);
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Say something in the line below the moves. */
export const say = (...parts) => byId('said').replaceChildren(...parts);

// Scores as they stand on the page: each has its colour, and explains itself.

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

// Every G explains itself: under the pointer, with the keyboard, and when it is touched.

export function explainScores() {
  const tip = make('div', { id: 'tip', role: 'tooltip', hidden: true });
  let shown = null;
  document.querySelector('main').append(tip);

  function hide() {
    shown?.removeAttribute('aria-describedby');
    shown = null;
    tip.hidden = true;
  }
  function show(target) {
    hide();
    const score = target?.closest('[data-g]') ?? target?.querySelector?.(':scope [data-g]');
    if (!score) return;
    shown = target.closest('button') ?? score;
    tip.replaceChildren(make('b', {}, signed(score.dataset.g)), ` ${explained(parseScore(score.dataset.g))}`);
    tip.hidden = false;
    shown.setAttribute('aria-describedby', 'tip');
    const { left, bottom } = score.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - tip.offsetWidth - 8)) + scrollX}px`;
    tip.style.top = `${bottom + 4 + scrollY}px`;
  }
  const over = (event) => event.target.closest?.('[data-g]');
  document.addEventListener('pointerover', (event) => over(event) && show(event.target));
  document.addEventListener('pointerout', (event) => {
    const isLeft = over(event) && !tip.contains(event.relatedTarget);
    if (isLeft && !shown?.matches(':focus')) hide();
  });
  document.addEventListener('focusin', ({ target }) => (target.matches('button') ? show(target) : hide()));
  document.addEventListener('focusout', hide);
  document.addEventListener('click', (event) => (over(event) ? show(event.target) : hide()));
  tip.addEventListener('pointerleave', hide);
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide());
}

// What is copied.

/** Copy a text, and say so in a place; what the browser does not copy can be selected there. */
export async function copy(text, place, { copied = 'Copied.', toCopy = 'Copy this:' } = {}) {
  try {
    await navigator.clipboard.writeText(text);
    place.replaceChildren(copied);
  } catch { // a page over plain http, as on a telephone beside the server, has no clipboard
    const field = make('textarea', { readonly: true, rows: 3, 'aria-label': 'Text to copy' }, text);
    place.replaceChildren(toCopy, field);
    field.focus();
    field.select();
    if (document.execCommand('copy')) place.replaceChildren(copied);
  }
}

/** A command for a machine with tbgen, with a button that copies it. */
export function wayOn(words, command) {
  const said = make('span', { role: 'status' });
  const onclick = () => copy(command, said);
  const button = make('button', { type: 'button', class: 'link', 'aria-label': `Copy ${command}`, onclick }, 'Copy');
  return make('p', { class: 'small' }, `${words} `, make('code', {}, command), ' ', button, ' ', said);
}
