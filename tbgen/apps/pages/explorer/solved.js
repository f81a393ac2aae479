// Positions in a solved table.
import { Shelf, TRIANGLE, isWorse } from './files.js';
import { Packed } from './packed.js';
import { codeOf } from './scores.js';

/** A solved table, which finds positions by the solver's own numbers of cells. */
export class SolvedShelf extends Shelf {
  static async of(blob) {
    const shelf = new SolvedShelf();
    shelf.packed = await Packed.open(blob);
    const { slots, blocks } = shelf.packed.index;
    shelf.slots = slots;
    shelf.pawns = blocks[0].length;
    shelf.blocks = new Map();
    blocks.forEach((pawns, block) => shelf.number(pawns, block));
    return shelf;
  }

  placeIn(plane, king, others) {
    const first = this.pawns ? 64 * plane + king : TRIANGLE.length * plane + TRIANGLE.indexOf(king);
    return others.reduce((place, square) => 64 * place + square, first);
  }

  expectBreaks() {}

  async entry(place) {
    const { entry, dtg } = await this.packed.cell(place);
    return [entry, dtg];
  }

  async held(place, accrued) {
    const { rows } = await this.packed.cell(place);
    const holder = accrued < 0 ? 1 : 0;
    const row = (await rows()).findLast((each) => each[0] === holder && each[1] <= codeOf(accrued));
    return row && isWorse(row[2], accrued) ? [row[2], row[3]] : [accrued, 0];
  }
}
