"""Text as the last resort: what is claimed, what is found, and that nothing raises."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcs_fsm.calls import ExtractedCall, Forming
from mcs_fsm.codec.prompt import DelimitedPromptStrategy, JsonPromptStrategy
from mcs_fsm.formats.text import TextExtractionStrategy

TEXT = TextExtractionStrategy(JsonPromptStrategy.from_defaults())
RUN = '{"tool": "run", "arguments": {"a": 1}}'


class Slotted:
    """An SDK object without `__dict__`."""

    __slots__ = ("content",)

    def __init__(self, content: Any) -> None:
        self.content = content


@pytest.mark.parametrize(
    "shape",
    [
        "",
        "x",
        {"content": "x"},
        {"role": "assistant", "content": "", "tool_calls": None},
        SimpleNamespace(content="x"),
        Slotted("x"),
    ],
)
def test_a_text_is_claimed(shape: Any) -> None:
    assert TEXT.recognizes(shape)


@pytest.mark.parametrize(
    "shape",
    [
        None,
        1,
        b"x",
        [],
        {},
        {"content": None},
        {"content": [{"type": "text", "text": "x"}]},
        {"tool_calls": []},
        {"delta": "x"},
        {"name": {"a": 1}},
        SimpleNamespace(),
        Slotted(1),
        str,
        object(),
    ],
)
def test_what_holds_no_text_is_not_claimed_and_gives_nothing(shape: Any) -> None:
    assert not TEXT.recognizes(shape)
    assert ([], Forming(), 0, "") == (
        TEXT.extract(shape),
        TEXT.forming(shape),
        TEXT.settled_end(shape),
        TEXT.content_text(shape),
    )


@pytest.mark.parametrize(
    "wrap", [lambda text: text, lambda text: {"content": text}, lambda text: SimpleNamespace(content=text)]
)
def test_calls_come_with_the_offsets_of_their_text(wrap: Any) -> None:
    message = wrap(f"I will. {RUN} And ```json\n{RUN}\n```")

    calls = TEXT.extract(message)

    assert [ExtractedCall("run", {"a": 1})] * 2 == calls
    assert [RUN, f"```json\n{RUN}\n```"] == [TEXT.content_text(message)[call.start : call.end] for call in calls]
    assert len(TEXT.content_text(message)) == TEXT.settled_end(message)


@pytest.mark.parametrize(
    ("text", "forming"),
    [
        ("", Forming()),
        ("Prose", Forming()),
        ("{", Forming(True)),
        ('{"tool": "run", ', Forming(True, "run")),
        (RUN, Forming(True, "run")),
        ('{"answer": 4', Forming()),
        ('{"name": {"a": ', Forming()),
    ],
)
def test_what_is_forming(text: str, forming: Forming) -> None:
    assert forming == TEXT.forming(text) == TEXT.forming({"content": text})


def test_text_runs_as_it_comes_and_stands_in_no_envelope() -> None:
    assert (False, False) == (TEXT.batched, TEXT.leaks_into_text)
    assert not TEXT.is_stream_complete("x")


def test_the_history_is_the_text_as_seen_and_a_system_message_for_each_record() -> None:
    done, failed = SimpleNamespace(result={"a": "ö"}, error=None), SimpleNamespace(result=None, error="run: no")

    messages = TEXT.result_messages({"content": f"I will. {RUN}"}, [done, failed])

    assert [
        {"role": "assistant", "content": f"I will. {RUN}"},
        {"role": "system", "content": '{"a": "ö"}'},
        {"role": "system", "content": "run: no"},
    ] == messages
    assert [{"role": "assistant", "content": "x"}] == TEXT.result_messages("x", [])


def test_another_codec_reads_its_own_calls_only() -> None:
    marked = TextExtractionStrategy(DelimitedPromptStrategy.from_defaults())

    assert [] == marked.extract(RUN)
    assert ["run"] == [call.name for call in marked.extract(f"<<mcs:call>>{RUN}<</mcs:call>>")]


def test_a_codec_of_the_published_contract_has_no_spans() -> None:
    found = [("run", {"a": 1}, 9), ({"a": 1}, {}, 12), ("get", [1], 15), ("", {}, 16)]
    codec: Any = SimpleNamespace(parse_tool_calls=lambda raw: found)

    calls = TextExtractionStrategy(codec).extract("any text at all")

    assert [("run", {"a": 1}, None, 9)] == [(call.name, call.arguments, call.start, call.end) for call in calls]


@pytest.mark.parametrize(
    ("chunk", "said"),
    [
        ("x", "x"),
        ("", None),
        ({"content": "x"}, "x"),
        ({"delta": "x"}, "x"),
        ({"content": None, "delta": "x"}, "x"),
        (SimpleNamespace(delta="x"), "x"),
        ({"content": [1]}, None),
        ({"delta": {"content": "x"}}, None),
        (None, None),
        (5, None),
        ({}, None),
    ],
)
def test_a_plain_stream_of_text_is_put_together(chunk: Any, said: str | None) -> None:
    acc: dict[str, Any] = {"role": "assistant", "content": None}

    assert said == TEXT.accumulate(acc, chunk)
    assert {"role": "assistant", "content": said} == acc
    assert said == TEXT.accumulate(acc, chunk)
    assert said and said * 2 == TEXT.content_text(acc) or said is None


def test_an_empty_accumulator_becomes_a_message_and_a_foreign_one_is_left_alone() -> None:
    acc: dict[str, Any] = {}
    foreign: dict[str, Any] = {"content": [1]}

    TEXT.accumulate(acc, "x")

    assert {"role": "assistant", "content": "x"} == acc
    assert TEXT.accumulate(foreign, "x") is None and {"content": [1]} == foreign


_ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.binary(max_size=4)
    | st.text(max_size=8)
    | st.sampled_from([RUN, "```", '{"name": {}}']),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "name", "tool", "delta", "tool_calls"]) | st.integers(0, 3), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(message=_ANY)
def test_nothing_raises(message: Any) -> None:
    claimed = TEXT.recognizes(message)

    assert claimed or [] == TEXT.extract(message)
    assert claimed or not TEXT.forming(message)
    assert 0 <= TEXT.settled_end(message) <= len(TEXT.content_text(message))
    assert TEXT.accumulate({}, message) != ""
