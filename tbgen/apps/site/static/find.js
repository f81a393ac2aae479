// Endings can be found by a part of their names, by their men in any order, and by words;
// without scripts all are there to read.
"use strict";
(() => {
  const KINDS = { king: "", queen: "q", rook: "r", bishop: "b", knight: "n", pawn: "p" };
  const STRONGEST_FIRST = "kqrbnp";

  const field = document.getElementById("find");
  const endings = [...document.querySelectorAll("tbody tr")].map((row) => ({
    row,
    name: row.querySelector("th").textContent.toLowerCase(),
  }));

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

  /** The letters of the men that a text names: "queen and pawns" is q and p. */
  function menIn(text) {
    const men = [];
    for (const word of text.match(/[a-z]+/g) ?? []) {
      const singular = word.replace(/s$/, "");
      if (singular in KINDS) men.push(KINDS[singular]);
    }
    return men;
  }

  /** Words name the men of each side, or all kinds that an ending has; pawns may come with them. */
  function ruleOfWords(text) {
    const [one, other] = text.split(/\b(?:against|versus|vs?)\b/).map(menIn);
    if (other) {
      const names = namesOf(one.join(""), other.join(""));
      return (name) => names.includes(name);
    }
    const wanted = inOrder(new Set(one.join("")));
    return (name) => {
      const kinds = inOrder(new Set(name.replace(/[kv]/g, "")));
      return kinds === wanted || kinds === `${wanted}p`;
    };
  }

  /** Whether an ending of some name is one that a text asks for. */
  function ruleOf(text) {
    if (menIn(text).length > 0) return ruleOfWords(text);
    const sides = /^k([qrbnp]*)v?k([qrbnp]*)$/.exec(text.replace(/\s/g, ""));
    if (sides) {
      const names = namesOf(sides[1], sides[2]);
      return (name) => names.includes(name);
    }
    return (name) => name.includes(text);
  }

  function find() {
    const wanted = field.value.trim().toLowerCase();
    const fits = wanted ? ruleOf(wanted) : () => true;
    let found = 0;
    for (const { row, name } of endings) {
      row.hidden = !fits(name);
      if (!row.hidden) found += 1;
    }
    for (const part of document.querySelectorAll("section.men")) {
      part.hidden = wanted !== "" && !part.querySelector("tbody tr:not([hidden])");
    }
    const said = wanted ? `${found} of ${endings.length}` : "";
    document.getElementById("found").textContent = said;
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
