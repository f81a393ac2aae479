// A client that reads no score as text: which side holds each position, best for White first, and the best moves.
// node client.mjs ADDRESS < FENS as a JSON array
import { readFileSync } from 'node:fs';

const [address] = process.argv.slice(2), fens = JSON.parse(readFileSync(0, 'utf8'));
const reply = await fetch(`${address}/r-mobility`, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(fens),
});
const answered = (await reply.json()).filter(({ error }) => !error);
const parts = ({ outcome, scores }) => scores[outcome];
answered.sort((one, other) => parts(other).rank - parts(one).rank);
console.log(JSON.stringify(answered.map((answer) => {
  const { holder, moves, check } = parts(answer), rankOf = ({ outcome }) => answer.scores[outcome].rank;
  const sign = answer.fen.split(' ')[1] === 'w' ? 1 : -1;
  const most = Math.max(...answer.moves.map((move) => sign * rankOf(move)));
  return { fen: answer.fen, holder, moves, check, best: answer.moves.filter((move) => sign * rankOf(move) === most).map(({ uci }) => uci) };
})));
