"""Newline-delimited JSON.

In: bytes of an `application/x-ndjson` body. Out: one frame a line, or one for a text that was printed over several
lines. Source: https://github.com/ndjson/ndjson-spec and `ollama/_client.py` 0.6.3 (checked 2026-11-30). Only LF ends a
line (CRLF does too): U+2028, U+2029 and U+0085 are allowed in JSON strings. What some proxies add is taken off:
`data:` before a line, a last `[DONE]`, and comments.
"""

from __future__ import annotations

from ..limits import Limits
from .frame import DEFAULT_LIMITS, Fault, Frame, Piece, TextDecoder
from .jsontext import Brackets, parses

__all__ = ["NdjsonDecoder"]


class NdjsonDecoder(TextDecoder):
    """Read one JSON text a line, see `Decoder`. What waits: `_buf` holds one line that is not complete and no LF."""

    name = "ndjson"
    __slots__ = ("_brackets", "_last", "_open", "_start")

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, offset: int = 0) -> None:
        super().__init__(limits, offset=offset)
        self._open: bytearray | None = None  # lines of a text whose brackets do not balance yet
        self._brackets = Brackets()
        self._start = 0  # offset of the first byte of `_open`
        self._last = 0  # offset just past it

    def _take(self, data: bytes) -> list[Piece]:
        out: list[Piece] = []
        if self._fresh:
            data = self._begin(data, out)
            if not data:
                return out
        if 0x0A not in data:
            self._buf += data
        else:
            joined = self._join(data)
            pos = self._received - len(joined)
            lines = joined.split(b"\n")
            tail = lines.pop()
            for line in lines:
                end = pos + len(line) + 1
                self._line(line, pos, end, out)
                if self._over:
                    return out
                pos = end
            self._buf += tail
        waiting = len(self._buf)
        if waiting:
            start = self._start if self._open is not None else self._received - waiting
            if self._received - start > self._cap:
                self._too_long(out, start)
        return out

    def _line(self, line: bytes, start: int, end: int, out: list[Piece], *, final: bool = False) -> None:
        """Read one line.

        Args:
            line: bytes, without the LF.
            start: offset of its first byte.
            end: offset just past its LF.
            out: takes what is complete with it.
            final: whether the body ended in place of the LF.
        """
        first = start if self._open is None else self._start
        if end - first > self._cap:
            self._too_long(out, first)
            return
        text = line.strip()
        if self._open is not None:
            # An object at the margin is the next line of the stream: the one before it lost its end.
            if not line.startswith(b"data:") and not (line.startswith(b'{"') and parses(text)):
                self._open += b"\n"
                self._open += line
                self._last = end
                if self._brackets.scan(line) >= 0:
                    self._emit(out, bytes(self._open).strip(), self._start, end, final)
                return
            self._emit(out, bytes(self._open).strip(), self._start, self._last, False)
        if text.startswith(b"data:"):
            text = text[5:].lstrip()
        if not text:
            return
        if text.startswith(b"[DONE]"):
            text = b"[DONE]"
        elif text.startswith(b":"):
            self.comments += 1
            return
        elif text.startswith((b"{", b"[")) and not parses(text):
            self._brackets = Brackets()
            if self._brackets.scan(text) < 0:
                self._open, self._start, self._last = bytearray(text), start, end
                return
        self._emit(out, text, start, end, final)

    def _emit(self, out: list[Piece], data: bytes, start: int, end: int, final: bool) -> None:
        """Give out a payload; if the body ended with it, only if it is whole."""
        self._open = None
        if not final or data == b"[DONE]" or parses(data):
            out.append(Frame(None, data, start, end))
        else:
            out.append(Fault("truncated", "the body ended inside a line", False, True, start, end))

    def _finish(self) -> list[Piece]:
        out: list[Piece] = []
        end = self._received
        if self._buf:
            line = bytes(self._buf)
            self._line(line, end - len(line), end, out, final=True)
        if self._open is not None:
            self._emit(out, bytes(self._open), self._start, self._last, True)
        return out
