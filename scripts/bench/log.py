"""The log of runs: a line of JSON each, labelled with the commit."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "bench.jsonl"
Record = dict[str, Any]


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def commit() -> str:
    """The commit that is measured, with a `+` if files differ from it."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "tbgen")
    return (git("rev-parse", "--short=7", "HEAD") or "unknown") + ("+" if changed else "")


def append(options: argparse.Namespace, record: Record) -> None:
    """Add a record to the log."""
    head = {"label": options.label or commit(), "commit": commit(), "time": time.strftime("%Y-%m-%dT%H:%M:%S%z")}
    with options.log.open("a", encoding="utf-8") as log:
        log.write(json.dumps({**head, **record}) + "\n")


def records_of(source: str, log: Path) -> list[Record]:
    """The records of a log file, or those of the log that have this label or commit."""
    path = Path(source)
    lines = (path if path.is_file() else log).read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    if path.is_file():
        return records
    found = [record for record in records if source in (record["label"], record["commit"])]
    if not found:
        labels = ", ".join(sorted({record["label"] for record in records}))
        raise SystemExit(f"bench: nothing is labelled {source!r} in {log.name}; there is {labels or 'nothing'}")
    return found


def compare(sources: Sequence[str], log: Path) -> None:
    """Print the medians of two sets of runs and their ratios; below 1 means that the second takes less."""
    groups: list[dict[tuple[str, str, int], list[Record]]] = []
    for source in sources:
        by_key: dict[tuple[str, str, int], list[Record]] = {}
        for record in records_of(source, log):
            by_key.setdefault((record["kind"], record["name"], record.get("threads", 0)), []).append(record)
        groups.append(by_key)
    print(f"{'':30} {'':16} {sources[0][-14:]:>14} {sources[1][-14:]:>14} {'ratio':>7}")
    shared = [key for key in groups[0] if key in groups[1]]
    for key in shared:
        show_ratios(key, *[group[key] for group in groups])
    tables = [key for key in shared if key[0] == "solve"]
    if len(tables) > 1:
        show_ratio(f"all {len(tables)}", "cpu", *[sum(middle(group[key], "cpu") for key in tables) for group in groups])


def show_ratios(key: tuple[str, str, int], before: list[Record], after: list[Record]) -> None:
    """CPU seconds first; what the clock says depends on what else the machine does."""
    kind, name, threads = key
    measures = ("cpu", "solve_cpu", "wall", "peak_bytes") if kind == "solve" else ("seconds",)
    title = f"{name}, {threads} threads" if kind == "solve" else name
    for measure in measures:
        show_ratio(
            title, "cpu" if measure == "seconds" else measure, *[middle(each, measure) for each in (before, after)]
        )
        title = ""


def middle(records: list[Record], measure: str) -> float:
    return float(median(record[measure] for record in records))


def show_ratio(title: str, measure: str, old: float, new: float) -> None:
    print(f"{title:30} {measure:16} {old:14.6g} {new:14.6g} {new / max(old, 1e-12):7.3f}")
