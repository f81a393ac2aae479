// Every G explains itself: under the pointer, with the keyboard, and when it is touched.
import { make } from './elements.js';
import { explained, parseScore, signed } from './scores.js';

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
