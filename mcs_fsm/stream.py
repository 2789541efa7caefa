"""Bytes of a streamed reply in, events out."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

import msgspec

from .calls import Stats, Turn
from .chain import recognize, recognize_weakly
from .codec import TEXT_FORMATS, Shape
from .core import Core
from .decode import Problem, mapping
from .errors import StreamClosed, UnknownName, UsageError
from .events import Event
from .formats import FORMATS
from .formats.undecided import UNDECIDED
from .framing import Fault, Frame, Framer
from .framing.envelope import open_envelope
from .limits import Limits
from .strategy import Format

__all__ = ["Stream", "aevents", "events", "text_shape"]

_REFUSALS = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


def _decoded(data: bytes) -> Any:
    """Return what a frame says, None if it is no JSON."""
    try:
        return msgspec.json.decode(data)
    except _REFUSALS:
        return None


def text_shape(text_format: Any) -> Shape | None:
    """Return the shape of calls in text: by name, of a `PromptStrategy`, or None for none.

    Raises:
        UnknownName: nothing is registered under that name.
    """
    if text_format is None or isinstance(text_format, Shape):
        return text_format
    shape = getattr(text_format, "shape", None)
    if isinstance(shape, Shape):
        return shape
    try:
        return TEXT_FORMATS[text_format]
    except (KeyError, TypeError):
        raise UnknownName("text format", text_format, TEXT_FORMATS) from None


class Stream:
    """Read one streamed reply.

    Args:
        source: a format name, or "auto": content type and the first recognisable event decide.
        content_type: the response's Content-Type header, None to look at the bytes.
        tools: names offered to the model; None if not known (then no call is taken from text), [] for none.
        text_format: which codec looks for calls in text: "mcs-json", "mcs-delimited", a `PromptStrategy`, or None.
        reasoning_tags: whether `<think>`-like tags in the text count: True, False, or "open" (the reply starts
            inside reasoning, as the prompt left it).
        choice: which choice of several is read; each is a stream of its own.
        strict: True to end the stream as failed at the first trigger that the tables forbid.
        limits: see `Limits`.

    Raises:
        UnknownName: no such format or text format.
    """

    def __init__(
        self, source: str = "auto", *, content_type: str | None = None, tools: Iterable[str] | None = None,
        text_format: Any = "mcs-json", reasoning_tags: bool | str = True, choice: int = 0, strict: bool = False,
        limits: Limits | None = None, trace: Any = None,
    ) -> None:  # fmt: skip
        if source != "auto" and source not in FORMATS:
            raise UnknownName("format", source, ("auto", *FORMATS))
        limits = limits or Limits()
        self.limits = limits
        self.format: Format | None = None if source == "auto" else FORMATS[source]
        self.core = Core(
            (self.format or UNDECIDED).machines, tools=tools, shape=text_shape(text_format), tags=reasoning_tags,
            choice=choice, strict=strict, limits=limits,
        )  # fmt: skip
        self._framer = Framer(content_type, limits)
        self._waiting: list[tuple[int, bytes | None, Any]] = []  # (frame number, bytes or None, event)
        self._closed = self._enveloped = False
        self._known = source == "auto"  # whether the wire is what it should be
        self._chunks = self._frames = self._bytes = 0

    # --- input -----------------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> list[Event]:
        """Take bytes of the response body, cut anywhere; return what they say.

        Raises:
            StreamClosed: after close().
            TypeError: `data` is not bytes.
        """
        self.push_bytes(data)
        return self.core.take()

    def add(self, event: Any) -> list[Event]:
        """Take one decoded event (a dict, an SDK's own object, or "[DONE]"); return what it says.

        Raises:
            StreamClosed: after close().
            UsageError: bytes were given.
        """
        self.push(event)
        return self.core.take()

    def close(self) -> list[Event]:
        """Take the end of the connection; return what was still held, and the last event. Idempotent."""
        self.finish()
        return self.core.take()

    # --- the same without handing out events: for the views that ask for them later ----------------------------

    def push_bytes(self, data: bytes) -> None:
        """Take bytes, see `feed`."""
        if self._closed:
            raise StreamClosed("feed")
        self._chunks += 1
        self._bytes += len(data)
        for piece in self._framer.feed(data):
            self._piece(piece)

    def push(self, event: Any) -> None:
        """Take one event, see `add`."""
        if self._closed:
            raise StreamClosed("add")
        if isinstance(event, bytes | bytearray | memoryview):
            raise UsageError("add() takes one decoded event; bytes of the body go to feed()")
        self._chunks += 1
        number, self._frames = self._frames, self._frames + 1
        core = self.core
        core.frame = number
        if core.over:
            core.odd("after_end")
        elif isinstance(event, str) and event.strip().startswith("[DONE]"):
            self._done()
        else:
            self._event(number, None, event)

    def finish(self) -> None:
        """Take the end of the connection, see `close`."""
        if self._closed:
            return
        for piece in self._framer.close():
            self._piece(piece)
        self._closed = True
        core = self.core
        if self.format is None and not core.over:
            self._decide(recognize_weakly)
        core.frame = None
        if not self._frames and not core.over:
            core.error("empty", "the connection ended before the first event", retryable=True)
        core.close()

    def _piece(self, piece: Frame | Fault) -> None:
        core = self.core
        if isinstance(piece, Fault):
            if piece.kind == "truncated":
                core.odd("partial_frame")
            elif not core.over:
                core.frame = self._frames
                core.error(piece.kind, piece.message, retryable=piece.retryable, fatal=piece.fatal)
            return
        number, self._frames = self._frames, self._frames + 1
        core.frame = number
        if core.over:
            core.odd("after_end")
            return
        data = piece.data
        if piece.event is not None and self._framer.name == "eventstream":
            data = b'{"%b":%b}' % (piece.event.encode(), data)  # the event's name stands in the header: boto3's shape
        if data.startswith(b"[DONE]"):
            self._done()
        else:
            self._event(number, data, piece)

    def _done(self) -> None:
        """Take the sentinel that some wires end with."""
        if self.format is None:
            self._decide(recognize_weakly)
        self.core.end()

    def _event(self, number: int, data: bytes | None, event: Any) -> None:
        """Read one event, or let it wait until the wire is known."""
        inner = self._inside(data, event)
        if inner is not None:
            if not self._enveloped:
                self._enveloped = True
                found = recognize(_decoded(inner)) if not number else None
                if found is not None:
                    self._known = True  # which wire is inside only the inside can say
                    self.format = found
                    self.core.adopt(found.machines)
            data, event = inner, None
        elif self._enveloped and self.format is not None:
            # Beside the envelopes stand the envelope wire's own events, such as exceptions.
            found = recognize(_decoded(data) if data is not None else event)
            self._read(found or self.format, data, event)
            return
        if self.format is not None:
            self._read(self.format, data, event)
            return
        self._waiting.append((number, data, event))
        if not self._decide(recognize) and len(self._waiting) > self.limits.undecided:
            limit = self.limits.undecided
            self.core.error("unknown_wire", f"no known wire in {limit} events (undecided)", fatal=True)

    @staticmethod
    def _inside(data: bytes | None, event: Any) -> bytes | None:
        """Return the JSON inside an envelope, None if there is none."""
        if data is not None:
            if not data.startswith((b'{"chunk"', b'{"bytes"')):
                return None
            event = _decoded(data)
        return open_envelope(event) if isinstance(event, dict) else None

    def _decide(self, judge: Any) -> bool:
        """Choose the wire by what waits, and read that; without a choice the last judge reads errors alone."""
        last = judge is recognize_weakly
        for _, data, event in self._waiting if last else self._waiting[-1:]:
            found = judge(event if data is None else _decoded(data))
            if found is not None:
                self.format = found
                self.core.adopt(found.machines)
                break
        if self.format is None and not last:
            return False
        waiting, self._waiting = self._waiting, []
        for number, data, event in waiting:
            if not self.core.over:
                self.core.frame = number
                self._read(self.format or UNDECIDED, data, event)
        return True

    def _read(self, format: Format, data: bytes | None, event: Any) -> None:
        core = self.core
        problems: list[Problem] = []
        if not self._known:
            self._check_wire(format, _decoded(data) if data is not None else event)
        if data is None:
            view, problems = format.decoder.convert(event)
        else:
            try:
                view = format.decoder.decode(data)
            except _REFUSALS:
                view, problems = format.decoder.tolerate(data)
        for problem in problems:
            core.error(problem.kind, problem.message)
        if view is not None:
            format.lex(core, view)

    def _check_wire(self, format: Format, event: Any) -> None:
        """Until the asked-for wire shows, say so if another one does."""
        if format.claims(mapping(event)):
            self._known = True
            return
        found = None if isinstance(event, str) else recognize(event)
        if found is not None and found is not format:
            self._known = True
            self.core.error("other_wire", f"this is {found.name}, but {format.name} was asked for")

    # --- what is known ---------------------------------------------------------------------------------------

    def turn(self) -> Turn:
        """Return what is known so far; final after close()."""
        core, format = self.core, self.format or UNDECIDED
        return Turn(
            text=core.shown.text(), reasoning=core.reasons.text(), refusal=core.refusals.text(), calls=core.calls(),
            failed_calls=core.failed_calls(), finish_reason=core.finish_word, finished=core.finished,
            truncated=core.truncated, usage=core.usage_data, usage_state=self.usage_state,
            error=core.error_data, message=format.message(core), source=format.name or None, held=core.held,
            anomalies=dict(core.anomalies),
        )  # fmt: skip

    @property
    def usage_state(self) -> str:
        """Whether usage is "reported", "partial" (seen, but the turn did not end) or "unknown"."""
        core = self.core
        return "unknown" if core.usage_data is None else "reported" if core.finished else "partial"

    def stats(self) -> Stats:
        """Return counts of chunks, frames, held characters and anomalies."""
        core = self.core
        return Stats(self._chunks, self._frames, self._bytes, core.held, dict(core.anomalies))


def events(source: Iterable[bytes], /, **options: Any) -> Iterator[Event]:
    """Yield the events of a body that comes as an iterable of bytes; `options` are those of `Stream`.

    Raises:
        UnknownName: see `Stream`. What `source` raises passes through; the stream is not closed then.
    """
    stream = Stream(options.pop("source", "auto"), **options)
    for data in source:
        yield from stream.feed(data)
    yield from stream.close()


async def aevents(source: AsyncIterable[bytes], /, **options: Any) -> AsyncIterator[Event]:
    """Yield the events of a body that comes as an async iterable of bytes; as `events`."""
    stream = Stream(options.pop("source", "auto"), **options)
    async for data in source:
        for event in stream.feed(data):
            yield event
    for event in stream.close():
        yield event
