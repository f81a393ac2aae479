// How long `tbgen solve` took for positions in which games of engines ended, as docs/measurements.md and docs/solve.md have it.

const MEASURED = [
  { men: 6, pawns: [3, 4], inWords: 'six men, three or four of them pawns', solved: 23, exact: 23, half: '3', all: '236' },
  { men: 6, pawns: [2], inWords: 'six men, two of them pawns', solved: 111, exact: 100, half: '81', all: '1,033' },
  { men: 6, pawns: [1], inWords: 'six men, one of them a pawn', solved: 25, exact: 22, half: '1,127', all: '2,990' },
  { men: 7, pawns: [3, 4, 5], inWords: 'seven men, at least three of them pawns', solved: 29, exact: 8, half: '178', all: '360' },
];
const WITHOUT_PAWNS = 'With six men and no pawn, each question that it asks took 330 to 1,730 CPU seconds and 12 GiB of memory.';
const KINGS_AND_PAWNS = 'However many men there are, kings and pawns alone are quickly solved where the pawns block each other.';

/** How long a solve of such men took, and how often it was exact; empty where nothing was measured. */
export function howLong(material) {
  const men = material.length - 1;
  const pawns = material.split('P').length - 1;
  if (men === 6 && pawns === 0) return WITHOUT_PAWNS;
  const found = MEASURED.find((each) => each.men === men && each.pawns.includes(pawns));
  if (!found) return men - pawns === 2 ? KINGS_AND_PAWNS : '';
  const { inWords, solved, exact, half, all } = found;
  const result = exact === solved ? 'all came out exact' : `${exact} came out exact, the others between two bounds`;
  return `Of ${solved} ends of games with ${inWords}, ${result}. Half took at most ${half} CPU seconds, all at most ${all}.`;
}
