"""The same machine as `transitions` runs it, and every difference between that and the compiled table.

Nothing that reads a stream imports this module: `transitions` is loaded here alone.
"""

from __future__ import annotations

import random

import transitions

from .declare import Machine
from .table import ILLEGAL, Table

__all__ = ["cells", "equivalence", "reference"]


class _Model:
    """What a machine of `transitions` moves."""

    __slots__ = ("state",)

    def __init__(self, state: str) -> None:
        self.state = state


def reference(machine: Machine) -> transitions.Machine:
    """Build the machine with `transitions`, from nothing but the trigger, source and dest of its rows.

    It has no model: `events[trigger].trigger(model)` moves any object with a `state`.
    """
    return transitions.Machine(
        model=None,
        states=list(machine.states),
        transitions=list(machine.transitions),
        initial=machine.initial,
        auto_transitions=False,
        name=machine.name,
    )


def cells(table: Table) -> int:
    """Count the cells that `equivalence` compares: states x triggers, legal or not."""
    return len(table.states) * table.width


def equivalence(table: Table, *, steps: int = 20_000, seed: int = 0) -> list[str]:
    """Compare a compiled table with its declaration and with `transitions`.

    Every cell is stepped in both, the transitions that `transitions` holds are compared with the declared rows, the
    actions of every cell with those declared, and both machines take one random walk.

    Args:
        table: what the code steps.
        steps: length of the walk.
        seed: of the walk.

    Returns:
        One sentence for each difference, the walk's first difference only; empty if they are equal.
    """
    machine = reference(table.machine)
    return [
        f"{table.machine.name}: {fault}"
        for fault in (
            *_frames(table, machine),
            *_rows(table.machine, machine),
            *_steps(table, machine),
            *_actions(table),
            *_walk(table, machine, steps, random.Random(seed)),
        )
    ]


def _frames(table: Table, machine: transitions.Machine) -> list[str]:
    """Compare what stands around the cells: states, first state, last states, triggers."""
    faults = []
    if list(machine.states) != list(table.states):
        faults.append(f"the states are {list(table.states)} in the table, {list(machine.states)} in transitions")
    if machine.initial != table.states[table.initial]:
        faults.append(f"it starts in {table.states[table.initial]} in the table, in {machine.initial} in transitions")
    final = [state for number, state in enumerate(table.states) if number in table.final]
    if set(final) != set(table.machine.final):
        faults.append(f"the final states are {final} in the table, {list(table.machine.final)} in the declaration")
    faults += [f"the trigger {event} is not in the table" for event in machine.events if event not in table.triggers]
    return faults


def _rows(declared: Machine, machine: transitions.Machine) -> list[str]:
    """Compare the transitions that `transitions` holds with the declared rows."""
    held = {
        (trigger, source): [transition.dest for transition in found]
        for trigger, event in machine.events.items()
        for source, found in event.transitions.items()
    }
    ours = {(row.trigger, row.source): [row.dest] for row in declared.rows}
    return [
        f"{trigger} in {source} leads to {ours.get((trigger, source), [])} as declared, "
        f"to {held.get((trigger, source), [])} in transitions"
        for trigger, source in {**ours, **held}
        if ours.get((trigger, source)) != held.get((trigger, source))
    ]


def _steps(table: Table, machine: transitions.Machine) -> list[str]:
    """Step every cell in both."""
    faults = []
    model = _Model(table.states[table.initial])
    for state in table.states:
        for trigger in table.triggers:
            if state not in machine.states:
                continue
            machine.set_state(state, model)
            theirs = _fire(machine, model, trigger)
            ours = _dest(table, table.state(state), table.trigger(trigger))
            if theirs is None and model.state != state:
                faults.append(f"{trigger} in {state} is illegal in transitions and moves to {model.state} all the same")
            if theirs != ours:
                faults.append(
                    f"{trigger} in {state} goes to {ours or 'nothing'} in the table, "
                    f"to {theirs or 'nothing'} in transitions"
                )
    return faults


def _actions(table: Table) -> list[str]:
    """Compare the program of every cell with the declared actions."""
    faults = []
    for state in table.states:
        for trigger in table.triggers:
            row = table.machine.row(state, trigger)
            number = table.step(table.state(state), table.trigger(trigger))[1]
            ours = table.programs[number] if number < len(table.programs) else (f"#{number}",)
            declared = row.actions if row else ()
            if ours != declared:
                faults.append(
                    f"{trigger} in {state} does {' '.join(ours) or 'nothing'} in the table, "
                    f"{' '.join(declared) or 'nothing'} as declared"
                )
    return faults


def _walk(table: Table, machine: transitions.Machine, steps: int, dice: random.Random) -> list[str]:
    """Walk both at random; start again from a final state, where nothing more would happen, every few steps."""
    model = _Model(table.states[table.initial])
    state = table.initial
    legal = [
        [trigger for trigger in range(table.width) if table.step(number, trigger)[0] != ILLEGAL]
        for number in range(len(table.states))
    ]
    for count in range(steps):
        if state in table.final and dice.random() < 0.25:
            state = table.initial
            machine.set_state(table.states[state], model)
        if legal[state] and dice.random() < 0.5:
            trigger = dice.choice(legal[state])
        else:
            trigger = dice.randrange(table.width)
        _fire(machine, model, table.triggers[trigger])
        here, after = table.states[state], _dest(table, state, trigger)
        if (after or here) != model.state:
            last = f"after {count + 1} random steps, {table.triggers[trigger]} in {here}"
            return [f"{last}, the table is in {after or here}, transitions in {model.state}"]
        state = table.next[state * table.width + trigger] if after else state
    return []


def _fire(machine: transitions.Machine, model: _Model, trigger: str) -> str | None:
    """Trigger a model; give the state it is in then, None if the trigger is illegal."""
    event = machine.events.get(trigger)
    if event is None:
        return None
    try:
        event.trigger(model)
    except transitions.MachineError:
        return None
    return model.state


def _dest(table: Table, state: int, trigger: int) -> str | None:
    """Name the next state of a cell, `#n` if the byte is no state, None if the cell is illegal."""
    number = table.step(state, trigger)[0]
    if number == ILLEGAL:
        return None
    return table.states[number] if number < len(table.states) else f"#{number}"
