"""Prove properties over the cells of a compiled table, each by looking at all of them.

Every function returns its faults as sentences; an empty list is the proof.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from .table import ILLEGAL, Table

__all__ = ["absorbing", "actions_known", "closes", "covers", "end_leaves_nothing", "ends", "held_rows", "reachable"]


def reachable(table: Table) -> list[str]:
    """Prove that every state can be reached from the initial one."""
    edges = [(source, dest) for source, _, dest, _ in _cells(table)]
    seen = _closure({table.states[table.initial]}, edges)
    return [_say(table, f"no path leads to the state {state}") for state in table.states if state not in seen]


def absorbing(table: Table, states: Iterable[str] | None = None) -> list[str]:
    """Prove that states are left by no row.

    Args:
        states: names; the final states if None.

    Raises:
        UnknownName: if one of them is no state.
    """
    kept = _final(table) if states is None else _known(table, states)
    return [
        _say(table, f"{trigger} leads out of {source}, to {dest}, and {source} should absorb")
        for source, trigger, dest, _ in _cells(table)
        if source in kept and dest != source
    ]


def ends(table: Table, triggers: Iterable[str] | None = None) -> list[str]:
    """Prove that a final state can be reached from every state.

    Args:
        triggers: names of the only triggers that may be used; any if None.

    Raises:
        UnknownName: if one of them is no trigger.
    """
    names = set(table.triggers) if triggers is None else set(triggers)
    for name in names:
        table.trigger(name)
    backwards = [(dest, source) for source, trigger, dest, _ in _cells(table) if trigger in names]
    ending = _closure(_final(table), backwards)
    by = "" if triggers is None else f" by {', '.join(sorted(names))}"
    return [
        _say(table, f"no final state can be reached{by} from {state}") for state in table.states if state not in ending
    ]


def closes(table: Table, trigger: str) -> list[str]:
    """Prove that one trigger leads from every state that is not final to a final one, in one step.

    Raises:
        UnknownName: if there is no such trigger.
    """
    final = _final(table)
    table.trigger(trigger)
    dests = {source: dest for source, name, dest, _ in _cells(table) if name == trigger}
    faults = []
    for state in table.states:
        if state in final:
            continue
        if state not in dests:
            faults.append(_say(table, f"there is no row for {trigger} in {state}"))
        elif dests[state] not in final:
            faults.append(_say(table, f"{trigger} in {state} leads to {dests[state]}, which is not final"))
    return faults


def covers(table: Table, triggers: Iterable[str], except_states: Iterable[str] = ()) -> list[str]:
    """Prove that triggers have a row in every state, so that nothing a provider may lawfully send is lost.

    Args:
        triggers: names of the triggers that carry a payload.
        except_states: names of the states that need no row.

    Raises:
        UnknownName: if one of them is no trigger or no state.
    """
    skipped = _known(table, except_states)
    return [
        _say(table, f"there is no row for {trigger} in {state}")
        for trigger in triggers
        for state in table.states
        if state not in skipped and table.cell(state, trigger) is None
    ]


def actions_known(table: Table, known: Collection[str]) -> list[str]:
    """Prove that every cell does only what is in a set of action names."""
    return [
        _say(table, f"{trigger} in {source} does {action}, which is no known action")
        for source, trigger, _, actions in _cells(table)
        for action in actions
        if action not in known
    ]


def held_rows(
    table: Table,
    held: Collection[str],
    shows: Collection[str],
    readies: Collection[str],
    allowed_both: Collection[tuple[str, str]] = (),
) -> list[str]:
    """Prove the firewall: what is held is never shown while held, and is then shown or made ready, never both.

    A row from a held state back into the held ones never shows. A row out of them does one of both, and only one.

    Args:
        held: names of the states in which text is held back.
        shows: names of the actions that release held text.
        readies: names of the actions that make a call of it.
        allowed_both: (state, trigger) of rows out that may do both; one that does not is a fault as well.

    Raises:
        UnknownName: if one of the states or triggers is none.
    """
    inside = _known(table, held)
    allowed = set(allowed_both)
    faults = []
    for state, trigger in sorted(allowed):
        cell = table.cell(state, trigger)
        if cell is None or not (_any(cell[1], shows) and _any(cell[1], readies)):
            faults.append(_say(table, f"{trigger} in {state} is allowed to show and make ready, and does not do both"))
    for source, trigger, dest, actions in _cells(table):
        if source not in inside:
            continue
        showing, making = _any(actions, shows), _any(actions, readies)
        row = f"{trigger} from {source} to {dest}"
        if dest in inside:
            if showing:
                faults.append(_say(table, f"{row} shows text that is still held"))
        elif showing and making and (source, trigger) not in allowed:
            faults.append(_say(table, f"{row} shows the text of a call and makes it ready"))
        elif not showing and not making:
            faults.append(_say(table, f"{row} neither shows what was held nor makes it ready"))
    return faults


def end_leaves_nothing(table: Table, trigger: str, held: Collection[str]) -> list[str]:
    """Prove that every state but the final ones has a row for the last trigger, and that nothing is held after it.

    Args:
        trigger: the one that comes at the true end.
        held: names of the states in which text is held back.

    Raises:
        UnknownName: if one of them is no trigger or no state.
    """
    inside = _known(table, held)
    faults = []
    for number, state in enumerate(table.states):
        cell = table.cell(state, trigger)
        if cell is None:
            if number in table.final:
                continue
            faults.append(_say(table, f"there is no row for {trigger} in {state}"))
        elif cell[0] in inside:
            faults.append(_say(table, f"{trigger} in {state} leads to {cell[0]}, where text is held"))
    return faults


def _cells(table: Table) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Walk over the legal cells as (source, trigger, dest, actions); a byte that is no state or program is `#n`."""
    for number, source in enumerate(table.states):
        for place, trigger in enumerate(table.triggers):
            dest, program = table.step(number, place)
            if dest != ILLEGAL:
                yield (
                    source,
                    trigger,
                    table.states[dest] if dest < len(table.states) else f"#{dest}",
                    table.programs[program] if program < len(table.programs) else (f"#{program}",),
                )


def _closure(start: set[str], edges: Iterable[tuple[str, str]]) -> set[str]:
    following: dict[str, list[str]] = {}
    for source, dest in edges:
        following.setdefault(source, []).append(dest)
    seen, todo = set(start), list(start)
    while todo:
        for state in following.get(todo.pop(), ()):
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return seen


def _final(table: Table) -> set[str]:
    return {table.states[number] for number in table.final}


def _known(table: Table, states: Iterable[str]) -> set[str]:
    return {table.states[table.state(name)] for name in states}


def _any(actions: tuple[str, ...], names: Collection[str]) -> bool:
    return any(action in names for action in actions)


def _say(table: Table, fault: str) -> str:
    return f"{table.machine.name}: {fault}"
