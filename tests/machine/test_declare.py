from __future__ import annotations

from typing import Any

import pytest

from mcs_fsm.errors import DeclarationError
from mcs_fsm.machine.declare import MERMAID_WORDS, Machine, Row, is_name, override

ROWS: list[tuple[str, ...]] = [
    ("begin", "idle", "text", "show"),
    ("more  again", "text", "=", "show keep", "some servers repeat it"),
    ("stop", "*", "done", ""),
]


def declare(rows: Any = ROWS, **changes: Any) -> Machine:
    settings: dict[str, Any] = {
        "states": "idle text done",
        "initial": "idle",
        "final": "done",
        "actions": ["show", "keep"],
    }
    return Machine(changes.pop("name", "small"), rows=rows, **(settings | changes))


def fault(*args: Any, **changes: Any) -> str:
    with pytest.raises(DeclarationError) as caught:
        declare(*args, **changes)
    assert caught.value.subject == changes.get("name", "small")
    return caught.value.fault


def test_rows_are_expanded_to_one_for_each_trigger_and_source() -> None:
    assert declare().rows == (
        Row("begin", "idle", "text", ("show",)),
        Row("more", "text", "text", ("show", "keep"), "some servers repeat it"),
        Row("again", "text", "text", ("show", "keep"), "some servers repeat it"),
        Row("stop", "idle", "done", ()),
        Row("stop", "text", "done", ()),
    )


def test_attributes_say_what_was_declared() -> None:
    machine = declare()
    assert (machine.name, machine.states, machine.initial, machine.final) == (
        "small", ("idle", "text", "done"), "idle", ("done",)
    )  # fmt: skip
    assert machine.triggers == ("begin", "more", "again", "stop")
    assert machine.actions == {"show", "keep"}
    assert repr(machine) == "<Machine small: 3 states, 4 triggers, 5 rows>"


def test_transitions_are_in_the_dialect_of_the_reference_and_a_new_list_each_time() -> None:
    machine = declare()
    assert machine.transitions[1] == {"trigger": "more", "source": "text", "dest": "text"}
    machine.transitions.clear()
    assert len(machine.transitions) == 5


def test_a_row_is_found_by_state_and_trigger() -> None:
    assert declare().row("idle", "begin") == Row("begin", "idle", "text", ("show",))
    assert declare().row("text", "begin") is None
    assert declare().row("text", "unheard_of") is None


def test_states_and_final_may_be_sequences_and_actions_one_string() -> None:
    machine = declare(states=["idle", "text", "done"], final=["done"], actions="show keep")
    assert machine.rows == declare().rows
    assert machine.actions == {"show", "keep"}


@pytest.mark.parametrize("nothing", ["", "-", " - ", "  "])
def test_no_actions_are_written_as_nothing_or_a_dash(nothing: str) -> None:
    machine = declare([("stop", "idle", "done", nothing)])
    assert machine.rows == (Row("stop", "idle", "done", ()),)


def test_a_star_leaves_out_the_final_states() -> None:
    assert [row.source for row in declare([("stop", "*", "done", "-")]).rows] == ["idle", "text"]
    assert [row.source for row in declare([("stop", "*", "=", "-")], final="").rows] == ["idle", "text", "done"]


def test_a_note_is_one_line() -> None:
    assert declare([("stop", "idle", "done", "-", " sent\n  twice ")]).rows[0].note == "sent twice"


def test_a_machine_cannot_be_changed() -> None:
    machine = declare()
    with pytest.raises(AttributeError, match="immutable"):
        machine.name = "other"
    with pytest.raises(AttributeError, match="immutable"):
        del machine.rows


def test_an_override_replaces_a_row_in_its_place() -> None:
    machine = declare([*ROWS, override("more", "text", "idle", "keep", "odd")])
    assert machine.rows[1] == Row("more", "text", "idle", ("keep",), "odd")
    assert len(machine.rows) == 5
    assert machine.triggers == declare().triggers


def test_an_override_may_replace_several_rows() -> None:
    machine = declare([*ROWS, override("stop", "*", "=", "keep")])
    assert [row.dest for row in machine.rows if row.trigger == "stop"] == ["idle", "text"]


def test_rows_can_be_left_out() -> None:
    machine = declare(without=[("more again", "text"), ("stop", "idle")])
    assert [(row.trigger, row.source) for row in machine.rows] == [("begin", "idle"), ("stop", "text")]
    assert machine.triggers == ("begin", "stop")


def test_shared_rows_may_come_from_states_that_a_machine_does_not_have() -> None:
    shared = [*ROWS, ("begin", "text args lost", "text", "show"), ("more", "args", "text", "-")]
    machine = declare(shared, absent="args lost")
    assert [(row.trigger, row.source) for row in machine.rows[-2:]] == [("stop", "text"), ("begin", "text")]
    assert machine.states == declare().states


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([*ROWS, ("begin", "idle", "=", "-")], "'begin' in 'idle' has two rows"),
        ([("begin begin", "idle", "=", "-")], "'begin' in 'idle' has two rows"),
        ([*ROWS, override("begin", "text", "=", "-")], "the override of 'begin' in 'text' replaces nothing"),
        ([override("begin", "idle", "=", "-"), *ROWS], "the override of 'begin' in 'idle' replaces nothing"),
        ([("begin", "lost", "text", "-")], "the source 'lost' of 'begin' is not one of its states"),
        ([("begin", "idle", "lost", "-")], "the dest 'lost' of 'begin' is not one of its states"),
        ([("begin", "idle", "", "-")], "the dest '' of 'begin' is not one of its states"),
        ([("begin", "idle", "text done", "-")], "the dest 'text done' of 'begin' is not one of its states"),
        ([("begin", "idle", "*", "-")], "the dest '*' of 'begin' is not one of its states"),
        ([("begin", "idle text *", "=", "-")], "the source '*' of 'begin' is not one of its states"),
        ([("begin", "idle", "=", "sing")], "the action 'sing' of 'begin' is not one of its actions"),
        ([("begin", "idle", "=", "show -")], "the action '-' of 'begin' is not one of its actions"),
        ([("Begin", "idle", "=", "-")], "the trigger name 'Begin' is not [a-z][a-z_]*"),
        ([("*", "idle", "=", "-")], "the trigger name '*' is not [a-z][a-z_]*"),
        ([("", "idle", "=", "-")], "the row for '' in 'idle' names no trigger"),
        ([("begin", " ", "=", "-")], "the row for 'begin' in ' ' names no state"),
        ([], "it has no rows"),
    ],
)
def test_a_wrong_row_is_refused_with_the_reason(rows: Any, sentence: str) -> None:
    assert fault(rows) == sentence


@pytest.mark.parametrize(
    "row",
    [
        ("begin", "idle", "text"),
        ("begin", "idle", "text", "show", "note", "more"),
        ("begin", "idle", "text", ("show",)),
        ("begin", ["idle"], "text", "show"),
        ("begin", "idle", None, "show"),
        ["begin", "idle", "text", "show"],
        "four",
        {"trigger": "begin", "source": "idle", "dest": "text", "conditions": "ready"},
    ],
)
def test_what_is_no_row_is_refused(row: Any) -> None:
    assert "is not (triggers, sources, dest, actions) or those and a note, all str" in fault([row])


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"states": ""}, "it has no states"),
        ({"states": "idle text done text"}, "the state 'text' is declared twice"),
        ({"final": "done done"}, "the final state 'done' is declared twice"),
        ({"states": "idle text done tool-call"}, "the state name 'tool-call' is not [a-z][a-z_]*"),
        ({"states": ["idle", "text", "done", ""]}, "the state name '' is not [a-z][a-z_]*"),
        ({"states": "idle text done note"}, "the state name 'note' is a word of mermaid, no diagram could show it"),
        ({"states": "idle text done end"}, "the state name 'end' is a word of mermaid, no diagram could show it"),
        ({"initial": "first"}, "the initial state 'first' is not one of its states"),
        ({"initial": "idle text"}, "the initial state 'idle text' is not one of its states"),
        ({"final": "done last"}, "the final state 'last' is not one of its states"),
        ({"actions": ["show", "keep", "No"]}, "the action name 'No' is not [a-z][a-z_]*"),
        ({"without": [("begin", "text")]}, "there is no row for 'begin' in 'text' to go without"),
        ({"without": [("begin", "idle")] * 2}, "there is no row for 'begin' in 'idle' to go without"),
        ({"without": [("begin", "lost")]}, "the source 'lost' of 'begin' is not one of its states"),
        ({"without": [("begin",)]}, "('begin',) in `without` is not (triggers, sources), both str"),
        ({"absent": "text"}, "the state 'text' is declared and absent"),
        ({"absent": "args"}, "no row names the absent state 'args' as a source"),
        (
            {"absent": "args", "rows": [("begin", "idle args", "args", "-")]},
            "the dest 'args' of 'begin' is not one of its states",
        ),
        ({"name": ""}, "the name of a machine is a letter, then letters, digits, blanks and _-./"),
        ({"name": 'a "b"'}, "the name of a machine is a letter, then letters, digits, blanks and _-./"),
    ],
)
def test_a_wrong_declaration_is_refused_with_the_reason(changes: dict[str, Any], sentence: str) -> None:
    assert fault(**changes) == sentence


@pytest.mark.parametrize("word", sorted(MERMAID_WORDS))
def test_words_of_mermaid_are_no_states_but_may_be_triggers_and_actions(word: str) -> None:
    assert "word of mermaid" in fault(states=["idle", "text", "done", word])
    assert declare([(word, "idle", "text", word)], actions=[word]).triggers == (word,)


@pytest.mark.parametrize("word", ["a", "call_start", "args__new", "x_"])
def test_names(word: str) -> None:
    assert is_name(word)


@pytest.mark.parametrize("word", ["", "_a", "A", "aB", "a1", "a-b", "a b", "a.b", "é", "ª", "a\n", "*", "="])
def test_no_names(word: str) -> None:
    assert not is_name(word)
