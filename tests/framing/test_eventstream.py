"""Tests for mcs_fsm/framing/eventstream.py."""

from __future__ import annotations

import struct
import zlib

import pytest

from mcs_fsm.framing import EventStreamDecoder, Fault, Frame
from mcs_fsm.framing.eventstream import MAX_HEADERS, MAX_PAYLOAD, parse_headers
from mcs_fsm.limits import Limits

STOP = bytes.fromhex(
    "0000007a00000051ca2c46650b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e742d747970650700106170"
    "706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b2273746f70526561736f6e223a22746f6f6c5f75"
    "7365227d9dcb2981"
)


def header(name, value, kind=7):
    head = bytes([len(name)]) + name.encode() + bytes([kind])
    return head + (struct.pack(">H", len(value)) + value if kind in (6, 7) else value)


def with_crcs(total, headers, rest):
    head = struct.pack(">II", total, headers)
    head += struct.pack(">I", zlib.crc32(head))
    return head + rest + struct.pack(">I", zlib.crc32(head + rest))


def message(headers, payload=b"{}"):
    if isinstance(headers, dict):
        headers = b"".join(header(name, value) for name, value in headers.items())
    return with_crcs(16 + len(headers) + len(payload), len(headers), headers + payload)


def event(name, payload=b"{}"):
    return message({":message-type": b"event", ":event-type": name}, payload)


def test_the_example_is_read(reading):
    body = STOP + event(b"x", b'{"a":1}')
    expected = [Frame("messageStop", b'{"stopReason":"tool_use"}', 0, 122), Frame("x", b'{"a":1}', 122, len(body))]
    assert expected == reading.whole(EventStreamDecoder, body)


def test_an_exception_carries_its_type(reading):
    body = message({":message-type": b"exception", ":exception-type": b"throttlingException"}, b'{"message":"slow"}')
    (frame,) = reading.whole(EventStreamDecoder, body)
    assert ("throttlingException", b'{"message":"slow"}', "exception") == (frame.event, frame.data, frame.kind)


def test_an_error_carries_its_code_and_its_message_as_json(reading):
    body = message({":message-type": b"error", ":error-code": b"500", ":error-message": 'b"é'.encode()}, b"")
    (frame,) = reading.whole(EventStreamDecoder, body)
    assert ("500", '{"message":"b\\"é"}'.encode(), "error") == (frame.event, frame.data, frame.kind)


def test_an_empty_payload_is_an_empty_object(reading):
    assert [("x", b"{}")] == reading.data(EventStreamDecoder, event(b"x", b""))


def test_an_initial_response_is_skipped(reading):
    assert [("x", b"{}")] == reading.data(EventStreamDecoder, event(b"initial-response") + event(b"x"))


def test_headers_may_be_missing(reading):
    assert [(None, b'{"a":1}')] == reading.data(EventStreamDecoder, message({}, b'{"a":1}'))


def test_many_sets_of_headers_are_read(reading):
    names = [str(i).encode() for i in range(100)] * 2
    expected = [(name.decode(), b"{}") for name in names]
    assert expected == reading.data(EventStreamDecoder, b"".join(map(event, names)))


def test_headers_of_all_types_are_read():
    block = b"".join(
        [
            header("t", b"", 0), header("f", b"", 1), header("b", b"\xff", 2), header("s", b"\xff\xfe", 3),
            header("i", b"\x00\x00\x01\x00", 4), header("l", b"\xff" * 8, 5), header("y", b"\x00\x01", 6),
            header("x", "é".encode(), 7), header("m", b"\x00" * 7 + b"\x09", 8), header("u", b"u" * 16, 9),
        ]
    )  # fmt: skip
    expected = {"t": True, "f": False, "b": -1, "s": -2, "i": 256, "l": -1, "y": b"\x00\x01", "x": "é", "m": 9,
                "u": b"u" * 16}  # fmt: skip
    assert expected == parse_headers(block)


@pytest.mark.parametrize(
    "block",
    [
        header("a", b"1") + header("a", b"2"),
        header("a", b"", 10),
        header("a", b"1")[:-1],
        b"\x05abc",
        b"\x01a",
        header("a", b"\x00", 3),
        header(":event-type", b"", 0),
    ],
)
def test_broken_headers_are_a_fatal_fault(reading, block):
    body = message(block)
    (fault,) = reading.whole(EventStreamDecoder, body + event(b"x"))
    assert ("framing", True, 0, len(body)) == (fault.kind, fault.fatal, fault.start, fault.end)


@pytest.mark.parametrize(
    "block", [header(":message-type", b"news"), header(":message-type", b""), header(":message-type", b"\0\1", 3)]
)
def test_an_unknown_message_type_is_reported_and_skipped(reading, block):
    body = message(block)
    fault, frame = reading.whole(EventStreamDecoder, body + event(b"x"))
    assert ("framing", False, 0, len(body)) == (fault.kind, fault.fatal, fault.start, fault.end)
    assert "x" == frame.event


@pytest.mark.parametrize("place", [0, 5, 9, 20, 60, 115, 121])
def test_a_wrong_byte_is_a_fatal_crc_fault(reading, place):
    broken = bytearray(STOP)
    broken[place] ^= 1
    first, fault = reading.whole(EventStreamDecoder, STOP + bytes(broken) + STOP)
    assert "messageStop" == first.event
    assert ("crc", True, 122) == (fault.kind, fault.fatal, fault.start)


def test_lengths_are_not_trusted_before_their_crc():
    decoder = EventStreamDecoder()
    (fault,) = decoder.feed(struct.pack(">III", 24 * 1024 * 1024, 0, 0))
    assert "crc" == fault.kind


@pytest.mark.parametrize(
    ("total", "headers", "kind"),
    [
        (15, 0, "framing"),
        (0, 0, "framing"),
        (100, 85, "framing"),
        (MAX_HEADERS + 17, MAX_HEADERS + 1, "limit"),
        (MAX_PAYLOAD + 17, 0, "limit"),
        (2**32 - 1, 0, "limit"),
    ],
)
def test_lengths_that_cannot_be_are_a_fatal_fault_at_once(reading, total, headers, kind):
    (fault,) = reading.whole(EventStreamDecoder, with_crcs(total, headers, b""))
    assert (kind, True, 0, 12) == (fault.kind, fault.fatal, fault.start, fault.end)


def test_a_message_may_be_as_long_as_the_limit_and_no_longer(reading):
    assert 2 == len(reading.data(lambda: EventStreamDecoder(Limits(frame_bytes=122)), STOP * 2))
    (fault,) = reading.whole(lambda: EventStreamDecoder(Limits(frame_bytes=121)), STOP * 2)
    assert ("limit", True) == (fault.kind, fault.fatal)
    assert "121 (frame_bytes)" in fault.message


@pytest.mark.parametrize("cut", [1, 11, 12, 60, 121])
def test_a_body_that_ends_inside_a_message_is_truncated(reading, cut):
    frame, fault = reading.whole(EventStreamDecoder, STOP + STOP[:cut])
    assert isinstance(frame, Frame)
    assert Fault("truncated", fault.message, False, True, 122, 122 + cut) == fault


def test_a_long_message_in_small_pieces_is_joined_a_constant_number_of_times():
    class Counting(EventStreamDecoder):
        examined = 0

        def _join(self, data):
            joined = super()._join(data)
            self.examined += len(joined)
            return joined

    decoder = Counting()
    body = event(b"x", b'"' + b"0" * 10_000_000 + b'"')
    out = [piece for i in range(0, len(body), 100) for piece in decoder.feed(body[i : i + 100])]
    assert 10_000_002 == len(out[0].data)
    assert decoder.examined <= 2 * len(body)
