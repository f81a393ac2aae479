// With outcomes alone: of several moves that keep the outcome, the one that is hardest to answer, and how it goes on.
import { badge, moverOf } from './badge.js';
import { Game } from './game.js';
import { gainerOf } from './scores.js';
import { written } from './why.js';

const MOST_ASKED = 24; // moves
const MOST_PLIES = 6; // of a line
const MOST_NAMED = 3; // replies

/** The move to try from a position of a game, and words: why this one, and how it goes on while single moves are good. */
export async function hardestToAnswer(node, answer, { probe }) {
  const keeping = answer.moves.filter((move) => move.keeps);
  const asked = keeping.slice(0, MOST_ASKED).map(async (move) => {
    const game = new Game(node);
    game.play(move.uci);
    return { move, after: await probe(game.now) };
  });
  const tries = await Promise.all(asked);
  const isGainer = gainerOf(answer) === moverOf(answer.fen);
  tries.sort((one, other) => easeOf(one, isGainer) - easeOf(other, isGainer));
  const { move, after } = tries[0];
  const steps = await onlyMoves(node, move, after, probe);
  const line = written(node, steps);
  return { uci: move.uci, words: [reasonOf(keeping.length, answer), ` ${line}. `, ...endOf(steps.at(-1).after)] };
}

/** A small number for a move that is hard to answer; one that makes progress for good comes before. */
function easeOf({ move, after }, isGainer) {
  if (isGainer && after.outcome === after.accrued) return -2;
  if (isGainer && move.reset) return -1;
  return after.moves.length ? goodIn(after).length / after.moves.length : 0;
}

const goodIn = ({ moves }) => moves.filter((move) => move.keeps);

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

function reasonOf(number, { fen }) {
  if (number === 1) return 'The only move:';
  const other = moverOf(fen) === 'White' ? 'Black' : 'White';
  return `Hardest for ${other} of ${number} moves that keep it:`;
}

/** How a line of single moves ends. */
function endOf(answer) {
  if (!answer.moves.length) return ['The game is over.'];
  if (answer.outcome === answer.accrued) return [badge(answer.outcome), ' is held for ever then.'];
  const good = goodIn(answer).map((move) => move.san);
  const named = good.length > MOST_NAMED ? '' : `: ${good.join(', ')}`;
  return [`Then ${good.length} of ${answer.moves.length} moves of ${moverOf(answer.fen)} keep `, badge(answer.outcome), `${named}.`];
}
