"""Nothing on the explorer's page covers what can be clicked, and everybody can use it.

The first holds at any width, wherever the page is scrolled to.
"""

from __future__ import annotations

import pytest

from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import PROMOTION, look_at
from tests.positions import BISHOP

pytestmark = NEEDED

WIDTHS = (360, 390, 600, 800, 1024, 1280, 1400, 1920, 2560)
PHONES = (360, 390)
NARROWEST = 320

COVERED = """(() => {
  const CLICKABLE = 'button, a[href], summary, input, select, textarea';
  const named = (each) => each && `${each.tagName} ${each.id || each.innerText?.slice(0, 20)}`;
  const found = new Set();
  let count = 0;
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight / 2) {
    scrollTo(0, top);
    for (const each of document.querySelectorAll(CLICKABLE)) {
      const [box] = each.getClientRects();
      if (!box || !each.checkVisibility()) continue;
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      if (x < 1 || y < 1 || x > innerWidth - 1 || y > innerHeight - 1) continue;
      const hit = document.elementFromPoint(x, y);
      count += 1;
      const isHit = hit && (each.contains(hit) || hit.closest('label')?.contains(each));
      if (!isHit) found.add(`${named(each)} under ${named(hit)}`);
    }
  }
  scrollTo(0, 0);
  return [count, [...found]];
})()"""
"""The number of buttons, links and fields in view, and those whose middle something covers."""

STATES = {
    "all open": """document.getElementById('ask-line').click();
      document.querySelectorAll('details').forEach((each) => { each.open = true; })""",
    "set up": "document.getElementById('edit').click()",
    "map": "(({ map }) => { map.value = 'f5'; map.onchange(); })(window)",
    "drill": "document.getElementById('ask-drill').click()",
}
REACHED = {
    "all open": """document.querySelector('#game button') && document.querySelector('.gallery a')
      && document.querySelector('#found-endings button')""",
    "set up": "!document.getElementById('editing').hidden",
    "map": "document.querySelector('#marks .field')",
    "drill": "!document.getElementById('drill-part').hidden",
}


@pytest.mark.parametrize("state", STATES)
def test_a_click_in_the_middle_of_a_button_hits_it_and_everybody_can_use_the_page(
    page: Chromium, server: str, state: str
) -> None:
    page.look(NARROWEST, scheme="light" if state == "all open" else "dark")
    look_at(page, server, BISHOP, "G4.0")
    page.wait("!document.getElementById('ending').hidden")
    page.run(STATES[state])
    page.wait(REACHED[state])
    page.run("document.querySelector('#verdict .big')?.focus()")  # which shows what it means
    page.fits(NARROWEST)
    page.check()
    for width in WIDTHS:
        page.look(width, 800)
        page.draw()
        count, covered = page.run(COVERED)
        assert covered == [], width
        assert count > 30
        assert page.run("document.documentElement.scrollWidth") == width


def test_everybody_can_read_the_rules(page: Chromium, server: str) -> None:
    page.look(NARROWEST, scheme="dark")
    page.open(f"{server}/explorer/rules.html", "document.querySelector('h1')")
    page.fits(NARROWEST)
    page.check()


def test_moves_of_many_words_fit_a_phone(page: Chromium, server: str) -> None:
    for width in PHONES:
        page.look(width, 844)
        look_at(page, server, PROMOTION)
        assert page.run("document.documentElement.scrollWidth") == width


def test_a_phone_shows_the_board_the_verdict_and_moves_at_once(page: Chromium, server: str) -> None:
    for width in PHONES:
        page.look(width, 844)
        look_at(page, server, BISHOP, "G4.0")
        assert page.run("""['cg-board', '#verdict', '.move'].every((each) =>
          document.querySelector(each).getBoundingClientRect().bottom <= innerHeight)""")
        tops = page.run("""[...document.querySelectorAll('.move')].map((each) =>
          each.getBoundingClientRect().top)""")
        assert tops[0] == tops[1], "two moves a row"
        page.run("scrollTo(0, 500); document.getElementById('ask-drill').click()")
        page.wait("!document.getElementById('drill-part').hidden")
        page.draw()
        assert page.run("document.querySelector('cg-board').getBoundingClientRect().top >= 0")
