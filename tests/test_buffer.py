"""The buffer: rounds, the display cursor, the veto, and what is consumed when."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcs_fsm as m
from mcs_fsm import LLMStreamBuffer
from turns import PLACES, TOOLS, Piece, chunk, cut, turn_pieces

RUN = '{"tool": "run", "arguments": {"a": 1}}'


def native(name: str = "run", arguments: str = "{}", **further: Any) -> dict[str, Any]:
    return chunk(tool_calls=[{"index": 0, "id": "c1", "function": {"name": name, "arguments": arguments}, **further}])


def test_text_hands_out_what_is_new_once() -> None:
    buf = LLMStreamBuffer()
    assert "" == buf.text()
    buf.add(chunk("a"))
    buf.add(chunk("b"))

    assert "ab" == buf.text()
    assert "" == buf.text()
    buf.add(chunk("c"))
    assert "c" == buf.text()
    assert "abc" == buf.get_content()


def test_add_returns_nothing_and_takes_objects_and_the_sentinel() -> None:
    class Namespace:
        def __init__(self, **fields: Any) -> None:
            self.__dict__.update(fields)

    delta = Namespace(content="hi", role="assistant", tool_calls=None)
    buf = LLMStreamBuffer()

    assert None is buf.add(Namespace(choices=[Namespace(index=0, delta=delta, finish_reason=None)], object="chat.completion.chunk"))  # type: ignore[func-returns-value]
    buf.add("[DONE]")

    assert "hi" == buf.text()
    assert buf.is_finished()


def test_a_veto_holds_for_its_round_and_loses_nothing() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk("a"))
    buf.hold()
    assert ("", []) == (buf.text(), buf.events())

    buf.add(chunk("b"))

    assert "ab" == buf.text()


def test_before_any_chunk_and_after_a_reset_the_message_is_empty() -> None:
    buf = LLMStreamBuffer()
    empty = {"role": "assistant", "content": None}
    assert (empty, None) == (buf.as_dict(), buf.get_content())
    buf.add(chunk("a"))
    buf.add(chunk(finish="stop"))
    assert buf.is_finished()

    buf.reset()

    assert (empty, None, False, "") == (buf.as_dict(), buf.get_content(), buf.is_finished(), buf.text())
    buf.add(chunk("b"))
    assert "b" == buf.text()


def test_finished_stays_finished_whatever_follows() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk("a", finish="stop"))
    buf.add({"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})

    assert buf.is_finished()
    assert ("stop", "reported") == (buf.finish_reason, buf.usage_state)
    buf.close()
    assert buf.is_finished() and not buf.truncated and buf.error is None


def test_the_message_is_a_snapshot() -> None:
    buf = LLMStreamBuffer()
    buf.add(native(extra_content={"google": {"thought_signature": "x"}}))
    first = buf.as_dict()
    first["tool_calls"][0]["extra_content"]["google"].clear()
    first["content"] = "changed"

    again = buf.as_dict()

    assert None is again["content"]
    assert {"google": {"thought_signature": "x"}} == again["tool_calls"][0]["extra_content"]


def test_the_owners_of_the_first_round_may_come_late() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk(f"see {RUN} done"))

    buf.own(["run"])

    assert "see  done" == buf.text()
    assert ["run"] == [call.name for call in buf.turn().calls]


def test_without_an_owner_the_first_round_flows_when_it_is_asked_for() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk(f"see {RUN} done"))

    assert f"see {RUN} done" == buf.text()
    buf.own(["run"])
    assert [] == buf.turn().calls, "text that was handed out is never read again"


def test_without_an_owner_the_next_chunk_settles_the_first_round() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk(f"{RUN}"))
    buf.add(chunk(" and"))

    assert f"{RUN} and" == buf.text()


def test_consumed_spans_leave_the_message_at_the_next_chunk_that_brings_something() -> None:
    buf = LLMStreamBuffer(tools=TOOLS)
    buf.add(chunk(f"a {RUN} b"))
    (call,) = buf.turn().calls
    buf.consume_spans([(call.start or 0, call.end or 0)])
    assert f"a {RUN} b" == buf.get_content()

    buf.add({"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 1}})
    assert f"a {RUN} b" == buf.get_content(), "usage carries nothing out"
    buf.add(chunk(" c"))

    assert "a  b c" == buf.get_content() == buf.as_dict()["content"]
    assert "a  b c" == buf.text()
    assert "a  b c" == buf.turn().text


def test_consume_through_jumps_the_cursor_at_once_and_cuts_later() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk("hello world"))
    buf.consume_through(6)

    assert "world" == buf.text()
    assert "hello world" == buf.get_content()
    buf.add(chunk("!"))
    assert "world!" == buf.get_content()
    buf.consume_through(5)
    buf.add(chunk("?"))
    assert "!?" == buf.get_content()
    assert "!?" == buf.text()


def test_consume_all_drops_the_message_at_the_next_chunk() -> None:
    buf = LLMStreamBuffer()
    buf.add(native())
    buf.add(chunk(finish="tool_calls"))
    buf.consume_all()
    assert buf.as_dict()["tool_calls"]

    buf.add(chunk("more"))

    assert {"role": "assistant", "content": "more"} == buf.as_dict()
    assert "more" == buf.text()


def test_reasoning_is_kept_apart() -> None:
    buf = LLMStreamBuffer()
    buf.add(chunk(reasoning_content="hm "))
    buf.add(chunk("<think>so</think>yes"))

    assert ("yes", "hm so") == (buf.text(), buf.reasoning())


def test_after_close_nothing_more_is_taken() -> None:
    buf = LLMStreamBuffer()
    buf.feed(b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')
    buf.close()
    buf.close()

    assert "a" == buf.text()
    assert buf.truncated
    with pytest.raises(m.StreamClosed):
        buf.add(chunk("b"))


def test_a_plain_text_chunk_is_text() -> None:
    buf = LLMStreamBuffer(tools=["run"])
    for piece in ("so ", RUN[:9], RUN[9:], " done"):
        buf.add(piece)
    buf.close()

    assert "so  done" == buf.text()
    assert ["run"] == [call.name for call in buf.turn().calls]


@given(pieces=turn_pieces(), places=PLACES, asks=st.lists(st.booleans(), max_size=8))
def test_the_joined_text_is_the_turns_text_however_often_it_is_asked_for(
    pieces: list[Piece], places: list[int] | str, asks: list[bool]
) -> None:
    buf = LLMStreamBuffer(tools=TOOLS)
    shown = ""
    events: list[m.Event] = []
    for number, piece in enumerate(cut("".join(piece.text for piece in pieces), places)):
        buf.add(chunk(piece))
        if asks and asks[number % len(asks)]:
            shown += buf.text()
            events += buf.events()
        else:
            buf.hold()
    buf.add(chunk(finish="stop"))
    buf.close()
    shown += buf.text()
    events += buf.events()

    assert "".join(piece.shown for piece in pieces) == shown
    assert shown == "".join(event.text for event in events if isinstance(event, m.TextDelta))
    assert [call for piece in pieces for call in piece.calls] == [(c.name, c.arguments) for c in buf.turn().calls]
