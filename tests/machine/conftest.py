"""Machines to test with: a small one whose every cell can be seen, and three of the size of the real ones."""

from __future__ import annotations

import pytest

from mcs_fsm.machine.declare import Machine
from mcs_fsm.machine.table import Table

TRIGGERS = (
    "text", "reasoning", "refusal", "turn_start", "call_start", "call_id", "call_part", "call_name", "args_delta",
    "args_new", "call_whole", "call_broken", "opaque", "usage", "error", "finish", "finish_cut", "turn_end", "eof",
    "args_whole", "settle_whole", "settle_empty", "settle_part", "close_whole", "close_empty", "close_part",
    "close_cut",
)  # fmt: skip
LIVE = "idle text reasoning refusal forming args"
OPEN = "forming named args whole"

TURN_ROWS = [
    ("text", "idle reasoning refusal forming args", "text", "part show"),
    ("text", "text", "=", "show"),
    ("reasoning", "idle text refusal forming args", "reasoning", "part reason"),
    ("reasoning", "reasoning", "=", "reason"),
    ("refusal", "idle text reasoning forming args", "refusal", "part refuse"),
    ("refusal", "refusal", "=", "refuse"),
    ("call_start", LIVE, "forming", "part open"),
    ("call_part call_name", LIVE, "forming", "slot"),
    ("args_delta args_new", LIVE, "args", "slot"),
    ("text", "finish cut", "=", "part show"),
    ("reasoning", "finish cut", "=", "part reason"),
    ("refusal", "finish cut", "=", "part refuse"),
    ("call_start", "finish cut", "=", "part open"),
    ("call_part call_name args_delta args_new", "finish cut", "=", "slot"),
    ("call_id call_whole call_broken", "*", "=", "slot"),
    ("turn_start", "*", "=", "note_start"),
    ("usage", "*", "=", "note_usage"),
    ("opaque", "*", "=", "keep"),
    ("finish", LIVE, "finish", "note_finish settle"),
    ("finish", "finish", "=", "note_finish settle"),
    ("finish", "cut", "=", "note_finish"),
    ("finish_cut", "*", "cut", "note_finish settle"),
    ("error", "*", "cut", "report"),
    ("turn_end", LIVE + " finish", "done", "close end"),
    ("turn_end", "cut", "done", "close_cut end"),
    ("eof", "finish", "done", "close end"),
    ("eof", LIVE + " cut", "done", "close_cut end"),
    ("eof turn_end", "done", "=", "skip"),
]

SLOT_ROWS = [
    ("call_id", OPEN, "=", "set_id"),
    ("call_part", OPEN, "=", "name"),
    ("call_name", "forming", "named", "name announce"),
    ("call_name", "named args whole", "=", "name announce"),
    ("args_delta", "forming", "=", "append"),
    ("args_delta", "named args whole", "args", "append tell"),
    ("args_new", "forming", "=", "replace"),
    ("args_new", "named args whole", "args", "replace tell"),
    ("args_whole", "args", "whole", "wait"),
    ("args_whole", "forming whole", "=", "wait"),
    ("settle_whole close_whole call_whole", "named args whole", "ready", "ready"),
    ("settle_whole close_whole call_whole", "forming", "ready", "announce ready"),
    ("settle_empty settle_part", OPEN, "=", "wait"),
    ("close_empty", "named args whole", "ready", "ready_empty"),
    ("close_empty", "forming", "ready", "announce ready_empty"),
    ("close_part close_cut call_broken", OPEN, "abandoned", "abandon"),
]

TOKENS = (
    "blank", "plain", "partial", "think", "unthink", "object", "fence", "foreign", "alias", "odd", "unowned", "owned",
    "arguments", "more", "whole", "whole_fenced", "fence_end", "break", "native", "limit", "end",
)  # fmt: skip
LEX_ROWS = [
    ("blank", "idle", "=", "show"),
    ("plain", "idle text", "text", "show"),
    ("blank", "text", "=", "show"),
    ("partial", "idle text code reasoning", "=", "hold"),
    ("think", "idle", "reasoning", "drop"),
    ("think", "text", "=", "show"),
    ("unthink", "idle text", "=", "drop"),
    ("object", "idle text", "forming", "hold"),
    ("fence", "idle text", "marker", "hold"),
    ("object", "marker", "forming", "mark"),
    ("foreign", "marker", "code", "show"),
    ("plain blank", "code", "=", "show"),
    ("fence_end", "code", "text", "show"),
    ("alias", "forming", "=", "wait"),
    ("odd unowned", "forming", "other", "show"),
    ("owned", "forming", "named", "open"),
    ("arguments", "named", "args", "wait"),
    ("more", "args", "=", "append"),
    ("whole", "named args", "idle", "ready"),
    ("whole_fenced", "named args", "closing", "wait"),
    ("fence_end", "closing", "idle", "ready"),
    ("foreign", "closing", "code", "abandon show"),
    ("object", "closing", "forming", "ready hold"),
    ("break", "forming", "text", "show"),
    ("break", "named args", "text", "abandon show"),
    ("plain", "other", "=", "show"),
    ("whole break", "other", "text", "show"),
    ("plain", "reasoning", "=", "reason"),
    ("unthink", "reasoning", "idle", "drop"),
    ("native", "reasoning", "idle", "reason"),
    ("native limit", "marker forming", "text", "show"),
    ("native limit", "named args closing", "text", "abandon show"),
    ("end", "idle text code other marker forming", "ended", "show"),
    ("end", "named args", "ended", "abandon show"),
    ("end", "reasoning", "ended", "reason"),
    ("end", "closing", "ended", "ready"),
    ("end", "ended", "=", "-"),
]


@pytest.fixture(scope="session")
def turn() -> Table:
    """A TURN that has every row."""
    machine = Machine(
        "turn",
        states=LIVE + " finish cut done",
        initial="idle",
        final="done",
        rows=TURN_ROWS,
        actions="part show reason refuse open slot keep note_start note_usage note_finish settle close close_cut "
        "report end skip",
    )
    return Table(machine, TRIGGERS)


@pytest.fixture(scope="session")
def slot() -> Table:
    """A SLOT that has every row, over the numbering of `turn`."""
    machine = Machine(
        "slot",
        states=OPEN + " ready abandoned",
        initial="forming",
        final="ready abandoned",
        rows=SLOT_ROWS,
        actions="set_id name announce append replace tell wait ready ready_empty abandon",
    )
    return Table(machine, TRIGGERS)


@pytest.fixture(scope="session")
def lex() -> Table:
    """A LEX that has every row."""
    machine = Machine(
        "lex",
        states="idle text marker forming named args closing code other reasoning ended",
        initial="idle",
        final="ended",
        rows=LEX_ROWS,
        actions="show reason drop hold mark wait open append ready abandon",
    )
    return Table(machine, TOKENS)


@pytest.fixture(scope="session")
def door() -> Table:
    """A door: three states, four triggers of which one has no row."""
    machine = Machine(
        "door",
        states="open shut gone",
        initial="open",
        final="gone",
        rows=[
            ("push", "open", "shut", "creak slam"),
            ("push", "shut", "open", "creak"),
            ("knock", "shut", "=", "-"),
            ("remove", "*", "gone", "carry"),
        ],
        actions={"creak", "slam", "carry"},
    )
    return Table(machine, ("push", "knock", "ring", "remove"))
