// Why a move is good or bad: the best reply to it, and how the line ends.
import { badge, moverOf } from './badge.js';
import { Game } from './game.js';
import { inWords, parseScore } from './scores.js';

const MOST_WRITTEN = 6; // plies at the beginning of a longer line
const MOST_NAMED = 3; // replies

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
  if (answer.dtg === null) return { reply: onlyReply(answer), words: [`${repliesOf(answer)}: `, value, ` ${inWords(parseScore(answer.outcome))}.`] };
  const steps = untilGoal(await line(game.now));
  return { reply: best.uci, words: [`${replies} ${written(game.now, steps)}: `, value, ` ${inWords(parseScore(answer.outcome))}.`] };
}

/** The reply that alone keeps what the other side has; null if there are several. */
const onlyReply = ({ moves }) => moves.find((move) => move.best)?.uci ?? null;

/** The replies that keep what the other side has. Without distances, none of several is known to be best. */
function repliesOf({ fen, moves }) {
  const side = moverOf(fen);
  const keeping = moves.filter((move) => move.keeps).map((move) => move.san);
  const all = moves.length;
  if (keeping.length === all && all > MOST_NAMED) return `All ${all} replies come to the same`;
  if (keeping.length > MOST_NAMED) return `${side} has ${keeping.length} good replies of ${all}`;
  const last = keeping.pop();
  const named = keeping.length ? `${keeping.join(', ')} or ${last}` : last;
  return all === 1 || keeping.length ? `${side} replies ${named}` : `${side} has one good reply, ${named}`;
}

/** Best play from a position of a game, in words. */
export async function bestPlay(node, { line }) {
  const steps = untilGoal(await line(node));
  if (!steps.length) return [];
  const { outcome } = steps.at(-1);
  return [`Best play: ${written(node, steps)}: `, badge(outcome), ` ${inWords(parseScore(outcome))}.`];
}

/** The steps of a line until its score has accrued. */
export function untilGoal(steps) {
  const last = steps.findIndex((step) => step.outcome === step.accrued);
  return last < 0 ? steps : steps.slice(0, last + 1);
}

/** The moves of a line with their numbers; a long one without its middle. */
export function written(node, steps) {
  const game = new Game(node);
  const moves = steps.map(({ uci }) => {
    const number = numberIn(game.now.fen);
    game.play(uci);
    return { number, san: game.now.san };
  });
  if (moves.length <= MOST_WRITTEN + 1) return inText(moves);
  const last = moves.at(-1);
  return `${inText(moves.slice(0, MOST_WRITTEN))} … ${last.number} ${last.san}`;
}

function numberIn(fen) {
  const [, turn, , , , number] = fen.split(' ');
  return turn === 'w' ? `${number}.` : `${number}...`;
}

/** The first move has its number, and then each of White. */
function inText(moves) {
  const words = moves.map(({ number, san }, place) => (place > 0 && number.endsWith('...') ? san : `${number} ${san}`));
  return words.join(' ');
}
