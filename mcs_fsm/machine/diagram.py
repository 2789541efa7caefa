"""Draw machines: compiled tables in, mermaid, Graphviz or Markdown text out.

What is drawn are the cells that run, with `trigger / action action` at every edge, the UML way; the declaration adds
its notes only. The same table gives the same text, so diagrams can be golden files.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .declare import Machine
from .table import Table

__all__ = ["FAILURES", "dot", "mermaid", "table"]

#: States that are drawn as failures.
FAILURES = ("failed", "abandoned")

#: Characters of the notes of one state that a diagram shows; longer ones become comments in its source.
_NOTE_LIMIT = 240
_NOTE_WIDTH = 40

#: What mermaid takes for entities, tags and directives in a note, and what stands for it.
_SAFE = str.maketrans({";": ",", "<": "(", ">": ")", "%": " percent"})


class _Edge(NamedTuple):
    """All triggers that lead from one state to another and do the same."""

    source: str
    dest: str
    triggers: tuple[str, ...]
    actions: tuple[str, ...]

    @property
    def label(self) -> str:
        """Write `trigger, trigger / action action`."""
        names = ", ".join(self.triggers)
        return f"{names} / {' '.join(self.actions)}" if self.actions else names


def mermaid(machines: Machine | Table | Sequence[Machine | Table], *, inside: bool = False) -> str:
    """Draw machines as a mermaid `stateDiagram-v2`.

    Args:
        machines: one, drawn plainly with its name as title, or several, each in a composite state of its own.
        inside: write the rows that stay into the box of their state (UML's internal transitions), not as loops.

    Returns:
        The text of the diagram, ending in a line feed.
    """
    tables = _tables(machines)
    if len(tables) == 1:
        head = ["---", f'title: "{tables[0].machine.name}"', "---", "stateDiagram-v2"]
        ids = {state: state for state in tables[0].states}
        body, failures = _mermaid_block(tables[0], ids, "  ", inside)
    else:
        head, body, failures = ["stateDiagram-v2"], [], []
        for compiled, (block, ids) in zip(tables, _ids(tables), strict=True):
            lines, failed = _mermaid_block(compiled, ids, "    ", inside)
            body += [f'  state "{compiled.machine.name}" as {block} {{', *lines, "  }"]
            failures += failed
    if failures:
        body.append("  classDef failure fill:#fdd,stroke:#a00,color:#600")
        body.append(f"  class {','.join(failures)} failure")
    return "\n".join([*head, *body]) + "\n"


def dot(machines: Machine | Table | Sequence[Machine | Table]) -> str:
    """Draw machines as Graphviz source, each in a cluster of its own if there are several.

    Returns:
        The text of one digraph, ending in a line feed.
    """
    tables = _tables(machines)
    several = len(tables) > 1
    title = " ".join(compiled.machine.name for compiled in tables)
    lines = [
        f'digraph "{title}" {{',
        "  rankdir=LR",
        '  node [shape=box, style=rounded, fontname="sans-serif"]',
        '  edge [fontname="sans-serif", fontsize=10]',
    ]
    if not several:
        lines.append(f'  label="{title}"')
    for compiled, (block, ids) in zip(tables, _ids(tables), strict=True):
        pad = "    " if several else "  "
        if several:
            lines += [f"  subgraph cluster_{block} {{", f'    label="{compiled.machine.name}"']
        lines.append(f"{pad}{block}_initial [shape=point, width=0.15]")
        for state in compiled.states:
            marks = [f'label="{state}"']
            if compiled.state(state) in compiled.final:
                marks.append("peripheries=2")
            if state in FAILURES:
                marks.append('style="rounded,filled", fillcolor="#ffdddd", color="#aa0000"')
            lines.append(f"{pad}{ids[state]} [{', '.join(marks)}]")
        lines.append(f"{pad}{block}_initial -> {ids[compiled.states[compiled.initial]]}")
        lines += [f'{pad}{ids[edge.source]} -> {ids[edge.dest]} [label="{edge.label}"]' for edge in _edges(compiled)]
        if several:
            lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def table(machine: Machine | Table) -> str:
    """Write a machine as a Markdown table of trigger, source, dest, actions and note.

    Sources and triggers of rows that are otherwise equal are merged; `*` is every state that is not final, `=` stays.

    Returns:
        The table, ending in a line feed.
    """
    compiled = _tables(machine)[0]
    merged: dict[tuple[tuple[str, ...], str, tuple[str, ...], str], list[str]] = {}
    for trigger in compiled.triggers:
        for (dest, actions, note), sources in _grouped(compiled, trigger).items():
            merged.setdefault((sources, dest, actions, note), []).append(trigger)
    live = tuple(state for number, state in enumerate(compiled.states) if number not in compiled.final)
    lines = ["| trigger | source | dest | actions | note |", "| --- | --- | --- | --- | --- |"]
    for (sources, dest, actions, note), triggers in merged.items():
        where = "`*`" if sources == live and len(live) > 1 else " ".join(sources)
        target = "`=`" if dest == "=" else dest
        fields = (" ".join(triggers), where, target, " ".join(actions) or "-", note.replace("|", "\\|"))
        lines.append(f"| {' | '.join(fields)} |")
    return "\n".join(lines) + "\n"


def _tables(machines: Machine | Table | Iterable[Machine | Table]) -> list[Table]:
    found = [machines] if isinstance(machines, (Machine, Table)) else list(machines)
    if not found:
        raise ValueError("there is no machine to draw")
    return [one if isinstance(one, Table) else Table(one, one.triggers) for one in found]


def _ids(tables: Sequence[Table]) -> list[tuple[str, dict[str, str]]]:
    """Give each machine and each of its states an id that no other one has: all ids of a diagram are in one pot."""
    taken: set[str] = set()
    pairs = []
    for compiled in tables:
        words = "".join(c if c.isalnum() else " " for c in compiled.machine.name.lower()).split()
        name, count = "_".join(words), 1
        while name in taken:
            count += 1
            name = "_".join([*words, str(count)])
        taken.add(name)
        # Mermaid makes BLOCK_start and BLOCK_end itself; no name has two underscores beside each other.
        pairs.append((f"machine_{name}", {state: f"{name}__{state}" for state in compiled.states}))
    return pairs


def _edges(compiled: Table) -> list[_Edge]:
    """Merge the cells to edges, in the order of sources, then of their first trigger."""
    merged: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for source in compiled.states:
        for trigger in compiled.triggers:
            cell = compiled.cell(source, trigger)
            if cell is not None:
                merged.setdefault((source, *cell), []).append(trigger)
    return [_Edge(source, dest, tuple(names), actions) for (source, dest, actions), names in merged.items()]


def _mermaid_block(compiled: Table, ids: dict[str, str], pad: str, inside: bool) -> tuple[list[str], list[str]]:
    """Draw one machine; give its lines and the ids of its failures."""
    edges = _edges(compiled)
    # The lines inside a box would take the place of a bare id.
    lines = [
        f"{pad}{state}" if not inside and ids[state] == state else f'{pad}state "{state}" as {ids[state]}'
        for state in compiled.states
    ]
    lines.append(f"{pad}[*] --> {ids[compiled.states[compiled.initial]]}")
    if inside:
        lines += [f"{pad}{ids[edge.source]} : {edge.label}" for edge in edges if edge.source == edge.dest]
        edges = [edge for edge in edges if edge.source != edge.dest]
    lines += [f"{pad}{ids[edge.source]} --> {ids[edge.dest]} : {edge.label}" for edge in edges]
    lines += [f"{pad}{ids[compiled.states[number]]} --> [*]" for number in sorted(compiled.final)]
    for state, notes in _notes(compiled).items():
        # Mermaid keeps one note of a state only, so all of them are lines of one.
        wrapped = [line for note in notes for line in textwrap.wrap(note, _NOTE_WIDTH)]
        if sum(map(len, notes)) <= _NOTE_LIMIT:
            lines += [f"{pad}note right of {ids[state]}", *(f"{pad}  {line}" for line in wrapped), f"{pad}end note"]
        else:
            lines += [f"{pad}%% note {state} - {note}" for note in notes]
    return lines, [ids[state] for state in compiled.states if state in FAILURES]


def _notes(compiled: Table) -> dict[str, list[str]]:
    """Collect the notes of the rows that run, each once, at the first state that has it."""
    triggers: dict[str, tuple[str, list[str]]] = {}
    for source in compiled.states:
        for trigger in compiled.triggers:
            row = compiled.machine.row(source, trigger)
            if row is None or not row.note or compiled.cell(source, trigger) is None:
                continue
            named = triggers.setdefault(row.note, (source, []))[1]
            if trigger not in named:
                named.append(trigger)
    notes: dict[str, list[str]] = {}
    for note, (source, names) in triggers.items():
        safe = note.translate(_SAFE).replace("end note", "end of note")
        notes.setdefault(source, []).append(f"{', '.join(names)} - {safe}")
    return notes


def _grouped(compiled: Table, trigger: str) -> dict[tuple[str, tuple[str, ...], str], tuple[str, ...]]:
    """Group the sources of a trigger by dest, actions and note; what stays joins a group that leads there anyway."""
    groups: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    stays: list[tuple[str, tuple[str, ...], str]] = []
    for source in compiled.states:
        cell = compiled.cell(source, trigger)
        if cell is None:
            continue
        row = compiled.machine.row(source, trigger)
        dest, actions = cell
        entry = (source, actions, row.note if row else "")
        if dest == source:
            stays.append(entry)
        else:
            groups.setdefault((dest, *entry[1:]), []).append(source)
    for source, actions, note in stays:
        there = groups.get((source, actions, note))
        if there is None:
            there = groups.setdefault(("=", actions, note), [])
        there.append(source)
    place = {state: number for number, state in enumerate(compiled.states)}
    return {key: tuple(sorted(sources, key=place.__getitem__)) for key, sources in groups.items()}
