"""Which framing a body has.

In: the Content-Type header, and the first bytes. Out: the frames of the decoder that fits. What the bytes clearly say
counts more than the header: proxies and error pages change one of them and not the other.
"""

from __future__ import annotations

import sys

from ..limits import Limits
from .eventstream import PRELUDE, EventStreamDecoder, prelude
from .frame import BLANKS, BOM, DEFAULT_LIMITS, Decoder, Piece
from .jsonarray import JsonArrayDecoder
from .ndjson import NdjsonDecoder
from .sse import SseDecoder

__all__ = ["Framer", "sniff"]

_BY_TYPE: dict[str, type[Decoder]] = {
    "text/event-stream": SseDecoder,
    "application/x-ndjson": NdjsonDecoder,
    "application/ndjson": NdjsonDecoder,
    "application/jsonl": NdjsonDecoder,
    "application/x-jsonlines": NdjsonDecoder,
    "application/json": NdjsonDecoder,
    "application/vnd.amazon.eventstream": EventStreamDecoder,
}
_SSE_STARTS = (b"data:", b"event:", b"id:", b"retry:", b"error:", b":")


def sniff(head: bytes, hint: type[Decoder] | None, final: bool) -> type[Decoder] | None:
    """Choose the decoder by the first bytes.

    Args:
        head: bytes of the body, BOM and blanks taken off, at least one.
        hint: what the content type says, or None.
        final: whether no more bytes will come.

    Returns:
        The class of the decoder, or None if more bytes are needed (12 at the most).
    """
    first = head[:1]
    if first <= b"\x01":  # an AWS message is shorter than 25 MiB; no text begins like this
        if len(head) < PRELUDE:
            return (hint or EventStreamDecoder) if final else None
        if prelude(head[:PRELUDE]) is not None:
            return EventStreamDecoder
        return hint or SseDecoder  # which say what is wrong
    if first == b"[":
        if len(head) == 1 and not final:
            return None
        if head[1:2] != b"D":  # [DONE]
            return JsonArrayDecoder
    elif first == b"{":
        return SseDecoder if hint is SseDecoder else NdjsonDecoder  # events may follow an error that has no field
    elif first == b"<":
        return SseDecoder
    elif hint not in (None, SseDecoder):
        if head.startswith(_SSE_STARTS):
            return SseDecoder
        if not final and any(start.startswith(head) for start in _SSE_STARTS):
            return None
    return hint or SseDecoder


class Framer(Decoder):
    """Find out the framing, then read it, see `Decoder`.

    Args:
        content_type: the Content-Type header, or None to look at the bytes alone.
        limits: `frame_bytes` and `total_bytes` are used.

    Attributes:
        name: "sse", "ndjson", "eventstream", "json-array", or None while it is not decided.
    """

    def __init__(self, content_type: str | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._decoder: Decoder | None = None
        super().__init__(limits)
        self._most, self._total = self._total, sys.maxsize  # the decoder counts, here it is blanks alone
        media_type = (content_type or "").partition(";")[0].strip().lower()
        self._hint = _BY_TYPE.get(media_type)

    @property
    def comments(self) -> int:
        """Number of comments (heartbeats) seen."""
        return self._decoder.comments if self._decoder is not None else 0

    @comments.setter
    def comments(self, value: int) -> None:
        pass  # the decoder counts

    def _take(self, data: bytes) -> list[Piece]:
        joined = self._join(data)
        if self._received == len(joined):
            if len(joined) < len(BOM) and BOM.startswith(joined):
                self._buf += joined
                return []
            joined = joined.removeprefix(BOM)
        joined = joined.lstrip(BLANKS)
        if self._received - len(joined) > self._most:
            out: list[Piece] = []
            self._too_much(out, self._most)
            return out
        return self._decide(joined, final=False) if joined else []

    def _decide(self, head: bytes, *, final: bool) -> list[Piece]:
        """Make the decoder if it can be told which, and let it read `head`."""
        found = sniff(head, self._hint, final)
        if found is None:
            self._buf += head
            return []
        self._decoder = decoder = found(self._limits, offset=self._received - len(head))
        self.name = decoder.name
        # From here on the decoder is the framer: one call a read less.
        self.feed = decoder.feed  # type: ignore[method-assign]
        self.close = decoder.close  # type: ignore[method-assign]
        return decoder.feed(head)

    def _finish(self) -> list[Piece]:
        if not self._buf:
            return []
        out = self._decide(bytes(self._buf), final=True)
        return out + self.close()
