"""Server-sent events.

In: bytes of a `text/event-stream` body. Out: one frame an event. Source: WHATWG HTML Living Standard, section 9.2
"Server-sent events" (https://html.spec.whatwg.org/multipage/server-sent-events.html, checked 2026-11-30), with these
additions for what servers of models send: the last event may lack its blank line, `error:` is a field, JSON may stand
in lines without a field, a comment may come as data, two JSON texts may come in one event, an event without data (or
with blank data) is no event.

The standard's parser is a loop over lines. It is here, in `_line`, and is not used for the events that make up nearly
all of a stream: `data: {...}` with or without one `event: name` line before it. These are cut out whole.
"""

from __future__ import annotations

from ..limits import Limits
from .frame import DEFAULT_LIMITS, Fault, Frame, Piece, TextDecoder
from .jsontext import Brackets, parses

__all__ = ["SseDecoder"]

_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b"error:")


class SseDecoder(TextDecoder):
    """Read server-sent events, see `Decoder`.

    What waits: `_buf` holds one line that is not complete and no line end, the fields hold the event that the
    complete lines before it began. So no byte is looked at again because another one came.
    """

    name = "sse"
    __slots__ = ("_after_cr", "_bare", "_brackets", "_data", "_event", "_idle", "_last", "_more", "_start")

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, offset: int = 0) -> None:
        super().__init__(limits, offset=offset)
        self._idle = False  # nothing waits, so that an event may be taken from the beginning of a read
        self._after_cr = False  # the last byte was CR; a LF now belongs to it
        self._start = -1  # offset of the first field line of this event, -1 between events
        self._last = 0  # offset just past the last field line of this event
        self._event: str | None = None
        self._data: bytes | None = None  # the first data line
        self._more: bytearray | None = None  # all data lines joined by LF, if there is more than one
        self._bare: bytearray | None = None  # lines of JSON without a field name
        self._brackets = Brackets()

    def feed(self, data: bytes | bytearray | memoryview) -> list[Piece]:
        """Take bytes of the body, see `Decoder.feed`."""
        # One whole event a read is what a gateway sees most: no buffer, no split.
        # `0x0D in data` takes 14 ns where `b"\r" in data` takes 96 (CPython 3.11, 180 bytes).
        if self._idle and type(data) is bytes:
            size = len(data)
            first = data.find(b"\n")
            end = self._received + size
            if first == size - 2:
                if (
                    data[:7] == b"data: {"
                    and data[-1] == 0x0A
                    and size <= self._cap
                    and end <= self._total
                    and 0x0D not in data
                ):
                    start = self._received
                    self._received = end
                    return [Frame(None, data[6:-2], start, end)]
            elif (
                data[:7] == b"event: "
                and data[first + 1 : first + 8] == b"data: {"
                and data.find(b"\n", first + 1) == size - 2
                and data[-1] == 0x0A
                and size <= self._cap
                and end <= self._total
                and 0x0D not in data
            ):
                start = self._received
                self._received = end
                return [Frame(data[7:first].decode("utf-8", "replace") or None, data[first + 7 : -2], start, end)]
        return super().feed(data)

    def _take(self, data: bytes) -> list[Piece]:
        out: list[Piece] = []
        if self._fresh:
            data = self._begin(data, out)
        elif self._after_cr:
            self._after_cr = False
            if data[0] == 0x0A:
                data = data[1:]
        if not data:
            self._idle = not (self._over or self._fresh or self._buf or self._start >= 0)
            return out
        returns = 0x0D in data
        if not returns and 0x0A not in data:
            self._buf += data
        else:
            joined = self._join(data)
            base = self._received - len(joined)
            pos = 0
            separator = b"\n\n"
            if returns:
                ends = joined.count(b"\r\n")
                separator = b"\r\n\r\n" if ends == joined.count(b"\n") and ends == joined.count(b"\r") else b""
            if separator:
                if self._start >= 0:  # finish the event that waits, line by line
                    pos = joined.find(separator) + len(separator)
                    if pos < len(separator):
                        pos = 0
                    else:
                        self._lines(joined[:pos], base, out)
                if self._start < 0 and not self._over:
                    pos = self._blocks(joined, pos, base, separator, out)
            if not self._over and pos < len(joined):
                self._lines(joined[pos:], base + pos, out)
        waiting = len(self._buf)
        if waiting:
            start = self._start if self._start >= 0 else self._received - waiting
            if self._received - start > self._cap:
                self._too_long(out, start)
        self._idle = not (waiting or self._over or self._after_cr or self._start >= 0)
        return out

    def _blocks(self, joined: bytes, pos: int, base: int, separator: bytes, out: list[Piece]) -> int:
        """Read whole events, none of them begun.

        Args:
            joined: bytes; every line end in it is the first half of `separator`.
            pos: index where to begin.
            base: offset in the stream of index 0.
            separator: two line ends.

        Returns:
            The index of the first byte that was not read.
        """
        width = len(separator)
        eol = separator[: width // 2]
        tail = len(eol) + 1  # of the blank line's end one byte counts
        blocks = (joined[pos:] if pos else joined).split(separator)
        blocks.pop()
        for block in blocks:
            size = len(block)
            if size + tail <= self._cap:
                start = base + pos
                if block.startswith(b"data: {"):
                    if block.find(eol) < 0:
                        out.append(Frame(None, block[6:], start, start + size + tail))
                        pos += size + width
                        continue
                elif block.startswith(b"event: "):
                    first = block.find(eol)
                    second = first + len(eol)
                    if first > 0 and block.startswith(b"data: {", second) and block.find(eol, second) < 0:
                        event = block[7:first].decode("utf-8", "replace") or None
                        out.append(Frame(event, block[second + 6 :], start, start + size + tail))
                        pos += size + width
                        continue
            self._lines(joined[pos : pos + size + width], base + pos, out)
            pos += size + width
            if self._over or self._start >= 0:
                break
        return pos

    def _lines(self, chunk: bytes, base: int, out: list[Piece]) -> None:
        """Read complete lines one by one and keep the rest. `base` is the offset of the first byte."""
        for line in chunk.splitlines(True):  # of bytes: LF, CR and CRLF, nothing else
            size = len(line)
            if line.endswith(b"\r\n"):
                body = line[:-2]
            elif line.endswith((b"\n", b"\r")):
                body = line[:-1]
            else:
                self._buf += line
                return
            self._line(body, base, base + len(body) + 1, out)
            if self._over:
                return
            base += size
        self._after_cr = chunk.endswith(b"\r")

    def _line(self, body: bytes, start: int, end: int, out: list[Piece]) -> None:
        """Read one line.

        Args:
            body: bytes, without the line end.
            start: offset of its first byte.
            end: offset just past the first byte of its line end.
            out: takes what is complete with it.
        """
        if self._start >= 0:
            first = self._start
        elif body:
            first = start
        else:
            return
        if end - first > self._cap:
            self._too_long(out, first)
            return
        if self._bare is not None:
            if body.startswith(b":"):
                self.comments += 1
                return
            if not body.startswith(_FIELDS):
                self._continue(body, end, out)
                return
            self._emit(out, bytes(self._bare), self._last)  # its end never came; JSON has no line like this one
            first = start
        if not body:
            self._dispatch(end, out)
            return
        if body.startswith(b"data:"):
            value = body[6:] if body.startswith(b" ", 5) else body[5:]
            if self._data is None:
                self._data = value
            else:
                if self._more is None:
                    self._more = bytearray(self._data)
                self._more += b"\n"
                self._more += value
        elif body.startswith(b":"):
            self.comments += 1
            return
        elif body.startswith((b"{", b"[")):
            if self._data is not None:
                self._dispatch(self._last, out)
                first = start
            self._start = first
            self._bare = bytearray()
            self._brackets = Brackets()
            self._continue(body, end, out)
            return
        else:
            name, _, value = body.partition(b":")
            value = value.removeprefix(b" ")
            if name == b"event":
                self._event = value.decode("utf-8", "replace") or None
            elif name == b"data":  # without a colon
                self._line(b"data:", start, end, out)
                return
            elif name == b"error":  # llama.cpp before 2025 sent `error: {...}`
                if self._data is not None:
                    self._dispatch(self._last, out)
                    first = start
                self._event = "error"
                self._data = value
            # id and retry are for reconnection, other fields have no meaning
        self._start = first
        self._last = end

    def _continue(self, body: bytes, end: int, out: list[Piece]) -> None:
        """Add a line to the JSON that stands without a field name; give it out if it is complete."""
        assert self._bare is not None
        if self._bare:
            self._bare += b"\n"
        self._bare += body
        self._last = end
        if self._brackets.scan(body) >= 0:
            self._emit(out, bytes(self._bare), end)

    def _dispatch(self, end: int, out: list[Piece], *, final: bool = False) -> None:
        """End the event. `end`: offset just past it; `final`: the body ended, not the event."""
        if self._data is None:
            self._emit(out, b"", end)
        elif self._more is None:
            self._emit(out, self._data, end, whole=not final or parses(self._data))
        else:
            data = bytes(self._more)
            if parses(data):
                self._emit(out, data, end)
            elif _each_parses(data):
                event, start = self._event, self._start
                for each in data.split(b"\n"):
                    self._event, self._start = event, start
                    self._emit(out, each, end)
            else:
                self._emit(out, data, end, whole=not final)

    def _emit(self, out: list[Piece], data: bytes, end: int, *, whole: bool = True) -> None:
        """Give out a payload, unless it says nothing, and begin a new event."""
        if data.startswith(b"{") and whole:
            out.append(Frame(self._event, data, self._start, end))
        elif text := data.strip():
            if text.startswith(b":"):
                self.comments += 1
            elif text.startswith(b"[DONE]"):
                out.append(Frame(self._event, b"[DONE]", self._start, end))
            elif whole:
                out.append(Frame(self._event, data, self._start, end))
            else:
                message = "the body ended inside an event"
                out.append(Fault("truncated", message, False, True, self._start, end))
        self._start = -1
        self._event = self._data = self._more = self._bare = None

    def _finish(self) -> list[Piece]:
        out: list[Piece] = []
        end = self._received
        self._idle = False
        if self._buf:
            tail = bytes(self._buf)
            self._line(tail, end - len(tail), end, out)
            if self._start >= 0 and self._data is None and self._bare is None and not tail.startswith(b":"):
                out.append(Fault("truncated", "the body ended inside a line", False, True, self._start, end))
        if self._bare is not None:
            data = bytes(self._bare)
            self._emit(out, data, self._last, whole=parses(data))
        elif self._start >= 0:
            self._dispatch(self._last, out, final=True)
        return out


def _each_parses(data: bytes) -> bool:
    """Return whether each line of `data` is a JSON text or [DONE]."""
    return b"\n\n" not in data and all(parses(line) or line.startswith(b"[DONE]") for line in data.split(b"\n"))
