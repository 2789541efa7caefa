"""Tests for mcs_fsm/framing/sse.py."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcs_fsm.framing import Fault, Frame, SseDecoder

ONE = (None, b'{"a":1}')
TWO = (None, b'{"b":2}')

# (what it shows, body with LF, events and payloads)
ROWS = [
    ("one event", b'data: {"a":1}\n\n', [ONE]),
    ("many events", b'data: {"a":1}\n\ndata: {"b":2}\n\ndata: {"a":1}\n\n', [ONE, TWO, ONE]),
    ("no space", b'data:{"a":1}\n\n', [ONE]),
    ("two spaces, one is taken", b'data:  {"a":1}\n\n', [(None, b' {"a":1}')]),
    ("data lines are joined", b'data: {"a":\ndata: 1}\n\n', [(None, b'{"a":\n1}')]),
    ("data without a colon is an empty line", b'data: {"a":\ndata\ndata: 1}\n\n', [(None, b'{"a":\n\n1}')]),
    ("an event has a name", b'event: ping\ndata: {"a":1}\n\n', [("ping", b'{"a":1}')]),
    ("name without a space", b'event:ping\ndata:{"a":1}\n\n', [("ping", b'{"a":1}')]),
    ("name after the data", b'data: {"a":1}\nevent: ping\n\n', [("ping", b'{"a":1}')]),
    ("the last name wins", b'event: a\nevent: b\ndata: {"a":1}\n\n', [("b", b'{"a":1}')]),
    ("an empty name is none", b'event: \ndata: {"a":1}\n\nevent\ndata: {"b":2}\n\n', [ONE, TWO]),
    ("a name is for one event", b'event: x\ndata: {"a":1}\n\ndata: {"b":2}\n\n', [("x", b'{"a":1}'), TWO]),
    ("a name without data is no event", b'event: ping\n\ndata: {"a":1}\n\n', [ONE]),
    ("malformed UTF-8 in a name", b'event: \xffx\ndata: {"a":1}\n\n', [("\ufffdx", b'{"a":1}')]),
    ("id, retry and unknown fields", b'id: 7\nretry: 10\nfoo: bar\nbaz\ndata: {"a":1}\n\n', [ONE]),
    ("only id", b"id: 7\n\nid: 8\n\n", []),
    ("blank data is no event", b"data:\n\ndata: \n\ndata:   \n\ndata\n\n", []),
    ("more blank lines", b'\n\n\ndata: {"a":1}\n\n\n\n\ndata: {"b":2}\n\n\n', [ONE, TWO]),
    ("done", b"data: [DONE]\n\n", [(None, b"[DONE]")]),
    ("done with more", b"data:  [DONE] \n\ndata: [DONE]x\n\n", [(None, b"[DONE]")] * 2),
    ("done with a name", b"event: done\ndata: [DONE]\n\n", [("done", b"[DONE]")]),
    ("other data", b"data: hello\n\ndata: 12\n\n", [(None, b"hello"), (None, b"12")]),
    ("error as a field", b'error: {"a":1}\n\n', [("error", b'{"a":1}')]),
    ("error after data", b'data: {"a":1}\nerror: {"b":2}\n\n', [ONE, ("error", b'{"b":2}')]),
    ("two texts in one event", b'data: {"a":1}\ndata: {"b":2}\n\n', [ONE, TWO]),
    ("two texts with a name", b'event: x\ndata: {"a":1}\ndata: {"b":2}\n\n', [("x", ONE[1]), ("x", TWO[1])]),
    ("a text and done", b'data: {"a":1}\ndata: [DONE]\n\n', [ONE, (None, b"[DONE]")]),
    ("two lines, one no text", b'data: {"a":1}\ndata: x\n\n', [(None, b'{"a":1}\nx')]),
    ("bare JSON", b'{"a":1}\n', [ONE]),
    ("bare JSON and events", b'data: {"b":2}\n\n{"a":1}\n\ndata: {"b":2}\n\n', [TWO, ONE, TWO]),
    ("bare JSON in lines", b'{\n "a": "}\\"",\n\n "data": 1\n}\n', [(None, b'{\n "a": "}\\"",\n\n "data": 1\n}')]),
    ("bare array", b'[{\n"a":1}]\n', [(None, b'[{\n"a":1}]')]),
    ("bare done", b"[DONE]\n", [(None, b"[DONE]")]),
    ("bare JSON after a name", b'event: error\n{"a":1}\n\ndata: {"b":2}\n\n', [("error", ONE[1]), TWO]),
    ("bare JSON after data", b'data: {"b":2}\n{"a":1}\n\n', [TWO, ONE]),
    ("bare JSON without its end", b'{"a":\ndata: {"b":2}\n\n', [(None, b'{"a":'), TWO]),
    ("comment inside bare JSON", b'{"a":\n: c\n1}\n', [(None, b'{"a":\n1}')]),
    ("line ends of other standards", 'data: {"a":"\u2028\x85\x0b\x0c"}\n\n'.encode(), [
        (None, '{"a":"\u2028\x85\x0b\x0c"}'.encode())]),
    ("characters of many bytes", 'data: {"a":"\U0001f600é"}\n\n'.encode(), [(None, '{"a":"\U0001f600é"}'.encode())]),
    ("no name before a colon is a comment", b':data: {"a":1}\n\n', []),
    ("field names are exact", b' data: {"a":1}x\nData: {"a":1}\ndata : 1\n\n', []),
]  # fmt: skip


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_body_gives_these_frames_with_any_line_end(reading, body, expected, eol):
    if body.startswith(b" "):
        body = b"x\n" + body  # blanks before the first byte are dropped
    assert expected == reading.data(SseDecoder, body.replace(b"\n", eol))


@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_offsets_hold_the_event_from_its_first_field_to_its_blank_line(reading, eol):
    body = b': c\n\n\ndata: {"a":1}\n\n: d\nevent: x\ndata: {"b":2}\n\n{"c":3}\n'.replace(b"\n", eol)
    frames = reading.whole(SseDecoder, body)
    cr = eol[:1]
    expected = [b'data: {"a":1}' + eol + cr, b"event: x" + eol + b'data: {"b":2}' + eol + cr, b'{"c":3}' + cr]
    assert expected == [body[frame.start : frame.end] for frame in frames]


def test_texts_of_one_event_have_its_offsets(reading):
    assert [(0, 29), (0, 29)] == [
        (frame.start, frame.end) for frame in reading.whole(SseDecoder, b'data: {"a":1}\ndata: {"b":2}\n\n')
    ]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (b": keep-alive\n\n", 1),
        (b":\n:\n\n: OPENROUTER PROCESSING\n\n", 3),
        (b"data: : keep-alive\n\n", 1),
        (b'data: {"a":\n: c\ndata: 1}\n\n', 1),
        (b"data: : keep-alive", 1),
        (b": cut", 1),
    ],
)
@pytest.mark.parametrize("eol", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_comments_are_counted_and_give_no_frame(reading, body, count, eol):
    decoder = SseDecoder()
    pieces = reading.pieces(decoder, [body.replace(b"\n", eol)])
    assert count == decoder.comments
    assert [b'{"a":\n1}'] * body.count(b"{") == [piece.data for piece in pieces]
    reading.whole(SseDecoder, body.replace(b"\n", eol))


def test_an_event_is_given_with_the_byte_that_completes_it():
    for eol in (b"\n", b"\r"):
        decoder = SseDecoder()
        assert [] == decoder.feed(b'data: {"a":1}' + eol)
        assert [Frame(None, b'{"a":1}', 0, 15)] == decoder.feed(eol)
    decoder = SseDecoder()
    assert [Frame(None, b'{"a":1}', 0, 16)] == decoder.feed(b'data: {"a":1}\r\n\r')
    assert [] == decoder.feed(b"\n")
    assert [Frame(None, b'{"b":2}', 17, 33)] == decoder.feed(b'data: {"b":2}\r\n\r\n')


def test_comments_are_counted_with_their_line():
    decoder = SseDecoder()
    for count in range(1, 4):
        decoder.feed(b": keep-alive\n")
        assert count == decoder.comments


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'data: {"a":1}\n', [ONE]),
        (b'data: {"a":1}', [ONE]),
        (b'event: x\ndata: {"a":1}\r', [("x", b'{"a":1}')]),
        (b'data: {"a":\ndata: 1}', [(None, b'{"a":\n1}')]),
        (b'data: {"a":1}\ndata: {"b":2}', [ONE, TWO]),
        (b'data: {"a":"\\ud83d"}', [(None, b'{"a":"\\ud83d"}')]),
        (b"data: [DONE]", [(None, b"[DONE]")]),
        (b"data: [DONE]\n", [(None, b"[DONE]")]),
        (b'{"a":1}', [ONE]),
        (b'{"a":\n1}', [(None, b'{"a":\n1}')]),
        (b'error: {"a":1}', [("error", b'{"a":1}')]),
        (b"event: x\n", []),
        (b"data: ", []),
        (b"data:\n", []),
    ],
)
def test_the_last_event_may_lack_its_blank_line(reading, body, expected):
    assert expected == reading.data(SseDecoder, body)


@pytest.mark.parametrize(
    ("body", "start"),
    [
        (b'data: {"a"', 0),
        (b'data: {"a":1}\n\nevent: x\ndata: {"a":"', 15),
        (b"data: [DON", 0),
        (b'data: {"a":\ndata: {"b', 0),
        (b'{"a":\n', 0),
        (b'data: {"a":1}\n\ndat', 15),
        (b'data: {"a":1}\n\nevent: mess', 15),
        (b'data: {"a":1}\n\nevent: x\nda', 15),
    ],
)
def test_a_body_that_ends_inside_an_event_is_truncated(reading, body, start):
    *frames, fault = reading.whole(SseDecoder, body)
    assert all(isinstance(frame, Frame) for frame in frames)
    assert ("truncated", False, True, start) == (fault.kind, fault.fatal, fault.retryable, fault.start)


def test_signatures_are_looked_for_at_the_beginning_only(reading):
    assert [ONE, (None, b"<html>")] == reading.data(SseDecoder, b'data: {"a":1}\n\n<b>\ndata: <html>\n\n')


def test_blanks_before_the_first_line_are_dropped(reading):
    assert [ONE] == reading.data(SseDecoder, b'\n  \r\n data: {"a":1}\n\n')


lines = st.lists(st.sampled_from([row[1] for row in ROWS] + [b": c\n", b"\n", b"data: x\n"]), max_size=5)


@given(body=lines.map(b"".join), eols=st.lists(st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=1, max_size=4))
@example(body=b"data: 1\n\n\ndata: 2\n\n", eols=[b"\r", b"\n"])
def test_mixed_line_ends_read_as_the_standard_says(reading, body, eols):
    # CR before LF is one line end, so that a LF never follows a lone CR here.
    pieces = body.split(b"\n")
    mixed = pieces[0]
    for number, piece in enumerate(pieces[1:]):
        eol = eols[number % len(eols)]
        if eol == b"\n" and mixed.endswith(b"\r"):
            eol = b"\r"
        mixed += eol + piece
    expected = [(p.event, p.data) for p in reading.pieces(SseDecoder(), [body]) if isinstance(p, Frame)]
    got = reading.pieces(SseDecoder(), [mixed])
    assert expected == [(p.event, p.data) for p in got if isinstance(p, Frame)]
    assert got == reading.pieces(SseDecoder(), [mixed[i : i + 1] for i in range(len(mixed))])
    assert got == reading.pieces(SseDecoder(), [mixed[i : i + 7] for i in range(0, len(mixed), 7)])
    assert not any(isinstance(p, Fault) and p.fatal for p in got)
