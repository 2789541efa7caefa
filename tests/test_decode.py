"""Frames and events to view structs: the ordinary path, the tolerant one, and objects by attribute."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from mcs_fsm.decode import ViewDecoder, mapping


class Inner(msgspec.Struct):
    """A part."""

    text: str = ""
    loose: Any = None


class View(msgspec.Struct):
    """A view."""

    type: str = ""
    number: int | None = None
    inner: Inner | None = None
    many: list[Inner] | None = None


DECODER = ViewDecoder(View)


@pytest.mark.parametrize(("data", "view", "problems"), [
    (b'{"type":"a","unknown":1}', View("a"), []),
    (b'{"number":"x","type":"a"}', View("a"), ["$.number"]),
    (b'{"inner":{"text":5,"loose":[1]}}', View(inner=Inner(loose=[1])), ["$.inner.text"]),
    (b'{"many":[{"text":"a"},{"text":5},7]}', View(many=[Inner("a"), Inner()]), ["$.many[1].text", "$.many[2]"]),
    (b'{"many":5}', View(), ["$.many"]), (b'{"inner":"x"}', View(), ["$.inner"]),
    (b'{"type":"\xff"}', View("\ufffd"), ["byte 9"]), (b'{"type":"\\ud83d"}', View("\ud83d"), []),
    (b'{"inner":{"loose":NaN}}', View(inner=Inner()), []), (b"[1]", None, ["list"]), (b"7", None, ["int"]), (b"{", None, ["no JSON"]),
    (b"[" * 100_000, None, ["deep"]), (b"", None, ["no JSON"]),
])  # fmt: skip
def test_what_fits_is_kept_and_the_rest_is_named(data: bytes, view: View | None, problems: list[str]) -> None:
    found, said = DECODER.tolerate(data)

    assert view == found
    assert len(problems) == len(said)
    assert all(part in problem.message for part, problem in zip(problems, said, strict=True))


def test_a_dict_and_an_object_give_the_same_view() -> None:
    event = {"type": "a", "inner": {"text": "b", "loose": {"c": 1}}, "many": [{"text": "d"}]}
    shaped = SimpleNamespace(type="a", number=None, inner=SimpleNamespace(text="b", loose={"c": 1}), many=[SimpleNamespace(text="d", loose=None)])

    assert DECODER.decode(msgspec.json.encode(event)) == DECODER.convert(event)[0] == DECODER.convert(shaped)[0]
    assert [] == DECODER.convert(shaped)[1]


def test_mapping_takes_what_has_fields_and_nothing_else() -> None:
    class Pydantic:
        def __init__(self) -> None:
            self.a = 1
            self._hidden = 2
            self.__pydantic_extra__ = {"b": 3}

    assert {"a": 1, "b": 3} == {k: v for k, v in mapping(Pydantic()).items() if k[0] != "_"}
    assert {"x": 1} == mapping({"x": 1})
    for other in (None, "text", 7, 1.5, [1], True, object()):
        assert {} == mapping(other)
