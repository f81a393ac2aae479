// Which endings a text asks for: by a part of their names, by their men in any order, or in words.
// Pages from a disk can load no modules, so this is a plain script, which the explorer imports for what it leaves behind.
"use strict";
globalThis.endingsAskedFor = (() => {
  const KINDS = { king: "", queen: "q", rook: "r", bishop: "b", knight: "n", pawn: "p" };
  const NUMBERS = { two: 2, three: 3, four: 4 };
  const STRONGEST_FIRST = "kqrbnp";
  const PAIRS = ".pairs"; // behind the men in the name of a table of pairs

  function inOrder(men) {
    const place = (man) => STRONGEST_FIRST.indexOf(man);
    return [...men].sort((one, other) => place(one) - place(other)).join("");
  }

  /** The names of an ending of these men besides kings, with either side as White. */
  function namesOf(one, other) {
    const white = `k${inOrder(one)}`;
    const black = `k${inOrder(other)}`;
    return [`${white}v${black}`, `${black}v${white}`];
  }

  /** The letters of the men that a text names: "queen and two pawns" is q, p and p. */
  function menIn(text) {
    const men = [];
    let number = 1;
    for (const word of text.match(/[a-z]+/g) ?? []) {
      const singular = word.replace(/s$/, "");
      if (singular in KINDS) men.push(...KINDS[singular].repeat(number));
      number = NUMBERS[word] ?? 1;
    }
    return men;
  }

  /** Words name the men of each side, or all kinds that an ending has; pawns may come with them. */
  function ruleOfWords(text) {
    const [one, other] = text.split(/\b(?:against|versus|vs?)\b/).map(menIn);
    if (other) {
      const names = namesOf(one, other);
      return ({ men }) => names.includes(men);
    }
    const wanted = inOrder(new Set(one));
    return ({ men }) => {
      const kinds = inOrder(new Set(men.replace(/[kv]/g, "")));
      return kinds === wanted || kinds === `${wanted}p`;
    };
  }

  /** Whether an ending is one that a text asks for. */
  function ruleOf(wanted) {
    if (menIn(wanted).length > 0) return ruleOfWords(wanted);
    const letters = wanted.replace(/[\s+]/g, "");
    const sides = /^k([qrbnp]*)v?k([qrbnp]*)$/.exec(letters) ?? /^([qrbnp]+)v([qrbnp]+)$/.exec(letters);
    if (sides) {
      const names = namesOf(sides[1], sides[2]);
      return ({ men }) => names.includes(men);
    }
    return ({ text, words }) => text.includes(letters) || words.includes(wanted);
  }

  /** Whether an ending of a name, called so in words, is one that a text asks for. */
  return (text) => {
    const wanted = text.trim().toLowerCase();
    const fits = wanted ? ruleOf(wanted) : () => true;
    return (name, words) => {
      const lower = name.toLowerCase();
      return fits({ text: lower, men: lower.replace(PAIRS, ""), words: words.toLowerCase() });
    };
  };
})();
