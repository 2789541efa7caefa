"""Look at text as it arrives, piece by piece; the pure twin of `_speedups/scanner.pyx`.

Text comes in as `str`, cut anywhere; indexes come out, in characters of the piece in hand. The JSON grammar is that of
RFC 8259 (https://www.rfc-editor.org/rfc/rfc8259, sections 2 to 7), with nothing added to it.

The rules of both twins: text is exactly `str`, a subclass is a TypeError; objects cannot be pickled, copied or
derived from; attributes are read-only; an index outside the text is a ValueError. Anything else raised is a bug.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import index
from typing import Final, NoReturn, SupportsIndex, final

__all__ = ["BROKEN", "CLOSED", "END", "KEY", "NEED", "VALUE", "JsonScanner", "StartFinder", "partial_overlap"]

# What JsonScanner.status says.
NEED: Final = 0
CLOSED: Final = 1
BROKEN: Final = 2
KEY: Final = 3
VALUE: Final = 4
END: Final = 5

# Where in the grammar a scanner is. Blanks may come in all states from _BLANKS on.
_STRING, _ESCAPE, _HEX, _LITERAL = range(4)
_MINUS, _ZERO, _INT, _POINT, _FRACTION, _E, _E_SIGN, _E_INT = range(4, 12)
_GONE = 12
_BLANKS = 13
_ANY, _MEMBER, _ARRAY_FIRST, _OBJECT_FIRST, _NAME, _COLON, _AFTER, _DONE = range(13, 21)

_WHITE = " \t\n\r"
_BEGINNINGS = '"{[-0123456789tfn'
_REST = {"t": "rue", "f": "alse", "n": "ull"}
_DIGITS = "0123456789"
_NUMBER: dict[int, dict[str, int]] = {
    _MINUS: {"0": _ZERO, **dict.fromkeys("123456789", _INT)},
    _ZERO: {".": _POINT, "e": _E, "E": _E},
    _INT: {**dict.fromkeys(_DIGITS, _INT), ".": _POINT, "e": _E, "E": _E},
    _POINT: dict.fromkeys(_DIGITS, _FRACTION),
    _FRACTION: {**dict.fromkeys(_DIGITS, _FRACTION), "e": _E, "E": _E},
    _E: {"+": _E_SIGN, "-": _E_SIGN, **dict.fromkeys(_DIGITS, _E_INT)},
    _E_SIGN: dict.fromkeys(_DIGITS, _E_INT),
    _E_INT: dict.fromkeys(_DIGITS, _E_INT),
}
_WHOLE_NUMBER = frozenset((_ZERO, _INT, _FRACTION, _E_INT))

# Patterns for leaps over what is complete in one piece; what they leave is read one character at a time. All of them
# are possessive, so none goes back, and all but _NAME_COLON match the empty text too.
_W = r"[ \t\n\r]*+"
_B = r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+'
_N = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+"
_S = rf'(?:"{_B}"|{_N}|true|false|null)'
_white = re.compile(_W).match
_body = re.compile(_B).match
_digits = re.compile("[0-9]*+").match
_name_colon = re.compile(rf'"{_B}"{_W}:').match
_members = re.compile(rf'(?:{_W}"{_B}"{_W}:{_W}{_S}{_W},)*+').match
_elements = re.compile(rf"(?:{_W}{_S}{_W},)*+").match


def _range(text: object, start: SupportsIndex) -> int:
    """Return `start` as an index into `text`."""
    if type(text) is not str:
        raise TypeError(f"text must be exactly str, not {type(text).__name__}")
    at = int(index(start))
    if not 0 <= at <= len(text):
        raise ValueError(f"start must be 0 to {len(text)}, not {at}")
    return at


def partial_overlap(text: str, markers: tuple[str, ...]) -> int:
    """Measure the end of `text` that may be the beginning of a marker.

    Args:
        text: what has come, exactly `str`.
        markers: what is looked for, a tuple of exactly `str`; an empty one begins nowhere.

    Returns:
        Characters of the longest suffix of `text` that is a proper prefix of a marker, 0 if there is none.

    Raises:
        TypeError: an argument is of another type.
    """
    if type(text) is not str:
        raise TypeError(f"text must be exactly str, not {type(text).__name__}")
    if type(markers) is not tuple:
        raise TypeError(f"markers must be exactly tuple, not {type(markers).__name__}")
    size = len(text)
    best = 0
    for marker in markers:
        if type(marker) is not str:
            raise TypeError(f"a marker must be exactly str, not {type(marker).__name__}")
        length = len(marker)
        if length - 1 <= best:
            continue
        first = marker[0]
        # Only what is longer than the best so far counts: begin no later than size - best - 1.
        stop = size - best
        at = text.find(first, size - length + 1 if size >= length else 0, stop)
        while at >= 0:
            if marker.startswith(text[at:]):
                best = size - at
                break
            at = text.find(first, at + 1, stop)
    return best


class _Sealed:
    """What both classes share: no copies and no classes derived from them."""

    __slots__ = ()

    def __reduce__(self) -> NoReturn:
        """Refuse to be copied or pickled."""
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")


@final
class StartFinder(_Sealed):
    """Find the first of some characters. Immutable, may be shared.

    Args:
        chars: the characters looked for, ASCII, exactly `str`; their order says nothing.

    Raises:
        TypeError: `chars` is of another type.
        ValueError: a character is not ASCII.
    """

    __slots__ = ("_search",)
    _search: Callable[[str, int], re.Match[str] | None]

    def __new__(cls, chars: str) -> StartFinder:
        """Make a finder."""
        if type(chars) is not str:
            raise TypeError(f"chars must be exactly str, not {type(chars).__name__}")
        if not chars.isascii():
            raise ValueError("chars must be ASCII")
        self = object.__new__(cls)
        each = "".join(f"\\x{ord(c):02x}" for c in sorted(set(chars)))
        self._search = re.compile(f"[{each}]" if each else "(?!)").search
        return self

    def __init_subclass__(cls) -> NoReturn:
        """Refuse to be derived from."""
        raise TypeError(f"type {StartFinder.__module__ + '.StartFinder'!r} is not an acceptable base type")

    def find(self, text: str, start: int = 0) -> int:
        """Find the first character of text[start:] that is looked for.

        Args:
            text: exactly `str`.
            start: index into `text`, 0 to len(text).

        Returns:
            Its index in `text`, or -1.

        Raises:
            TypeError: an argument is of another type.
            ValueError: `start` is outside the text.
        """
        if type(text) is not str or type(start) is not int or not 0 <= start <= len(text):
            start = _range(text, start)
        found = self._search(text, start)
        return found.start() if found else -1


@final
class JsonScanner(_Sealed):
    """Follow one JSON value over the pieces of a text; every character is looked at once.

    Not for two threads at a time.

    Args:
        max_depth: how deep objects and arrays may nest, 0 or more; deeper is a break.
        members: whether to stop at the keys and values of the top object too.

    Raises:
        TypeError: `max_depth` is no integer.
        ValueError: `max_depth` is negative.
    """

    __slots__ = (
        "_in_name", "_kind", "_levels", "_max_depth", "_rest", "_state", "_status", "_stops", "_too_deep", "_watch",
    )  # fmt: skip
    _in_name: bool
    _kind: str
    _levels: list[bool]
    _max_depth: int
    _rest: str
    _state: int
    _status: int
    _stops: bool
    _too_deep: bool
    _watch: bool

    def __new__(cls, max_depth: int = 128, members: bool = False) -> JsonScanner:
        """Make a scanner at the start."""
        limit = int(index(max_depth))
        if limit < 0:
            raise ValueError(f"max_depth must be 0 or more, not {limit}")
        self = object.__new__(cls)
        self._max_depth, self._stops = limit, bool(members)
        self.reset()
        return self

    def __init_subclass__(cls) -> NoReturn:
        """Refuse to be derived from."""
        raise TypeError(f"type {JsonScanner.__module__ + '.JsonScanner'!r} is not an acceptable base type")

    @property
    def status(self) -> int:
        """What the last feed came to: NEED, CLOSED, BROKEN, KEY, VALUE or END."""
        return self._status

    @property
    def depth(self) -> int:
        """Objects and arrays that are open, 0 at the top."""
        return len(self._levels)

    @property
    def in_string(self) -> bool:
        """Whether the next character is one of a string, a key included, or its closing quote."""
        return self._state <= _HEX

    @property
    def in_key(self) -> bool:
        """Whether that string is an object's key, at any depth."""
        return self._in_name and self._state <= _HEX

    @property
    def too_deep(self) -> bool:
        """Whether it broke because `max_depth` was passed."""
        return self._too_deep

    @property
    def kind(self) -> str:
        """The first character of the top value, "" before it came."""
        return self._kind

    def reset(self) -> None:
        """Go back to the start, for another value."""
        self._state, self._status, self._kind, self._rest = _ANY, NEED, "", ""
        self._levels = []
        self._too_deep = self._in_name = self._watch = False

    def finish(self) -> int:
        """Say that no more text comes: a whole number at the top is closed by that.

        Returns:
            The status.
        """
        if self._state in _WHOLE_NUMBER and not self._levels:
            self._state, self._status = _DONE, CLOSED
        return self._status

    def feed(self, text: str, start: int = 0) -> int:
        """Read text[start:] until something is to be said, and say it in `status`.

        - NEED: all of it was read, and the value goes on.
        - CLOSED: the value is complete, and the blanks behind it, if fed, are read. A number at the top closes at the
          first character that no number has, which is not read, or by `finish`.
        - BROKEN: the character at the index breaks the grammar, for good; it is not read.

        Only with `members`, in an object at the top, for its own members:

        - KEY: the closing quote of a key was just read.
        - VALUE: the character at the index is the first of a value; it is not read.
        - END: a value has just ended; behind a number the index is that of the delimiter, which is not read.

        Args:
            text: the next piece, exactly `str`, or the same one again.
            start: index into `text`, 0 to len(text).

        Returns:
            The index in `text` just past the last character read; feed from there to go on.

        Raises:
            TypeError: an argument is of another type.
            ValueError: `start` is outside the text.
        """
        if type(text) is not str or type(start) is not int or not 0 <= start <= len(text):
            start = _range(text, start)
        if self._state == _STRING:  # most pieces of a long argument are the inside of a string
            start = _body(text, start).end()  # type: ignore[union-attr]
            if start == len(text):
                self._status = NEED
                return start
        elif self._state == _GONE:
            return start
        return self._run(text, start, len(text))

    def _run(self, text: str, i: int, n: int) -> int:
        """Read text[i:n]."""
        state, levels, status, watch = self._state, self._levels, NEED, self._watch
        while i < n:
            c = text[i]
            if state >= _BLANKS and c in _WHITE:
                i = _white(text, i).end()  # type: ignore[union-attr]
                if i == n:
                    break
                c = text[i]

            if state == _STRING:
                i = _body(text, i).end()  # type: ignore[union-attr]
                if i == n:
                    break
                c = text[i]
                if c == "\\":
                    i += 1
                    state = _ESCAPE
                    continue
                if c != '"':
                    status = BROKEN
                    break
                i += 1
                if self._in_name:
                    self._in_name = False
                    state = _COLON
                    if watch and len(levels) == 1:
                        status = KEY
                        break
                    continue

            elif state == _ANY or state == _ARRAY_FIRST:
                if levels:
                    j = _elements(text, i).end() if not levels[-1] else i  # type: ignore[union-attr]
                    if j > i:
                        state = _ANY
                        i = _white(text, j).end()  # type: ignore[union-attr]
                        if i == n:
                            break
                        c = text[i]
                if c == "]" and state == _ARRAY_FIRST:
                    levels.pop()
                    i += 1
                else:
                    if c == '"':
                        state = _STRING
                    elif c == "{" or c == "[":
                        if len(levels) >= self._max_depth:
                            self._too_deep = True
                            status = BROKEN
                            break
                        if not levels:
                            self._watch = watch = self._stops and c == "{"
                        levels.append(c == "{")
                        state = _OBJECT_FIRST if c == "{" else _ARRAY_FIRST
                    elif c in _REST:
                        self._rest = _REST[c]
                        state = _LITERAL
                    elif c == "-":
                        state = _MINUS
                    elif c in _DIGITS:
                        state = _ZERO if c == "0" else _INT
                    else:
                        status = BROKEN
                        break
                    if not self._kind:
                        self._kind = c
                    i += 1
                    continue

            elif state == _OBJECT_FIRST or state == _NAME:
                quiet = not (watch and len(levels) == 1)
                if quiet:
                    j = _members(text, i).end()  # type: ignore[union-attr]
                    if j > i:
                        state = _NAME
                        i = _white(text, j).end()  # type: ignore[union-attr]
                        if i == n:
                            break
                        c = text[i]
                if c == '"':
                    name = _name_colon(text, i) if quiet else None
                    if name:
                        i = name.end()
                        state = _ANY
                    else:
                        i += 1
                        self._in_name = True
                        state = _STRING
                    continue
                if c != "}" or state == _NAME:
                    status = BROKEN
                    break
                levels.pop()
                i += 1

            elif state == _AFTER:
                if c == ",":
                    i += 1
                    state = _NAME if levels[-1] else _ANY
                    continue
                if c != ("}" if levels[-1] else "]"):
                    status = BROKEN
                    break
                levels.pop()
                i += 1

            elif state == _COLON:
                if c != ":":
                    status = BROKEN
                    break
                i += 1
                state = _MEMBER if watch and len(levels) == 1 else _ANY
                continue

            elif state == _MEMBER:
                if c not in _BEGINNINGS:
                    status = BROKEN
                    break
                state, status = _ANY, VALUE
                break

            elif state == _LITERAL:
                rest = self._rest
                if text.startswith(rest, i):
                    i += len(rest)
                elif c == rest[0]:
                    self._rest = rest[1:]
                    i += 1
                    continue
                else:
                    status = BROKEN
                    break

            elif state == _ESCAPE:
                if c == "u":
                    self._rest = "xxxx"
                    state = _HEX
                elif c in '"\\/bfnrt':
                    state = _STRING
                else:
                    status = BROKEN
                    break
                i += 1
                continue

            elif state == _HEX:
                if c not in "0123456789abcdefABCDEF":
                    status = BROKEN
                    break
                i += 1
                self._rest = self._rest[1:]
                if not self._rest:
                    state = _STRING
                continue

            elif state == _DONE:
                status = BROKEN
                break

            else:  # in a number
                after = _NUMBER[state].get(c)
                if after is not None:
                    state = after
                    # A long run of digits is one leap.
                    i = _digits(text, i).end() if c in _DIGITS and state != _ZERO else i + 1  # type: ignore[union-attr]
                    continue
                # Behind a whole one may come what no number has: at the top anything, in a watched object a delimiter.
                if (
                    state not in _WHOLE_NUMBER
                    or (not levels and c in "0123456789+-.eE")
                    or (watch and len(levels) == 1 and c not in ",} \t\n\r")
                ):
                    status = BROKEN
                    break

            # A value has ended.
            if not levels:
                state, status = _DONE, CLOSED
                break
            state = _AFTER
            if watch and len(levels) == 1:
                status = END
                break

        if status == BROKEN:
            state = _GONE
        elif state == _DONE:
            status = CLOSED
        self._state, self._status = state, status
        return i
