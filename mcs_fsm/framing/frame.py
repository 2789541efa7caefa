"""What a decoder gives out, and what all decoders share: offsets, limits, the end, the first bytes of a text body.

In: bytes of a body, cut anywhere. Out: the bytes that one decoder's `_take` works on.
"""

from __future__ import annotations

import sys

import msgspec

from ..limits import Limits

__all__ = ["BOM", "DEFAULT_LIMITS", "Decoder", "Fault", "Frame", "Piece", "TextDecoder", "foreign"]

BOM = b"\xef\xbb\xbf"
BLANKS = b" \t\r\n"
DEFAULT_LIMITS = Limits()

# Bodies that are no text. RFC 1952 section 2.3.1 (gzip), RFC 8878 section 3.1.1 (zstd); brotli has no signature.
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_BINARY = frozenset(range(0x20)) - frozenset(b"\t\n\x0b\x0c\r\x1b")


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One event as it was framed; the payload is not decoded.

    Args:
        event: the SSE event name, the `:event-type` (or exception type, or error code) of AWS, or None.
        data: bytes, the payload: normally one JSON text, or b"[DONE]".
        start: offset in the stream of the first byte of the frame.
        end: offset just past the last byte of the frame. Of the CRLF of a blank line only the CR counts, because the
            event is complete with it. Frames that came in one SSE event have the same offsets.
        kind: "event", or "exception" or "error" as AWS message types.
    """

    event: str | None
    data: bytes
    start: int
    end: int
    kind: str = "event"


class Fault(msgspec.Struct, frozen=True, gc=False):
    """Something in the stream that is no frame.

    Args:
        kind: "framing", "limit", "not_a_stream", "truncated" or "crc".
        message: one sentence for a person.
        fatal: whether nothing more can be read from this stream.
        retryable: whether sending the request again makes sense.
        start: offset in the stream of the first byte that is meant.
        end: offset just past the last byte that is meant.
    """

    kind: str
    message: str
    fatal: bool
    retryable: bool
    start: int
    end: int


Piece = Frame | Fault


def foreign(head: bytes) -> tuple[str, bool] | None:
    """Look whether a body is no text stream at all.

    Args:
        head: bytes of the body, BOM and blanks taken off, at least one.

    Returns:
        What came instead, as the end of a sentence, and whether to send the request again; None for a text. A
        beginning that can still become a signature counts as text, see `undecided`.
    """
    if head[0] == 0x3C:  # <
        return "an HTML or XML page came instead of a stream", True  # mostly a proxy's 502, 503 or 504
    if head.startswith(_COMPRESSED):
        return "the body is compressed, the transport has to decompress it", False
    if head[0] in _BINARY:
        return "the body is binary and no known framing", False
    return None


def undecided(head: bytes) -> bool:
    """Return whether more bytes can still turn `head` into a signature of something compressed."""
    return any(len(head) < len(magic) and magic.startswith(head) for magic in _COMPRESSED)


class Decoder:
    """Turn the bytes of one body into frames. Subclasses give `_take` and `_finish`.

    Args:
        limits: `frame_bytes` and `total_bytes` are used.
        offset: number of bytes of the stream that are gone already; frames count from there.

    Attributes:
        name: of the framing, None while it is not known.
        comments: number of comments (heartbeats) seen.
    """

    name: str | None = None
    __slots__ = ("_buf", "_cap", "_limits", "_over", "_received", "_total", "comments")

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, offset: int = 0) -> None:
        self.comments = 0
        self._limits = limits
        self._cap = limits.frame_bytes
        self._total = sys.maxsize if limits.total_bytes is None else limits.total_bytes
        self._received = offset
        self._over = False  # after close() or a fatal fault
        self._buf = bytearray()  # the last bytes received, as long as they belong to nothing yet

    def feed(self, data: bytes | bytearray | memoryview) -> list[Piece]:
        """Take bytes of the body, cut anywhere.

        Args:
            data: bytes, any number.

        Returns:
            The frames and faults that are complete with them; empty after a fatal fault and after close().

        Raises:
            TypeError: `data` is not bytes.
        """
        if type(data) is not bytes:
            if not isinstance(data, bytes | bytearray | memoryview):
                raise TypeError(f"feed() takes bytes of the body, not {type(data).__name__}")
            data = bytes(data)
        if self._over or not data:
            return []
        room = self._total - self._received
        if len(data) > room:
            out = self.feed(data[:room]) if room > 0 else []
            if not self._over:
                self._too_much(out, self._total)
            return out
        self._received += len(data)
        return self._take(data)

    def close(self) -> list[Piece]:
        """Take the end of the body; return what was still waiting. Idempotent."""
        if self._over:
            return []
        out = self._finish()
        self._over = True
        self._buf.clear()
        return out

    def _take(self, data: bytes) -> list[Piece]:
        """Read `data`, never empty, whose last byte is at offset `_received` - 1."""
        raise NotImplementedError

    def _finish(self) -> list[Piece]:
        """Read what waits at the end of the body."""
        raise NotImplementedError

    def _join(self, data: bytes) -> bytes:
        """Return the waiting bytes and `data` as one; nothing waits then.

        To be called only where the waiting bytes get done with, so that none comes here again and again.
        """
        if not self._buf:
            return data
        joined = bytes(self._buf) + data
        self._buf.clear()
        return joined

    def _fail(
        self, out: list[Piece], kind: str, message: str, start: int, end: int, *, retryable: bool = False
    ) -> None:
        """Put a fatal fault; nothing is read after it."""
        out.append(Fault(kind, message, True, retryable, start, end))
        self._over = True
        self._buf.clear()

    def _too_much(self, out: list[Piece], total: int) -> None:
        """Put the fault of a stream that passes the limit of `total` bytes."""
        self._fail(out, "limit", f"the stream is longer than {total} bytes (total_bytes)", total, total + 1)

    def _too_long(self, out: list[Piece], start: int) -> None:
        """Put the fault of a frame that passes the limit; `start` is the offset of its first byte."""
        text = f"a frame is longer than {self._cap} bytes (frame_bytes)"
        self._fail(out, "limit", text, start, start + self._cap + 1)


class TextDecoder(Decoder):
    """A decoder whose stream is text: BOM and leading blanks are no part of it, and other bodies are told apart.

    Blanks before the first byte are dropped without regard to lines: nobody indents a first line to have it ignored,
    and servers do send blank lines while they wait for a model.
    """

    __slots__ = ("_fresh",)

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, offset: int = 0) -> None:
        super().__init__(limits, offset=offset)
        self._fresh = True  # nothing but BOM and blanks so far

    def _begin(self, data: bytes, out: list[Piece]) -> bytes:
        """Return the bytes from the first that counts on; empty if there is none yet or the body is no text."""
        joined = self._join(data)
        if self._received == len(joined):  # nothing dropped so far
            if len(joined) < len(BOM) and BOM.startswith(joined):
                self._buf += joined
                return b""
            joined = joined.removeprefix(BOM)
        joined = joined.lstrip(BLANKS)
        if not joined:
            return b""
        if undecided(joined):
            self._buf += joined
            return b""
        self._fresh = False
        found = foreign(joined)
        if found is not None:
            start = self._received - len(joined)
            self._fail(out, "not_a_stream", found[0], start, start + 1, retryable=found[1])
            return b""
        return joined
