from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcs_fsm.machine.table
from mcs_fsm.errors import DeclarationError, UnknownName
from mcs_fsm.machine.declare import Machine
from mcs_fsm.machine.table import ILLEGAL, Table


def test_cells_are_states_by_triggers(door: Table) -> None:
    no = ILLEGAL
    assert (door.states, door.triggers, door.width) == (door.machine.states, ("push", "knock", "ring", "remove"), 4)
    assert list(door.next) == [1, no, no, 2, 0, 1, no, 2, no, no, no, no]
    assert door.programs == ((), ("creak", "slam"), ("creak",), ("carry",))
    assert list(door.action) == [1, 0, 0, 3, 2, 0, 0, 3, 0, 0, 0, 0]
    assert (door.initial, door.final) == (0, frozenset({2}))
    assert repr(door) == "<Table door: 3 x 4, 4 programs>"


def test_names_and_numbers_lead_to_each_other(door: Table) -> None:
    assert [door.state(name) for name in door.states] == [0, 1, 2]
    assert [door.trigger(name) for name in door.triggers] == [0, 1, 2, 3]
    with pytest.raises(UnknownName, match="state of door is named 'ajar'"):
        door.state("ajar")
    with pytest.raises(UnknownName, match="trigger of door is named 'kick'"):
        door.trigger("kick")


def test_a_cell_is_read_by_names(door: Table) -> None:
    assert door.cell("open", "push") == ("shut", ("creak", "slam"))
    assert door.cell("shut", "knock") == ("shut", ())
    assert door.cell("open", "ring") is None
    with pytest.raises(UnknownName):
        door.cell("open", "kick")


def test_a_step_gives_next_state_and_program(door: Table) -> None:
    assert door.step(0, 0) == (1, 1)
    assert door.step(2, 0) == (ILLEGAL, 0)


def test_every_row_is_in_its_cell(turn: Table, slot: Table, lex: Table) -> None:
    for table in (turn, slot, lex):
        for state in table.states:
            for trigger in table.triggers:
                row = table.machine.row(state, trigger)
                assert table.cell(state, trigger) == (row and (row.dest, row.actions))


def test_machines_share_one_numbering(turn: Table, slot: Table) -> None:
    assert turn.trigger("args_delta") == slot.trigger("args_delta")
    assert turn.cell("idle", "settle_whole") is None


def test_programs_are_bound_to_callables(door: Table) -> None:
    calls = {name: name.upper for name in ("creak", "slam", "carry", "unused")}
    bound = door.bind(calls)
    assert bound == ((), (calls["creak"], calls["slam"]), (calls["creak"],), (calls["carry"],))


def test_a_missing_callable_is_refused(door: Table) -> None:
    with pytest.raises(DeclarationError, match="door: nothing is bound to the action carry, slam"):
        door.bind({"creak": print})


def test_without_makes_one_cell_illegal_in_a_copy(door: Table) -> None:
    before = (door.next, door.action)
    copy = door.without("open", "push")
    assert copy.cell("open", "push") is None
    assert copy.step(0, 0) == (ILLEGAL, 0)
    assert (door.next, door.action) == before
    assert [n for n in range(12) if copy.next[n] != door.next[n]] == [0]
    assert (copy.machine, copy.programs, copy.trigger("remove")) == (door.machine, door.programs, 3)


def test_without_a_cell_that_has_no_row_is_refused(door: Table) -> None:
    with pytest.raises(DeclarationError, match="there is no row for 'ring' in 'open' to go without"):
        door.without("open", "ring")
    with pytest.raises(UnknownName):
        door.without("ajar", "push")


def test_a_table_cannot_be_changed(door: Table) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        door.next = b""
    with pytest.raises(AttributeError, match="immutable"):
        del door.action


@pytest.mark.parametrize(
    ("triggers", "sentence"),
    [
        (("push", "knock"), "its trigger 'remove' is not among the shared triggers"),
        (("push", "knock", "remove", "push"), "the trigger 'push' is numbered twice"),
        (("push", "knock", "remove", "Ring"), "the trigger name 'Ring' is not"),
    ],
)
def test_a_wrong_numbering_is_refused(door: Table, triggers: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(DeclarationError, match=sentence):
        Table(door.machine, triggers)


def letters(count: int, first: str) -> list[str]:
    return [first + "abcdefghijklmnopqrstuvwxyz"[n // 26] + "abcdefghijklmnopqrstuvwxyz"[n % 26] for n in range(count)]


@pytest.mark.parametrize("count", [255, 256])
def test_a_byte_numbers_255_states(count: int) -> None:
    names = letters(count, "s")
    machine = Machine("wide", states=names, initial=names[0], rows=[("go", "*", names[-1], "-")], actions=())
    if count == 255:
        assert Table(machine, ["go"]).cell(names[0], "go") == (names[-1], ())
    else:
        with pytest.raises(DeclarationError, match="256 states, a byte numbers 255"):
            Table(machine, ["go"])


@pytest.mark.parametrize("count", [255, 256])
def test_a_byte_numbers_256_programs(count: int) -> None:
    names = letters(count, "x")
    machine = Machine("busy", states="a", initial="a", rows=[(name, "a", "=", name) for name in names], actions=names)
    if count == 255:
        assert Table(machine, names).cell("a", names[-1]) == ("a", (names[-1],))
    else:
        with pytest.raises(DeclarationError, match="257 distinct action sequences, a byte numbers 256"):
            Table(machine, names)


def test_importing_the_table_does_not_load_transitions() -> None:
    root = Path(mcs_fsm.machine.table.__file__).parents[2]
    code = "import sys, mcs_fsm.machine.table, mcs_fsm.machine.declare; print('transitions' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "False\n"
