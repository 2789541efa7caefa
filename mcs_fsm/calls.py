"""Value types: a call, a call on its way, and a whole turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["Counts", "ExtractedCall", "FailedCall", "Forming", "Held", "Stats", "Turn"]


class ExtractedCall(msgspec.Struct, eq=False):
    """A whole call.

    Args:
        name: the tool's name.
        arguments: the parsed object; `{"input": text}` for a custom (free text) tool.
        id: the provider's correlation id, None where the wire has none.
        start: code point in `get_content()` where the text of a text call begins, None for a native call.
        end: code point just past it. Neither takes part in equality.
        kind: "function", "custom", or the provider's own kind ("shell", "apply_patch", ...).
        owned: True if the name is among the offered tools, False if not, None if they are not known.
        provider_run: True if the provider executes it itself; it must not be dispatched.
    """

    name: str
    arguments: dict[str, Any] = {}
    id: str | None = None
    start: int | None = None
    end: int | None = None
    kind: str = "function"
    owned: bool | None = None
    provider_run: bool = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExtractedCall):
            return NotImplemented
        return (self.name, self.id, self.kind, self.provider_run, self.arguments) == (
            other.name, other.id, other.kind, other.provider_run, other.arguments)  # fmt: skip

    __hash__ = None  # type: ignore[assignment]


class Forming(msgspec.Struct, frozen=True):
    """Is a call on its way, and its name if it is already here. True exactly while forming."""

    forming: bool = False
    tool_name: str | None = None

    def __bool__(self) -> bool:
        return self.forming


class FailedCall(msgspec.Struct, frozen=True):
    """A call that never became whole.

    Args:
        id: the provider's id or None.
        name: the name as far as it came, None if none did.
        provider_run: True if the provider would have run it.
        reason: a stable code: "truncated", "malformed", "no_name", "not_an_object", "duplicate_key",
            "limit", "empty".
        raw: its arguments as received.
    """

    id: str | None
    name: str | None
    provider_run: bool
    reason: str
    raw: str


class Counts(msgspec.Struct, frozen=True):
    """Token counts in one shape; None where the provider does not say. `cached` is part of `input`."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


class Held(msgspec.Struct, frozen=True):
    """What text was held back.

    Args:
        chars: characters held at this moment.
        most: the most characters held after any one chunk.
        chunks: chunks after which something was held.
        why: LEX state in which it was held -> number of such chunks.
    """

    chars: int = 0
    most: int = 0
    chunks: int = 0
    why: Mapping[str, int] = {}


class Stats(msgspec.Struct, frozen=True):
    """Counts of one stream.

    Args:
        chunks: calls of feed() and add().
        frames: decoded frames.
        bytes: bytes fed.
        held: see `Held`.
        anomalies: stable code -> how often.
        lane_hits: frames that took the fast lane; 0 where there is none.
    """

    chunks: int = 0
    frames: int = 0
    bytes: int = 0
    held: Held = Held()
    anomalies: Mapping[str, int] = {}
    lane_hits: int = 0


class Turn(msgspec.Struct, frozen=True):
    """All that is known of one reply; final after close().

    Args:
        text: what may be shown.
        reasoning: reasoning of every kind, in order of arrival.
        refusal: the provider's refusal text.
        calls: whole calls in order of first appearance, provider-run ones included.
        failed_calls: calls that never became whole.
        finish_reason: the provider's own word, None if it never came.
        finished: True if a terminal signal was seen.
        truncated: True if the connection ended without one.
        usage: the provider's own usage object or None.
        usage_state: "reported", "partial" (seen, but the turn did not end) or "unknown".
        error: the first error of the stream, {"kind", "message", ...}, or None.
        message: the provider's own non-streamed message.
        source: the format's name, None while undecided.
        held: what text was held back.
        anomalies: stable code -> how often.
    """

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[ExtractedCall] = []
    failed_calls: list[FailedCall] = []
    finish_reason: str | None = None
    finished: bool = False
    truncated: bool = False
    usage: dict[str, Any] | None = None
    usage_state: str = "unknown"
    error: dict[str, Any] | None = None
    message: Any = None
    source: str | None = None
    held: Held = Held()
    anomalies: Mapping[str, int] = {}
