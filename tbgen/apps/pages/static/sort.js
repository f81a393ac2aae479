// Tables can be sorted by their columns; without scripts they keep the order that is written above them.
"use strict";
(() => {
  /** What a row is sorted by: a number in columns of numbers, else text. */
  function keyOf(row, column) {
    const cell = row.cells[column];
    const isNumber = cell.classList.contains("n") || "key" in cell.dataset;
    const text = cell.dataset.key ?? cell.textContent.trim();
    return isNumber ? Number.parseFloat(text.replaceAll(",", "")) : text;
  }

  /** Which of two keys comes first; a missing number comes last in either order. */
  function compare(one, other, falls) {
    const sign = falls ? -1 : 1;
    if (typeof one === "string") return sign * one.localeCompare(other, "en", { numeric: true });
    return Number.isNaN(one) - Number.isNaN(other) || sign * (one - other);
  }

  /** Sort by a column; once more turns it round. Numbers begin with the greatest. */
  function sort(table, head, column) {
    const order = head.getAttribute("aria-sort");
    const falls = order ? order === "ascending" : head.classList.contains("n");
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
    keyed.sort((one, other) => compare(one.key, other.key, falls));
    body.append(...keyed.map(({ row }) => row));
  }

  function addButton(table, head, column) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head, column));
    head.append(button);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      const isBar = head.classList.contains("shares"); // bars have no order
      if (!isBar) addButton(table, head, column);
    }
  }
})();
