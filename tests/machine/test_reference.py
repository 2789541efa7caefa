from __future__ import annotations

import re
from typing import Any

import pytest
import transitions
from hypothesis import given
from hypothesis import strategies as st

import mcs_fsm.machine.reference
from mcs_fsm.machine.declare import Machine
from mcs_fsm.machine.reference import cells, equivalence, reference
from mcs_fsm.machine.table import ILLEGAL, Table


def planted(table: Table, place: int, number: int, *, part: str = "next") -> Table:
    """Copy a table with one byte of it wrong."""
    copy = Table(table.machine, table.triggers)
    wrong = bytearray(getattr(table, part))
    wrong[place] = number
    object.__setattr__(copy, part, bytes(wrong))
    return copy


def test_the_reference_has_the_declared_rows_and_no_others(door: Table) -> None:
    machine = reference(door.machine)
    assert list(machine.states) == ["open", "shut", "gone"]
    assert machine.initial == "open"
    assert list(machine.events) == ["push", "knock", "remove"]
    assert machine.models == []


def test_tables_equal_their_reference(turn: Table, slot: Table, lex: Table, door: Table) -> None:
    assert {table.machine.name: equivalence(table) for table in (turn, slot, lex, door)} == {
        "turn": [], "slot": [], "lex": [], "door": []
    }  # fmt: skip


def test_every_cell_is_counted(door: Table, turn: Table) -> None:
    assert cells(door) == 12
    assert cells(turn) == 9 * 27


def test_a_wrong_dest_is_reported_by_the_cells_and_by_the_walk(door: Table) -> None:
    cell, walk = equivalence(planted(door, 0, 0))
    assert cell == "door: push in open goes to open in the table, to shut in transitions"
    assert re.fullmatch(r"door: after \d+ random steps, push in open, the table is in open, transitions in shut", walk)


def test_a_cell_that_should_be_illegal_is_reported(door: Table) -> None:
    faults = equivalence(planted(door, 2, 1), steps=0)
    assert faults == ["door: ring in open goes to shut in the table, to nothing in transitions"]


def test_a_missing_cell_is_reported(door: Table) -> None:
    faults = equivalence(door.without("shut", "knock"))
    assert faults == ["door: knock in shut goes to nothing in the table, to shut in transitions"]
    assert "door: push in open does nothing in the table, creak slam as declared" in equivalence(
        door.without("open", "push")
    )


def test_a_byte_that_is_no_state_is_reported(door: Table) -> None:
    faults = equivalence(planted(door, 0, 77))
    assert faults[0] == "door: push in open goes to #77 in the table, to shut in transitions"
    assert faults[1].endswith("push in open, the table is in #77, transitions in shut")


@pytest.mark.parametrize(("number", "text"), [(2, "creak"), (0, "nothing"), (9, "#9")])
def test_a_wrong_program_is_reported(door: Table, number: int, text: str) -> None:
    faults = equivalence(planted(door, 0, number, part="action"))
    assert faults == [f"door: push in open does {text} in the table, creak slam as declared"]


def test_a_wrong_frame_is_reported(door: Table) -> None:
    copy = Table(door.machine, door.triggers)
    object.__setattr__(copy, "initial", 1)
    object.__setattr__(copy, "final", frozenset({0}))
    assert equivalence(copy, steps=0) == [
        "door: it starts in shut in the table, in open in transitions",
        "door: the final states are ['open'] in the table, ['gone'] in the declaration",
    ]


def test_rows_that_changed_after_compiling_are_reported(door: Table) -> None:
    machine = Machine("door", states="open shut gone", initial="open", rows=[("push", "open", "shut", "-")], actions=())
    object.__setattr__(machine, "rows", door.machine.rows)
    object.__setattr__(machine, "final", ("gone",))
    copy = Table(door.machine, door.triggers)
    object.__setattr__(copy, "machine", machine)
    faults = equivalence(copy, steps=0)
    assert "door: push in shut does creak in the table, nothing as declared" in faults


def test_a_transition_that_was_not_declared_is_reported(door: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = reference(door.machine)
    machine.add_transition("knock", "open", "open")
    machine.add_transition("kick", "open", "gone")
    monkeypatch.setattr(mcs_fsm.machine.reference, "reference", lambda declared: machine)
    assert equivalence(door, steps=0) == [
        "door: the trigger kick is not in the table",
        "door: knock in open leads to [] as declared, to ['open'] in transitions",
        "door: kick in open leads to [] as declared, to ['gone'] in transitions",
        "door: knock in open goes to nothing in the table, to open in transitions",
    ]


def test_a_refused_trigger_that_moves_the_state_is_reported(door: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    class Leak(transitions.Event):
        def trigger(self, model: Any, *args: Any, **kwargs: Any) -> bool:
            model.state = "gone"
            raise transitions.MachineError("refused")

    machine = reference(door.machine)
    machine.events["ring"] = Leak("ring", machine)
    monkeypatch.setattr(mcs_fsm.machine.reference, "reference", lambda declared: machine)
    faults = equivalence(door, steps=0)
    assert faults[0] == "door: ring in open is illegal in transitions and moves to gone all the same"


def test_every_wrong_byte_is_reported(slot: Table) -> None:
    for place in range(len(slot.next)):
        for number in (slot.next[place] - 1, ILLEGAL, 0):
            if number != slot.next[place] and 0 <= number:
                assert equivalence(planted(slot, place, number), steps=0)
                break


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Draw a machine with any rows at all, over a numbering with triggers of its own and others."""
    names = st.text("abcdefg", min_size=1, max_size=2)
    states = draw(st.lists(names.filter(lambda name: name != "as"), min_size=1, max_size=6, unique=True))
    triggers = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    actions = draw(st.lists(names, max_size=4, unique=True))
    final = draw(st.lists(st.sampled_from(states), max_size=2, unique=True))
    pairs = draw(
        st.lists(
            st.tuples(st.sampled_from(triggers), st.sampled_from(states)), min_size=1, max_size=20, unique=True
        )
    )  # fmt: skip
    program = st.lists(st.sampled_from(actions), max_size=3).map(" ".join) if actions else st.just("-")
    rows = [(*pair, draw(st.sampled_from([*states, "="])), draw(program)) for pair in pairs]
    initial = draw(st.sampled_from(states))
    machine = Machine("random", states=states, initial=initial, final=final, rows=rows, actions=actions)
    return Table(machine, draw(st.permutations([*triggers, "never"])))


@given(tables(), st.integers(0, 10))
def test_any_table_equals_its_reference(table: Table, seed: int) -> None:
    assert equivalence(table, steps=50, seed=seed) == []


@given(tables(), st.data())
def test_any_single_fault_in_a_random_table_is_reported(table: Table, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(table.next) - 1))
    choices = [n for n in (*range(len(table.states)), ILLEGAL, 99) if n != table.next[place]]
    assert equivalence(planted(table, place, data.draw(st.sampled_from(choices))), steps=5)
