"""The AWS event stream.

In: bytes of an `application/vnd.amazon.eventstream` body. Out: one frame a message. All integers are big-endian:

    0        uint32  total length, all of the message
    4        uint32  headers length H
    8        uint32  CRC32 of bytes 0 to 7
    12       headers
    12 + H   payload
    total-4  uint32  CRC32 of all bytes before it

A header is uint8 length, name, uint8 type, value. Source: `botocore/eventstream.py` 1.44.8 and
https://docs.aws.amazon.com/transcribe/latest/dg/event-stream.html (checked 2026-11-30).
"""

from __future__ import annotations

import struct
import zlib

import msgspec

from ..limits import Limits
from .frame import DEFAULT_LIMITS, Decoder, Fault, Frame, Piece

__all__ = ["MAX_HEADERS", "MAX_PAYLOAD", "PRELUDE", "EventStreamDecoder", "parse_headers", "prelude"]

MAX_HEADERS = 128 * 1024  # botocore _MAX_HEADERS_LENGTH
MAX_PAYLOAD = 24 * 1024 * 1024  # botocore _MAX_PAYLOAD_LENGTH
PRELUDE = 12  # bytes
_KNOWN = 32  # sets of headers that are remembered; Bedrock has 12 event and exception types
_KNOWN_SIZE = 512  # bytes of one of them
_LEAST = PRELUDE + 4  # a message without headers and payload
_WORDS = struct.Struct(">III")
_CRC = struct.Struct(">I")
_FIXED = {2: struct.Struct(">b"), 3: struct.Struct(">h"), 4: struct.Struct(">i"), 5: struct.Struct(">q"),
          8: struct.Struct(">q")}  # fmt: skip
_KINDS = {"event": ":event-type", "exception": ":exception-type", "error": ":error-code"}

Value = bool | int | bytes | str


def prelude(head: bytes) -> tuple[int, int] | None:
    """Read the first 12 bytes of a message; return total length and headers length, or None if the CRC is wrong."""
    total, headers, crc = _WORDS.unpack_from(head)
    return (total, headers) if zlib.crc32(head[:8]) == crc else None


def parse_headers(block: bytes) -> dict[str, Value]:
    """Read the headers of one message.

    Args:
        block: bytes, the headers alone.

    Returns:
        Values by name: int8 to int64 and timestamp (milliseconds) as int, UUID as its 16 bytes.

    Raises:
        ValueError: an unknown type, a repeated name, a length that leaves the block.
    """
    found: dict[str, Value] = {}
    pos, size = 0, len(block)

    def take(count: int) -> bytes:
        nonlocal pos
        if pos + count > size:
            raise ValueError("a header is longer than the headers")
        pos += count
        return block[pos - count : pos]

    while pos < size:
        name = take(take(1)[0]).decode("utf-8", "replace")
        kind = take(1)[0]
        value: Value
        if kind <= 1:
            value = kind == 0
        elif kind in _FIXED:
            value = _FIXED[kind].unpack(take(_FIXED[kind].size))[0]
        elif kind == 6 or kind == 7:
            value = take(int.from_bytes(take(2), "big"))
            if kind == 7:
                value = value.decode("utf-8", "replace")
        elif kind == 9:
            value = take(16)
        else:
            raise ValueError(f"header {name!r} has the unknown type {kind}")
        if name in found:
            raise ValueError(f"header {name!r} comes twice")
        found[name] = value
    return found


class EventStreamDecoder(Decoder):
    """Read AWS messages, see `Decoder`. What waits: `_buf` holds the message that is not complete."""

    name = "eventstream"
    __slots__ = ("_known", "_need")

    def __init__(self, limits: Limits = DEFAULT_LIMITS, *, offset: int = 0) -> None:
        super().__init__(limits, offset=offset)
        self._need = PRELUDE  # bytes before there is something to do
        # Headers seen: a stream has a handful of them and hundreds of messages, and reading them costs the most.
        self._known: dict[bytes, dict[str, Value]] = {}

    def _take(self, data: bytes) -> list[Piece]:
        out: list[Piece] = []
        if len(self._buf) + len(data) < self._need:
            self._buf += data
            return out
        data = self._join(data)
        base = self._received - len(data)
        pos, size = 0, len(data)
        while size - pos >= PRELUDE:
            start = base + pos
            lengths = self._lengths(data[pos : pos + PRELUDE], start, out)
            if lengths is None:
                return out
            total, headers = lengths
            self._need = total
            if size - pos < total:
                break
            self._message(data[pos : pos + total], headers, start, out)
            if self._over:
                return out
            pos += total
            self._need = PRELUDE
        self._buf += data[pos:]
        return out

    def _lengths(self, head: bytes, start: int, out: list[Piece]) -> tuple[int, int] | None:
        """Return total length and headers length; put a fault and return None if they are not to be trusted."""
        end = start + PRELUDE
        lengths = prelude(head)
        if lengths is None:
            self._fail(out, "crc", "the CRC of a message's lengths is wrong", start, end, retryable=True)
            return None
        total, headers = lengths
        if total < _LEAST or headers > total - _LEAST:
            self._fail(out, "framing", f"a message of {total} bytes with {headers} bytes of headers", start, end)
        elif headers > MAX_HEADERS:
            text = f"a message has {headers} bytes of headers, the limit is {MAX_HEADERS}"
            self._fail(out, "limit", text, start, end)
        elif total - headers - _LEAST > MAX_PAYLOAD:
            text = f"a message has {total - headers - _LEAST} bytes of payload, the limit is {MAX_PAYLOAD}"
            self._fail(out, "limit", text, start, end)
        elif total > self._cap:
            text = f"a message has {total} bytes, the limit is {self._cap} (frame_bytes)"
            self._fail(out, "limit", text, start, end)
        else:
            return lengths
        return None

    def _message(self, message: bytes, headers: int, start: int, out: list[Piece]) -> None:
        """Read one whole message."""
        end = start + len(message)
        if zlib.crc32(message[:-4]) != _CRC.unpack_from(message, len(message) - 4)[0]:
            self._fail(out, "crc", "the CRC of a message is wrong", start, end, retryable=True)
            return
        block = message[PRELUDE : PRELUDE + headers]
        found = self._known.get(block)
        if found is None:
            try:
                found = parse_headers(block)
            except ValueError as exc:
                self._fail(out, "framing", str(exc), start, end)
                return
            if len(self._known) < _KNOWN and headers < _KNOWN_SIZE:
                self._known[block] = found
        kind = found.get(":message-type", "event")
        if not isinstance(kind, str) or kind not in _KINDS:
            out.append(Fault("framing", f"a message is of unknown type {kind!r}", False, False, start, end))
            return
        event = found.get(_KINDS[kind])
        if event is not None and not isinstance(event, str):
            self._fail(out, "framing", f"header {_KINDS[kind]!r} is no string", start, end)
        elif kind == "error":
            text = found.get(":error-message", "")
            data = msgspec.json.encode({"message": text if isinstance(text, str) else ""})
            out.append(Frame(event, data, start, end, kind))
        elif event != "initial-response" or kind != "event":  # that one belongs to other services' protocols
            out.append(Frame(event, message[PRELUDE + headers : -4] or b"{}", start, end, kind))

    def _finish(self) -> list[Piece]:
        if not self._buf:
            return []
        end = self._received
        return [Fault("truncated", "the body ended inside a message", False, True, end - len(self._buf), end)]
