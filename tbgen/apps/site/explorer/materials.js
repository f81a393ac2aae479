// Materials: names of endings, as files of tables have them.

const ORDER = 'KQRBNP';

function isStronger(white, black) {
  if (white.length !== black.length) return white.length > black.length;
  for (let n = 0; n < white.length; n++) if (white[n] !== black[n]) return ORDER.indexOf(white[n]) < ORDER.indexOf(black[n]);
  return true;
}

/** The name of a table, and whether the colours of a position of this material are exchanged in it. */
export function canonical(material) {
  const [white, black] = material.split('v');
  return isStronger(white, black) ? { name: material, flipped: false } : { name: `${black}v${white}`, flipped: true };
}

/** The material on a board. */
export function materialOf({ board }) {
  const side = (of) => [...ORDER].map((man) => man.repeat(board.filter((each) => each === of(man)).length)).join('');
  return `${side((man) => man)}v${side((man) => man.toLowerCase())}`;
}
