// Endings can be found by a part of their names, by their men in any order, and by words; without this script all are there to read.
"use strict";
(() => {
  const KINDS = { king: "", queen: "q", rook: "r", bishop: "b", knight: "n", pawn: "p" };
  const field = document.getElementById("find");
  const rows = [...document.querySelectorAll("tbody tr")].map((row) => ({
    row, name: row.querySelector("th").textContent.toLowerCase(),
  }));
  const inOrder = (men) => [...men].sort((a, b) => "kqrbnp".indexOf(a) - "kqrbnp".indexOf(b)).join("");
  const ofBoth = (one, other) => [[one, other], [other, one]].map((sides) => sides.map((men) => `k${inOrder(men)}`).join("v"));
  const kindsOf = (text) => (text.match(/[a-z]+/g) ?? []).map((word) => KINDS[word.replace(/s$/, "")]).filter((kind) => kind !== undefined);

  // Words name the men: those of each side, or all kinds that an ending has, where pawns may come with them.
  function byWords(text) {
    const [one, other] = text.split(/\b(?:against|versus|vs?)\b/).map(kindsOf);
    if (other) return (name) => ofBoth(one.join(""), other.join("")).includes(name);
    const wanted = inOrder(new Set(one.join("")));
    return (name) => {
      const there = inOrder(new Set(name.replace(/[kv]/g, "")));
      return there === wanted || there === `${wanted}p`;
    };
  }

  function ruleOf(text) {
    if (kindsOf(text).length) return byWords(text);
    const sides = /^k([qrbnp]*)v?k([qrbnp]*)$/.exec(text.replace(/\s/g, ""));
    if (sides) return (name) => ofBoth(sides[1], sides[2]).includes(name);
    return (name) => name.includes(text);
  }

  const find = () => {
    const wanted = field.value.trim().toLowerCase(), fits = ruleOf(wanted);
    let found = 0;
    for (const { row, name } of rows) {
      row.hidden = wanted !== "" && !fits(name);
      found += !row.hidden;
    }
    document.querySelectorAll("section.men").forEach((part) => {
      part.hidden = wanted !== "" && !part.querySelector("tbody tr:not([hidden])");
    });
    document.getElementById("found").textContent = wanted ? `${found} of ${rows.length}` : "";
  };
  field.addEventListener("input", find);
  field.closest("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = document.querySelector("tbody tr:not([hidden]) a");
    if (field.value.trim() && first) first.click();
  });
  find();
})();
