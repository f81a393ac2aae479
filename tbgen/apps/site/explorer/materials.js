// Materials: names of endings, as files of tables have them, and in words.
import { SquareSet, charToRole } from './vendor/chessops.js';

/** In the name of a table of the positions in which two pawns face each other. */
export const PAIRS = '.pairs';

const ORDER = 'KQRBNP';
const MEN = { Q: ['queen', 'queens'], R: ['rook', 'rooks'], B: ['bishop', 'bishops'], N: ['knight', 'knights'], P: ['pawn', 'pawns'] };
const NUMBERS = ['', '', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

function isStronger(white, black) {
  if (white.length !== black.length) return white.length > black.length;
  const place = [...white].findIndex((man, at) => man !== black[at]);
  return place < 0 || ORDER.indexOf(white[place]) < ORDER.indexOf(black[place]);
}

/** The sides of a material, and what stands behind them in the name of a table of pairs. */
function partsOf(material) {
  const scope = material.endsWith(PAIRS) ? PAIRS : '';
  const [white, black] = material.slice(0, material.length - scope.length).split('v');
  return { white, black, scope };
}

/** The name of a table, and whether the colours of a position of this material are exchanged in it. */
export function canonical(material) {
  const { white, black, scope } = partsOf(material);
  if (isStronger(white, black)) return { name: material, flipped: false };
  return { name: `${black}v${white}${scope}`, flipped: true };
}

/** The material on a board. */
export function materialOf({ board }) {
  const side = (color) => [...ORDER].map((letter) => letter.repeat(board.pieces(color, charToRole(letter)).size())).join('');
  return `${side('white')}v${side('black')}`;
}

/** Whether a white pawn stands below a black one on the same file. */
export function hasOpposedPair({ board }) {
  const black = board.pieces('black', 'pawn');
  return [...board.pieces('white', 'pawn')].some((square) => black.intersect(SquareSet.fromFile(square & 7)).last() > square);
}

/** An ending as players name it: "Rook against bishop" is KRvKB. */
export function endingInWords(material) {
  const { white, black, scope } = partsOf(material);
  const sides = [white, black].map((side) => sideInWords(side) || 'king');
  if (sides.every((side) => side === 'king')) return 'Two bare kings';
  const words = sides.join(' against ') + (scope && ', pawns face to face');
  return words[0].toUpperCase() + words.slice(1);
}

/** The men beside the king. */
function sideInWords(side) {
  const kinds = Object.keys(MEN).filter((man) => side.includes(man));
  const words = kinds.map((man) => {
    const number = side.split(man).length - 1;
    return number === 1 ? MEN[man][0] : `${NUMBERS[number] ?? number} ${MEN[man][1]}`;
  });
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
