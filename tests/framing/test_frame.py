"""Tests for mcs_fsm/framing/frame.py, through every decoder."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcs_fsm.framing import EventStreamDecoder, Fault, Frame, Framer, JsonArrayDecoder, NdjsonDecoder, SseDecoder
from mcs_fsm.limits import Limits

TEXTS = [SseDecoder, NdjsonDecoder, JsonArrayDecoder, Framer]
ALL = [*TEXTS, EventStreamDecoder]

# Bodies made of what decoders look at, so that a random body gets somewhere.
PARTS = [
    b"\n", b"\r", b"\r\n", b"\n\n", b"data: ", b"data:", b"data", b"event: e", b"event:", b"error: ", b"id: 1", b": c",
    b'{"a":1}', b'{"a":"\\"}"}', b'{"a":', b"{", b"}", b"[", b"]", b",", b'"', b"\\", b" ", b"[DONE]", b"\xef\xbb\xbf",
    b"\xff", "\u2028".encode(), b"x", b"<", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x00", b'data: {"a":1}\n\n',
    b'event: e\ndata: {"b":2}\n\n', b'data: {"c":3}\r\n\r\n', b'{"d":4}\n', b"1",
]  # fmt: skip
bodies = st.one_of(st.lists(st.sampled_from(PARTS), max_size=14).map(b"".join), st.binary(max_size=40))
limits = st.one_of(
    st.just(Limits()),
    st.builds(Limits, frame_bytes=st.integers(8, 40), total_bytes=st.one_of(st.none(), st.integers(0, 60))),
)


@pytest.mark.parametrize("make", ALL)
@given(body=bodies, bound=limits, cuts=st.lists(st.integers(0, 200), max_size=8), given_type=st.sampled_from([
    None, "text/event-stream", "application/x-ndjson", "application/json", "application/vnd.amazon.eventstream",
]))  # fmt: skip
@example(body=b'data: {"a":1}\r\n\r\n', bound=Limits(frame_bytes=16), cuts=[14, 15, 16], given_type=None)
@example(body=b"\n\n\n\n\nx", bound=Limits(total_bytes=3), cuts=[5], given_type="application/x-ndjson")
def test_any_body_reads_the_same_in_any_cutting(reading, make, body, bound, cuts, given_type):
    def new():
        return Framer(given_type, bound) if make is Framer else make(bound)

    decoder = new()
    expected = reading.pieces(decoder, [body])
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    for parts in (
        [body[a:b] for a, b in zip(places, places[1:], strict=False)],
        [body[i : i + 1] for i in range(len(body))],
    ):
        again = new()
        assert expected == reading.pieces(again, parts)
        assert (decoder.comments, decoder.name) == (again.comments, again.name)
    fatal = [i for i, piece in enumerate(expected) if isinstance(piece, Fault) and piece.fatal]
    assert fatal in ([], [len(expected) - 1])


@pytest.mark.parametrize("make", ALL)
@pytest.mark.parametrize("wrong", ["text", 1, None, [1], {"a": 1}])
def test_an_argument_that_is_no_bytes_is_a_type_error(make, wrong):
    decoder = make()
    decoder.feed(b"data: {}\n\n")
    with pytest.raises(TypeError, match="bytes"):
        decoder.feed(wrong)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_all_kinds_of_bytes_are_read(kind):
    decoder = SseDecoder()
    decoder.feed(kind(b"data: {}\n\n"))
    assert [Frame(None, b'{"a":1}', 10, 25)] == decoder.feed(kind(b'data: {"a":1}\n\n'))


@pytest.mark.parametrize("make", ALL)
def test_an_empty_body_gives_nothing(reading, make):
    assert [] == reading.whole(make, b"")
    assert [] == make().feed(b"")


@pytest.mark.parametrize("make", TEXTS)
def test_a_blank_body_gives_nothing(reading, make):
    assert [] == reading.whole(make, b"\xef\xbb\xbf \r\n\n\t\n")


@pytest.mark.parametrize("make", ALL)
def test_close_is_idempotent_and_ends_the_reading(make):
    decoder = make()
    decoder.feed(b'{"a":')
    decoder.close()
    assert [] == decoder.close()
    assert [] == decoder.feed(b'data: {"a":1}\n\n{"a":1}\n')


@pytest.mark.parametrize("make", TEXTS)
@pytest.mark.parametrize(
    ("body", "word", "retryable"),
    [
        (b" \n<!DOCTYPE html><html>502</html>\n", "HTML", True),
        (b"\x1f\x8b\x08\x00rest\n\n", "compressed", False),
        (b"\x28\xb5\x2f\xfdrest\n\n", "compressed", False),
        (b"\x00\x01\x02rest of a binary\n\n", "binary", False),
    ],
)
def test_a_body_that_is_no_text_is_told_apart_once(reading, make, body, word, retryable):
    (fault,) = reading.whole(make, body)
    assert ("not_a_stream", True, retryable) == (fault.kind, fault.fatal, fault.retryable)
    assert word in fault.message


def test_a_fatal_fault_ends_the_reading():
    decoder = SseDecoder()
    assert 1 == len(decoder.feed(b"<html>"))
    assert [] == decoder.feed(b"data: {}\n\n")
    assert [] == decoder.close()


def test_a_bom_is_taken_off_once(reading):
    bom = b"\xef\xbb\xbf"
    for make in (SseDecoder, Framer):
        assert [(None, b'{"a":1}')] == reading.data(make, bom + b'data: {"a":1}\n\n')
        assert [] == reading.data(make, bom + bom + b'data: {"a":1}\n\n')
    assert [(None, b'{"a":1}')] == reading.data(NdjsonDecoder, bom + b'{"a":1}\n')
    assert [(None, b'{"a":1}')] == reading.data(JsonArrayDecoder, bom + b'[{"a":1}]')


@pytest.mark.parametrize(
    ("make", "body"),
    [
        (SseDecoder, b'data: {"a":"0123456789"}\n\n'),
        (SseDecoder, b'event: e\ndata: {"a":"0123456789"}\n\n'),
        (SseDecoder, b"data: 0\ndata: 1\ndata: 2\n\n"),
        (SseDecoder, b": 0123456789 0123456789\n"),
        (SseDecoder, b"id: 0123456789 0123456789\n\n"),
        (SseDecoder, b'{"a":\n"0123456789"}\n'),
        (NdjsonDecoder, b'{"a":"0123456789"}\n'),
        (NdjsonDecoder, b'{"a":\n"0123456789"}\n'),
        (JsonArrayDecoder, b'{"a":"0123456789"}'),
        (Framer, b'data: {"a":"0123456789"}\n\n'),
        (Framer, b'{"a":"0123456789"}\n'),
    ],
)
def test_a_frame_may_be_as_long_as_the_limit_and_no_longer(reading, make, body):
    def bound(size):
        limits = Limits(frame_bytes=size)
        return lambda: Framer(None, limits) if make is Framer else make(limits)

    size = len(body)
    assert [] == [p for p in reading.whole(bound(size), body * 3) if isinstance(p, Fault)]
    (fault,) = reading.whole(bound(size - 1), body * 3)
    assert ("limit", True, False, 0, size) == (fault.kind, fault.fatal, fault.retryable, fault.start, fault.end)
    assert f"{size - 1} bytes (frame_bytes)" in fault.message


def test_frames_before_a_frame_that_is_too_long_are_given(reading):
    body = b'data: {"a":1}\n\n' * 2 + b'data: {"a":1234567}\n\n'
    pieces = reading.whole(lambda: SseDecoder(Limits(frame_bytes=15)), body)
    assert [Frame, Frame, Fault] == [type(piece) for piece in pieces]
    assert 30 == pieces[-1].start


@pytest.mark.parametrize("make", [SseDecoder, Framer])
def test_the_whole_stream_may_be_as_long_as_the_limit_and_no_longer(reading, make):
    def bound(size):
        limits = Limits(total_bytes=size)
        return lambda: Framer(None, limits) if make is Framer else make(limits)

    body = b'data: {"a":1}\n\n' * 3
    assert 3 == len(reading.data(bound(45), body))
    first, second, fault = reading.whole(bound(44), body)
    assert (15, 30) == (first.end, second.end)
    assert ("limit", True, 44, 45) == (fault.kind, fault.fatal, fault.start, fault.end)
    assert "44 bytes (total_bytes)" in fault.message


def test_blanks_before_the_first_byte_count_for_the_whole_stream(reading):
    for make in (lambda: Framer(None, Limits(total_bytes=5)), lambda: SseDecoder(Limits(total_bytes=5))):
        (fault,) = reading.whole(make, b"\n" * 9)
        assert ("limit", 5) == (fault.kind, fault.start)


@pytest.mark.parametrize("make", TEXTS)
def test_blanks_before_the_first_byte_do_not_pile_up(make):
    decoder = make(limits=Limits(frame_bytes=16))
    for _ in range(100):
        assert [] == decoder.feed(b"\n")
    assert [] == decoder.close()


def counting(make):
    class Counting(make):
        examined = 0

        def _join(self, data):
            joined = super()._join(data)
            self.examined += len(joined)
            return joined

    return Counting()


@pytest.mark.parametrize(
    ("make", "head", "tail"),
    [
        (SseDecoder, b'data: {"a":"', b'"}\n\n'),
        (SseDecoder, b'event: e\ndata: {"a":"', b'"}\n\n'),
        (SseDecoder, b'{"a":"', b'"}\n'),
        (NdjsonDecoder, b'{"a":"', b'"}\n'),
        (JsonArrayDecoder, b'[{"a":"', b'"}]'),
    ],
)
@pytest.mark.parametrize("filling", [b"0" * 100, b"\\n" * 50])
def test_a_long_frame_in_small_pieces_is_joined_a_constant_number_of_times(make, head, tail, filling):
    decoder = counting(make)
    decoder.feed(head)
    count = 100_000  # of 100 bytes: 10 MB
    for _ in range(count):
        assert [] == decoder.feed(filling)
    (frame,) = decoder.feed(tail)
    assert 10_000_000 < len(frame.data)
    assert decoder.examined <= 2 * len(frame.data)
    assert [] == decoder.close()


def test_many_short_lines_are_joined_a_constant_number_of_times():
    decoder = counting(SseDecoder)
    body = b"data: x\n" * 20_000 + b"\n"
    for i in range(0, len(body), 3):
        out = decoder.feed(body[i : i + 3])
    assert 39_999 == len(out[0].data)
    assert decoder.examined <= 2 * len(body)
