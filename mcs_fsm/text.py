"""Append-only text with offsets. A span names a part of a buffer, so no text is kept twice."""

from __future__ import annotations

import re
from bisect import bisect_right

__all__ = ["Spans", "TextBuffer", "join_halves", "replace_halves"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def join_halves(half: str, text: str) -> tuple[str, str, bool]:
    """Join the halves of surrogate pairs in `text`, and one that `half` left waiting.

    Returns:
        The text, a first half at its end that waits for the next piece (or ""), and whether a lone half is left in it.
    """
    if not half and not _SURROGATE.search(text):
        return text, "", False
    text = (half + text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    waiting = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
    text = text[:-1] if waiting else text
    return text, waiting, _SURROGATE.search(text) is not None


def replace_halves(text: str) -> str:
    """Put U+FFFD in the place of lone surrogates."""
    return _SURROGATE.sub("\ufffd", text)


class TextBuffer:
    """Characters in the order they came. Offsets are code points from 0; nothing is ever removed.

    What a reader of the message has consumed is cut out of `kept` only; offsets stay as they are.
    """

    __slots__ = ("_parts", "_starts", "cuts", "length")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._starts: list[int] = []
        self.length = 0
        self.cuts: list[tuple[int, int]] = []  # ascending, apart from each other

    def append(self, text: str) -> int:
        """Append `text` and return the offset where it begins."""
        start = self.length
        self._parts.append(text)
        self._starts.append(start)
        self.length = start + len(text)
        return start

    def slice(self, start: int, end: int) -> str:
        """Return the characters from offset `start` to just before `end`; costs what it returns."""
        if start >= end:
            return ""
        parts, starts = self._parts, self._starts
        i = len(parts) - 1
        if start < starts[i]:
            i = bisect_right(starts, start) - 1
        at = starts[i]
        first = parts[i]
        if end <= at + len(first):
            return first if start == at and end == at + len(first) else first[start - at : end - at]
        out = [first[start - at :]]
        i += 1
        while i < len(parts) and starts[i] < end:
            part = parts[i]
            out.append(part if starts[i] + len(part) <= end else part[: end - starts[i]])
            i += 1
        return "".join(out)

    def before(self, offset: int, floor: int) -> tuple[str, int]:
        """Return the piece of text that ends at `offset`, not reaching below `floor`, and where it begins.

        A piece is what one append brought, so that a look backwards costs no more than what it reads.
        """
        if offset <= floor:
            return "", offset
        i = bisect_right(self._starts, offset - 1) - 1
        start = max(self._starts[i], floor)
        return self._parts[i][start - self._starts[i] : offset - self._starts[i]], start

    def cut(self, start: int, end: int) -> None:
        """Leave the characters from `start` to just before `end` out of what is kept."""
        if end <= start:
            return
        out: list[tuple[int, int]] = []
        for a, b in self.cuts:
            if b < start or a > end:
                out.append((a, b))
            else:
                start, end = min(a, start), max(b, end)
        out.append((start, end))
        self.cuts = sorted(out)

    def kept(self, start: int = 0, end: int | None = None) -> str:
        """Return the characters from `start` to just before `end` (None: all) without what was cut."""
        end = self.length if end is None else end
        out = []
        for a, b in self.cuts:
            if b > start and a < end:
                out.append(self.slice(start, a))
                start = max(start, b)
        out.append(self.slice(start, end))
        return "".join(out)

    def text(self) -> str:
        """Return all of it."""
        if len(self._parts) > 1:
            # Joined once: later reads and appends go on from the one part.
            self._parts = ["".join(self._parts)]
            self._starts = [0]
        return self._parts[0] if self._parts else ""


class Spans:
    """Parts of buffers in order, neighbours merged."""

    __slots__ = ("_last", "spans")

    def __init__(self) -> None:
        self.spans: list[list] = []  # type: ignore[type-arg]  # [buffer, start, end], grown in place
        self._last: list = [None, 0, -1]  # type: ignore[type-arg]

    def add(self, buffer: TextBuffer, start: int, end: int) -> None:
        """Add the characters of `buffer` from `start` to just before `end`."""
        last = self._last
        if last[2] == start and last[0] is buffer:
            last[2] = end
        elif end > start:
            self._last = last = [buffer, start, end]
            self.spans.append(last)

    def text(self) -> str:
        """Return their characters, joined."""
        return "".join([buffer.slice(start, end) for buffer, start, end in self.spans])

    def kept(self) -> str:
        """Return their characters without what was cut from the buffers."""
        return "".join([buffer.kept(start, end) for buffer, start, end in self.spans])

    def after(self, offset: int) -> str:
        """Return their characters from `offset` on; for spans of one buffer, in ascending order."""
        out: list[str] = []
        for buffer, start, end in reversed(self.spans):
            if end <= offset:
                break
            out.append(buffer.slice(max(start, offset), end))
        return out[0] if len(out) == 1 else "".join(reversed(out))
