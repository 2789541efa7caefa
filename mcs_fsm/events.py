"""What a stream says, chunk by chunk: small frozen structs, made for `match`.

A call lives forming -> arguments -> ready | abandoned. `block` numbers the parts of the reply in order of
appearance (text, reasoning, call, ...), `slot` numbers the calls; both count from 0, whatever the wire's keys were.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .calls import Counts, ExtractedCall

__all__ = [
    "ArgumentsDelta", "CallAbandoned", "CallForming", "CallReady", "Event", "OpaquePart", "ReasoningDelta",
    "RefusalDelta", "StreamError", "TextDelta", "TurnFinished", "TurnStarted", "UsageReported",
]  # fmt: skip


class Event(msgspec.Struct, frozen=True, tag=True, tag_field="event"):
    """The base of all events."""


class TurnStarted(Event, frozen=True):
    """The reply has begun; each field as far as the wire says so. `created` is the provider's own value."""

    id: str | None = None
    model: str | None = None
    created: Any = None


class TextDelta(Event, frozen=True):
    """Text that may be shown now."""

    text: str
    block: int


class ReasoningDelta(Event, frozen=True):
    """Reasoning, kept apart from the text."""

    text: str
    block: int


class RefusalDelta(Event, frozen=True):
    """The provider's refusal text."""

    text: str
    block: int


class OpaquePart(Event, frozen=True):
    """Something that must ride back or on unchanged.

    Args:
        block: the part it belongs to.
        kind: "signature", "redacted_thinking", "encrypted_reasoning", "citation", "provider_result", ...
        data: the provider's own value.
    """

    block: int
    kind: str
    data: Any


class CallForming(Event, frozen=True):
    """A call is coming and a name is here; repeated if the name or id grows."""

    slot: int
    block: int
    id: str | None
    name: str


class ArgumentsDelta(Event, frozen=True):
    """A piece of a call's raw arguments: a preview, never to be run."""

    slot: int
    text: str


class CallReady(Event, frozen=True):
    """The call is whole and strict: may be run as far as its wire is concerned."""

    slot: int
    call: ExtractedCall


class CallAbandoned(Event, frozen=True):
    """Not a call after all, malformed, or cut off; where it was text, its text follows as `TextDelta`."""

    slot: int
    reason: str


class UsageReported(Event, frozen=True):
    """The provider's own usage object, and the counts in one shape."""

    usage: dict[str, Any]
    counts: Counts


class TurnFinished(Event, frozen=True):
    """The last event, once. `truncated` is True if the connection ended without a terminal signal."""

    reason: str | None
    truncated: bool


class StreamError(Event, frozen=True):
    """A provider error, broken framing, bad JSON or a limit passed.

    Args:
        kind: a stable code ("provider", "bad_json", "bad_field", "framing", "limit", "not_a_stream", ...).
        message: one sentence for a person.
        retryable: whether sending the request again makes sense.
        frame: number of the frame, from 0, or None.
        data: the provider's own error object, or None.
    """

    kind: str
    message: str
    retryable: bool = False
    frame: int | None = None
    data: Any = None
