// Endings can be found by a part of their names; without this script all of them are there to read.
"use strict";
(() => {
  const field = document.getElementById("find");
  const rows = [...document.querySelectorAll("tbody tr")].map((row) => ({
    row, name: row.querySelector("th").textContent.toLowerCase(),
  }));
  const find = () => {
    const wanted = field.value.trim().toLowerCase();
    let found = 0;
    for (const { row, name } of rows) {
      row.hidden = !name.includes(wanted);
      found += !row.hidden;
    }
    document.querySelectorAll("section.men").forEach((part) => {
      part.hidden = wanted !== "" && !part.querySelector("tbody tr:not([hidden])");
    });
    document.getElementById("found").textContent = wanted ? `${found} of ${rows.length}` : "";
  };
  field.addEventListener("input", find);
  field.closest("form").addEventListener("submit", (event) => event.preventDefault());
  find();
})();
