// What goes in and out of the page: the address, pasted positions, and what can be copied.
import { make } from './elements.js';

export const isEmbedded = new URLSearchParams(location.search).has('embed');
const EMBED = isEmbedded ? '&embed=1' : '';
const ENDING = /^K[QRBNP]{0,3}vK[QRBNP]{0,3}(\.pairs)?$/;
const MEN = /(?<![a-z\d])(?:[\dkqrbnp]+\/){7}[\dkqrbnp]+/i;

export function addressOf({ fen, accrued }) {
  const position = `?fen=${encodeURI(fen.replaceAll(' ', '_'))}`;
  const score = accrued ? `&accrued=${encodeURIComponent(accrued)}` : '';
  return position + score + EMBED;
}

/** The position in the page's own address; without one, a famous one. */
export function inAddress([fen, accrued]) {
  return location.search.includes('fen=') ? fromQuery(location.search) : { fen, accrued };
}

/** The ending that the address asks a position of, as `?ending=KRvKB`; null if it asks for none. */
export function endingInAddress() {
  const name = new URLSearchParams(location.search).get('ending') ?? '';
  return ENDING.test(name) ? name : null;
}

function fromQuery(query) {
  const given = new URLSearchParams(query);
  const there = positionIn(given.get('fen') ?? '');
  return given.has('accrued') ? { fen: there.fen, accrued: given.get('accrued') } : there;
}

/** The position that a text writes: a FEN with what may follow it, or a link that has one.
 *
 * `isField` tells that the accrued score is the FEN's own seventh field.
 */
export function positionIn(text) {
  const query = /\?\S*\bfen=\S*/.exec(text);
  if (query) return fromQuery(query[0]);
  let words = text.trim();
  if (words.includes('://')) words = decodeURIComponent(words.replace(/[?#].*/, ''));
  const men = MEN.exec(words);
  const fields = (men ? words.slice(men.index) : words).split(/[\s_]+/).filter(Boolean);
  return { fen: fields.slice(0, 6).join(' '), accrued: fields[6] ?? '', isField: true };
}

/** A FEN with the accrued score as its seventh field. */
const fenOf = ({ fen, accrued }) => (accrued ? `${fen} ${accrued}` : fen);

/** The same position on the analysis board of lichess. */
export const lichessOf = ({ fen }) => `https://lichess.org/analysis/standard/${encodeURI(fen.replaceAll(' ', '_'))}`;

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const linkOf = (now) => new URL(addressOf(now).replace(EMBED, ''), location.href).href;

const TEXTS = {
  link: ({ now }) => linkOf(now),
  fen: ({ now }) => fenOf(now),
  pgn: (game) => game.toPgn(),
  frame: ({ now }) => `<iframe src="${linkOf(now)}&embed=1" width="640" height="420" title="r-mobility explorer"></iframe>`,
};

/** Whether a copied text leads to a server that nobody else can ask. */
const isOfThisMachine = (name) => ['link', 'frame'].includes(name) && LOCAL.test(location.hostname);

/** Copy something of a game. */
export function offer(name, game, place) {
  const text = TEXTS[name](game);
  if (!isOfThisMachine(name)) return copy(text, place);
  return copy(text, place, { copied: 'Copied. The link works on this machine only.', toCopy: 'Copy this; it works on this machine only:' });
}

/** Copy a text, and say so in a place; what the browser does not copy can be selected there. */
export async function copy(text, place, { copied = 'Copied.', toCopy = 'Copy this:' } = {}) {
  try {
    await navigator.clipboard.writeText(text);
    place.replaceChildren(copied);
  } catch { // a page over plain http, as on a telephone beside the server, has no clipboard
    const field = make('textarea', { readonly: true, rows: 3, 'aria-label': 'Text to copy' }, text);
    place.replaceChildren(toCopy, field);
    field.focus();
    field.select();
    if (document.execCommand('copy')) place.replaceChildren(copied);
  }
}
