// With outcomes alone: of several moves that keep the outcome, the one that is hardest to answer, and how it goes on.
import { badge, moverOf, waiterOf } from './badge.js';
import { Game } from './game.js';
import { gainerOf } from './scores.js';
import { written } from './why.js';

const MOST_ASKED = 24; // moves
const MOST_PLIES = 6; // of a line
const MOST_NAMED = 3; // replies

/** The move to try from a position of a game, and words: why this one, and how it goes on while single moves are good. */
export async function hardestToAnswer(node, answer, { probe }) {
  const keeping = answer.moves.filter((move) => move.keeps);
  const isGainer = gainerOf(answer) === moverOf(answer.fen);
  const asked = keeping.slice(0, MOST_ASKED).map(async (move) => {
    const game = new Game(node);
    game.play(move.uci);
    const after = await probe(game.now);
    return { move, after, progress: isGainer ? progressOf(move, after) : NONE };
  });
  const tries = await Promise.all(asked);
  tries.sort((one, other) => other.progress.rank - one.progress.rank || shareOf(one.after) - shareOf(other.after));
  const [{ move, after, progress }] = tries;
  const steps = await onlyMoves(node, move, after, probe);
  const reason = tries.length === 1 ? 'The only move:' : progress.words || hardestOf(tries.length, answer);
  return { uci: move.uci, words: [`${reason} ${written(node, steps)}. `, ...endOf(steps.at(-1).after)] };
}

// What a move does for the side that has to make progress: the greater its rank, the better.
const REACHES = { rank: 2, words: 'The outcome is on the board after' };
const RESETS = { rank: 1, words: 'Progress that cannot be taken back:' };
const NONE = { rank: 0, words: '' };

function progressOf(move, after) {
  if (after.outcome === after.accrued) return REACHES;
  return move.reset ? RESETS : NONE;
}

const goodIn = ({ moves }) => moves.filter((move) => move.keeps);

/** The share of replies that are good: the smaller it is, the harder the move is to answer. */
const shareOf = (after) => (after.moves.length ? goodIn(after).length / after.moves.length : 0);

/** The move, and what follows while a single move keeps the outcome. */
async function onlyMoves(node, move, after, probe) {
  const game = new Game(node);
  game.play(move.uci);
  const steps = [{ uci: move.uci, after }];
  while (steps.length < MOST_PLIES) {
    const answer = steps.at(-1).after;
    const keeping = goodIn(answer);
    if (keeping.length !== 1 || answer.outcome === answer.accrued) break;
    game.play(keeping[0].uci);
    steps.push({ uci: keeping[0].uci, after: await probe(game.now) });
  }
  return steps;
}

function hardestOf(number, { fen }) {
  return `Hardest for ${waiterOf(fen)} of ${number} moves that keep it:`;
}

/** How a line of single moves ends. */
function endOf(answer) {
  if (!answer.moves.length) return ['The game is over.'];
  if (answer.outcome === answer.accrued) return [badge(answer.outcome), ' is held for ever then.'];
  const good = goodIn(answer).map((move) => move.san);
  const named = good.length > MOST_NAMED ? '' : `: ${good.join(', ')}`;
  return [`Then ${good.length} of ${answer.moves.length} moves of ${moverOf(answer.fen)} keep `, badge(answer.outcome), `${named}.`];
}
