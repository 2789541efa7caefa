"""Tests for mcs_fsm/framing/jsonarray.py."""

from __future__ import annotations

import pytest

from mcs_fsm.framing import Fault, Frame, JsonArrayDecoder

A, B = b'{"a":1}', b'{"b":2}'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'[{"a":1}]', [A]),
        (b'[{"a":1}\n,\r\n{"b":2}\r\n]\n', [A, B]),
        (b' [ {"a":1} , {"b":2} ] ', [A, B]),
        (b"[]", []),
        (b'{"a":1}', [A]),
        (b'{"a":1}\n{"b":2}\n', [A, B]),
        (b'[{"a":1}]\n[{"b":2}]', [A, B]),
        (b'[{"a":"}]\\"{["},{"b":2}]', [b'{"a":"}]\\"{["}', B]),
        (b'[{"a":[{"b":[]}]},{"b":2}]', [b'{"a":[{"b":[]}]}', B]),
        ('[{"a":"\\u00e9é\U0001f600\\\\"},{"b":2}]'.encode(), ['{"a":"\\u00e9é\U0001f600\\\\"}'.encode(), B]),
    ],
)
def test_a_body_gives_these_frames(reading, body, expected):
    assert [(None, data) for data in expected] == reading.data(JsonArrayDecoder, body)


@pytest.mark.parametrize(
    ("body", "frames"),
    [(b"[", 0), (b'[{"a":1}', 1), (b'[{"a":1},', 1), (b'[{"a":1},{"b"', 1), (b'{"a":"}', 0), (b'["x', 0)],
)
def test_a_body_that_ends_before_its_end_is_truncated(reading, body, frames):
    fault = reading.whole(JsonArrayDecoder, body)[-1]
    kinds = [type(piece) for piece in reading.whole(JsonArrayDecoder, body) if piece.kind != "framing"]
    assert [Frame] * frames + [Fault] == kinds
    assert ("truncated", False, True, len(body)) == (fault.kind, fault.fatal, fault.retryable, fault.end)


def test_offsets_hold_the_object(reading):
    body = b'[ {"a":1} ,\n{"b":2}]'
    assert [A, B] == [body[frame.start : frame.end] for frame in reading.whole(JsonArrayDecoder, body)]


def test_an_object_is_given_with_its_last_byte():
    decoder = JsonArrayDecoder()
    assert [] == decoder.feed(b'[{"a":1')
    assert [Frame(None, A, 1, 8)] == decoder.feed(b"}")


@pytest.mark.parametrize("odd", [b"1", b"-1.5e3", b"null", b'"a,{]\\""', b'[{"x":1},["]"]]', b"\xff"])
def test_an_element_that_is_no_object_is_reported_once_and_skipped(reading, odd):
    body = b"[" + odd + b',{"a":1},' + odd + b"," + odd + b',{"b":2}]'
    fault, *frames = reading.whole(JsonArrayDecoder, body)
    assert ("framing", False, 1) == (fault.kind, fault.fatal, fault.start)
    assert [A, B] == [frame.data for frame in frames]


def test_something_after_the_end_is_reported_and_ends_nothing(reading):
    frame, fault = reading.whole(JsonArrayDecoder, b'[{"a":1}]\n x y')
    assert A == frame.data
    assert ("framing", False, 11) == (fault.kind, fault.fatal, fault.start)


def test_a_body_of_neither_kind_is_a_fatal_fault(reading):
    (fault,) = reading.whole(JsonArrayDecoder, b' hello {"a":1}')
    assert ("framing", True, 1) == (fault.kind, fault.fatal, fault.start)
