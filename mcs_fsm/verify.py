"""Prove the machines that run: against `transitions`, and over the cells themselves."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from .actions import TEXT_SLOT
from .codec.reader import LEX_TABLE
from .formats import FORMATS
from .machine import prove
from .machine.reference import cells, equivalence
from .machine.rows import ACTIONS, LEX_ACTIONS, SLOT_ACTIONS
from .machine.table import Table

__all__ = ["HELD", "Result", "tables", "verify_all", "verify_lex", "verify_slot", "verify_turn"]

#: LEX states in which text is held back.
HELD = ("marker", "forming", "named", "args", "closing", "pending")

#: Triggers that carry something of the reply: none of them may be without a row before the end.
PAYLOADS = (
    "text", "reasoning", "refusal", "turn_start", "call_start", "call_id", "call_part", "call_name", "call_whole",
    "call_broken", "opaque", "usage", "error", "finish", "finish_cut",
)  # fmt: skip


class Result(msgspec.Struct, frozen=True):
    """What was proved of one machine.

    Args:
        name: the machine's.
        cells: number of (state, trigger) cells that were compared.
        proved: what holds, in words.
        faults: what does not, as sentences; empty if all holds.
    """

    name: str
    cells: int
    proved: tuple[str, ...]
    faults: list[str]


def _common(table: Table, actions: frozenset[str]) -> list[str]:
    return [
        *equivalence(table), *prove.reachable(table), *prove.absorbing(table), *prove.ends(table),
        *prove.actions_known(table, actions),
    ]  # fmt: skip


_COMMON = (
    "equal to transitions", "every state reachable", "ends absorb", "every state reaches an end", "actions known",
)  # fmt: skip


def verify_turn(table: Table) -> Result:
    """Prove a TURN: `eof` ends it from everywhere, and no payload is without a row before the end."""
    faults = _common(table, ACTIONS)
    faults += prove.closes(table, "eof")
    payloads = [each for each in table.machine.triggers if each in PAYLOADS or each.startswith("args_")]
    faults += prove.covers(table, payloads, ("done", "failed"))
    proved = (*_COMMON, "eof ends every state", "every payload has a row")
    return Result(table.machine.name, cells(table), proved, faults)


def verify_slot(table: Table) -> Result:
    """Prove a SLOT: a call that is closed by force ends from everywhere."""
    faults = _common(table, SLOT_ACTIONS)
    faults += prove.closes(table, "close_cut")
    return Result(table.machine.name, cells(table), (*_COMMON, "close_cut ends every state"), faults)


def verify_lex(table: Table) -> Result:
    """Prove LEX: no path shows a character of a call that becomes ready, and the end leaves nothing held.

    A row from a held state back into a held state never shows; a row out of one shows or makes ready, never both.
    """
    faults = _common(table, LEX_ACTIONS)
    faults += prove.held_rows(table, HELD, {"show"}, {"ready"})
    faults += prove.end_leaves_nothing(table, "end", HELD)
    proved = (*_COMMON, "no path shows a character of a ready call", "the end leaves nothing held")
    return Result(table.machine.name, cells(table), proved, faults)


def tables(name: str) -> dict[str, Table]:
    """Return the compiled machines of a format, by their part."""
    machines = FORMATS[name].machines
    return {"turn": machines.turn.table, "turn_text": machines.turn_text.table, "slot": machines.slot.table}


def verify_all() -> Iterator[Result]:
    """Prove every machine of every format, the slot of text calls, and LEX."""
    for name in FORMATS:
        parts = tables(name)
        yield verify_turn(parts["turn"])
        yield verify_turn(parts["turn_text"])
        yield verify_slot(parts["slot"])
    yield verify_slot(TEXT_SLOT.table)
    yield verify_lex(LEX_TABLE)
