// Endings can be found as finder.js has it; without scripts all are there to read.
"use strict";
(() => {
  const MOST_NAMED = 4; // endings beside the field, where a telephone's keyboard leaves room
  const NONE = "Write men, such as KRPvKR, or words, such as rook and pawn against rook.";

  const field = document.getElementById("find");
  const endings = [...document.querySelectorAll("tbody tr")].map((row) => {
    const name = row.querySelector("th").textContent;
    const words = row.querySelector("td.words").textContent;
    return { row, name, words };
  });

  function linkTo({ row, name, words }) {
    const link = document.createElement("a");
    link.href = row.querySelector("a").href;
    link.textContent = `${words} (${name})`;
    return link;
  }

  function find() {
    const wanted = field.value.trim();
    const isAskedFor = globalThis.endingsAskedFor(wanted);
    const found = endings.filter(({ name, words }) => isAskedFor(name, words));
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
