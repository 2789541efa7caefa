"""Recorded replies: what each must report, and that no cutting of its bytes changes an event, the turn or the message."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import mcs_fsm as m
from mcs_fsm.formats import FORMATS
from test_one_cell import WIRES
from turns import merged

WIRES_HERE = [wire for wire, name in WIRES.items() if name in FORMATS]
OPTIONS: dict[str, Any] = {"text_format": None, "reasoning_tags": False}


def play(inputs: list[Any], **options: Any) -> tuple[list[m.Event], m.Turn]:
    stream = m.Stream(**{**OPTIONS, **options})
    events = []
    for each in inputs:
        events += stream.feed(each) if isinstance(each, bytes) else stream.add(each)
    events += stream.close()
    return merged(events), stream.turn()


def cuttings(body: bytes, seed: int) -> list[list[bytes]]:
    """Byte by byte if the body is small, and cut at random places."""
    rng = random.Random(seed)
    out = [[body[i : i + 1] for i in range(len(body))]] if len(body) < 20_000 else []
    for _ in range(2):
        at = sorted({0, len(body), *(rng.randrange(len(body) + 1) for _ in range(rng.randrange(1, 40)))})
        out.append([body[a:b] for a, b in zip(at, at[1:], strict=False)])
    return out


@pytest.mark.parametrize("wire", WIRES_HERE)
def test_no_cutting_of_a_recorded_body_changes_what_it_says(shared: Path, wire: str) -> None:
    bodies = sorted((shared / "corpus/raw" / wire).iterdir())
    assert bodies
    for number, path in enumerate(bodies):
        body = path.read_bytes()
        whole = play([body], source=WIRES[wire])
        for pieces in cuttings(body, number):
            assert whole == play(pieces, source=WIRES[wire]), path.name


@pytest.mark.parametrize("wire", WIRES_HERE)
def test_a_recorded_reply_reports_what_it_must(shared: Path, wire: str) -> None:
    paths = sorted((shared / "corpus/cases" / wire).glob("*.jsonl"))
    assert len(paths) > 2
    for path in paths:
        want = json.loads((shared / "corpus/expected" / wire / f"{path.stem}.json").read_text("utf-8"))
        events: list[Any] = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        if want["transport"].get("done_sentinel"):
            events.append("[DONE]")
        said, turn = play(events, source=WIRES[wire])

        assert (want["text"], want["reasoning"] or "", want["finish_reason"]) == (turn.text, turn.reasoning, turn.finish_reason), path.name
        ours = [(call.name, call.arguments) for call in turn.calls if not call.provider_run]
        theirs = [(call["name"], call["arguments"]) for call in want["calls"] if call["complete"] and not call["server_side"]]
        assert theirs == ours, path.name
        assert bool(want.get("error")) is bool(turn.error), path.name
        assert sum(isinstance(event, m.CallReady) for event in said) == len(turn.calls)
        extracted = [(call.name, call.arguments) for call in FORMATS[WIRES[wire]].extract(turn.message) if call.kind == "function"]
        assert [(c.name, c.arguments) for c in turn.calls if c.kind == "function" and not c.provider_run] == extracted, path.name


@pytest.mark.parametrize("wire", WIRES_HERE)
def test_auto_finds_the_wire(shared: Path, wire: str) -> None:
    for path in sorted((shared / "corpus/raw" / wire).iterdir()):
        body = path.read_bytes()
        assert play([body], source=WIRES[wire])[1] == play([body])[1], path.name
