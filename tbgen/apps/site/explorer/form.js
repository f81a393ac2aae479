// The form below the board: what somebody types or pastes becomes a game to look at.
import { brokenRule, parseFen } from './chess.js';
import { byId } from './elements.js';
import { Game, isPgn, parsePgn } from './game.js';
import { placeOf } from './place.js';
import { positionIn } from './share.js';

export class Form {
  #shown = ''; // the FEN that is looked at
  #filled = ''; // what the page has put into the field of the accrued score
  #isSelected = false; // by a click, since the field has the focus

  /** `begin` is called with a game, and with a note of what was ignored or changed. */
  constructor(begin) {
    this.begin = begin;
    byId('ask').onsubmit = (event) => {
      event.preventDefault();
      this.#ask();
    };
    byId('fen').oninput = (event) => {
      this.#fillAccrued();
      if (event.inputType === 'insertFromPaste') this.#ask();
    };
    byId('fen').onclick = () => this.#selectShown();
    byId('fen').onblur = () => { this.#isSelected = false; };
    byId('fen').onkeydown = (event) => {
      if (event.key !== 'Enter' || event.shiftKey) return;
      event.preventDefault();
      byId('ask').requestSubmit();
    };
  }

  /** Show what is looked at, until somebody types. */
  fill({ fen, accrued }, note) {
    this.#shown = fen;
    this.#filled = accrued;
    byId('fen').value = fen;
    byId('fen').scrollLeft = 0; // Firefox stays where the caret was
    byId('accrued').value = accrued;
    byId('note').textContent = note;
  }

  /** While a position is typed, the other field has what it says of the accrued score. */
  #fillAccrued() {
    const text = byId('fen').value;
    const { fen, accrued } = positionIn(text);
    const isErased = isPgn(text) || fen.split(' ')[4] === '0';
    this.#filled = isErased ? '' : accrued;
    byId('accrued').value = this.#filled;
  }

  /** What is shown is there to be replaced by what somebody pastes; a second click puts the caret where it is wanted. */
  #selectShown() {
    const field = byId('fen');
    if (field.value === this.#shown && !this.#isSelected) field.select();
    this.#isSelected = true;
  }

  /** What cannot be read leaves everything as it is. */
  #ask() {
    try {
      this.#begin(byId('fen').value, byId('accrued').value.trim());
      document.activeElement.blur(); // keys are the board's again, and a telephone's keyboard goes away
    } catch (error) {
      byId('note').textContent = `${error.message}. The board is as it was.`;
    }
  }

  /** A score that is left from the position before does not count; one that somebody chose does. */
  #begin(text, accrued) {
    if (isPgn(text)) {
      this.begin(parsePgn(text), '');
      return;
    }
    const given = positionIn(text);
    if (!given.fen.includes('/')) throw Error('That is no FEN, no link to a position and no game as PGN');
    const isChosen = text.trim() === this.#shown || accrued !== this.#filled;
    const place = placeOf(isChosen ? { fen: given.fen, accrued } : given);
    const broken = brokenRule(parseFen(place.fen));
    if (broken) throw Error(`Not a position that can be played on: ${broken}`);
    this.begin(new Game(place), place.note);
  }
}
