"""One JSON array whose elements come one by one, as Gemini streams without `alt=sse`.

In: bytes of an `application/json` body. Out: one frame an object at depth 1. A body that is one object (an error, or
an answer that was not streamed) is one frame. Source: RFC 8259; `google/genai/_api_client.py` 3.6.1 (checked
2026-11-30).
"""

from __future__ import annotations

import re

from ..limits import Limits
from .frame import DEFAULT_LIMITS, Fault, Frame, Piece, TextDecoder
from .jsontext import Brackets

__all__ = ["JsonArrayDecoder"]

_BETWEEN = re.compile(rb"[ \t\r\n,]*")
_OPENING = re.compile(rb'[{\["\]]')


class JsonArrayDecoder(TextDecoder):
    """Read the objects of one array, see `Decoder`. What waits: `_buf` holds the object that is not complete."""

    name = "json-array"
    __slots__ = ("_brackets", "_done", "_element", "_inside", "_odd", "_start")

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, offset: int = 0) -> None:
        super().__init__(limits, offset=offset)
        self._brackets = Brackets()
        self._inside = False  # between [ and ]
        self._element = ""  # "object": read for a frame; "other": only to find its end; "": between elements
        self._start = 0  # offset of the element's first byte
        self._done = False  # an array or an object is complete
        self._odd = False  # the fault of something that does not belong here is given

    def _take(self, data: bytes) -> list[Piece]:
        out: list[Piece] = []
        if self._fresh:
            data = self._begin(data, out)
        base = self._received - len(data)
        pos, size = 0, len(data)
        while pos < size:
            if self._element:
                pos = self._read_on(data, pos, base, out)
            elif self._inside:
                pos = self._between(data, pos, base, out)
            else:
                pos = self._outside(data, pos, base, out)
            if self._over:
                break
        return out

    def _read_on(self, data: bytes, pos: int, base: int, out: list[Piece]) -> int:
        """Read an element to its end or to the end of `data`; return the index where reading goes on."""
        stop = self._brackets.scan(data, pos)
        wanted = self._element == "object"
        until = len(data) if stop < 0 else stop
        if wanted and base + until - self._start > self._cap:
            self._too_long(out, self._start)
        elif stop < 0:
            if wanted:
                self._buf += data[pos:]
        else:
            self._element = ""
            self._done = not self._inside
            if wanted:
                out.append(Frame(None, bytes(self._buf) + data[pos:stop], self._start, base + stop))
                self._buf.clear()
        return until

    def _between(self, data: bytes, pos: int, base: int, out: list[Piece]) -> int:
        """Find the next element or the end of the array; return the index where reading goes on."""
        blanks = _BETWEEN.match(data, pos)
        pos = blanks.end() if blanks else pos
        if pos == len(data):
            return pos
        byte = data[pos]
        if byte == 0x5D:
            self._inside, self._done = False, True
            return pos + 1
        if byte != 0x7B:
            self._complain(out, "an element of the array is no object", base + pos)
            found = _OPENING.search(data, pos)
            if found is None:
                return len(data)
            if found.start() > pos:  # a number or a name, that has ended with this byte or a blank before it
                return found.start()
        self._begin_element("object" if byte == 0x7B else "other", base + pos)
        return pos

    def _outside(self, data: bytes, pos: int, base: int, out: list[Piece]) -> int:
        """Find the array; return the index where reading goes on."""
        blanks = _BETWEEN.match(data, pos)
        pos = blanks.end() if blanks else pos
        if pos == len(data):
            return pos
        byte = data[pos]
        if byte == 0x5B:
            self._inside = True
            return pos + 1
        if byte == 0x7B:
            self._begin_element("object", base + pos)
            return pos
        if self._done:
            self._complain(out, "something follows the end of the array", base + pos)
            return len(data) if (found := _OPENING.search(data, pos + 1)) is None else found.start()
        self._fail(out, "framing", "the body is neither a JSON array nor an object", base + pos, base + pos + 1)
        return pos

    def _begin_element(self, kind: str, start: int) -> None:
        self._element, self._start = kind, start
        self._brackets = Brackets()

    def _complain(self, out: list[Piece], message: str, start: int) -> None:
        """Put a fault that ends nothing, once a stream."""
        if not self._odd:
            self._odd = True
            out.append(Fault("framing", message, False, False, start, start + 1))

    def _finish(self) -> list[Piece]:
        end = self._received
        if self._element == "object":
            return [Fault("truncated", "the body ended inside an object", False, True, self._start, end)]
        if self._element or self._inside:
            return [Fault("truncated", "the body ended before the end of the array", False, True, end, end)]
        return []
