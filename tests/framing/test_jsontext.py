"""Tests for mcs_fsm/framing/jsontext.py."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs_fsm.framing.jsontext import Brackets, parses

values = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(value=st.lists(values) | st.dictionaries(st.text(), values), rest=st.binary(max_size=5), ascii=st.booleans())
def test_a_value_ends_at_its_last_bracket_in_any_cutting(value, rest, ascii):
    text = json.dumps(value, ensure_ascii=ascii).encode()
    assert len(text) == Brackets().scan(text + rest)
    brackets = Brackets()
    assert [-1] * (len(text) - 1) + [1] == [brackets.scan(text[i : i + 1]) for i in range(len(text))]


def test_a_scan_may_begin_inside_the_data():
    assert 5 == Brackets().scan(b"}} {}", 3)


def test_a_string_at_the_top_is_a_value():
    assert 6 == Brackets().scan(b'"a\\"]"')


def test_many_escapes_are_read():
    text = b'{"a":"' + b"\\\\" * 5001 + b'"}'
    assert len(text) == Brackets().scan(text)


@pytest.mark.parametrize(
    "text", [b"{}", b' {"a": [1]}\n', b"1", b'"x"', b'{"a":"\xff"}', b'{"a":"\\ud800"}', b'{"\\udc00":1}']
)
def test_whole_texts_parse(text):
    assert parses(text)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a":"\\ud8', b'{"a":1} 2', b"{}\n{}", b"tru", b'{"a":"\n"}', b"[" * 100_000, b'{"a":"\\ud800"'],
)
def test_other_texts_do_not_parse(text):
    assert not parses(text)
