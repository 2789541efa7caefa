"""How much of what a provider sends may wait. Nothing that waits is without a limit."""

from __future__ import annotations

import msgspec

__all__ = ["Limits"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Bound what one stream may hold.

    Args:
        frame_bytes: bytes of one frame (an SSE event, a line, an event-stream message). 32 MiB: a whole
            Responses body or a Gemini signature is one line of hundreds of KiB, botocore allows 24 MiB.
        argument_chars: characters of one call's arguments. 16 Mi: a file of some MiB is written through
            a tool call now and then, more is a runaway.
        held_chars: characters of text that may be held back while they can still become a call. 1 Mi.
        slots: calls in one turn, whole or not. 1,024: providers stop at 128 tools.
        depth: nesting of JSON in arguments and text calls. 128, as protobuf's and most servers' own limits.
        undecided: chunks that may wait until the wire is recognised. 16: some servers send a ping, a
            comment and a metadata chunk first, no more than three were seen.
        array_index: highest index in a partial-argument path. 65,535.
        total_bytes: bytes of the whole stream, None for no limit.
    """

    frame_bytes: int = 32 * 1024 * 1024
    argument_chars: int = 16 * 1024 * 1024
    held_chars: int = 1024 * 1024
    slots: int = 1024
    depth: int = 128
    undecided: int = 16
    array_index: int = 65_535
    total_bytes: int | None = None
