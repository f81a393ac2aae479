// A picture of what the board shows, with its verdict, as a PNG to send.
import { make } from './elements.js';
import { squareOf } from './rules.js';
import { inPlies, inWords, parseScore, shadeOf, signed } from './scores.js';

const SIDE = 90; // pixels of a square
const MARGIN = 36;
const BELOW = 96; // for the verdict

const colorOf = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();

/** The drawing of a man, as the board's style sheet has it. */
async function drawingOf({ color, role }) {
  const drawing = new Image(), man = document.querySelector(`.spare piece.${color}.${role}`);
  drawing.src = getComputedStyle(man).backgroundImage.slice(5, -2);
  await drawing.decode();
  return drawing;
}

/** What is in the picture's last two lines. */
function wordsOf({ fen, outcome, accrued, dtg, moves }) {
  const side = fen.split(' ')[1] === 'w' ? 'White' : 'Black', way = outcome === accrued ? 'held for ever' : `in ${inPlies(dtg)}`;
  return [`${signed(outcome)}  ${inWords(parseScore(outcome), !moves.length)}`, `${side} to move; ${way}; accrued ${signed(accrued)}`];
}

class Picture {
  constructor({ isUpright }) {
    this.isUpright = isUpright;
    this.canvas = make('canvas', { width: 8 * SIDE + 2 * MARGIN, height: 8 * SIDE + MARGIN + BELOW });
    this.pen = this.canvas.getContext('2d');
    this.write = (text, x, y, font, color = '--ink', align = 'left') => {
      Object.assign(this.pen, { font: `${font} system-ui, sans-serif`, fillStyle: color.startsWith('--') ? colorOf(color) : color, textAlign: align });
      this.pen.fillText(text, x, y, 8 * SIDE);
    };
    this.#squares();
  }

  /** The upper left corner of a square. */
  at(square) {
    const x = square & 7, y = square >> 3;
    return this.isUpright ? [MARGIN + SIDE * x, MARGIN / 2 + SIDE * (7 - y)] : [MARGIN + SIDE * (7 - x), MARGIN / 2 + SIDE * y];
  }

  #squares() {
    this.fill('--paper', 0, 0, this.canvas.width, this.canvas.height);
    for (let square = 0; square < 64; square++) {
      this.fill((square + (square >> 3)) % 2 ? '--light-square' : '--dark-square', ...this.at(square), SIDE, SIDE);
    }
    for (let n = 0; n < 8; n++) {
      this.write('abcdefgh'[n], this.at(n)[0] + SIDE / 2, 8 * SIDE + MARGIN + 4, '20px', '--soft', 'center');
      this.write(n + 1, MARGIN / 2, this.at(8 * n)[1] + SIDE / 2 + 7, '20px', '--soft', 'center');
    }
  }

  fill(color, ...place) {
    this.pen.fillStyle = colorOf(color);
    this.pen.fillRect(...place);
  }

  /** A score that a map has on a square, or a dot with a number of moves. */
  mark({ square, score, count }) {
    const [x, y] = this.at(square);
    if (score) {
      const shade = shadeOf(parseScore(score)), { color } = getComputedStyle(document.querySelector(`#marks [data-shade=${shade.slice(2)}]`));
      this.fill(shade, x, y, SIDE, SIDE);
      this.write(signed(score).replace('G', ''), x + SIDE / 2, y + SIDE - 10, '600 22px', color, 'center');
      return;
    }
    this.#path('rgb(20 90 30 / .85)', (pen) => pen.arc(x + SIDE / 2, y + SIDE / 2, SIDE / 5, 0, 7)).fill();
    if (count > 1) this.write(count, x + SIDE / 2, y + SIDE / 2 + 8, '600 24px', '#fff', 'center');
  }

  arrow(uci) {
    const [[x, y], [toX, toY]] = [uci.slice(0, 2), uci.slice(2, 4)].map((name) => this.at(squareOf(name)).map((each) => each + SIDE / 2));
    const length = Math.hypot(toX - x, toY - y), [right, down] = [(toX - x) / length, (toY - y) / length], neck = length - 34;
    this.pen.lineWidth = 14;
    this.#path('rgb(29 86 140 / .8)', (pen) => { pen.moveTo(x + 20 * right, y + 20 * down); pen.lineTo(x + neck * right, y + neck * down); }).stroke();
    this.#path('rgb(29 86 140 / .8)', (pen) => {
      pen.moveTo(toX - 6 * right, toY - 6 * down);
      for (const side of [22, -22]) pen.lineTo(x + neck * right - side * down, y + neck * down + side * right);
    }).fill();
  }

  #path(color, draw) {
    this.pen.fillStyle = this.pen.strokeStyle = color;
    this.pen.beginPath();
    draw(this.pen);
    return this.pen;
  }
}

/** Save what the board shows of an answered position. */
export async function savePicture(shown, answer) {
  const picture = new Picture(shown), [verdict, words] = wordsOf(answer), top = 8 * SIDE + MARGIN;
  for (const mark of shown.marks.filter((each) => each.score)) picture.mark(mark);
  for (const [name, man] of shown.men) picture.pen.drawImage(await drawingOf(man), ...picture.at(squareOf(name)), SIDE, SIDE);
  for (const move of shown.arrows) picture.arrow(move);
  for (const mark of shown.marks.filter((each) => !each.score)) picture.mark(mark);
  picture.write(verdict, MARGIN, top + 50, '600 30px');
  picture.write(words, MARGIN, top + 82, '22px', '--soft');
  make('a', { href: picture.canvas.toDataURL('image/png'), download: `${answer.material} ${answer.outcome}.png` }).click();
}
