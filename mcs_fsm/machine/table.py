"""Compile a machine: rows in, two byte strings of states x triggers out, next state and program.

A look-up is `table.next[state * table.width + trigger]`: 38 ns in Python where a step of `transitions` costs 7,100 ns
(CPython 3.11.7, x86_64), so that a declared machine costs nothing once it is a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..errors import DeclarationError, UnknownName
from .declare import Frozen, Machine, is_name

__all__ = ["ILLEGAL", "Table"]

#: The next state of a cell without a row. One byte holds it, so a machine has 255 states at most.
ILLEGAL = 255

_Action = TypeVar("_Action", bound=Callable[..., Any])


class Table(Frozen):
    """A compiled machine, built once at import and shared by every stream.

    Attributes: `machine` (the declaration), `states` and `triggers` (tuples; a name's number is its place), `width`
    (number of triggers), `next` (bytes, states x width: the next state or `ILLEGAL`), `action` (bytes, states x width:
    the number of a program), `programs` (tuple of distinct action sequences; 0 is the empty one), `initial` (state
    number), `final` (frozenset of state numbers).
    """

    __slots__ = (
        "_state_numbers", "_trigger_numbers", "action", "final", "initial", "machine", "next", "programs", "states",
        "triggers", "width",
    )  # fmt: skip

    machine: Machine
    states: tuple[str, ...]
    triggers: tuple[str, ...]
    width: int
    next: bytes
    action: bytes
    programs: tuple[tuple[str, ...], ...]
    initial: int
    final: frozenset[int]
    _state_numbers: dict[str, int]
    _trigger_numbers: dict[str, int]

    def __init__(self, machine: Machine, triggers: Sequence[str]) -> None:
        """Compile a machine over a numbering of triggers.

        Args:
            machine: the declaration.
            triggers: all triggers that machines with this numbering share; the machine's own are among them.

        Raises:
            DeclarationError: if a trigger of the machine is not in `triggers`, one is there twice or is no name, or if
                there are more states or programs than a byte can number.
        """
        triggers = tuple(triggers)
        numbers = {name: number for number, name in enumerate(triggers)}
        if len(numbers) < len(triggers):
            twice = next(name for name in triggers if triggers.count(name) > 1)
            raise DeclarationError(machine.name, f"the trigger {twice!r} is numbered twice")
        for name in triggers:
            if not is_name(name):
                raise DeclarationError(machine.name, f"the trigger name {name!r} is not [a-z][a-z_]*")
        for name in machine.triggers:
            if name not in numbers:
                raise DeclarationError(machine.name, f"its trigger {name!r} is not among the shared triggers")
        if len(machine.states) > ILLEGAL:
            raise DeclarationError(machine.name, f"{len(machine.states)} states, a byte numbers {ILLEGAL}")
        states = {name: number for number, name in enumerate(machine.states)}
        programs: dict[tuple[str, ...], int] = {(): 0}
        for row in machine.rows:
            programs.setdefault(row.actions, len(programs))
        if len(programs) > 256:
            raise DeclarationError(machine.name, f"{len(programs)} distinct action sequences, a byte numbers 256")
        width = len(triggers)
        following = bytearray([ILLEGAL]) * (len(states) * width)
        action = bytearray(len(following))
        for row in machine.rows:
            place = states[row.source] * width + numbers[row.trigger]
            following[place] = states[row.dest]
            action[place] = programs[row.actions]
        put = object.__setattr__
        put(self, "machine", machine)
        put(self, "states", machine.states)
        put(self, "triggers", triggers)
        put(self, "width", width)
        put(self, "next", bytes(following))
        put(self, "action", bytes(action))
        put(self, "programs", tuple(programs))
        put(self, "initial", states[machine.initial])
        put(self, "final", frozenset(states[name] for name in machine.final))
        put(self, "_state_numbers", states)
        put(self, "_trigger_numbers", numbers)

    def state(self, name: str) -> int:
        """Give the number of a state.

        Raises:
            UnknownName: if the machine has no such state.
        """
        try:
            return self._state_numbers[name]
        except KeyError:
            raise UnknownName(f"state of {self.machine.name}", name, self.states) from None

    def trigger(self, name: str) -> int:
        """Give the number of a trigger.

        Raises:
            UnknownName: if the numbering has no such trigger; one without rows in this machine has a number.
        """
        try:
            return self._trigger_numbers[name]
        except KeyError:
            raise UnknownName(f"trigger of {self.machine.name}", name, self.triggers) from None

    def cell(self, state: str, trigger: str) -> tuple[str, tuple[str, ...]] | None:
        """Read one compiled cell by names.

        Returns:
            The next state and the actions, or None where the trigger is illegal.

        Raises:
            UnknownName: if there is no such state or trigger.
        """
        place = self.state(state) * self.width + self.trigger(trigger)
        if self.next[place] == ILLEGAL:
            return None
        return self.states[self.next[place]], self.programs[self.action[place]]

    def step(self, state: int, trigger: int) -> tuple[int, int]:
        """Give next state and program number for a cell; `(ILLEGAL, 0)` where it has no row."""
        place = state * self.width + trigger
        return self.next[place], self.action[place]

    def bind(self, actions: Mapping[str, _Action]) -> tuple[tuple[_Action, ...], ...]:
        """Turn the programs into callables, in the order of `programs`.

        Args:
            actions: one callable for each action name that a program uses; others are not looked at.

        Raises:
            DeclarationError: if a program uses an action without a callable.
        """
        missing = sorted({name for program in self.programs for name in program if name not in actions})
        if missing:
            raise DeclarationError(self.machine.name, f"nothing is bound to the action {', '.join(missing)}")
        return tuple(tuple(actions[name] for name in program) for program in self.programs)

    def without(self, state: str, trigger: str) -> Table:
        """Copy the table with one cell made illegal; states, triggers and programs keep their numbers.

        Raises:
            DeclarationError: if the cell has no row.
            UnknownName: if there is no such state or trigger.
        """
        if self.cell(state, trigger) is None:
            raise DeclarationError(self.machine.name, f"there is no row for {trigger!r} in {state!r} to go without")
        place = self.state(state) * self.width + self.trigger(trigger)
        copy = object.__new__(Table)
        for slot in Table.__slots__:
            object.__setattr__(copy, slot, getattr(self, slot))
        object.__setattr__(copy, "next", self.next[:place] + bytes([ILLEGAL]) + self.next[place + 1 :])
        object.__setattr__(copy, "action", self.action[:place] + b"\0" + self.action[place + 1 :])
        return copy

    def __repr__(self) -> str:
        return f"<Table {self.machine.name}: {len(self.states)} x {self.width}, {len(self.programs)} programs>"
