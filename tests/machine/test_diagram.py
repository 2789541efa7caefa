from __future__ import annotations

import re

import pytest

from mcs_fsm.machine.declare import Machine
from mcs_fsm.machine.diagram import dot, mermaid, table
from mcs_fsm.machine.table import Table

DOOR = """\
---
title: "door"
---
stateDiagram-v2
  open
  shut
  gone
  [*] --> open
  open --> shut : push / creak slam
  open --> gone : remove / carry
  shut --> open : push / creak
  shut --> shut : knock
  shut --> gone : remove / carry
  gone --> [*]
"""

TWO = """\
stateDiagram-v2
  state "door" as machine_door {
    state "open" as door__open
    state "shut" as door__shut
    state "gone" as door__gone
    [*] --> door__open
    door__open --> door__shut : push / creak slam
    door__open --> door__gone : remove / carry
    door__shut --> door__open : push / creak
    door__shut --> door__shut : knock
    door__shut --> door__gone : remove / carry
    door__gone --> [*]
  }
  state "lamp 2" as machine_lamp_2 {
    state "start" as lamp_2__start
    state "failed" as lamp_2__failed
    [*] --> lamp_2__start
    lamp_2__start --> lamp_2__start : press, turn / glow
    lamp_2__start --> lamp_2__failed : drop
    lamp_2__failed --> [*]
    note right of lamp_2__start
      turn - older lamps are turned, see
      https://lamps.example/manual
    end note
  }
  classDef failure fill:#fdd,stroke:#a00,color:#600
  class lamp_2__failed failure
"""


@pytest.fixture(scope="module")
def lamp() -> Machine:
    return Machine(
        "lamp 2",
        states="start failed",
        initial="start",
        final="failed",
        rows=[
            ("press", "start", "=", "glow"),
            ("turn", "start", "=", "glow", "older lamps are turned; see https://lamps.example/manual"),
            ("drop", "start", "failed", "-"),
        ],
        actions=["glow"],
    )


def noted(note: str) -> Machine:
    return Machine("noted", states="a b", initial="a", final="b", rows=[("go", "*", "b", "-", note)], actions=())


def cells(compiled: Table) -> set[tuple[str, str, str, tuple[str, ...]]]:
    found = set()
    for state in compiled.states:
        for trigger in compiled.triggers:
            cell = compiled.cell(state, trigger)
            if cell:
                found.add((state, trigger, *cell))
    return found


def drawn(lines: list[str], arrow: str, label: str) -> set[tuple[str, str, str, tuple[str, ...]]]:
    """Read the edges of a diagram back into cells."""
    found = set()
    for line in lines:
        match = re.fullmatch(rf"\s*(\w+) {arrow} (\w+) {label}", line)
        if match:
            triggers, _, actions = match[3].partition(" / ")
            source, dest = (name.rpartition("__")[2] for name in match.group(1, 2))
            found |= {(source, trigger, dest, tuple(actions.split())) for trigger in triggers.split(", ")}
    return found


def test_one_machine_is_drawn_plainly(door: Table) -> None:
    assert mermaid(door) == DOOR


def test_a_declaration_is_compiled_and_drawn(door: Table) -> None:
    assert mermaid(door.machine) == DOOR


def test_several_machines_have_a_composite_state_each(door: Table, lamp: Machine) -> None:
    assert mermaid([door, lamp]) == TWO


def test_a_lost_cell_is_not_drawn(door: Table) -> None:
    assert mermaid(door.without("shut", "knock")) == DOOR.replace("  shut --> shut : knock\n", "")


def test_a_wrong_cell_is_drawn_as_it_runs(door: Table) -> None:
    copy = Table(door.machine, door.triggers)
    object.__setattr__(copy, "next", bytes([0]) + door.next[1:])
    assert "  open --> open : push / creak slam\n" in mermaid(copy)


def test_mermaid_shows_every_cell_and_no_other(turn: Table, slot: Table, lex: Table) -> None:
    for compiled in (turn, slot, lex):
        assert drawn(mermaid(compiled).splitlines(), "-->", ": (.*)") == cells(compiled)


def test_dot_shows_every_cell_and_no_other(turn: Table, slot: Table, lex: Table) -> None:
    for compiled in (turn, slot, lex):
        assert drawn(dot(compiled).splitlines(), "->", r'\[label="(.*)"\]') == cells(compiled)


def test_the_markdown_table_declares_the_same_machine(turn: Table, slot: Table, lex: Table, door: Table) -> None:
    for compiled in (turn, slot, lex, door):
        machine = compiled.machine
        rows = [
            tuple(field.strip().strip("`") for field in line.split("|")[1:-2])
            for line in table(compiled).splitlines()[2:]
        ]
        again = Machine(
            machine.name, states=machine.states, initial=machine.initial, final=machine.final, rows=rows,
            actions=machine.actions,
        )  # fmt: skip
        assert cells(Table(again, compiled.triggers)) == cells(compiled)


def test_the_same_machine_gives_the_same_text(turn: Table, slot: Table) -> None:
    again = Table(turn.machine, turn.triggers)
    assert mermaid([turn, slot]) == mermaid([again, slot])
    assert dot([turn, slot]) == dot([again, slot])
    assert table(turn) == table(again)


def test_ids_are_never_shared_between_machines(door: Table) -> None:
    text = mermaid(
        [door, door, Machine("door 2", states="open", initial="open", rows=[("x", "*", "=", "")], actions=())]
    )
    ids = re.findall(r'state "[^"]+" as (\w+)', text)
    assert len(ids) == len(set(ids)) == 10


def test_labels_and_ids_carry_no_character_that_mermaid_refuses(turn: Table, slot: Table, lex: Table) -> None:
    for line in mermaid([turn, slot, lex]).splitlines():
        assert line == line.rstrip()
        if "-->" in line:
            edge, _, label = line.partition(" : ")
            assert re.fullmatch(r"\s+(\w+|\[\*\]) --> (\w+|\[\*\])", edge)
            assert re.fullmatch(r"[a-z_ ,/]*", label)


def test_rows_that_stay_can_be_written_into_the_box(door: Table) -> None:
    text = mermaid(door, inside=True)
    assert '  state "shut" as shut\n' in text
    assert "  shut : knock\n" in text
    assert "shut --> shut" not in text


def test_a_note_of_several_states_is_drawn_once() -> None:
    machine = Machine(
        "noted", states="a b c", initial="a", final="c", rows=[("go stop", "*", "c", "-", "late")], actions=()
    )
    assert mermaid(machine).count("go, stop - late") == 1
    assert mermaid(machine).count("note right of") == 1


def test_notes_of_one_state_are_one_note() -> None:
    rows = [("go", "a", "b", "-", "first"), ("stop", "a", "b", "-", "second")]
    text = mermaid(Machine("noted", states="a b", initial="a", final="b", rows=rows, actions=()))
    assert "  note right of a\n    go - first\n    stop - second\n  end note\n" in text


def test_a_note_of_a_lost_cell_is_not_drawn() -> None:
    machine = noted("late")
    assert "late" not in mermaid(Table(machine, ["go"]).without("a", "go"))


def test_a_long_note_is_a_comment() -> None:
    text = mermaid(noted("word " * 60))
    assert "note right" not in text
    assert "  %% note a - go - word word" in text


def test_a_note_cannot_break_out_of_its_place() -> None:
    text = mermaid(noted("<b>; end note %%{init}%% #35;"))
    assert text.count("end note") == 1
    assert not set("<;%") & set(text)


def test_dot_has_a_cluster_for_each_of_several(door: Table, lamp: Machine) -> None:
    text = dot([door, lamp])
    assert text.startswith('digraph "door lamp 2" {\n')
    assert text.count("subgraph cluster_") == 2
    assert '    door__gone [label="gone", peripheries=2]\n' in text
    assert "    machine_lamp_2_initial -> lamp_2__start\n" in text
    assert text.count("{") == text.count("}")
    assert "cluster" not in dot(door)


def test_dot_marks_failures(lamp: Machine) -> None:
    assert 'lamp_2__failed [label="failed", peripheries=2, style="rounded,filled"' in dot(lamp)


def test_the_markdown_table_is_compact(door: Table, lamp: Machine) -> None:
    assert table(door) == (
        "| trigger | source | dest | actions | note |\n"
        "| --- | --- | --- | --- | --- |\n"
        "| push | open | shut | creak slam |  |\n"
        "| push | shut | open | creak |  |\n"
        "| knock | shut | `=` | - |  |\n"
        "| remove | `*` | gone | carry |  |\n"
    )
    assert "| turn | start | `=` | glow | older lamps are turned; see https://lamps.example/manual |" in table(lamp)


def test_a_state_that_stays_joins_the_others_that_lead_there() -> None:
    rows = [("go", "a", "b", "x"), ("go", "b", "=", "x"), ("go", "c", "=", "-")]
    machine = Machine("m", states="a b c d", initial="a", final="d", rows=rows, actions=["x"])
    assert table(machine).splitlines()[2:] == ["| go | a b | b | x |  |", "| go | c | `=` | - |  |"]


def test_a_bar_in_a_note_does_not_end_the_cell() -> None:
    assert "| a \\| b |" in table(noted("a | b"))


def test_nothing_to_draw_is_an_error() -> None:
    with pytest.raises(ValueError, match="no machine to draw"):
        mermaid([])
