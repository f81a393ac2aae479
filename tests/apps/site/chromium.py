"""A real browser that is driven through its debugging pipe: pages, widths, colour schemes, keys and complaints."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

import axe_core_python
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
)


def browser() -> str | None:
    """The program, if the system has it."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


NEEDED = pytest.mark.skipif(
    browser() is None, reason="no Chromium on this system (Debian's package is `chromium`)"
)
_SECONDS = 120
"""Far longer than a busy machine takes: a browser that is silent for so long hangs."""


class Chromium:
    """One page of a browser without a window."""

    def __init__(self, profile: Path) -> None:
        program = browser()
        (read_asked, self._asked), (self._answered, write_answered) = os.pipe(), os.pipe()
        # The browser reads what is asked from descriptor 3 and answers on 4; ours are moved out of the way first.
        theirs = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (read_asked, write_answered)]
        self._process = subprocess.Popen(
            [
                program,
                *FLAGS,
                f"--user-data-dir={profile}",
                "--remote-debugging-pipe",
                "about:blank",
            ],
            pass_fds=(3, 4),
            preexec_fn=lambda: [os.dup2(each, number) for number, each in enumerate(theirs, 3)],  # type: ignore[arg-type]
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in (read_asked, write_answered, *theirs):
            os.close(each)
        self._numbers, self._buffer, self._session = itertools.count(1), b"", ""
        self._inside: dict[str, int] = {}
        self.complaints: list[str] = []
        """What the browser's console was told: errors of scripts, of the network, and of the policy."""
        self.requests: list[str] = []
        """The addresses that were asked for."""
        (page,) = (
            each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"
        )
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
        """Ask for something, and hear of what happens until the answer comes."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._asked, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == number:
                assert "error" not in found, (method, found["error"])
                return found["result"]
            self._hear(found)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._answered], [], [], 2 * _SECONDS)[0], (
                "the browser does not answer"
            )
            read = os.read(self._answered, 1 << 16)
            assert read, "the browser has gone"
            self._buffer += read
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _hear(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(
                str(parameters["exceptionDetails"].get("exception", {}).get("description"))
            )
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in (
            "error",
            "warning",
        ):
            self.complaints.append(
                f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}"
            )
        elif event.get("method") == "Network.requestWillBeSent":
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
        """Go to a page, until it has all that it loads, its style too, and a condition holds on it."""
        self.navigate(url)
        self.wait(f"document.readyState == 'complete' && ({until})")

    def navigate(self, url: str) -> None:
        self._inside = {}
        self.call("Page.navigate", url=url)

    def run(self, expression: str) -> Any:
        """The value of an expression on the page; a promise is waited for."""
        how = {"awaitPromise": True, "returnByValue": True, **self._inside}
        found = self.call("Runtime.evaluate", expression=expression, **how)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def enter_frame(self) -> str:
        """Let what follows be said of the only frame of the page; returns its address."""
        (frame,) = self.call("Page.getFrameTree")["frameTree"]["childFrames"]
        world = self.call("Page.createIsolatedWorld", frameId=frame["frame"]["id"])
        self._inside = {"contextId": world["executionContextId"]}
        return str(frame["frame"]["url"])

    def wait(self, condition: str) -> None:
        """Until a condition holds on the page, looked at with every frame that is drawn."""
        self.run(
            f"new Promise((done, fail) => {{ const end = Date.now() + {_SECONDS}000; (function look() {{"
            f" let holds = false; try {{ holds = {condition}; }} catch {{}}"
            f" if (holds) done(); else if (Date.now() > end) fail(Error('in vain')); else setTimeout(look, 10);"
            f" }})(); }})"
        )

    def check(self, width: int) -> None:
        """Nothing hangs over the edge, and axe finds nothing that keeps somebody from using the page."""
        assert self.run("document.documentElement.scrollWidth") == width
        self.run((Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
        found = self.run(
            """axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
              violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html)}`))"""
        )
        assert found == []

    def press(self, key: str, text: str = "") -> None:
        code = {" ": "Space"}.get(key, key)
        text = text or (key if len(key) == 1 else "\r" if key == "Enter" else "")
        numbers = {
            "Enter": 13,
            " ": 32,
            "Tab": 9,
            "ArrowLeft": 37,
            "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        }
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                text=text if kind == "keyDown" else "",
                windowsVirtualKeyCode=numbers.get(key, ord(key[0].upper())),
            )

    def type_into(self, selector: str, text: str) -> None:
        """Put a text in the place of what a field has, as by pasting it."""
        self.run(f"document.querySelector({selector!r}).focus()")
        self.run(f"document.querySelector({selector!r}).select()")
        self.call("Input.insertText", text=text)

    def tap(self, x: float, y: float) -> None:
        """Touch a place for a moment."""
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
