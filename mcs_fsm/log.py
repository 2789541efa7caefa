"""What may be said and has not been handed out yet. Characters are spans until somebody asks for events."""

from __future__ import annotations

from .events import ArgumentsDelta, Event, ReasoningDelta, RefusalDelta, TextDelta
from .text import TextBuffer

__all__ = ["Log"]

Delta = type[TextDelta] | type[ReasoningDelta] | type[RefusalDelta] | type[ArgumentsDelta]


class _Run:
    """Characters of one kind and number that follow each other."""

    __slots__ = ("buffer", "end", "event", "number", "start")

    def __init__(self, event: Delta, number: int, buffer: TextBuffer, start: int, end: int) -> None:
        self.event, self.number, self.buffer, self.start, self.end = event, number, buffer, start, end


class Log:
    """Events in order; neighbouring characters of one kind are one entry, so a chunk costs no object here."""

    __slots__ = ("_entries", "_last")

    def __init__(self) -> None:
        self._entries: list[Event | _Run] = []
        self._last: _Run | None = None

    def span(self, event: Delta, number: int, buffer: TextBuffer, start: int, end: int) -> None:
        """Say that these characters of `buffer` may be said, as `event` of block or slot `number`."""
        last = self._last
        if (
            last is not None and last.end == start and last.buffer is buffer and last.number == number
            and last.event is event
        ):  # fmt: skip
            last.end = end
        else:
            self._last = last = _Run(event, number, buffer, start, end)
            self._entries.append(last)

    def say(self, event: Event) -> None:
        """Say an event."""
        self._last = None
        self._entries.append(event)

    def take(self) -> list[Event]:
        """Return the events since last asked."""
        entries = self._entries
        if not entries:
            return []
        self._entries, self._last = [], None
        out: list[Event] = []
        for entry in entries:
            if type(entry) is _Run:
                text = entry.buffer.slice(entry.start, entry.end)
                if entry.event is ArgumentsDelta:
                    out.append(ArgumentsDelta(entry.number, text))
                else:
                    out.append(entry.event(text, entry.number))  # type: ignore[arg-type]
            else:
                out.append(entry)  # type: ignore[arg-type]
        return out
