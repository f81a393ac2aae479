// A picture of what the board shows, with its verdict, as a PNG to send.
import { moverOf } from './badge.js';
import { make } from './elements.js';
import { parseSquare } from './vendor/chessops.js';
import { inPlies, inWords, parseScore, shadeOf, signed } from './scores.js';

const SIDE = 90; // pixels of a square
const MARGIN = 36;
const BELOW = 96; // for the verdict
const DOT = 'rgb(20 90 30 / .85)';
const ARROW = 'rgb(29 86 140 / .8)';

const colorOf = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();

/** The drawing of a man, as the board's style sheet has it. */
async function drawingOf({ color, role }) {
  const drawing = new Image();
  const man = document.querySelector(`.spare piece.${color}.${role}`);
  drawing.src = getComputedStyle(man).backgroundImage.slice(5, -2);
  await drawing.decode();
  return drawing;
}

/** What is in the picture's last two lines. */
function wordsOf({ fen, outcome, accrued, dtg, moves }) {
  const way = outcome === accrued ? 'held for ever' : `in ${inPlies(dtg)}`;
  const verdict = `${signed(outcome)}  ${inWords(parseScore(outcome), !moves.length)}`;
  return [verdict, `${moverOf(fen)} to move; ${way}; accrued ${signed(accrued)}`];
}

class Picture {
  constructor({ isUpright }) {
    this.isUpright = isUpright;
    this.canvas = make('canvas', { width: 8 * SIDE + 2 * MARGIN, height: 8 * SIDE + MARGIN + BELOW });
    this.pen = this.canvas.getContext('2d');
    this.#squares();
    this.#names();
  }

  /** The upper left corner of a square. */
  at(square) {
    const file = square & 7;
    const rank = square >> 3;
    const column = this.isUpright ? file : 7 - file;
    const row = this.isUpright ? 7 - rank : rank;
    return [MARGIN + SIDE * column, MARGIN / 2 + SIDE * row];
  }

  /** The middle of a square. */
  middle(square) {
    const [x, y] = this.at(square);
    return [x + SIDE / 2, y + SIDE / 2];
  }

  write(text, x, y, { font, color = colorOf('--ink'), align = 'left' }) {
    this.pen.font = `${font} system-ui, sans-serif`;
    this.pen.fillStyle = color;
    this.pen.textAlign = align;
    this.pen.fillText(text, x, y, 8 * SIDE);
  }

  #squares() {
    this.#fill('--paper', 0, 0, this.canvas.width, this.canvas.height);
    for (let square = 0; square < 64; square++) {
      const isLight = (square + (square >> 3)) % 2 === 1;
      this.#fill(isLight ? '--light-square' : '--dark-square', ...this.at(square), SIDE, SIDE);
    }
  }

  /** Files and ranks. */
  #names() {
    const style = { font: '20px', color: colorOf('--soft'), align: 'center' };
    for (let n = 0; n < 8; n++) {
      const [x] = this.middle(n);
      const [, y] = this.middle(8 * n);
      this.write('abcdefgh'[n], x, 8 * SIDE + MARGIN + 4, style);
      this.write(n + 1, MARGIN / 2, y + 7, style);
    }
  }

  #fill(color, ...place) {
    this.pen.fillStyle = colorOf(color);
    this.pen.fillRect(...place);
  }

  man(drawing, square) {
    this.pen.drawImage(drawing, ...this.at(square), SIDE, SIDE);
  }

  /** A score that a map has on a square. */
  field({ square, score }) {
    const shade = shadeOf(parseScore(score));
    const { color } = getComputedStyle(document.querySelector(`#marks [data-shade=${shade.slice(2)}]`));
    const [x, y] = this.at(square);
    this.#fill(shade, x, y, SIDE, SIDE);
    this.write(signed(score).replace('G', ''), x + SIDE / 2, y + SIDE - 10, { font: '600 22px', color, align: 'center' });
  }

  /** A dot with a number of moves. */
  dot({ square, count }) {
    const [x, y] = this.middle(square);
    this.#path(DOT, (pen) => pen.arc(x, y, SIDE / 5, 0, 7)).fill();
    if (count > 1) this.write(count, x, y + 8, { font: '600 24px', color: '#fff', align: 'center' });
  }

  arrow(uci) {
    const [x, y] = this.middle(parseSquare(uci.slice(0, 2)));
    const [toX, toY] = this.middle(parseSquare(uci.slice(2, 4)));
    const length = Math.hypot(toX - x, toY - y);
    const right = (toX - x) / length;
    const down = (toY - y) / length;
    const neck = length - 34;
    this.pen.lineWidth = 14;
    this.#path(ARROW, (pen) => {
      pen.moveTo(x + 20 * right, y + 20 * down);
      pen.lineTo(x + neck * right, y + neck * down);
    }).stroke();
    this.#path(ARROW, (pen) => {
      pen.moveTo(toX - 6 * right, toY - 6 * down);
      for (const side of [22, -22]) pen.lineTo(x + neck * right - side * down, y + neck * down + side * right);
    }).fill();
  }

  #path(color, draw) {
    this.pen.fillStyle = color;
    this.pen.strokeStyle = color;
    this.pen.beginPath();
    draw(this.pen);
    return this.pen;
  }
}

/** Save what the board shows of an answered position. */
export async function savePicture(shown, answer) {
  const picture = new Picture(shown);
  for (const mark of shown.marks.filter((each) => each.score)) picture.field(mark);
  for (const [name, man] of shown.men) picture.man(await drawingOf(man), parseSquare(name));
  for (const move of shown.arrows) picture.arrow(move);
  for (const mark of shown.marks.filter((each) => !each.score)) picture.dot(mark);
  const [verdict, words] = wordsOf(answer);
  const top = 8 * SIDE + MARGIN;
  picture.write(verdict, MARGIN, top + 50, { font: '600 30px' });
  picture.write(words, MARGIN, top + 82, { font: '22px', color: colorOf('--soft') });
  make('a', { href: picture.canvas.toDataURL('image/png'), download: `${answer.material} ${answer.outcome}.png` }).click();
}
