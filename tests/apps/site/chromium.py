"""A real browser that is driven through its debugging pipe.

Tests open pages, set widths and colour schemes, press keys, and see complaints.
"""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any, Self

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--ignore-certificate-errors",  # of tests' own servers of https
    # One process draws all pages, and keeps none of those before: half of the work of a page.
    "--in-process-gpu",
    "--process-per-site",
    "--disable-features=SpareRendererForSitePerProcess,BackForwardCache",
)


def browser() -> str | None:
    """The program, if the system has it."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    return None


NEEDED = pytest.mark.skipif(
    browser() is None, reason="no Chromium on this system (Debian's package is `chromium`)"
)
_SECONDS = 120
"""Far longer than a busy machine takes: a browser that is silent for so long hangs."""
_KEY_NUMBERS = {
    "Enter": 13,
    " ": 32,
    "Tab": 9,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
"""[key] -> its number in Windows, by which pages know it"""
_WAIT = """new Promise((done, fail) => {
  const end = Date.now() + SECONDS * 1000;
  const look = () => {
    let holds = false;
    try {
      holds = CONDITION;
    } catch {}
    if (holds) done();
    else if (Date.now() > end) fail(Error(`in vain; the page says: ${document.body.innerText}`));
    else setTimeout(look, 10);
  };
  look();
})"""
_VIOLATIONS = """axe.run({
  resultTypes: ["violations"],
  preload: { assets: ["media"] },  // a page on the disk may not read its style sheets
  // WCAG has no such rule any more, and chessground draws a filter twice.
  rules: { "duplicate-id": { enabled: false } },
}).then(({ violations }) =>
  violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html)}`))"""


_NAVIGATED = "Inspected target navigated"


class NavigatedError(Exception):
    """The page on which something was asked is no more."""


class Chromium:
    """One page of a browser without a window."""

    def __init__(self, profile: Path) -> None:
        program = browser()
        assert program is not None
        asked, self._asked = os.pipe()
        self._answered, answered = os.pipe()
        # The browser reads questions from descriptor 3 and writes answers to 4. Tests may use these
        # numbers themselves, so its ends of the pipes are moved out of the way first.
        questions_end = fcntl.fcntl(asked, fcntl.F_DUPFD, 10)
        answers_end = fcntl.fcntl(answered, fcntl.F_DUPFD, 10)

        def connect() -> None:
            os.dup2(questions_end, 3)
            os.dup2(answers_end, 4)

        profile_flag = f"--user-data-dir={profile}"
        self._process = subprocess.Popen(
            [program, *FLAGS, profile_flag, "--remote-debugging-pipe", "about:blank"],
            pass_fds=(3, 4),
            preexec_fn=connect,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for descriptor in (asked, answered, questions_end, answers_end):
            os.close(descriptor)
        self._numbers = itertools.count(1)
        self._buffer = b""
        self._session = ""
        self._inside: dict[str, int] = {}
        self.complaints: list[str] = []
        """The console's errors of scripts, of the network, and of the policy."""
        self.requests: list[str] = []
        """The addresses that pages have asked for."""
        targets = self.call("Target.getTargets")["targetInfos"]
        (page,) = (target for target in targets if target["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()  # its profile goes with the tests' folder, so nothing is lost
        self._process.wait()
        os.close(self._asked)
        os.close(self._answered)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask for something, and keep the events until the answer comes."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._asked, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if _NAVIGATED in str(answer.get("error")):
                    raise NavigatedError
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._keep(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            readable, _, _ = select.select([self._answered], [], [], 2 * _SECONDS)
            assert readable, "the browser does not answer"
            read = os.read(self._answered, 1 << 16)
            assert read, "the browser has gone"
            self._buffer += read
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _keep(self, event: dict[str, Any]) -> None:
        method = event.get("method")
        parameters = event.get("params", {})
        if method == "Runtime.exceptionThrown":
            exception = parameters["exceptionDetails"].get("exception", {})
            self.complaints.append(str(exception.get("description")))
        elif method == "Log.entryAdded":
            entry = parameters["entry"]
            if entry["level"] in ("error", "warning"):
                self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def look(self, width: int, height: int = 900, scheme: str = "light") -> None:
        """The size of the window, and whether the reader likes it light or dark."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=width < 600)
        self.call(
            "Emulation.setEmulatedMedia",
            media="",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def open(self, url: str, until: str = "true") -> None:
        """Go to a page, and wait until it is complete and a condition holds on it."""
        self.navigate(url)
        self.wait(f"document.readyState == 'complete' && ({until})")

    def navigate(self, url: str) -> None:
        self._inside = {}
        self.call("Page.navigate", url=url)

    def run(self, expression: str) -> Any:
        """The value of an expression on the page, or the one that its promise is kept with."""
        answer = self.call(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
            **self._inside,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def enter_frame(self) -> str:
        """Run later expressions in the only frame of the page. Returns its address."""
        (frame,) = self.call("Page.getFrameTree")["frameTree"]["childFrames"]
        world = self.call("Page.createIsolatedWorld", frameId=frame["frame"]["id"])
        self._inside = {"contextId": world["executionContextId"]}
        return str(frame["frame"]["url"])

    def wait(self, condition: str) -> None:
        """Return when a condition holds on the page, or on the next one if that replaces it."""
        script = _WAIT.replace("SECONDS", str(_SECONDS)).replace("CONDITION", condition)
        while True:
            with suppress(NavigatedError):  # the page before was still there when this was asked
                self.run(script)
                return

    def draw(self) -> None:
        """Let the browser draw the page: the board takes a new size only then."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def fits(self, width: int) -> None:
        """See that nothing hangs over the edge."""
        assert self.run("document.documentElement.scrollWidth") == width

    def check(self) -> None:
        """See that axe finds nobody kept from the page. Slow: once for each kind of page."""
        axe = resources.files("axe_playwright_python") / "axe.min.js"
        self.run(axe.read_text(encoding="utf-8"))
        violations = self.run(_VIOLATIONS)
        assert not violations, violations

    def press(self, key: str, text: str = "") -> None:
        code = "Space" if key == " " else key
        if not text and len(key) == 1:
            text = key
        elif key == "Enter":
            text = text or "\r"
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                text=text if kind == "keyDown" else "",
                windowsVirtualKeyCode=_KEY_NUMBERS.get(key, ord(key[0].upper())),
            )

    def type_into(self, selector: str, text: str) -> None:
        """Replace the text of a field, as by pasting."""
        field = f"document.querySelector({selector!r})"
        self.run(f"{field}.focus()")
        self.run(f"{field}.select()")
        self.call("Input.insertText", text=text)

    def tap(self, x: float, y: float) -> None:
        """Touch a place for a moment."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
