from __future__ import annotations

import signal
import threading

import pytest

from tbgen.system.process import signals_held


class EndedError(Exception):
    """What a handler raises."""


def end(*_: object) -> None:
    raise EndedError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_processes_are_started(number: signal.Signals) -> None:
    started = []

    def start() -> None:
        with signals_held():
            signal.raise_signal(number)
            started.append(number)

    before = signal.signal(number, end)
    try:
        with pytest.raises(EndedError):
            start()
        assert signal.getsignal(number) is end
    finally:
        signal.signal(number, before)
    assert started == [number]


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with signals_held():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_thread_without_handlers_holds_nothing() -> None:
    before = signal.getsignal(signal.SIGTERM)
    within = []

    def hold() -> None:
        with signals_held():
            within.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert within == [before]
