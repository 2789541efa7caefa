from __future__ import annotations

import pytest

from mcs_fsm.errors import UnknownName
from mcs_fsm.machine.declare import Machine, override
from mcs_fsm.machine.prove import (
    absorbing,
    actions_known,
    closes,
    covers,
    end_leaves_nothing,
    ends,
    held_rows,
    reachable,
)
from mcs_fsm.machine.table import Table

HELD = ("marker", "forming", "named", "args", "closing")


def changed(table: Table, *rows: tuple[str, ...], extra: str = "", without: tuple[tuple[str, str], ...] = ()) -> Table:
    """Declare a table's machine again with other rows, and states that nothing leads to."""
    machine = table.machine
    old = [(row.trigger, row.source, row.dest, " ".join(row.actions)) for row in machine.rows]
    again = Machine(
        machine.name,
        states=[*machine.states, *extra.split()],
        initial=machine.initial,
        final=machine.final,
        rows=[*old, *rows],
        actions=machine.actions,
        without=without,
    )
    return Table(again, table.triggers)


def test_the_machines_have_all_that_is_proved(turn: Table, slot: Table, lex: Table) -> None:
    for table in (turn, slot, lex):
        assert reachable(table) == []
        assert absorbing(table) == []
        assert ends(table) == []
        assert actions_known(table, table.machine.actions) == []
    assert closes(turn, "eof") == closes(turn, "turn_end") == []
    assert closes(slot, "close_whole") == closes(slot, "close_part") == closes(slot, "close_cut") == []
    assert closes(lex, "end") == []
    payload = ("text", "reasoning", "refusal", "call_id", "call_name", "args_delta", "usage", "opaque", "error")
    assert covers(turn, payload, ["done"]) == []
    assert held_rows(lex, HELD, {"show"}, {"ready"}) == []
    assert end_leaves_nothing(lex, "end", HELD) == []


def test_a_state_that_no_path_leads_to_is_reported(door: Table) -> None:
    assert reachable(changed(door, ("push", "ajar", "shut", "-"), extra="ajar loft")) == [
        "door: no path leads to the state ajar",
        "door: no path leads to the state loft",
    ]


def test_a_state_that_only_one_lost_cell_led_to_is_reported(door: Table) -> None:
    assert reachable(door.without("open", "push")) == ["door: no path leads to the state shut"]


def test_a_row_out_of_a_final_state_is_reported(door: Table) -> None:
    table = changed(door, ("push", "gone", "open", "-"), ("knock", "gone", "=", "-"))
    assert absorbing(table) == ["door: push leads out of gone, to open, and gone should absorb"]
    assert absorbing(table, ["open"]) == [
        "door: push leads out of open, to shut, and open should absorb",
        "door: remove leads out of open, to gone, and open should absorb",
    ]
    with pytest.raises(UnknownName):
        absorbing(table, ["ajar"])


def test_a_state_that_cannot_end_is_reported(door: Table) -> None:
    trap = changed(door, override("push", "open", "ajar", "-"), ("push", "ajar", "=", "-"), extra="ajar")
    assert ends(trap) == ["door: no final state can be reached from ajar"]


def test_ends_may_be_asked_of_some_triggers_only(door: Table) -> None:
    assert ends(door, ["remove"]) == []
    assert ends(door, ["push", "knock"]) == [
        "door: no final state can be reached by knock, push from open",
        "door: no final state can be reached by knock, push from shut",
    ]
    with pytest.raises(UnknownName):
        ends(door, ["kick"])


def test_a_path_to_the_end_may_have_several_steps(door: Table) -> None:
    assert ends(door.without("open", "remove")) == []


def test_a_machine_without_a_final_state_never_ends() -> None:
    machine = Machine("loop", states="a b", initial="a", rows=[("go", "*", "b", "-")], actions=())
    assert len(ends(Table(machine, ["go"]))) == 2


def test_what_one_trigger_does_not_close_is_reported(door: Table) -> None:
    assert closes(door, "remove") == []
    assert closes(door, "knock") == [
        "door: there is no row for knock in open",
        "door: knock in shut leads to shut, which is not final",
    ]
    with pytest.raises(UnknownName):
        closes(door, "kick")


def test_a_payload_without_a_row_is_reported(door: Table, turn: Table) -> None:
    assert covers(door, ["push"], ["gone"]) == []
    assert covers(door, ["push", "ring"], ["gone", "shut"]) == ["door: there is no row for ring in open"]
    assert covers(turn.without("cut", "text"), ["text"], ["done"]) == ["turn: there is no row for text in cut"]
    with pytest.raises(UnknownName):
        covers(door, ["kick"])
    with pytest.raises(UnknownName):
        covers(door, ["push"], ["ajar"])


def test_an_unknown_action_is_reported(door: Table) -> None:
    assert actions_known(door, {"creak", "carry"}) == ["door: push in open does slam, which is no known action"]


def test_bytes_that_are_no_state_or_program_are_reported(door: Table) -> None:
    copy = Table(door.machine, door.triggers)
    object.__setattr__(copy, "next", bytes([77]) + door.next[1:])
    object.__setattr__(copy, "action", bytes([9]) + door.action[1:])
    assert reachable(copy) == ["door: no path leads to the state shut"]
    assert closes(copy, "push")[0] == "door: push in open leads to #77, which is not final"
    assert actions_known(copy, door.machine.actions) == ["door: push in open does #9, which is no known action"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (("object", "marker", "forming", "show"), "object from marker to forming shows text that is still held"),
        (("alias", "forming", "=", "hold show"), "alias from forming to forming shows text that is still held"),
        (
            ("object", "closing", "forming", "ready show"),
            "object from closing to forming shows text that is still held",
        ),
        (("whole", "args", "idle", "ready show"), "whole from args to idle shows the text of a call and makes it ready"),
        (("break", "args", "text", "abandon"), "break from args to text neither shows what was held nor makes it ready"),
        (("owned", "forming", "text", "open"), "owned from forming to text neither shows what was held nor makes it ready"),
        (("fence_end", "closing", "idle", "-"), "fence_end from closing to idle neither shows what was held nor makes it ready"),
    ],
)  # fmt: skip
def test_a_hole_in_the_firewall_is_reported(lex: Table, row: tuple[str, ...], sentence: str) -> None:
    assert held_rows(changed(lex, override(*row)), HELD, {"show"}, {"ready"}) == [f"lex: {sentence}"]


def test_a_row_that_may_do_both_is_named_and_has_to_do_both(lex: Table) -> None:
    both = changed(lex, override("whole", "args", "idle", "ready show"))
    assert held_rows(both, HELD, {"show"}, {"ready"}, {("args", "whole")}) == []
    assert held_rows(lex, HELD, {"show"}, {"ready"}, {("args", "whole")}) == [
        "lex: whole in args is allowed to show and make ready, and does not do both"
    ]


def test_unknown_held_states_are_an_error(lex: Table) -> None:
    with pytest.raises(UnknownName):
        held_rows(lex, ["pending"], {"show"}, {"ready"})
    with pytest.raises(UnknownName):
        end_leaves_nothing(lex, "end", ["pending"])
    with pytest.raises(UnknownName):
        end_leaves_nothing(lex, "eof", HELD)


def test_an_end_that_leaves_something_held_is_reported(lex: Table) -> None:
    assert end_leaves_nothing(lex.without("args", "end"), "end", HELD) == ["lex: there is no row for end in args"]
    stuck = changed(lex, override("end", "marker", "forming", "-"))
    assert end_leaves_nothing(stuck, "end", HELD) == ["lex: end in marker leads to forming, where text is held"]
