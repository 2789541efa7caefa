"""Arguments that come as values under JSON paths, put together without trusting any path.

Paths are the names-and-indices part of RFC 9535 (https://www.rfc-editor.org/rfc/rfc9535, sections 2.2 and 2.3.1, 2.3.3,
checked 2026-11-30): `$.a.b`, `$.list[0].x`, `$['odd key']`. Names are plain keys, `__proto__` as any other.
"""

from __future__ import annotations

import re
from typing import Any

from .limits import Limits

__all__ = ["PartialArguments", "PathFault", "parse_path"]

_STEP = re.compile(
    r"""\.(?P<name>[^.\[\]'"\s]+)|\[(?P<index>\d+)\]|\['(?P<single>(?:[^'\\]|\\.)*)'\]|\["(?P<double>(?:[^"\\]|\\.)*)"\]""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class PathFault(ValueError):
    """A path that cannot be followed; the message says why. It never leaves the reader of the wire."""


def parse_path(path: str, depth: int) -> list[str | int]:
    """Return the steps of a path, names as text and indices as numbers.

    Raises:
        PathFault: it is no path of names and indices, or has more than `depth` steps.
    """
    if not path.startswith("$"):
        raise PathFault("a path begins with $")
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise PathFault(f"no name or index at character {at}")
        if len(steps) == depth:
            raise PathFault(f"more than {depth} steps")
        index = step["index"]
        if index is not None:
            if len(index) > 9:
                raise PathFault("an index of more than nine digits")
            steps.append(int(index))
        elif step["name"] is not None:
            steps.append(step["name"])
        else:
            quoted = step["single"] if step["single"] is not None else step["double"]
            steps.append(_ESCAPE.sub(_unescape, quoted))
        at = step.end()
    return steps


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _PLAIN.get(code, code)


class _Text:
    """A string that comes in pieces; joined once."""

    __slots__ = ("open", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.open = True


class PartialArguments:
    """Build one object from (path, value) entries.

    Args:
        limits: `depth` bounds the steps of a path, `array_index` an index and the number of values in all.
    """

    __slots__ = ("_left", "_limits", "_root")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.array_index + 1
        self._root: Any = {}

    def add(self, path: str, value: Any, more: bool = False) -> None:
        """Put a value under a path; text goes on where the last entry of that path said that more comes.

        Raises:
            PathFault: the path cannot be followed, contradicts what is there, or passes a limit.
        """
        steps = parse_path(path, self._limits.depth)
        if not steps:
            raise PathFault("the path of the whole object")
        place = self._root
        for step, following in zip(steps, steps[1:], strict=False):
            inner = self._get(place, step)
            if inner is None:
                inner = [] if isinstance(following, int) else {}
                self._set(place, step, inner)
            place = inner
        last = steps[-1]
        if isinstance(value, str):
            text = self._get(place, last)
            if not isinstance(text, _Text) or not text.open:
                text = _Text()
                self._set(place, last, text)
            text.parts.append(value)
            text.open = more
        else:
            self._set(place, last, value)

    def _get(self, place: Any, step: str | int) -> Any:
        if isinstance(step, int):
            if not isinstance(place, list):
                raise PathFault("an index where there is no array")
            return place[step] if step < len(place) else None
        if not isinstance(place, dict):
            raise PathFault("a name where there is no object")
        return place.get(step)

    def _set(self, place: Any, step: str | int, value: Any) -> None:
        self._get(place, step)  # the kind of container is right
        if isinstance(step, int):
            need = step + 1 - len(place)
            if step > self._limits.array_index or need > self._left:
                raise PathFault(f"index {step} passes array_index ({self._limits.array_index})")
            if need > 0:
                place.extend([None] * need)
                self._left -= need
        elif step not in place:
            self._left -= 1
        if self._left < 0:
            raise PathFault(f"more than {self._limits.array_index} values (array_index)")
        place[step] = value

    def build(self) -> dict[str, Any]:
        """Return the object as it is now."""
        built: dict[str, Any] = _build(self._root)
        return built


def _build(value: Any) -> Any:
    if isinstance(value, _Text):
        return "".join(value.parts)
    if isinstance(value, dict):
        return {key: _build(each) for key, each in value.items()}
    return [_build(each) for each in value] if isinstance(value, list) else value
