"""The parts of a reply that the core keeps: calls, and the wire's own parts; and the numbers of the triggers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from .calls import ExtractedCall
from .machine.rows import TRIGGERS
from .machine.table import Table
from .scanner import BROKEN, CLOSED, JsonScanner
from .text import Spans, TextBuffer

__all__ = ["Bound", "Item", "Slot", "decode_object", "lone_empty"]

_ids = {name: number for number, name in enumerate(TRIGGERS)}
(
    TEXT, REASONING, REFUSAL, TURN_START, CALL_START, CALL_ID, CALL_PART, CALL_NAME, ARGS_DELTA, ARGS_NEW, ARGS_SET,
    CALL_END, CALL_WHOLE, CALL_BROKEN, OPAQUE, USAGE, ERROR, FINISH, FINISH_CUT, TURN_END, EOF, ABORT, ARGS_WHOLE,
) = map(_ids.__getitem__, TRIGGERS[:23])  # fmt: skip
WIDTH = len(TRIGGERS)

_ARGUMENTS = msgspec.json.Decoder()
LONE_EMPTY = re.compile(r"\s*\{\s*\}\s*")


class Bound:
    """A compiled table with its programs bound to the actions that they name."""

    __slots__ = ("action", "initial", "next", "programs", "table", "whole")

    def __init__(self, table: Table, actions: Mapping[str, Callable[..., None]]) -> None:
        self.table, self.next, self.action, self.initial = table, table.next, table.action, table.initial
        self.programs = table.bind(actions)
        self.whole = table.states.index("whole") if "whole" in table.states else -1


class Item:
    """One part of the wire's own message: a content block, an output item, a part. What it is, formats decide.

    Attributes: `key` (the wire's key), `kind`, `data` (the provider's own object, kept verbatim), `spans` (its
    characters), `slot` (its call), `block` (the number that events gave it, None before the first), `done`.
    """

    __slots__ = ("block", "data", "done", "key", "kind", "slot", "spans")

    def __init__(self, key: Any, kind: str, data: Any = None) -> None:
        self.key, self.kind, self.data = key, kind, data
        self.spans = Spans()
        self.slot: Slot | None = None
        self.block: int | None = None
        self.done = False


class Slot:
    """One call, native or out of the text."""

    __slots__ = (
        "args", "block", "call", "extra", "id", "index", "item", "key", "kind", "late", "machine", "name",
        "provider_run", "reason", "said", "scan", "start", "state", "told", "value",
    )  # fmt: skip

    def __init__(self, key: Any, machine: Bound, kind: str, provider_run: bool, item: Item | None) -> None:
        self.key, self.machine, self.kind, self.provider_run, self.item = key, machine, kind, provider_run, item
        self.state = machine.initial
        self.index = self.block = -1
        self.id: str | None = None
        self.name = ""
        self.args = TextBuffer()
        self.told = 0  # characters of the arguments that events have said
        self.said: tuple[str | None, str] | None = None  # (id, name) as last announced
        self.scan: JsonScanner | None = None
        self.extra: dict[str, Any] = {}  # the provider's further keys, verbatim
        self.value: dict[str, Any] | None = None
        self.call: ExtractedCall | None = None
        self.reason = ""
        self.start: int | None = None
        self.late = False  # a text call that is ready only because its text ended

    @property
    def state_name(self) -> str:
        """The SLOT state's name."""
        return self.machine.table.states[self.state]

    @property
    def open(self) -> bool:
        """Whether the call may still change."""
        return self.state not in self.machine.table.final

    @property
    def fault(self) -> str:
        """Why a native call is not whole, as a stable code."""
        scan = self.scan
        if not self.name:
            return "no_name"
        if scan is not None and scan.status == BROKEN:
            return "limit" if scan.too_deep else "malformed"
        if scan is None or not scan.kind or scan.status != CLOSED:
            return "truncated"
        return "malformed" if scan.kind == "{" else "not_an_object"

    @property
    def whole(self) -> bool:
        """Whether its arguments so far are one closed value."""
        return self.state == self.machine.whole


def decode_object(raw: str) -> dict[str, Any] | None:
    """Return the object that `raw` spells, None if it spells none that strict JSON allows."""
    try:
        value = _ARGUMENTS.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return value if type(value) is dict else None


def lone_empty(slot: Slot) -> bool:
    """Tell whether a call's arguments so far are one empty object, which may be a placeholder."""
    return slot.args.length <= 64 and LONE_EMPTY.fullmatch(slot.args.text()) is not None
