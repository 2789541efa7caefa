"""The table is what runs: with one cell made illegal, what a recording gives is another result.

For each cell of TURN and SLOT that recorded streams exercise, and each cell of LEX that the texts below exercise, the
same input is played with that one cell taken out. Compared are the events, each with the number of the feed that gave
it, and the turn, anomalies left out. The cells that make no difference are listed here, each with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import mcs_fsm as m
from mcs_fsm import core as core_module
from mcs_fsm.actions import _LEX_DO, Machines
from mcs_fsm.codec.reader import LEX_TABLE
from mcs_fsm.core import Core
from mcs_fsm.formats import FORMATS
from mcs_fsm.machine.rows import TRIGGERS
from mcs_fsm.machine.table import Table
from turns import TOOLS, chunk

WIRES = {
    "openai-chat": "openai-chat", "openai-responses": "openai-responses", "anthropic-messages": "anthropic",
    "bedrock-converse": "bedrock-converse", "gemini": "gemini", "gemini-interactions": "gemini-interactions",
    "cohere-v2": "cohere-v2", "ollama": "ollama",
}  # fmt: skip

Cell = tuple[str, str, str]


def _result(stream: m.Stream, inputs: list[Any]) -> Any:
    events = []
    for number, each in enumerate(inputs):
        given = stream.feed(each) if isinstance(each, bytes) else stream.add(each)
        events += [(number, event) for event in given]
    events += [(-1, event) for event in stream.close()]
    return events, msgspec.structs.replace(stream.turn(), anomalies={})


def _recordings(shared: Path, wire: str) -> list[tuple[str, list[Any]]]:
    out = []
    for path in sorted((shared / "corpus/cases" / wire).glob("*.jsonl")):
        events: list[Any] = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
        expected = json.loads((shared / "corpus/expected" / wire / f"{path.stem}.json").read_text("utf-8"))
        if expected["transport"].get("done_sentinel"):
            events.append("[DONE]")
        out.append((path.stem, events))
    return out


def _exercised(play: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[set[Cell], Any]:
    """Play something and say which cells it went through."""
    seen: set[Cell] = set()
    step, slot_step, lex = Core.step, Core.step_slot, Core.lex

    def spy_step(self: Core, trigger: int, where: Any = None, payload: Any = None) -> None:
        seen.add(("turn", self.turn_state, TRIGGERS[trigger]))
        step(self, trigger, where, payload)

    def spy_slot(self: Core, trigger: int, slot: Any, payload: Any = None) -> None:
        seen.add(("slot", slot.state_name, TRIGGERS[trigger]))
        slot_step(self, trigger, slot, payload)

    def spy_lex(self: Core, token: int, end: int, payload: Any = None) -> None:
        seen.add(("lex", LEX_TABLE.states[self.lex_state], LEX_TABLE.triggers[token]))
        lex(self, token, end, payload)

    with monkeypatch.context() as patch:
        patch.setattr(Core, "step", spy_step)
        patch.setattr(Core, "step_slot", spy_slot)
        patch.setattr(Core, "lex", spy_lex)
        return seen, play()


def _without(table: Table, cell: Cell) -> Table:
    return table.without(cell[1], cell[2]) if table.cell(cell[1], cell[2]) is not None else table


@pytest.mark.parametrize("wire", [wire for wire, name in WIRES.items() if name in FORMATS])
def test_each_cell_that_recordings_exercise_decides_something(
    shared: Path, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    format = FORMATS[WIRES[wire]]
    options: dict[str, Any] = {"tools": None, "text_format": None, "reasoning_tags": False}
    users: dict[Cell, list[tuple[list[Any], Any]]] = {}
    for _, events in _recordings(shared, wire):
        seen, result = _exercised(lambda e=events: _result(m.Stream(format.name, **options), e), monkeypatch)  # type: ignore[misc]
        for cell in seen:
            users.setdefault(cell, []).append((events, result))
    assert len(users) > 8

    whole = format.machines
    same = set()
    for cell, plays in sorted(users.items()):
        is_turn = cell[0] == "turn"
        table = whole.turn.table if is_turn else whole.slot.table
        if table.cell(cell[1], cell[2]) is None:
            continue  # forbidden already: an anomaly of the recording
        turn = _without(whole.turn.table, cell) if is_turn else whole.turn.table
        slot = whole.slot.table if is_turn else _without(whole.slot.table, cell)
        with monkeypatch.context() as patch:
            patch.setattr(type(format), "machines", Machines(turn, whole.turn_text.table, slot))
            changed = any(_result(m.Stream(format.name, **options), events) != result for events, result in plays)
        if not changed:
            same.add(cell)

    # Only a wire that repairs indexes or replaces placeholders asks whether the arguments are whole so far.
    asks = {"openai-chat"}
    # Where the finish and the end come in one event, an empty call is ready there with or without its own end.
    together = {"cohere-v2"}
    unexplained = {
        cell for cell in same
        if not _explained(table_row(whole, cell)) and not (cell[2] == "args_whole" and wire not in asks)
        and not (cell[2] in ("call_end", "end_empty") and wire in together)
    }  # fmt: skip
    assert set() == unexplained


def table_row(machines: Machines, cell: Cell) -> tuple[Cell, tuple[str, tuple[str, ...]] | None]:
    """Return a cell with what its table says."""
    table = machines.turn.table if cell[0] == "turn" else machines.slot.table
    return cell, table.cell(cell[1], cell[2])


def _explained(row: tuple[Cell, tuple[str, tuple[str, ...]] | None]) -> bool:
    """A cell may make no difference only where its row says so.

    - it stays where it is and waits or skips: `eof` after the wire's own end, `settle_*` of a call that is not whole;
    - `args_whole` in `whole`: white space after a whole value;
    - the finish signal once more, with the same word;
    - `settle` before `close`: the same judge asks again at the end and makes the call ready there, in the same feed.
    """
    (_, state, trigger), cell = row
    assert cell is not None
    dest, actions = cell
    if trigger in ("finish", "finish_cut") and dest == state:
        return True
    return (dest == state and actions in (("wait",), ("skip",))) or (trigger.startswith("settle_") and dest == "ready")


TEXTS = [
    "plain", " \n lead", 'hi {"tool":"run","arguments":{"a":1}} there', '```json\n{"name":"run"}\n``` y', "<think>a</think>b",
    "</think>x", 'a {x} {"tool":"no"} {"a":1} z', "```py\nx\n```\n y", '{"tool":"run","arguments":[1]}', '{"tool":"run","x":1}',
    '{"tool":"run","arguments":{"a":', "x ``` y", '```json\n{"tool":"run"} {"tool":"run"} x\n```', '```\n{"tool":"run"',
    '```json\n{"a":1}\n{"tool":"run"}```', '```json\n{"a":1}\nx```', '```json\n{"a":1,}\n```', '```json\n{"tool":"run",}\n```\nz',
    '```{"tool":"run"}', "<think>open", "```", "{", "````x\n```\n````\nq", '{"a":{"b":1}', '```json\n{x}\n```\n', "  ",
    '{"tool":"run","arguments":{}', '```json\n{"a":1}', "<think>a<b</think>c", "`<think>`", '<think>a</think> {"tool":"run"}',
    '{"tool":"run"} {"tool":"run"}', "a </think> b", '```json\n{"tool":"run","arguments":{"a":1}}\n``` c', "x\n````\ny",
    '<think>open</thi', 'x [{"a": {"tool":"run"}}]', '[{"tool":"run"}]', '`{"a": {"tool":"run"}}`', '{"tool":"run","arguments":{},"tool":{"tool":"run"}}',
    '```py\nx\n```\n{"tool":"run"}',
    '{"tool":"run","arguments":7,"x":{"tool":"run"}}',
    '{"tool":"run","arguments":{"a":x', '```json\n{"tool":"run","arguments":{"a":x}}\n```', '{"tool":"run","arguments":{"a":"long enough"}}',
]  # fmt: skip


def test_each_cell_of_lex_decides_something(monkeypatch: pytest.MonkeyPatch) -> None:
    def inputs(text: str, size: int, call: bool) -> list[Any]:
        out: list[Any] = [chunk(text[i : i + size]) for i in range(0, len(text), size)]
        if call:
            out += [chunk(tool_calls=[{"index": 0, "id": "c", "function": {"name": "run", "arguments": "{}"}}]), chunk("x")]
        return [*out, chunk(finish="stop")]

    def play(text: str, size: int, call: bool, options: dict[str, Any]) -> Any:
        return _result(m.Stream("openai-chat", tools=TOOLS, **options), inputs(text, size, call))

    delimited = [t.replace("```json", "<<mcs:call>>").replace("```", "<</mcs:call>>") for t in TEXTS]
    cases = [(t, size, call, {}) for t in TEXTS for size in (1, 1000) for call in (False, True)]
    cases += [(t, 1, call, {"limits": m.Limits(held_chars=k)}) for t in TEXTS for k in (2, 8, 17, 32) for call in (False, True)]
    cases += [(t, 1, False, {"text_format": "mcs-delimited"}) for t in delimited]
    late = m.codec.MCS_JSON  # type: ignore[attr-defined]
    late = msgspec.structs.replace(late, bare="at_end")
    cases += [(t, 1, call, {"text_format": late, "limits": m.Limits(held_chars=k)})
              for t in [*TEXTS, '{"tool":"run"} z', '{"tool":"run"}  '] for call in (False, True) for k in (15, 999)]  # fmt: skip
    users: dict[Cell, list[Any]] = {}
    for case in cases:
        seen, result = _exercised(lambda c=case: play(*c), monkeypatch)  # type: ignore[misc]
        for cell in seen:
            if cell[0] == "lex":
                users.setdefault(cell, []).append((case, result))

    declared = {("lex", row.source, row.trigger) for row in LEX_TABLE.machine.rows}
    assert set() == declared - set(users), "every row of LEX is exercised here"
    same = set()
    for cell, plays in users.items():
        if cell not in declared:
            continue
        table = LEX_TABLE.without(cell[1], cell[2])
        with monkeypatch.context() as patch:
            patch.setattr(core_module, "_LEX_NEXT", table.next)
            patch.setattr(core_module, "_LEX_ACTION", table.action)
            patch.setattr(core_module, "LEX_PROGRAMS", table.bind(_LEX_DO))
            if not any(_differs(play, case, result) for case, result in plays):
                same.add(cell)
    # Where nothing is held there is nothing to say at the end, or when a native call ends the reading.
    nothing_held = {("lex", state, token) for state in ("other", "fenced", "code") for token in ("end", "native")}
    waits = {("lex", row.source, row.trigger) for row in LEX_TABLE.machine.rows
             if row.source == row.dest and set(row.actions) <= {"wait", "hold"}}  # fmt: skip
    assert set() == same - waits - nothing_held



def _differs(play: Callable[..., Any], case: Any, result: Any) -> bool:
    """Play again; a reader that runs past the end of a marker, because its cell is missing, is a difference too."""
    try:
        return bool(play(*case) != result)
    except IndexError:
        return True
