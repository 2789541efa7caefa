"""The proofs hold for every machine, and each of them sees a fault that is planted."""

from __future__ import annotations

from typing import Any

import pytest

from mcs_fsm.actions import TEXT_SLOT, turn_table
from mcs_fsm.codec.reader import LEX_TABLE
from mcs_fsm.errors import DeclarationError
from mcs_fsm.machine.declare import Machine, override
from mcs_fsm.machine.rows import (
    LEX_ACTIONS,
    LEX_ROWS,
    LEX_STATES,
    LEX_TOKENS,
    SLOT_FRAGMENTS,
    TURN_ARGS,
    TURN_ROWS,
)
from mcs_fsm.machine.table import Table
from mcs_fsm.verify import verify_all, verify_lex, verify_product, verify_slot, verify_turn


def test_every_machine_is_proved() -> None:
    results = list(verify_all())

    assert [] == [fault for result in results for fault in result.faults]
    assert {"openai_chat.turn", "openai_chat.turn_text", "openai_chat.slot", "text.slot", "lex"} <= {r.name for r in results}
    assert sum(result.cells for result in results) > 2_000


class Mutated:
    """A table with one byte of one cell changed."""

    def __init__(self, table: Table, part: str, state: str, trigger: str, value: int) -> None:
        self._table = table
        cell = table.state(state) * table.width + table.trigger(trigger)
        changed = bytearray(getattr(table, part))
        changed[cell] = value
        self._part, self._bytes = part, bytes(changed)

    def __getattr__(self, name: str) -> Any:
        if name == self._part:
            return self._bytes
        member = getattr(type(self._table), name, None)
        return member.__get__(self) if callable(member) else getattr(self._table, name)


TURN = turn_table("turn", TURN_ROWS + TURN_ARGS)


@pytest.mark.parametrize(("part", "state", "trigger", "value"), [
    ("next", "text", "call_start", TURN.state("text")), ("next", "text", "error", 255), ("next", "done", "eof", TURN.state("text")),
    ("next", "text", "eof", TURN.state("finish")), ("action", "text", "text", 0), ("action", "text", "finish", 1),
])  # fmt: skip
def test_a_wrong_cell_is_seen(part: str, state: str, trigger: str, value: int) -> None:
    assert [] == verify_turn(TURN).faults
    assert verify_turn(Mutated(TURN, part, state, trigger, value)).faults  # type: ignore[arg-type]


def test_an_unreachable_state_is_seen() -> None:
    rows = [row for row in TURN_ROWS if row[0] != "finish" and row[2] != "finish"]
    machine = Machine(
        "turn", states="idle reasoning text refusal forming args finish cut done failed", initial="idle", final="done failed",
        rows=[*rows, *TURN_ARGS], actions="part show reason refuse open slot slot_end keep note_start note_usage note_finish settle "
        "settle_cut close close_cut report end skip".split(),
    )  # fmt: skip
    assert any("finish" in fault for fault in verify_turn(Table(machine, TURN.triggers)).faults)


def test_an_unknown_state_or_action_cannot_be_declared() -> None:
    with pytest.raises(DeclarationError, match="nowhere"):
        turn_table("turn", (*TURN_ROWS, ("text", "text", "nowhere", "show")))
    with pytest.raises(DeclarationError, match="shout"):
        turn_table("turn", (*TURN_ROWS, *TURN_ARGS, override("text", "text", "=", "shout")))


@pytest.mark.parametrize("row", [
    ("more", "args", "=", "append show"), ("whole", "named args", "idle", "ready show"), ("end", "closing pending", "ended", "wait"),
    ("end", "named args", "closing", "wait"), ("object", "closing", "forming", "ready show"), ("crack", "named args", "text", "wait"),
])  # fmt: skip
def test_a_row_that_would_show_a_call_is_seen(row: tuple[str, str, str, str]) -> None:
    machine = Machine("lex", states=LEX_STATES, initial="idle", final="ended", rows=[*LEX_ROWS, override(*row)], actions=LEX_ACTIONS)

    table = Table(machine, LEX_TOKENS)
    assert verify_lex(table).faults
    assert [] == verify_product(LEX_TABLE, TURN, TEXT_SLOT.table).faults
    assert verify_product(table, TURN, TEXT_SLOT.table).faults or "crack" in row


@pytest.mark.parametrize(("state", "trigger"), [("forming", "args_delta"), ("cut", "text"), ("args", "call_whole"), ("finish", "call_start")])
def test_a_turn_that_forbids_what_the_text_may_bring_is_seen(state: str, trigger: str) -> None:
    assert any(trigger in fault for fault in verify_product(LEX_TABLE, TURN.without(state, trigger), TEXT_SLOT.table).faults)


def test_a_text_call_that_cannot_become_ready_is_seen() -> None:
    assert verify_product(LEX_TABLE, TURN, TEXT_SLOT.table.without("args", "call_whole")).faults


def test_a_call_that_cannot_end_is_seen() -> None:
    from mcs_fsm.actions import slot_table

    rows = [row for row in SLOT_FRAGMENTS if "close_cut" not in row[0]]
    rows.append(("close_part close_cut call_broken", "forming named args", "abandoned", "abandon"))
    assert verify_slot(slot_table("slot", rows)).faults


def test_the_table_of_lex_is_the_one_that_runs() -> None:
    from mcs_fsm import core

    assert core._LEX_NEXT is LEX_TABLE.next
