"""One JSON text, dict or SDK object to a format's view struct; and what to do where it does not fit.

The ordinary path is one kept, typed msgspec decoder. Where it refuses, the tolerant path reads what can be read:
malformed UTF-8 becomes U+FFFD, lone surrogates pass (the core joins or replaces them), a field of a wrong type is
left out and named. Facts about msgspec 0.23.0: https://jcristharif.com/msgspec/ (checked 2026-11-30).
"""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

__all__ = ["Problem", "ViewDecoder", "mapping"]

V = TypeVar("V", bound=msgspec.Struct)


class Problem(msgspec.Struct, frozen=True):
    """What could not be read. `kind`: "bad_json", "bad_field", "bad_utf8"; `message`: one sentence."""

    kind: str
    message: str


class ViewDecoder(Generic[V]):
    """Decode frames and events into one view struct. All of its fields have defaults."""

    def __init__(self, view: type[V]) -> None:
        self.view = view
        self.decode = msgspec.json.Decoder(view).decode  # the ordinary path; raises what `tolerate` is for

    def tolerate(self, data: bytes) -> tuple[V | None, list[Problem]]:
        """Read a frame that the typed decoder refused; return the view, or None, and what was wrong."""
        problems = []
        try:
            text = data.decode()
        except UnicodeDecodeError as exc:
            text = data.decode("utf-8", "replace")
            problems.append(Problem("bad_utf8", f"malformed UTF-8 at byte {exc.start} of the frame"))
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except RecursionError:
            return None, [Problem("bad_json", "the frame is nested too deeply")]
        except ValueError as exc:
            return None, [Problem("bad_json", f"the frame is no JSON: {exc}")]
        view, more = self.convert(value)
        return view, problems + more

    def convert(self, event: Any) -> tuple[V | None, list[Problem]]:
        """Read a decoded event: a dict, or an SDK's object by its attributes."""
        try:
            return msgspec.convert(event, self.view, from_attributes=True), []
        except (msgspec.ValidationError, RecursionError):
            pass
        if not isinstance(event, Mapping) and not hasattr(event, "__dict__"):
            return None, [Problem("bad_json", f"an event is an object, not {type(event).__name__}")]
        problems: list[Problem] = []
        return _coerce(event, self.view, "$", problems), problems


def _no_constant(name: str) -> None:
    return None  # NaN and Infinity are no JSON; a value that is not there is what they mean


def _coerce(value: Any, view: type[V], path: str, problems: list[Problem]) -> V:
    """Build a view from the fields that fit, and name the others."""
    kept = {}
    for field in msgspec.structs.fields(view):
        if isinstance(value, Mapping):
            if field.encode_name not in value:
                continue
            part = value[field.encode_name]
        else:
            part = getattr(value, field.name, None)
            if part is None:
                continue
        at = f"{path}.{field.encode_name}"
        try:
            kept[field.name] = msgspec.convert(part, field.type, from_attributes=True)
            continue
        except (msgspec.ValidationError, RecursionError):
            pass
        inner, many = _inner(field.type)
        if inner is not None and many and isinstance(part, list):
            fitting = []
            for i, each in enumerate(part):
                if isinstance(each, Mapping) or hasattr(each, "__dict__"):
                    fitting.append(_coerce(each, inner, f"{at}[{i}]", problems))
                else:
                    problems.append(Problem("bad_field", f"{at}[{i}] is {type(each).__name__}, not an object"))
            kept[field.name] = fitting
        elif inner is not None and not many and (isinstance(part, Mapping) or hasattr(part, "__dict__")):
            kept[field.name] = _coerce(part, inner, at, problems)
        else:
            problems.append(Problem("bad_field", f"{at} is {type(part).__name__}, which that field cannot be"))
    return view(**kept)


def _inner(annotation: Any) -> tuple[type[msgspec.Struct] | None, bool]:
    """Return the struct that an annotation holds, and whether it holds a list of them."""
    for option in (annotation, *typing.get_args(annotation)):
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return option, False
        if typing.get_origin(option) is list:
            inner = typing.get_args(option)[0]
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                return inner, True
    return None, False


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object of the wire as a mapping: a dict as it is, an SDK's object by its attributes.

    Anything else gives an empty mapping.
    """
    if isinstance(value, Mapping):
        return value
    if value is None or isinstance(value, str | int | float | list):
        return {}
    fields = getattr(value, "__dict__", None)
    if fields is None:
        return {}
    extra = getattr(value, "__pydantic_extra__", None)
    public = {key: each for key, each in fields.items() if not key.startswith("_")}
    return {**public, **extra} if extra else public
