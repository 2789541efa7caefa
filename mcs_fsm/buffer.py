"""One streamed reply as an MCS client sees it: what may be shown now, what the message is so far.

A buffer is a view on a stream's core. It keeps a display cursor, a veto for the round, and what is to be dropped at
the next chunk; text, calls and states stay where they are. A round begins with `add` or `feed` and ends at the next.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from .calls import Turn
from .events import Event
from .formats.undecided import UNDECIDED
from .limits import Limits
from .stream import Stream

__all__ = ["LLMStreamBuffer"]


class LLMStreamBuffer:
    """Hold one streamed reply.

    Args:
        strategies: strategies of third parties that may claim the wire before the built-in formats do.
        model_name: kept for drivers that ask for it.
        source: a format name, or "auto".
        content_type: the response's Content-Type header, for `feed`.
        tools: names that are owned from the start; drivers add theirs when they are shown the buffer.
        text_format: which codec looks for calls in text.
        reasoning_tags: as in `Stream`.
        choice: which choice of several is read.
        limits: see `Limits`.

    Raises:
        UnknownName: no such format or text format.
    """

    def __init__(
        self, strategies: Iterable[Any] | None = None, model_name: str | None = None, *, source: str = "auto",
        content_type: str | None = None, tools: Iterable[str] | None = None, text_format: Any = "mcs-json",
        reasoning_tags: bool | str = True, choice: int = 0, limits: Limits | None = None,
    ) -> None:  # fmt: skip
        self.strategies = list(strategies or ())
        self.model_name = model_name
        self._options: dict[str, Any] = {
            "content_type": content_type, "tools": frozenset(tools or ()), "text_format": text_format,
            "reasoning_tags": reasoning_tags, "choice": choice, "limits": limits,
        }  # fmt: skip
        self._open(source, settled=tools is not None)

    def _open(self, source: str, settled: bool) -> None:
        self.stream = Stream(source, **self._options)
        self._cursor = 0  # content before this offset has been shown, or never will be
        self._veto = False
        self._drop_to = 0  # content to be cut out of the message at the next chunk
        self._drop_spans: list[tuple[int, int]] = []
        self._drop_all = self._dropped = False
        self._settled = settled
        reader = self.stream.core.reader
        if reader is not None:
            reader.settled = settled

    # --- rounds ----------------------------------------------------------------------------------------------

    def add(self, chunk: Any) -> None:
        """Take one decoded chunk (a dict, an SDK's own object, "[DONE]"); a new round begins.

        Raises:
            StreamClosed: after close().
        """
        self._next_round()
        self.stream.push(chunk)
        self._carry_out()

    def feed(self, data: bytes) -> None:
        """Take bytes of the response body, cut anywhere; a new round begins.

        Raises:
            StreamClosed: after close().
        """
        self._next_round()
        self.stream.push_bytes(data)
        self._carry_out()

    def close(self) -> None:
        """Take the end of the connection: what is held comes out, nothing stays pending. Idempotent."""
        self._next_round()
        self.stream.finish()

    def _next_round(self) -> None:
        if not self._settled:
            core = self.stream.core
            if core.reader is not None and (self.stream.format is not None or core.body.length):
                self._settle()
        self._veto = False
        core = self.stream.core
        self._mark = (core.body.length, core.side.length, len(core.slots))

    def _settle(self) -> None:
        """From here on the owners are known."""
        self._settled = True
        reader = self.stream.core.reader
        if reader is not None:
            reader.settle()

    def _carry_out(self) -> None:
        """Cut what the last round consumed, unless this chunk brought no text, reasoning or call."""
        core = self.stream.core
        body, side, slots = self._mark
        if (body, side, slots) == (core.body.length, core.side.length, len(core.slots)):
            return
        if self._drop_all:
            core.body.cut(0, body)
            self._dropped, self._drop_all = True, False
        else:
            core.body.cut(0, self._drop_to)
            for start, end in self._drop_spans:
                core.body.cut(start, end)
        self._drop_to, self._drop_spans = 0, []

    def own(self, names: Iterable[str]) -> None:
        """Add names that somebody owns: calls in text with these names are held and taken from here on."""
        core = self.stream.core
        known = core.tools or frozenset()
        if not known.issuperset(names):
            core.tools = known | frozenset(names)
        self._options["tools"] = core.tools

    # --- what may be shown -----------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the text that may be shown and has not been handed out yet; "" while a driver holds."""
        self._settle()
        if self._veto:
            return ""
        core = self.stream.core
        new = core.shown.after(self._cursor)
        self._cursor = max(self._cursor, core.released)
        return new

    def events(self) -> list[Event]:
        """Return the events since last asked; [] while a driver holds."""
        self._settle()
        return [] if self._veto else self.stream.core.take()

    def reasoning(self) -> str:
        """Return all reasoning so far; it is never part of `text()`."""
        return self.stream.core.reasons.text()

    def hold(self) -> None:
        """Veto the display for this round. One driver's veto suffices; nothing is lost."""
        self._veto = True

    # --- the message -----------------------------------------------------------------------------------------

    def get_content(self) -> str | None:
        """Return the assistant's text that is still in the buffer, shown or held; None when there is none."""
        return self.stream.core.body.kept() or None

    def as_dict(self) -> Any:
        """Return a fresh snapshot of the provider's own message so far; changing it changes nothing."""
        if self._dropped:
            return {"role": "assistant", "content": self.get_content()}
        format = self.stream.format or UNDECIDED
        return copy.deepcopy(format.message(self.stream.core))

    def consume_through(self, end: int) -> None:
        """Drop the first `end` code points of `get_content()` at the next chunk; they are never shown from now on.

        Where the message's content is no plain text, all of it is dropped.
        """
        if not isinstance(self.as_dict().get("content"), str | None):
            self.consume_all()
            return
        for start, stop in self.stream.core.body.cuts:  # from what is left to where it stands
            if start < end:
                end += stop - start
        self._drop_to = max(self._drop_to, end)
        self._cursor = max(self._cursor, end)

    def consume_spans(self, spans: Iterable[tuple[int, int]]) -> None:
        """Drop exactly these parts of the text (offsets of `ExtractedCall`) at the next chunk."""
        self._drop_spans += spans

    def consume_all(self) -> None:
        """Drop the whole message at the next chunk."""
        self._drop_all = True

    def reset(self) -> None:
        """Clear everything but the wire, at once. Not for a driver in mid-stream: it would rob the next one."""
        self._open(self.stream.format.name if self.stream.format else "auto", self._settled)

    # --- how it ended ----------------------------------------------------------------------------------------

    def is_finished(self) -> bool:
        """Tell whether the terminal signal was seen; only reset() clears it."""
        return self.stream.core.finished

    @property
    def finish_reason(self) -> str | None:
        """The provider's own word."""
        return self.stream.core.finish_word

    @property
    def usage(self) -> dict[str, Any] | None:
        """The provider's own usage object."""
        return self.stream.core.usage_data

    @property
    def usage_state(self) -> str:
        """Whether usage is "reported", "partial" or "unknown"; see `Turn`."""
        return self.stream.usage_state

    @property
    def error(self) -> dict[str, Any] | None:
        """The first error of the stream."""
        return self.stream.core.error_data

    @property
    def truncated(self) -> bool:
        """Whether the connection ended without a terminal signal."""
        return self.stream.core.truncated

    def turn(self) -> Turn:
        """Return all that is known so far."""
        self._settle()
        return self.stream.turn()
