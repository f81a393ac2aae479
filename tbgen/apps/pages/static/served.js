// Links to the explorer of a server, on pages that were written without one.
"use strict";
(() => {
  const explorer = new URL("../explorer/", document.currentScript.src);

  function linkTo(address, content) {
    const link = document.createElement("a");
    link.href = address;
    link.append(content);
    return link;
  }

  /** The address of a position in the explorer. */
  function addressOf(fen) {
    return `${explorer}?fen=${fen.replaceAll(" ", "_")}`;
  }

  function itemOf(link) {
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  const pages = document.querySelector("nav ul");
  pages.prepend(itemOf(linkTo(explorer, "Explorer")));
  pages.append(itemOf(linkTo(`${explorer}rules.html`, "Rules")));

  for (const under of document.querySelectorAll(".under")) {
    const link = linkTo(addressOf(under.dataset.fen), "Explorer");
    link.className = "explore";
    under.prepend(link);
  }
  for (const facts of document.querySelectorAll("[data-ending]")) {
    const fact = document.createElement("div");
    const term = document.createElement("dt");
    const detail = document.createElement("dd");
    term.append("Explorer");
    detail.append(linkTo(`${explorer}?ending=${facts.dataset.ending}`, "a position at random"));
    fact.append(term, detail);
    facts.append(fact);
  }
  for (const position of document.querySelectorAll(".position")) {
    position.replaceChildren(linkTo(addressOf(position.dataset.fen), position.textContent));
  }
})();
