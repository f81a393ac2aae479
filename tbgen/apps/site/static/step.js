// Lines can be stepped through, positions and games can be copied; without this script lines can be read.
"use strict";
(() => {
  const ROLES = { n: "knight", b: "bishop", r: "rook", q: "queen" };
  const LETTERS = { pawn: "p", knight: "n", bishop: "b", rook: "r", queen: "q", king: "k" };
  const lines = new WeakMap();
  const square = (name) => ({ x: (name.charCodeAt(0) - 97) * 45, y: (56 - name.charCodeAt(1)) * 45 });

  // What only a script can use is made by one: on the pages of all endings it would be four megabytes.
  const button = (name, sign, label) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", name, textContent: sign });
    if (label) made.setAttribute("aria-label", label);
    return made;
  };
  const spoken = (kind, attribute, value) => {
    const made = document.createElement("span");
    made.className = kind;
    made.setAttribute(attribute, value);
    return made;
  };
  for (const stepper of document.querySelectorAll(".stepper")) {
    const said = spoken("said", "aria-live", "polite"), moves = stepper.closest("figure").dataset.steps.match(/\S+/g) ?? [];
    said.textContent = `${moves.length} plies`;
    stepper.append(button("first", "«", "To the first position"), button("back", "‹", "One ply back"),
      button("on", "›", "One ply on"), button("last", "»", "To the last position"), said);
  }
  for (const under of document.querySelectorAll(".under")) {
    under.append(button("fen", "Copy FEN"));
    if (under.closest("figure")?.dataset.outcome) under.append(button("pgn", "Copy PGN"));
    under.append(spoken("copied", "role", "status"));
  }

  // The men of a board as they stand at first.
  const menOf = (board) => [...board.querySelectorAll("use[x]")].map((use) => {
    const [color, role] = use.getAttribute("href").slice(1).split("-");
    return { use, color, role, x: Number(use.getAttribute("x")), y: Number(use.getAttribute("y")), taken: false };
  });

  // What a figure's line is, made when it is first asked for.
  function lineOf(figure) {
    if (lines.has(figure)) return lines.get(figure);
    const board = figure.querySelector("svg.board"), list = figure.querySelector(".moves");
    const pgn = list.textContent.trim(), moves = [];
    list.replaceChildren(...pgn.split(/\s+/).filter(Boolean).flatMap((word) => {
      if (/^\d+\.+$/.test(word)) return [`${word} `];
      const move = document.createElement("span");
      move.textContent = word;
      moves.push(move);
      return [move, " "];
    }));
    const line = {
      board, list, pgn, moves, now: 0, rows: [...document.querySelectorAll(`table[data-figure="${figure.id}"] tbody tr`)], men: menOf(board), words: board.getAttribute("aria-label"),
      fen: figure.querySelector(".under").dataset.fen, before: 0, steps: figure.dataset.steps.split(" "),
      scores: figure.dataset.scores.split(/ (?=\d)/).map((each) => each.split(" ")),
    };
    if (line.fen.split(" ").length > 6) line.before = -1; // the first position's score is from before
    lines.set(figure, line);
    return line;
  }

  // The men after some plies, and the fields of a FEN that follow them.
  function played(line, plies) {
    const men = line.men.map((man) => ({ ...man }));
    const [, turn, , start, clock, number] = line.fen.split(" ");
    const state = { men, white: turn === "w", passing: start, clock: Number(clock), number: Number(number) };
    const on = ({ x, y }) => men.find((man) => !man.taken && man.x === x && man.y === y);
    for (const step of line.steps.slice(0, plies)) {
      const parts = step.split(",");
      const [from, to] = [parts.at(-1).slice(0, 2), parts.at(-1).slice(2, 4)];
      const man = on(square(from)), takes = on(square(parts.length > 1 ? parts[0] : to));
      state.clock = takes || man.role === "pawn" ? 0 : state.clock + 1;
      if (takes) takes.taken = true;
      const { y } = man;
      Object.assign(man, square(to));
      const beside = (each) => !each.taken && each.role === "pawn" && each.color !== man.color && each.y === man.y &&
        Math.abs(each.x - man.x) === 45;
      const passes = man.role === "pawn" && Math.abs(man.y - y) === 90 && men.some(beside);
      state.passing = passes ? `${to[0]}${(Number(from[1]) + Number(to[1])) / 2}` : "-";
      if (parts.at(-1).length > 4) man.role = ROLES[parts.at(-1)[4]];
      if (!state.white) state.number += 1;
      state.white = !state.white;
    }
    return state;
  }

  function fenOf({ men, white, passing, clock, number }) {
    const rows = Array.from({ length: 8 }, () => Array(8).fill(1));
    for (const { color, role, x, y, taken } of men) {
      if (!taken) rows[y / 45][x / 45] = color === "white" ? LETTERS[role].toUpperCase() : LETTERS[role];
    }
    const placement = rows.map((row) => row.join("").replace(/1+/g, (free) => free.length)).join("/");
    return [placement, white ? "w" : "b", "-", passing, clock, number].join(" ");
  }

  function show(figure, wanted) {
    const line = lineOf(figure), now = Math.max(0, Math.min(line.moves.length, wanted(line.now, line.moves.length)));
    const state = played(line, now);
    for (const { use, color, role, x, y, taken } of state.men) {
      use.setAttribute("href", `#${color}-${role}`);
      use.setAttribute("x", x);
      use.setAttribute("y", y);
      use.toggleAttribute("data-taken", taken);
    }
    mark(line, now);
    line.moves[line.now - 1]?.removeAttribute("data-now");
    line.now = now;
    const move = line.moves[now - 1];
    move?.setAttribute("data-now", "");
    line.list.scrollTop = move ? move.offsetTop - line.list.clientHeight / 2 : 0;
    const [since, accrued] = line.scores.findLast(([ply]) => Number(ply) <= now);
    line.board.setAttribute("aria-label", now ? `The board after ply ${now}, ${move.textContent}` : line.words);
    figure.querySelector(".said").textContent = now ?
      `${now} of ${line.moves.length}: ${move.textContent}, accrued ${accrued}` : `${line.moves.length} plies`;
    const under = figure.querySelector(".under"), fen = fenOf(state), carried = state.clock > 0 && (Number(since) || line.before) < now;
    under.dataset.fen = carried ? `${fen} ${accrued}` : fen;
    const link = under.querySelector("a.explore");
    if (link) {
      const asked = `?fen=${fen.replaceAll(" ", "_")}${carried ? `&accrued=${accrued}` : ""}`;
      link.setAttribute("href", link.getAttribute("href").replace(/\?.*/, asked));
    }
  }

  // The squares of the last move, and the row of a table that goes with the board.
  function mark({ board, steps, rows }, now) {
    board.querySelectorAll(".moved").forEach((each) => each.remove());
    const step = now ? steps[now - 1].split(",").at(-1) : "";
    for (const name of step ? [step.slice(0, 2), step.slice(2, 4)] : []) {
      const made = document.createElementNS("http://www.w3.org/2000/svg", "rect"), { x, y } = square(name);
      for (const [key, value] of Object.entries({ class: "moved", x, y, width: 45, height: 45 })) made.setAttribute(key, value);
      board.querySelector("use").after(made);
    }
    rows.forEach((row, place) => row.toggleAttribute("data-now", place === rows.length - steps.length - 1 + now));
  }

  function pgnOf(figure) {
    const { pgn, fen } = lineOf(figure), { outcome, material } = figure.dataset;
    const result = { "G0.0": "1-0", "-G0.0": "0-1", "G0.5": "1/2-1/2", "-G0.5": "1/2-1/2" }[outcome] ?? "*";
    const event = figure.id.startsWith("zugzwang-") ? "Best play from a mutual zugzwang" : `Longest best play to ${outcome}`;
    const tags = {
      Event: event, Site: material, Date: "????.??.??", Round: "-", White: "Best play",
      Black: "Best play", Result: result, FEN: fen, RMobilityResult: outcome, SetUp: "1",
    };
    const heads = Object.entries(tags).map(([name, value]) => `[${name} "${value}"]\n`).join("");
    return `${heads}\n${pgn} ${result}\n`;
  }

  async function copy(text) {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return;
    }
    const area = document.createElement("textarea"); // pages over plain http have no clipboard
    area.className = "copying";
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("refused");
  }

  async function copyFrom(button) {
    const under = button.closest(".under"), said = under.querySelector(".copied");
    const text = button.name === "fen" ? under.dataset.fen : pgnOf(button.closest("figure"));
    try {
      await copy(text);
      said.textContent = "Copied";
    } catch {
      said.textContent = "The browser does not allow it";
    }
    setTimeout(() => { said.textContent = ""; }, 2000);
  }

  const GO = { first: () => 0, back: (now) => now - 1, on: (now) => now + 1, last: (_, all) => all };
  document.addEventListener("click", ({ target }) => {
    const figure = target.closest("figure.line"), button = target.closest("button");
    if (!figure) return;
    if (button && button.name in GO) show(figure, GO[button.name]);
    else if (button) copyFrom(button);
    else if (target.matches(".moves span")) show(figure, () => lineOf(figure).moves.indexOf(target) + 1);
  });
  document.addEventListener("click", ({ target }) => {
    const row = target.closest("table[data-figure] tbody tr");
    const figure = row && document.getElementById(row.closest("table").dataset.figure);
    if (figure) show(figure, () => row.sectionRowIndex - row.parentNode.rows.length + 1 + lineOf(figure).steps.length);
  });
  document.addEventListener("keydown", (event) => {
    const name = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
    const figure = event.target.closest("figure.line[data-steps]");
    if (!name || !figure || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(figure, GO[name]);
  });
  // Moves can be clicked once the line has come into sight.
  const seen = new IntersectionObserver((entries) => entries.filter((each) => each.isIntersecting).forEach((each) => {
    lineOf(each.target);
    seen.unobserve(each.target);
  }), { rootMargin: "200px" });
  document.querySelectorAll("figure.line[data-steps]").forEach((figure) => seen.observe(figure));
})();
