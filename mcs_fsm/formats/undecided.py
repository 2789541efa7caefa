"""The two streams without a wire of their own: one that never showed any, and one of plain strings.

Of the first only an error is read, whatever its shape. The second is what a completion that is no chat yields.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..actions import machines
from ..calls import ExtractedCall
from ..core import Core
from ..decode import Problem, ViewDecoder, mapping
from ..machine.rows import SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ..strategy import Format, plain

__all__ = ["PLAIN_TEXT", "UNDECIDED"]


class Event(msgspec.Struct):
    """The keys under which providers report an error."""

    error: Any = None
    message: Any = None
    detail: Any = None


class _Undecided(Format):
    name = ""
    machines = machines("undecided", TURN_ROWS + TURN_ARGS, SLOT_FRAGMENTS)
    decoder = ViewDecoder(Event)

    def lex(self, core: Core, view: Event) -> None:
        """Report the event: it is an error, or of no known wire."""
        data = view.error or view.message or view.detail
        if data:
            message = mapping(data).get("message") or data
            core.error("provider", message if isinstance(message, str) else str(plain(data)), data=plain(data))
        else:
            core.odd("unknown_event")
            core.error("unknown_wire", "an event of no known wire")

    def message(self, core: Core) -> dict[str, Any]:
        """Return an empty message."""
        return {"role": "assistant", "content": None}

    def claims(self, chunk: Any) -> bool:
        """Claim nothing."""
        return False

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Find nothing."""
        return []


class _AsItIs(ViewDecoder[Event]):
    """A string is its own view."""

    def convert(self, event: Any) -> tuple[Any, list[Problem]]:
        """Return the string."""
        if isinstance(event, str):
            return event, []
        return None, [Problem("bad_json", f"a stream of strings got {type(event).__name__}")]


class _PlainText(_Undecided):
    name = "text"
    decoder = _AsItIs(Event)

    def lex(self, core: Core, view: Any) -> None:
        """Take the characters."""
        core.content(view)

    def message(self, core: Core) -> dict[str, Any]:
        """Build a message of nothing but its text."""
        return {"role": "assistant", "content": core.body.kept() or None}

    def claims(self, chunk: Any) -> bool:
        """Claim a string."""
        return isinstance(chunk, str)


UNDECIDED = _Undecided()
PLAIN_TEXT = _PlainText()
