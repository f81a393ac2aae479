// Endings can be found by a part of their names, by their men in any order, and by words;
// without scripts all are there to read.
"use strict";
(() => {
  const KINDS = { king: "", queen: "q", rook: "r", bishop: "b", knight: "n", pawn: "p" };
  const NUMBERS = { two: 2, three: 3, four: 4 };
  const STRONGEST_FIRST = "kqrbnp";
  const PAIRS = ".pairs"; // behind the men in the name of a table of pairs
  const MOST_NAMED = 4; // endings beside the field, where a telephone's keyboard leaves room
  const NONE = "Write men, such as KRPvKR, or words, such as rook and pawn against rook.";

  const field = document.getElementById("find");
  const endings = [...document.querySelectorAll("tbody tr")].map((row) => {
    const name = row.querySelector("th").textContent;
    const words = row.querySelector("td.words").textContent;
    const text = name.toLowerCase();
    return { row, name, words, text, men: text.replace(PAIRS, "") };
  });

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
    return ({ text }) => text.includes(letters);
  }

  function linkTo({ row, name, words }) {
    const link = document.createElement("a");
    link.href = row.querySelector("a").href;
    link.textContent = `${words} (${name})`;
    return link;
  }

  function find() {
    const wanted = field.value.trim().toLowerCase();
    const fits = wanted ? ruleOf(wanted) : () => true;
    const found = endings.filter(fits);
    for (const ending of endings) ending.row.hidden = !found.includes(ending);
    for (const part of document.querySelectorAll("section.men")) {
      part.hidden = wanted !== "" && !part.querySelector("tbody tr:not([hidden])");
    }
    document.getElementById("found").textContent = wanted ? `${found.length} of ${endings.length}` : "";
    document.getElementById("named").replaceChildren(...(wanted ? named(found) : []));
  }

  /** What stands beside the field: a few endings that were found, or what else to write. */
  function named(found) {
    if (found.length === 0) return [NONE];
    return found.length > MOST_NAMED ? [] : found.map(linkTo);
  }

  function openFirst(event) {
    event.preventDefault();
    const first = document.querySelector("tbody tr:not([hidden]) a");
    if (field.value.trim() && first) first.click();
  }

  field.addEventListener("input", find);
  field.closest("form").addEventListener("submit", openFirst);
  find();
})();
