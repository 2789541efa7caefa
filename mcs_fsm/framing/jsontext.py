"""Just enough JSON to find where a text ends: whether bytes parse, and where brackets balance.

RFC 8259; brackets and quotes are ASCII, so that bytes may be cut inside a character.
"""

from __future__ import annotations

import json
import re

import msgspec

__all__ = ["Brackets", "parses"]

_skip = msgspec.json.Decoder(msgspec.Raw).decode  # walks over the text, builds nothing
_OUTSIDE = re.compile(rb'[{}\[\]]|"[^"\\]*"?')  # a bracket, or a string as far as its first escape
# At most 500 escapes a step: the matcher keeps a state for each repetition.
_INSIDE = re.compile(rb'[^"\\]*(?:\\.[^"\\]*){0,500}', re.DOTALL)


def parses(text: bytes) -> bool:
    """Return whether `text` is one JSON text. Malformed UTF-8 and lone surrogates in strings pass."""
    try:
        _skip(text)
        return True
    except RecursionError:
        return False
    except msgspec.DecodeError:
        if b"\\u" not in text:
            return False
    try:  # msgspec refuses lone surrogates; a frame with one is whole all the same
        json.loads(text.decode("utf-8", "replace"))
        return True
    except (ValueError, RecursionError):
        return False


class Brackets:
    """Find where the JSON value ends that begins with a bracket or a quote; takes it in pieces, remembers its place."""

    __slots__ = ("_depth", "_escaped", "_string")

    def __init__(self) -> None:
        self._depth = 0
        self._string = False
        self._escaped = False  # the last byte was a backslash in a string

    def scan(self, data: bytes, pos: int = 0) -> int:
        """Read on.

        Args:
            data: bytes, the next piece of the text.
            pos: index where to begin in it.

        Returns:
            The index just past the byte that ends the value, or -1 if it goes on after `data`.
        """
        size = len(data)
        while pos < size:
            if self._string:
                if self._escaped:
                    self._escaped = False
                    pos += 1
                    continue
                inside = _INSIDE.match(data, pos)
                assert inside is not None  # matches the empty string too
                pos = inside.end()
                if pos == size:
                    return -1
                if data[pos] == 0x22:
                    self._string = False
                    if not self._depth:
                        return pos + 1
                else:
                    self._escaped = True
                pos += 1
                continue
            found = _OUTSIDE.search(data, pos)
            if found is None:
                return -1
            pos = found.end()
            byte = data[found.start()]
            if byte == 0x22:
                if pos - found.start() == 1 or data[pos - 1] != 0x22:
                    self._string = True
                elif not self._depth:
                    return pos
            elif byte == 0x7B or byte == 0x5B:
                self._depth += 1
            else:
                self._depth -= 1
                if self._depth <= 0:
                    return pos
        return -1
