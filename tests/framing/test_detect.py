"""Tests for mcs_fsm/framing/detect.py."""

from __future__ import annotations

import struct
import zlib

import pytest

from mcs_fsm.framing import Frame, Framer
from mcs_fsm.limits import Limits

HEAD = struct.pack(">II", 18, 0)
AWS = HEAD + struct.pack(">I", zlib.crc32(HEAD)) + b"{}"
AWS += struct.pack(">I", zlib.crc32(AWS))
EVENT = b'data: {"a":1}\n\n'
LINE = b'{"a":1}\n'
ARRAY = b'[{"a":1}]'
TYPES = [
    None, "", "text/plain", "text/event-stream", "application/x-ndjson", "application/jsonl", "application/json",
    "application/vnd.amazon.eventstream", "no type at all;;;",
]  # fmt: skip


@pytest.mark.parametrize("content_type", TYPES)
@pytest.mark.parametrize(
    ("body", "name"),
    [
        (EVENT, "sse"),
        (b'event: x\ndata: {"a":1}\n\n', "sse"),
        (b'id: 1\ndata: {"a":1}\n\n', "sse"),
        (b'retry: 1\ndata: {"a":1}\n\n', "sse"),
        (b'error: {"a":1}\n\n', "sse"),
        (b': c\n\ndata: {"a":1}\n\n', "sse"),
        (b'\xef\xbb\xbf\r\n data:{"a":1}\n\n', "sse"),
        (ARRAY, "json-array"),
        (b'\xef\xbb\xbf\n[\n{"a":1}]', "json-array"),
        (AWS, "eventstream"),
    ],
)
def test_bytes_that_are_clear_are_believed(reading, content_type, body, name):
    def make():
        return Framer(content_type)

    (frame,) = reading.whole(make, body)
    assert frame.data == (b"{}" if name == "eventstream" else b'{"a":1}')
    decoder = make()
    assert decoder.name is None
    decoder.feed(body)
    assert name == decoder.name


@pytest.mark.parametrize("content_type", TYPES)
def test_an_object_at_the_beginning_is_a_document_or_a_line(reading, content_type):
    def make():
        return Framer(content_type)

    assert [(None, b'{"a":1}'), (None, b'{\n"b":2}')] == reading.data(make, LINE + b'{\n"b":2}\n')
    decoder = make()
    decoder.feed(LINE)
    assert ("sse" if content_type == "text/event-stream" else "ndjson") == decoder.name


@pytest.mark.parametrize(
    ("content_type", "name"),
    [
        (None, "sse"),
        ("text/event-stream", "sse"),
        ("TEXT/Event-Stream; charset=utf-8", "sse"),
        (" application/x-ndjson ;a=b", "ndjson"),
        ("Application/JSONL", "ndjson"),
        ("application/json", "ndjson"),
        ("application/vnd.amazon.eventstream", "eventstream"),
        ("text/html", "sse"),
    ],
)
@pytest.mark.parametrize("body", [b"garbage of 20 bytes.\n", b"dat", b"event", b"1\n"])
def test_bytes_that_are_not_clear_are_read_as_the_content_type_says(reading, content_type, name, body):
    decoder = Framer(content_type)
    reading.pieces(decoder, [body])
    assert name == decoder.name
    reading.whole(lambda: Framer(content_type), body)


def test_unknown_lines_before_events_are_ignored(reading):
    assert [(None, b'{"a":1}')] == reading.data(Framer, b"hello\n" + EVENT)


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/x-ndjson", None])
def test_a_body_that_is_only_the_sentinel_is_one_frame(reading, content_type):
    for body in (b"data: [DONE]\n\n", b"[DONE]\n", b"[DONE]"):
        assert [(None, b"[DONE]")] == reading.data(lambda: Framer(content_type), body)


@pytest.mark.parametrize("content_type", TYPES)
def test_a_page_is_no_stream_whatever_the_content_type(reading, content_type):
    (fault,) = reading.whole(lambda: Framer(content_type), b"\n<html>\n<body>502</body></html>")
    assert ("not_a_stream", True) == (fault.kind, fault.fatal)


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [(None, "not_a_stream"), ("application/vnd.amazon.eventstream", "crc"), ("application/json", "not_a_stream")],
)
def test_a_binary_body_without_a_valid_crc_is_no_event_stream(reading, content_type, kind):
    broken = AWS[:8] + b"\x00" + AWS[9:]
    (fault,) = reading.whole(lambda: Framer(content_type), broken)
    assert (kind, True) == (fault.kind, fault.fatal)


@pytest.mark.parametrize("cut", range(1, len(AWS)))
def test_a_short_event_stream_is_truncated(reading, cut):
    fault = reading.whole(Framer, AWS[:cut])[-1]
    assert ("truncated", False) == (fault.kind, fault.fatal)


def test_nothing_waits_longer_than_it_must():
    assert [Frame(None, b'{"a":1}', 0, 15)] == Framer().feed(EVENT)
    assert [Frame(None, b'{"a":1}', 0, 8)] == Framer("application/json").feed(LINE)
    decoder = Framer("application/x-ndjson")
    assert ([], None) == (decoder.feed(b"dat"), decoder.name)
    assert ([], "sse") == (decoder.feed(b"a:"), decoder.name)


def test_comments_are_those_of_the_decoder():
    decoder = Framer()
    assert 0 == decoder.comments
    decoder.feed(b": c\n\n")
    decoder.feed(b": d\n\n")
    assert 2 == decoder.comments


def test_offsets_count_from_the_beginning_of_the_stream(reading):
    body = b"\xef\xbb\xbf\n\n" + EVENT
    (frame,) = reading.whole(Framer, body)
    assert EVENT == body[frame.start : frame.end]


def test_limits_reach_the_decoder(reading):
    (fault,) = reading.whole(lambda: Framer(None, Limits(frame_bytes=14)), EVENT)
    assert "limit" == fault.kind
