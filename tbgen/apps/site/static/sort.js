// Tables can be sorted by their columns; without this script they keep the order that is written above them.
"use strict";
document.querySelectorAll("table.sortable").forEach((table) => {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const keyOf = (row, column) => {
    const cell = row.cells[column], key = cell.dataset.key ?? cell.textContent.trim();
    return cell.classList.contains("n") || "key" in cell.dataset ? Number.parseFloat(key.replaceAll(",", "")) : key;
  };
  const compare = (one, other) => {
    if (typeof one === "string") return one.localeCompare(other, "en", { numeric: true });
    return (Number.isNaN(one) - Number.isNaN(other)) || one - other;
  };
  const sort = (head, column) => {
    const falls = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" :
      head.classList.contains("n");
    heads.forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const rows = [...body.rows].map((row) => ({ row, key: keyOf(row, column) }));
    rows.sort((one, other) => (falls ? compare(other.key, one.key) : compare(one.key, other.key)));
    body.append(...rows.map(({ row }) => row));
  };
  heads.forEach((head, column) => {
    if (head.classList.contains("shares")) return; // bars have no order
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(head, column));
  });
});
