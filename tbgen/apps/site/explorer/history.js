// The moves of the game with its branches.
import { make } from './elements.js';
import { signed } from './scores.js';

/** Words and buttons; `jump` is called with a position of the game. */
export function movesOfGame(game, jump) {
  const parts = [];
  for (const word of game.words()) {
    if (typeof word === 'string') {
      parts.push(`${word} `);
      continue;
    }
    const isNow = word === game.now && 'step';
    parts.push(make('button', { type: 'button', 'aria-current': isNow, onclick: () => jump(word) }, word.san), ' ');
    if (word.held && word.held !== word.parent.held) {
      parts.push(make('span', { class: 'soft' }, `${signed(word.held)} held for ever from here `));
    }
  }
  return parts;
}
