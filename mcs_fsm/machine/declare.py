"""Declare a machine: rows in, one checked row per (trigger, source) out.

The dialect is that of `transitions` (trigger, source, dest; `*` and `=`) with the actions beside it. `transitions`
itself takes unknown states in silence, so every check is here (transitions 0.9.3, checked 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..errors import DeclarationError

__all__ = ["MERMAID_WORDS", "Frozen", "Machine", "Override", "Row", "is_name", "override"]

#: Words that mermaid's stateDiagram grammar does not take as a state id, or takes for something else
#: (mermaid 11.17.2, each tried with its parser).
MERMAID_WORDS = frozenset(
    {
        "accdescr", "acctitle", "as", "class", "classdef", "click", "default", "direction", "end", "hide", "href",
        "note", "root", "root_end", "root_start", "scale", "state", "statediagram", "style",
    }
)  # fmt: skip


class Row(NamedTuple):
    """One cell of a machine.

    Args:
        trigger: what arrives.
        source: the state it arrives in.
        dest: the state after it, never `=`.
        actions: what is done, in this order.
        note: what the provider does to need this row, and where it says so; empty for a plain row.
    """

    trigger: str
    source: str
    dest: str
    actions: tuple[str, ...]
    note: str = ""


class Override(tuple[str, ...]):
    """A row that replaces earlier rows with the same trigger and source; made by `override`."""

    __slots__ = ()


def override(*row: str) -> Override:
    """Mark a row as one that replaces the earlier one of each of its (trigger, source).

    Args:
        row: triggers, sources, dest, actions and, if wanted, a note, as in a plain row.

    Returns:
        The row, to be put after the shared groups it corrects.
    """
    return Override(row)


def is_name(word: str) -> bool:
    """Tell whether a word is `[a-z][a-z_]*`, which every tool that draws a machine can carry."""
    return word.isascii() and word[:1].isalpha() and word.replace("_", "").isalpha() and word == word.lower()


class Frozen:
    """A base whose attributes are set once, in `__init__`, through `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse; what is declared is shared by every stream."""
        raise AttributeError(f"{type(self).__name__} is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        """Refuse, as for setting."""
        raise AttributeError(f"{type(self).__name__} is immutable: {name!r} cannot be deleted")


class Machine(Frozen):
    """A declared machine, expanded and checked.

    Attributes: `name`, `states` (tuple, as declared), `initial`, `final` (tuple), `actions` (frozenset, all there are),
    `rows` (tuple of `Row`, one per (trigger, source)), `triggers` (tuple, in order of first appearance).
    """

    __slots__ = ("_absent", "_cells", "actions", "final", "initial", "name", "rows", "states", "triggers")

    name: str
    states: tuple[str, ...]
    initial: str
    final: tuple[str, ...]
    actions: frozenset[str]
    rows: tuple[Row, ...]
    triggers: tuple[str, ...]
    _cells: dict[tuple[str, str], Row]
    _absent: dict[str, bool]

    def __init__(
        self,
        name: str,
        *,
        states: str | Sequence[str],
        initial: str,
        final: str | Sequence[str] = "",
        rows: Iterable[tuple[str, ...]],
        actions: Collection[str],
        without: Iterable[tuple[str, str]] = (),
        absent: str | Sequence[str] = "",
    ) -> None:
        """Expand the rows and check everything that can be checked without running the machine.

        Args:
            name: of the machine, for messages and titles: an ASCII letter, then letters, digits, blanks and `_-./`.
            states: all states, as a sequence or as one string with blanks between them.
            initial: the state a stream begins in.
            final: the states that end it; `*` leaves them out.
            rows: `(triggers, sources, dest, actions)` or those and a note. Triggers, sources and actions have blanks
                between them; no actions is "" or "-"; sources `*` is every state that is not final; dest `=` stays.
            actions: the closed set of actions that rows may name.
            without: `(triggers, sources)` of rows to take out again, after all rows were read.
            absent: states of shared rows that this machine does not have: as a source they are left out, as a dest
                refused as any unknown state.

        Raises:
            DeclarationError: if the declaration contradicts itself; its `fault` says where.
        """
        put = object.__setattr__
        put(self, "name", name)
        if not name.isascii() or not name[:1].isalpha() or not all(c.isalnum() or c in "_-./ " for c in name):
            raise self._fault("the name of a machine is a letter, then letters, digits, blanks and _-./")
        put(self, "states", _words(states))
        put(self, "initial", initial)
        put(self, "final", _words(final))
        put(self, "actions", frozenset(_words(actions)))
        put(self, "_absent", dict.fromkeys(_words(absent), False))
        self._check_names()
        put(self, "_cells", {})
        for row in rows:
            self._add(row)
        for pair in without:
            self._remove(pair)
        for state, named in self._absent.items():
            if not named:
                raise self._fault(f"no row names the absent state {state!r} as a source")
        if not self._cells:
            raise self._fault("it has no rows")
        put(self, "rows", tuple(self._cells.values()))
        put(self, "triggers", tuple(dict.fromkeys(row.trigger for row in self.rows)))

    @property
    def transitions(self) -> list[dict[str, str]]:
        """The rows in the dialect of `transitions`: a new list of trigger, source, dest."""
        return [{"trigger": row.trigger, "source": row.source, "dest": row.dest} for row in self.rows]

    def row(self, state: str, trigger: str) -> Row | None:
        """Look up the row for a trigger in a state; None if the trigger is illegal there."""
        return self._cells.get((trigger, state))

    def __repr__(self) -> str:
        return f"<Machine {self.name}: {len(self.states)} states, {len(self.triggers)} triggers, {len(self.rows)} rows>"

    def _fault(self, sentence: str) -> DeclarationError:
        return DeclarationError(self.name, sentence)

    def _check_names(self) -> None:
        if not self.states:
            raise self._fault("it has no states")
        for kind, names in (("state", self.states), ("final state", self.final)):
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise self._fault(f"the {kind} {twice!r} is declared twice")
        for state in self.states:
            if not is_name(state):
                raise self._fault(f"the state name {state!r} is not [a-z][a-z_]*")
            if state in MERMAID_WORDS:
                raise self._fault(f"the state name {state!r} is a word of mermaid, no diagram could show it")
        for action in sorted(self.actions):
            if not is_name(action):
                raise self._fault(f"the action name {action!r} is not [a-z][a-z_]*")
        for state in self._absent:
            if state in self.states:
                raise self._fault(f"the state {state!r} is declared and absent")
        for kind, names in (("initial", (self.initial,)), ("final", self.final)):
            for state in names:
                if state not in self.states:
                    raise self._fault(f"the {kind} state {state!r} is not one of its states")

    def _add(self, row: tuple[str, ...]) -> None:
        if not isinstance(row, tuple) or len(row) not in (4, 5) or not all(isinstance(field, str) for field in row):
            raise self._fault(f"the row {row!r} is not (triggers, sources, dest, actions) or those and a note, all str")
        triggers, sources, dest, words, *rest = row
        note = " ".join(rest[0].split()) if rest else ""
        actions = () if words.strip() == "-" else tuple(words.split())
        if dest != "=" and dest not in self.states:
            raise self._fault(f"the dest {dest!r} of {triggers!r} is not one of its states")
        for action in actions:
            if action not in self.actions:
                raise self._fault(f"the action {action!r} of {triggers!r} is not one of its actions")
        replaces = isinstance(row, Override)
        for trigger, source in self._expand(triggers, sources):
            there = (trigger, source) in self._cells
            if there and not replaces:
                raise self._fault(f"{trigger!r} in {source!r} has two rows")
            if replaces and not there:
                raise self._fault(f"the override of {trigger!r} in {source!r} replaces nothing")
            self._cells[trigger, source] = Row(trigger, source, source if dest == "=" else dest, actions, note)

    def _remove(self, pair: tuple[str, str]) -> None:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(field, str) for field in pair):
            raise self._fault(f"{pair!r} in `without` is not (triggers, sources), both str")
        for trigger, source in self._expand(*pair):
            if self._cells.pop((trigger, source), None) is None:
                raise self._fault(f"there is no row for {trigger!r} in {source!r} to go without")

    def _expand(self, triggers: str, sources: str) -> Iterator[tuple[str, str]]:
        names = triggers.split()
        states = [s for s in self.states if s not in self.final] if sources.strip() == "*" else sources.split()
        if not names or not states:
            raise self._fault(f"the row for {triggers!r} in {sources!r} names no {'state' if names else 'trigger'}")
        for trigger in names:
            if not is_name(trigger):
                raise self._fault(f"the trigger name {trigger!r} is not [a-z][a-z_]*")
        for source in states:
            if source in self._absent:
                self._absent[source] = True
            elif source not in self.states:
                raise self._fault(f"the source {source!r} of {triggers!r} is not one of its states")
        return ((trigger, source) for trigger in names for source in states if source not in self._absent)


def _words(names: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(names.split()) if isinstance(names, str) else tuple(names)
