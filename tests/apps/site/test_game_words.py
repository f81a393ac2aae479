"""The explorer's game: its moves as PGN has them, however long it is."""

from __future__ import annotations

from tests.apps.site import node

pytestmark = node.NEEDED

PLIES = 20_000
"""More than calls may nest."""
WORDS = """import { Game } from './game.js';

(plies) => {
  const game = new Game({ fen: '4k3/8/8/8/8/8/8/4K3 w - - 0 1' });
  let last = game.root;
  for (let ply = 1; ply <= plies; ply++) {
    const fen = `4k3/8/8/8/8/8/8/4K3 ${'wb'[ply % 2]} - - ${ply} ${1 + (ply >> 1)}`;
    const next = { fen, san: ply % 2 ? 'Kd1' : 'Kd8', parent: last, children: [] };
    last.children.push(next);
    last = next;
  }
  return game.toPgn();
}"""


def test_a_game_of_many_plies_is_written() -> None:
    written = node.run(WORDS, PLIES)
    assert written.endswith(f" {PLIES // 2}. Kd1 Kd8 *\n")
