"""The buffer of characters, its spans, and the halves of surrogate pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs_fsm.text import Spans, TextBuffer, join_halves, replace_halves

PIECES = st.lists(st.text(min_size=1, max_size=5), max_size=12)


@given(pieces=PIECES, a=st.integers(0, 40), b=st.integers(0, 40), joined=st.booleans())
def test_a_slice_is_a_slice_of_the_whole(pieces: list[str], a: int, b: int, joined: bool) -> None:
    buffer, whole = TextBuffer(), "".join(pieces)
    starts = [buffer.append(piece) for piece in pieces]
    if joined:
        assert whole == buffer.text()
        buffer.append("x")
        whole += "x"
    a, b = min(a, len(whole)), min(b, len(whole))

    assert whole[a:b] == buffer.slice(a, b)
    assert starts == [sum(map(len, pieces[:i])) for i in range(len(pieces))]
    assert (len(whole), whole) == (buffer.length, buffer.text())


@given(pieces=PIECES, floor=st.integers(0, 20))
def test_looking_back_goes_over_every_character_down_to_the_floor(pieces: list[str], floor: int) -> None:
    buffer = TextBuffer()
    for piece in pieces:
        buffer.append(piece)
    floor = min(floor, buffer.length)
    out, at = "", buffer.length
    while at > floor:
        piece, at = buffer.before(at, floor)
        assert piece
        out = piece + out

    assert "".join(pieces)[floor:] == out
    assert ("", floor) == buffer.before(floor, floor)


@given(text=st.text(max_size=20), cuts=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=5))
def test_what_is_cut_is_not_kept_and_moves_no_offset(text: str, cuts: list[tuple[int, int]]) -> None:
    buffer = TextBuffer()
    buffer.append(text)
    gone: set[int] = set()
    for a, b in cuts:
        buffer.cut(a, min(b, len(text)))
        gone |= set(range(a, min(b, len(text))))

    assert "".join(c for i, c in enumerate(text) if i not in gone) == buffer.kept()
    assert text == buffer.text()


def test_neighbouring_spans_are_one() -> None:
    one, other, spans = TextBuffer(), TextBuffer(), Spans()
    one.append("abcdef")
    other.append("xyz")
    for buffer, a, b in ((one, 0, 2), (one, 2, 3), (other, 0, 1), (one, 3, 4), (one, 5, 6), (one, 6, 6)):
        spans.add(buffer, a, b)

    assert [(0, 3), (0, 1), (3, 4), (5, 6)] == [(a, b) for _, a, b in spans.spans]
    assert "abcxdf" == spans.text()
    one.cut(1, 4)
    assert "axf" == spans.kept()


def test_after_gives_what_lies_behind_an_offset() -> None:
    buffer, spans = TextBuffer(), Spans()
    buffer.append("abcdef")
    spans.add(buffer, 0, 2)
    spans.add(buffer, 3, 6)

    assert ["abdef", "bdef", "def", "def", "ef", ""] == [spans.after(i) for i in (0, 1, 2, 3, 4, 6)]


@pytest.mark.parametrize(("half", "text", "expected"), [
    ("", "abc", ("abc", "", False)), ("", "a\ud83d", ("a", "\ud83d", False)), ("\ud83d", "\ude00b", ("😀b", "", False)),
    ("\ud83d", "b", ("\ud83db", "", True)), ("", "\ude00", ("\ude00", "", True)), ("\ud83d", "\ud83d", ("\ud83d", "\ud83d", True)),
    ("", "\ud83d\ude00", ("😀", "", False)),
])  # fmt: skip
def test_halves_find_each_other(half: str, text: str, expected: tuple[str, str, bool]) -> None:
    assert expected == join_halves(half, text)
    assert "a\ufffdb" == replace_halves("a\ud83db")
