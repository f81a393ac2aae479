// Why a move is good or bad: the best reply to it, and how the line ends.
import { badge, moverOf } from './badge.js';
import { Game } from './game.js';
import { inWords, parseScore } from './scores.js';

const MOST_WRITTEN = 6; // plies at the beginning of a longer line

/** What follows a move in a position of a game: the best reply, and words.
 *
 * `probe` answers a position, `line` gives best play from one.
 */
export async function whatFollows(node, uci, { probe, line }) {
  const game = new Game(node);
  game.play(uci);
  const answer = await probe(game.now);
  const value = badge(answer.outcome);
  const [best] = answer.moves;
  if (!best) return { reply: null, words: [value, ` ${inWords(parseScore(answer.outcome), true)}.`] };
  const replies = `${moverOf(answer.fen)} replies`;
  if (answer.outcome === answer.accrued) {
    return { reply: best.uci, words: [`${replies} ${best.san}. `, value, ' is held for ever: nobody can better it.'] };
  }
  if (answer.dtg === null) return { reply: null, words: ['It comes to ', value, '; how, no table here says.'] };
  const steps = untilGoal(await line(game.now));
  return { reply: best.uci, words: [`${replies} ${written(game.now, steps)}: `, value, ` ${inWords(parseScore(answer.outcome))}.`] };
}

/** The steps of a line until its score has accrued. */
export function untilGoal(steps) {
  const last = steps.findIndex((step) => step.outcome === step.accrued);
  return last < 0 ? steps : steps.slice(0, last + 1);
}

/** The moves of a line with their numbers; a long one without its middle. */
function written(node, steps) {
  const game = new Game(node);
  for (const step of steps) game.play(step.uci);
  const moves = [];
  let number = '';
  for (const word of game.words()) {
    if (typeof word === 'string') {
      number = `${word} `;
      continue;
    }
    moves.push(number + word.san);
    number = '';
  }
  if (moves.length <= MOST_WRITTEN + 1) return moves.join(' ');
  return [...moves.slice(0, MOST_WRITTEN), '…', moves.at(-1)].join(' ');
}
