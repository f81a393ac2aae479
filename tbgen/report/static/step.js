// Lines can be stepped through; without this script they can be read.
"use strict";
(() => {
  const square = (name) => ({ x: (name.charCodeAt(0) - 97) * 45, y: (56 - name.charCodeAt(1)) * 45 });
  const roles = { n: "knight", b: "bishop", r: "rook", q: "queen" };

  function setUp(figure) {
    const board = figure.querySelector("svg.board");
    const moves = [...figure.querySelectorAll("[data-steps]")];
    const start = [...board.querySelectorAll("use[x]")].map((man) => ({
      man, x: man.getAttribute("x"), y: man.getAttribute("y"), href: man.getAttribute("href"),
    }));
    const said = figure.querySelector(".said");
    const words = board.getAttribute("aria-label");
    let now = 0;

    const manOn = ({ x, y }) =>
      start.find(({ man }) => man.getAttribute("x") === String(x) && man.getAttribute("y") === String(y) &&
        man.getAttribute("visibility") !== "hidden");

    function play(steps) {
      for (const step of steps.split(",")) {
        if (step.length === 2) {
          manOn(square(step)).man.setAttribute("visibility", "hidden");
          continue;
        }
        const { man } = manOn(square(step.slice(0, 2)));
        const to = square(step.slice(2, 4));
        const taken = manOn(to);
        if (taken) taken.man.setAttribute("visibility", "hidden");
        man.setAttribute("x", to.x);
        man.setAttribute("y", to.y);
        if (step.length > 4) man.setAttribute("href", man.getAttribute("href").replace("pawn", roles[step[4]]));
      }
    }

    function show(ply) {
      now = Math.max(0, Math.min(moves.length, ply));
      for (const { man, x, y, href } of start) {
        man.setAttribute("x", x);
        man.setAttribute("y", y);
        man.setAttribute("href", href);
        man.removeAttribute("visibility");
      }
      moves.slice(0, now).forEach((move) => play(move.dataset.steps));
      moves.forEach((move, n) => move.toggleAttribute("data-now", n === now - 1));
      const list = figure.querySelector(".moves");
      list.scrollTop = now ? moves[now - 1].offsetTop - list.clientHeight / 2 : 0;
      const move = moves[now - 1];
      board.setAttribute("aria-label", now ? `The board after ply ${now}, ${move.textContent}` : words);
      said.textContent = now ? `${now} of ${moves.length}: ${move.textContent}, accrued ${move.dataset.accrued}` :
        `${moves.length} plies`;
    }

    const go = { first: () => 0, back: () => now - 1, on: () => now + 1, last: () => moves.length };
    figure.querySelectorAll("button").forEach((button) =>
      button.addEventListener("click", () => show(go[button.name]())));
    moves.forEach((move, n) => move.addEventListener("click", () => show(n + 1)));
    figure.querySelector(".stepper").hidden = false;
    figure.addEventListener("keydown", (event) => {
      const name = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
      if (name) {
        event.preventDefault();
        show(go[name]());
      }
    });
    show(0);
  }

  document.querySelectorAll("figure.line:has(.stepper)").forEach(setUp);
})();
