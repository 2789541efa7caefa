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

__all__ = ["HELD", "Result", "tables", "verify_all", "verify_lex", "verify_product", "verify_slot", "verify_turn"]

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


#: What an action of LEX steps in TURN, in order; of these the SLOT of the text call takes what TURN hands on.
_STEPS = {
    "show": ("text",), "reason": ("reasoning",), "open": ("call_start", "call_name"), "append": ("args_delta",),
    "ready": ("call_whole",), "abandon": ("call_broken",),
}  # fmt: skip


def verify_product(lex: Table, turn: Table, slot: Table) -> Result:
    """Walk over LEX x TURN x the SLOT of a text call, every token in every joint state that can be reached.

    Proved on each path: what LEX steps is never forbidden; nothing of a held text is shown and then made ready; and
    from each joint state the end of the text and of the connection leave nothing held and no call open.
    """
    start = ("idle", "idle", "", False)
    seen, todo, faults, steps = {start}, [start], [], 0
    while todo:
        here = todo.pop()
        for token in (*lex.machine.triggers, *_OUTSIDE):
            steps += 1
            there, fault = _joint(lex, turn, slot, here, token)
            if fault:
                faults.append(f"lex x {turn.machine.name}: {token} in {here[:3]}: {fault}")
            elif there is not None and there not in seen:
                seen.add(there)
                todo.append(there)
        ended, fault = _joint(lex, turn, slot, here, "end") if here[0] not in _final(lex) else (here, "")
        if fault or ended is None or ended[0] in HELD or ended[2] not in ("", *_final(slot)):
            faults.append(f"lex x {turn.machine.name}: the end in {here[:3]} leaves {ended and ended[:3]}")
        elif (cell := turn.cell(ended[1], "eof")) is None or cell[0] not in _final(turn):
            faults.append(f"{turn.machine.name}: eof in {ended[1]} does not end the turn")
    proved = (f"{len(seen)} joint states", "nothing forbidden", "nothing shown becomes ready", "every end is clean")
    return Result(f"lex x {turn.machine.name}", steps, proved, faults)


#: State of LEX, of TURN, of the text call ("" for none), and whether held text was shown.
Joint = tuple[str, str, str, bool]

#: What moves TURN meanwhile, from outside the text.
_OUTSIDE = ("finish", "finish_cut", "error", "reasoning")


def _final(table: Table) -> set[str]:
    return {table.states[number] for number in table.final}


def _joint(
    lex: Table, turn: Table, slot: Table, here: Joint, token: str
) -> tuple[Joint | None, str]:
    """Take one step of all three; return where it leads (None: no such row) and what is wrong with it."""
    state, at, call, shown = here
    if token in _OUTSIDE:
        cell = turn.cell(at, token)
        return ((state, cell[0], call, shown), "") if cell is not None else (None, f"{token} is forbidden in {at}")
    row = lex.cell(state, token)
    if row is None:
        return None, ""
    dest, actions = row
    for action in actions:
        if action == "show" and state in HELD and dest in HELD:
            shown = True
        if action == "ready":
            if shown or "show" in actions:
                return None, "a call becomes ready whose text was shown"
            shown = False
        for trigger in _STEPS.get(action, ()):
            cell = turn.cell(at, trigger)
            if cell is None:
                return None, f"{trigger} is forbidden in {at}"
            at = cell[0]
            if trigger == "call_start":
                call = slot.machine.initial
            elif "slot" in cell[1]:
                moved = slot.cell(call, trigger) if call else None
                if moved is None:
                    return None, f"{trigger} is forbidden for a call that is {call or 'not there'}"
                call = moved[0]
    if dest not in HELD or (state not in HELD and dest in HELD) or "ready" in actions:
        shown = False
    return (dest, at, call, shown), ""


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
        yield verify_product(LEX_TABLE, parts["turn_text"], TEXT_SLOT.table)
    yield verify_slot(TEXT_SLOT.table)
    yield verify_lex(LEX_TABLE)
