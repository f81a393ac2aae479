// Commands for a machine with tbgen, each with a button that copies it.
import { make } from './elements.js';
import { copy } from './share.js';

/** What shows a new table: a server lists its tables when it starts, a folder of files when it is written. */
export const AGAIN = document.documentElement.dataset.source === 'server'
  ? 'then start tbgen serve again'
  : 'then write these pages again with tbgen site --explorer';

/** Commands that take many lines: where they would push the moves out of sight, a touch shows them. */
export function folded(title, ...ways) {
  const open = matchMedia('(min-width: 54rem) and (min-height: 50rem)').matches;
  return make('details', { open }, make('summary', {}, title), ...ways);
}

/** A command for a machine with tbgen, with a button that copies it. */
export function wayOn(words, command) {
  const said = make('span', { role: 'status' });
  const onclick = () => copy(command, said);
  const button = make('button', { type: 'button', class: 'link', 'aria-label': `Copy ${command}`, onclick }, 'Copy');
  return make('p', { class: 'small' }, `${words} `, make('code', {}, command), ' ', button, ' ', said);
}
