"""Tests for mcs_fsm/framing/ndjson.py."""

from __future__ import annotations

import pytest

from mcs_fsm.framing import Frame, NdjsonDecoder

A, B = b'{"a":1}', b'{"b":2}'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"a":1}\n{"b":2}\n', [A, B]),
        (b'{"a":1}\r\n{"b":2}\r\n', [A, B]),
        (b'{"a":1}\n\n \n\r\n{"b":2}\n', [A, B]),
        (b'{"a":1}\n{"b":2}', [A, B]),
        (b' {"a":1} \n', [A]),
        (b'data: {"a":1}\n\ndata:{"b":2}\n\ndata: [DONE]\n\n', [A, B, b"[DONE]"]),
        (b'{"a":1}\n[DONE]\n', [A, b"[DONE]"]),
        (b'{"a":1}\n[DONE]', [A, b"[DONE]"]),
        (b"data:\n", []),
        (b'{"a":"}\\"{"}\n', [b'{"a":"}\\"{"}']),
        ('{"a":"\u2028\u2029\x85\x0b\x0c"}\n{"b":2}\n'.encode(), ['{"a":"\u2028\u2029\x85\x0b\x0c"}'.encode(), B]),
        (b'{"a":"\xff"}\n', [b'{"a":"\xff"}']),
        (b'{"a":"\\ud800"}\n{"b":2}\n', [b'{"a":"\\ud800"}', B]),
        (b'{\n  "a": 1,\n\n  "c": [\n {}, "}\\"" ]\n}\n{"b":2}\n', [b'{\n  "a": 1,\n\n  "c": [\n {}, "}\\"" ]\n}', B]),
        (b'{\r\n"a": 1}\r\n', [b'{\n"a": 1}']),
        (b'{\n"a": 1}', [b'{\n"a": 1}']),
        (b'{"x":[1,\n 2]}\n{"b":2}\n', [b'{"x":[1,\n 2]}', B]),
        # a line that lost its end; the next one is whole
        (b'{"a":"tex\n{"b":2}\n', [b'{"a":"tex', B]),
        (b'{"a":[\n  1,\n{"b":2}\n{"a":1}\n', [b'{"a":[\n  1,', B, A]),
        (b'{"a":"tex\ndata: {"b":2}\n', [b'{"a":"tex', B]),
        (b'{"a":[\n  1,\n{"b":2}', [b'{"a":[\n  1,', B]),
        # no JSON, but whole: the next floor says what is wrong
        (b'{"a":x}\n{"b":2}\n', [b'{"a":x}', B]),
        (b'hello\n{"b":2}\n', [b"hello", B]),
        (b'{"a":1}{"b":2}\n', [A + B]),
    ],
)
def test_a_body_gives_these_frames(reading, body, expected):
    assert [(None, data) for data in expected] == reading.data(NdjsonDecoder, body)


@pytest.mark.parametrize(
    ("body", "frames", "start"),
    [
        (b'{"a":1}\n{"b"', 1, 8),
        (b'{"a":1}\n{"b":x}', 1, 8),
        (b'{"a":1}\nhel', 1, 8),
        (b'{"a":1}\n{"b":\n', 1, 8),
        (b'{"a":1}\n{"b":\n2', 1, 8),
    ],
)
def test_a_body_that_ends_inside_a_text_is_truncated(reading, body, frames, start):
    pieces = reading.whole(NdjsonDecoder, body)
    assert frames == len(pieces) - 1
    fault = pieces[-1]
    expected = ("truncated", False, True, start, len(body))
    assert expected == (fault.kind, fault.fatal, fault.retryable, fault.start, fault.end)


def test_offsets_hold_the_line_and_its_end(reading):
    body = b'{"a":1}\r\n\n{\n"b":2}\n{"a":1}'
    expected = [b'{"a":1}\r\n', b'{\n"b":2}\n', b'{"a":1}']
    assert expected == [body[frame.start : frame.end] for frame in reading.whole(NdjsonDecoder, body)]


def test_a_line_is_given_with_its_line_end():
    decoder = NdjsonDecoder()
    assert [] == decoder.feed(b'{"a":1}')
    assert [Frame(None, A, 0, 8)] == decoder.feed(b"\n")


def test_comments_are_counted(reading):
    decoder = NdjsonDecoder()
    assert [A] == [piece.data for piece in reading.pieces(decoder, [b': c\n{"a":1}\n: d'])]
    assert 2 == decoder.comments
    reading.whole(NdjsonDecoder, b': c\n{"a":1}\n: d')
