"""Anthropic Messages, event by event."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcs_fsm as m
from mcs_fsm.formats import FORMATS
from mcs_fsm.formats.anthropic import AnthropicExtractionStrategy
from turns import PLACES, cut, merged

STRATEGY = AnthropicExtractionStrategy()
OPTIONS: dict[str, Any] = {"text_format": None, "reasoning_tags": False}
SAMPLE = Path(m.__file__).parent / "samples/anthropic-thinking-and-tools.sse"


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """Make the format known, if the registry does not have it."""
    there = STRATEGY.name in FORMATS
    FORMATS.setdefault(STRATEGY.name, STRATEGY)
    yield
    if not there:
        del FORMATS[STRATEGY.name]


def play(events: list[Any], **options: Any) -> tuple[list[m.Event], m.Turn]:
    stream = m.Stream("anthropic", **{**OPTIONS, **options})
    out = [event for each in events for event in stream.add(each)]
    out += stream.close()
    return out, stream.turn()


def begin(id: str | None = "msg_1", **further: Any) -> dict[str, Any]:
    message = {"id": id, "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    return {"type": "message_start", "message": {**message, "usage": {"input_tokens": 3, "output_tokens": 1}, **further}}


def start(index: int | None, type: str, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **block}}


def tool(index: int | None, id: str | None = "a", name: str | None = "f", type: str = "tool_use", **further: Any) -> dict[str, Any]:
    return start(index, type, **{"id": id, "name": name, "input": {}, **further})


def delta(index: int | None, type: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **fields}}


def text(index: int | None, piece: str) -> dict[str, Any]:
    return delta(index, "text_delta", text=piece)


def args(index: int | None, piece: str) -> dict[str, Any]:
    return delta(index, "input_json_delta", partial_json=piece)


def stop(index: int | None) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None = "tool_use", usage: Any = None, **further: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None, **further}, "usage": usage}


LAST = {"type": "message_stop"}
PING = {"type": "ping"}


def sse(events: list[dict[str, Any]]) -> bytes:
    return b"".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode() for each in events)


# What the events are, and what they make: calls (id, name, arguments), text, reasoning, reasons of failed calls, and the
# message's blocks (None: not looked at).
TURNS: dict[str, tuple[list[dict[str, Any]], list[Any], str, str, list[str], list[dict[str, Any]] | None]] = {
    "no arguments, no delta": (
        [begin(), tool(0), stop(0), end(), LAST], [("a", "f", {})], "", "", [],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]),
    "no arguments, one empty delta": ([begin(), tool(0), args(0, ""), stop(0), end(), LAST], [("a", "f", {})], "", "", [], None),
    "no arguments at a cut": (
        [begin(), tool(0), stop(0), end("max_tokens"), LAST], [], "", "", ["truncated"],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"INVALID_JSON": ""}}]),
    "cut in the arguments, stopped all the same": (
        [begin(), tool(0), args(0, '{"x": [1,'), stop(0), end("max_tokens"), LAST], [], "", "", ["truncated"],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"INVALID_JSON": '{"x": [1,'}}]),
    "invalid at the stop, as eager streaming sends it": (
        [begin(), tool(0), args(0, '{"x": 01}'), stop(0), tool(1, "b"), args(1, "{}"), stop(1), end(), LAST], [("b", "f", {})], "", "",
        ["malformed"], None),
    "no object": ([begin(), tool(0), args(0, "[1]"), stop(0), end(), LAST], [], "", "", ["not_an_object"], None),
    "a refusal in the middle of a call": (
        [begin(), text(0, "Hm"), tool(1), args(1, '{"x"'), end("refusal"), LAST], [], "Hm", "", ["truncated"], None),
    "the whole input in the start": (
        [begin(), tool(0, input={"x": {"y": 1}}), stop(0), end(), LAST], [("a", "f", {"x": {"y": 1}})], "", "", [], None),
    "input in the start as text": ([begin(), tool(0, input='{"x":1}'), stop(0), end(), LAST], [("a", "f", {"x": 1})], "", "", [], None),
    "input in the start and an empty delta": (
        [begin(), tool(0, input={"x": 1}), args(0, ""), stop(0), end(), LAST], [("a", "f", {"x": 1})], "", "", [], None),
    "fragments replace the input of the start": (
        [begin(), tool(0, input={"x": 1}), args(0, '{"y"'), args(0, ":2}"), stop(0), end(), LAST], [("a", "f", {"y": 2})], "", "", [], None),
    "no block stop": ([begin(), tool(0), args(0, '{"x":1}'), end(), LAST], [("a", "f", {"x": 1})], "", "", [], None),
    "no block stop and no arguments": ([begin(), tool(0), end(), LAST], [("a", "f", {})], "", "", [], None),
    "overlapping blocks": (
        [begin(), tool(0), tool(1, "b", "g"), args(1, '{"y":'), args(0, '{"x":'), args(1, "2}"), stop(1), args(0, "1}"), stop(0), end(), LAST],
        [("a", "f", {"x": 1}), ("b", "g", {"y": 2})], "", "", [],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}, {"type": "tool_use", "id": "b", "name": "g", "input": {"y": 2}}]),
    "text beside an open call": (
        [begin(), tool(0), args(0, '{"x"'), start(1, "text", text=""), text(1, "So "), args(0, ":1}"), text(1, "on."), stop(1), stop(0), end(), LAST],
        [("a", "f", {"x": 1})], "So on.", "", [],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}, {"type": "text", "text": "So on."}]),
    "blocks that open out of order stand in the order of their indexes": (
        [begin(), tool(1), stop(1), start(0, "text", text=""), text(0, "Hi"), stop(0), end(), LAST], [("a", "f", {})], "Hi", "", [],
        [{"type": "text", "text": "Hi"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]),
    "indexes with a gap": ([begin(), tool(7), args(7, "{}"), stop(7), end(), LAST], [("a", "f", {})], "", "", [], None),
    "an index that begins again": (
        [begin(), start(0, "text", text=""), text(0, "A"), stop(0), tool(0), args(0, '{"x":1}'), stop(0), tool(0, "b"), stop(0), end(), LAST],
        [("a", "f", {"x": 1}), ("b", "f", {})], "A", "", [],
        [{"type": "text", "text": "A"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}, {"type": "tool_use", "id": "b", "name": "f", "input": {}}]),
    "an index that begins again without a stop": (
        [begin(), tool(0), args(0, '{"x":1}'), tool(0, "b"), args(0, "{}"), stop(0), end(), LAST], [("a", "f", {"x": 1}), ("b", "f", {})], "", "", [], None),
    "the same message start twice": (
        [begin(), begin(), start(0, "text", text=""), text(0, "A"), begin(), text(0, "B"), stop(0), end("end_turn"), LAST], [], "AB", "", [],
        [{"type": "text", "text": "AB"}]),
    "another message spliced in": (
        [begin(), start(0, "text", text=""), text(0, "A"), tool(1), args(1, '{"x'), begin("msg_2"), start(0, "text", text=""), text(0, "B"),
         stop(0), tool(1, "b"), args(1, '{"y":2}'), stop(1), end(), LAST], [("b", "f", {"y": 2})], "AB", "", ["truncated"], None),
    "a call that the spliced message says again": (
        [begin(), tool(0), args(0, '{"x":1}'), stop(0), begin("msg_2"), tool(0), args(0, '{"x":'), args(0, "1}"), stop(0), end(), LAST],
        [("a", "f", {"x": 1})], "", "", [], None),
    "a half call that the spliced message says again": (
        [begin(), tool(0), args(0, '{"x":'), begin("msg_2"), tool(0), args(0, '{"y"'), args(0, ":1}"), stop(0), end(), LAST],
        [("a", "f", {"y": 1})], "", "", [], None),
    "a start that comes twice": (
        [begin(), start(0, "text", text=""), text(0, "A"), start(0, "text", text=""), text(0, "B"), stop(0), tool(1), tool(1), args(1, "{"),
         tool(1), args(1, "}"), stop(1), end(), LAST], [("a", "f", {})], "AB", "", [], None),
    "one id, two places: two calls": (
        [begin(), tool(0), stop(0), tool(1), stop(1), end(), LAST], [("a", "f", {}), ("a", "f", {})], "", "", [], None),
    "no indexes": (
        [begin(), start(None, "text", text=""), text(None, "A"), stop(None), tool(None), args(None, '{"x":1}'), stop(None), end(), LAST],
        [("a", "f", {"x": 1})], "A", "", [], None),
    "deltas without a start": (
        [begin(), text(0, "A"), delta(1, "thinking_delta", thinking="T"), end("end_turn"), LAST], [], "A", "T", [],
        [{"type": "text", "text": "A"}, {"type": "thinking", "thinking": "T"}]),
    "a start after its deltas": (
        [begin(), args(0, '{"x":'), tool(0), args(0, "1}"), stop(0), end(), LAST], [("a", "f", {"x": 1})], "", "", [], None),
    "arguments that belong to no call": ([begin(), args(0, "{}"), stop(0), end(), LAST], [], "", "", ["no_name"], None),
    "arguments under a wrong index go to the open call": (
        [begin(), start(0, "text", text=""), tool(1), args(0, '{"x":1}'), stop(1), end(), LAST], [("a", "f", {"x": 1})], "", "", [], None),
    "text under the index of a call": (
        [begin(), tool(0), args(0, '{"x"'), text(0, "A"), text(0, "B"), args(0, ":1}"), stop(0), end(), LAST], [("a", "f", {"x": 1})], "AB", "", [],
        [{"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}, {"type": "text", "text": "AB"}]),
    "deltas without a type": (
        [begin(), start(0, "text", text=""), {"type": "content_block_delta", "index": 0, "delta": {"text": "A"}}, tool(1),
         {"type": "content_block_delta", "index": 1, "delta": {"partial_json": "{}"}}, stop(1), end(), LAST], [("a", "f", {})], "A", "", [], None),
    "thinking with a signature in pieces": (
        [begin(), start(0, "thinking", thinking="", signature=""), delta(0, "thinking_delta", thinking="T1"), delta(0, "thinking_delta", thinking="T2"),
         delta(0, "signature_delta", signature="c2ln"), delta(0, "signature_delta", signature="LTE="), stop(0), end("end_turn"), LAST],
        [], "", "T1T2", [], [{"type": "thinking", "thinking": "T1T2", "signature": "c2lnLTE="}]),
    "a signature that comes twice": (
        [begin(), start(0, "thinking", thinking="T", signature="c2ln"), delta(0, "signature_delta", signature="c2ln"), stop(0), end("end_turn"), LAST],
        [], "", "T", [], [{"type": "thinking", "thinking": "T", "signature": "c2ln"}]),
    "thinking that is not shown": (
        [begin(), start(0, "thinking", thinking="", signature=""), delta(0, "signature_delta", signature="c2ln"), stop(0), end("end_turn"), LAST],
        [], "", "", [], [{"type": "thinking", "thinking": "", "signature": "c2ln"}]),
    "redacted thinking": (
        [begin(), start(0, "redacted_thinking", data="ZGF0YQ=="), stop(0), end("end_turn"), LAST], [], "", "", [],
        [{"type": "redacted_thinking", "data": "ZGF0YQ=="}]),
    "citations": (
        [begin(), start(0, "text", text="", citations=[]), text(0, "Ra"), delta(0, "citations_delta", citation={"type": "c", "n": 1}), text(0, "in."),
         delta(0, "citations_delta", citation={"type": "c", "n": 2}), stop(0), end("end_turn"), LAST], [], "Rain.", "", [],
        [{"type": "text", "text": "Rain.", "citations": [{"type": "c", "n": 1}, {"type": "c", "n": 2}]}]),
    "compaction": (
        [begin(), start(0, "compaction", content=None), delta(0, "compaction_delta", content="Sum.", encrypted_content="e=="), stop(0),
         start(1, "text", text="Hi"), stop(1), end("compaction"), LAST], [], "Hi", "", [],
        [{"type": "compaction", "content": "Sum.", "encrypted_content": "e=="}, {"type": "text", "text": "Hi"}]),
    "an unknown block is kept as it is, its text is text": (
        [begin(), start(0, "connector_text", text="", x=1), text(0, "A"), stop(0), start(1, "novel", y=[2]), stop(1), end("end_turn"), LAST],
        [], "A", "", [], [{"type": "connector_text", "text": "A", "x": 1}, {"type": "novel", "y": [2]}]),
    "content that stands in the message start": (
        [begin(content=[{"type": "text", "text": "A"}, {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
                        {"type": "tool_use", "id": "b", "name": "f", "input": {}}], stop_reason="tool_use"), LAST],
        [("a", "f", {"x": 1}), ("b", "f", {})], "A", "", [], None),
    "pings, unknown events and unknown deltas": (
        [PING, begin(), PING, start(0, "text", text=""), {"type": "novel"}, delta(0, "novel_delta", x=1), text(0, "A"), PING, stop(0), end("end_turn"), LAST],
        [], "A", "", [], [{"type": "text", "text": "A"}]),
    "an error after a partial call": (
        [begin(), text(0, "A"), tool(1), args(1, '{"q":"Os'), {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
        [], "A", "", ["truncated"], None),
    "an error after a whole call": (
        [begin(), tool(0), args(0, "{}"), stop(0), {"type": "error", "error": {"type": "api_error", "message": "x"}}], [("a", "f", {})], "", "", [], None),
    "a stream=false body": (
        [{"type": "message", "id": "msg_1", "role": "assistant", "model": "m", "stop_reason": "tool_use", "usage": {"input_tokens": 1, "output_tokens": 1},
          "content": [{"type": "thinking", "thinking": "T", "signature": "s"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]}],
        [("a", "f", {})], "", "T", [],
        [{"type": "thinking", "thinking": "T", "signature": "s"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_is_what_its_events_say(name: str) -> None:
    given_events, calls, shown, reasoning, reasons, blocks = TURNS[name]

    events, turn = play(given_events)

    assert calls == [(each.id, each.name, each.arguments) for each in turn.calls]
    assert (shown, reasoning, reasons) == (turn.text, turn.reasoning, [each.reason for each in turn.failed_calls])
    assert calls == [(each.id, each.name, each.arguments) for each in STRATEGY.extract(turn.message)]
    assert "assistant" == turn.message["role"]
    if blocks is not None:
        assert blocks == turn.message["content"]
    ended = [each.slot for each in events if isinstance(each, m.CallReady | m.CallAbandoned)]
    assert sorted(set(ended)) == sorted(ended)
    assert not [key for key in turn.anomalies if key.startswith("forbidden_turn")]


@pytest.mark.parametrize("name", TURNS)
def test_the_same_from_bytes_and_from_sdk_objects(name: str) -> None:
    given_events = TURNS[name][0]
    wanted, turn = play(given_events)

    stream = m.Stream("anthropic", **OPTIONS)
    by_bytes = stream.feed(sse(given_events)) + stream.close()
    objects, again = play([json.loads(json.dumps(each), object_hook=_spaced) for each in given_events])

    assert merged(wanted) == merged(by_bytes)
    assert turn.message == stream.turn().message == again.message
    assert [type(each) for each in wanted] == [type(each) for each in objects]


def _spaced(fields: dict[str, Any]) -> Any:
    """Make an event, a delta and a message an object with attributes; what is kept verbatim stays a dict."""
    return SimpleNamespace(**fields) if fields.get("type", "").startswith(("content_", "message_", "text_", "input_")) else fields


def test_step_by_step() -> None:
    stream = m.Stream("anthropic", **OPTIONS)
    steps: list[tuple[dict[str, Any], list[m.Event]]] = [
        (begin(), [m.TurnStarted("msg_1", "m"), m.UsageReported({"input_tokens": 3, "output_tokens": 1}, m.calls.Counts(3, 1))]),
        (start(0, "thinking", thinking="", signature=""), []),
        (delta(0, "thinking_delta", thinking="T"), [m.ReasoningDelta("T", 0)]),
        (delta(0, "signature_delta", signature="s=="), [m.OpaquePart(0, "signature", "s==")]),
        (stop(0), []),
        (start(1, "text", text=""), []),
        (text(1, "Hi"), [m.TextDelta("Hi", 1)]),
        (stop(1), []),
        (tool(2), [m.CallForming(0, 2, "a", "f")]),
        (args(2, ""), []),
        (args(2, '{"x"'), [m.ArgumentsDelta(0, '{"x"')]),
        (args(2, ":1}"), [m.ArgumentsDelta(0, ":1}")]),
        (stop(2), [m.CallReady(0, m.ExtractedCall("f", {"x": 1}, "a"))]),
        (tool(3, "b", "g"), [m.CallForming(1, 3, "b", "g")]),
        (stop(3), []),
        (end(usage={"output_tokens": 9, "input_tokens": None}), [
            m.CallReady(1, m.ExtractedCall("g", {}, "b")),
            m.UsageReported({"input_tokens": 3, "output_tokens": 9}, m.calls.Counts(3, 9)),
        ]),
        (LAST, [m.TurnFinished("tool_use", False)]),
    ]  # fmt: skip
    for event, expected in steps:
        assert expected == stream.add(event)
    assert [] == stream.close()


@pytest.mark.parametrize(("type", "id", "name"), [
    ("server_tool_use", "srvtoolu_1", "web_search"), ("server_tool_use", "srvtoolu_1", "tool_search_tool_bm25"),
    ("mcp_tool_use", "mcptoolu_1", "ask"),
])  # fmt: skip
def test_what_the_provider_runs_is_reported_and_never_extracted(type: str, id: str, name: str) -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": id, "content": [{"encrypted_content": "e=="}]}

    events, turn = play([
        begin(), tool(0, id, name, type, server_name="s"), args(0, '{"query":"oslo"}'), stop(0),
        {"type": "content_block_start", "index": 1, "content_block": result}, stop(1), end("pause_turn"), LAST,
    ])  # fmt: skip

    assert [m.ExtractedCall(name, {"query": "oslo"}, id, provider_run=True)] == turn.calls
    assert m.OpaquePart(1, "provider_result", result) in events
    assert [] == STRATEGY.extract(turn.message)
    assert not STRATEGY.forming(turn.message)
    assert ("pause_turn", True, False) == (turn.finish_reason, turn.finished, turn.truncated)
    block = {"type": type, "id": id, "name": name, "server_name": "s", "input": {"query": "oslo"}}
    assert [block, result] == turn.message["content"]


def test_an_empty_server_call_is_whole_at_the_stop_reason() -> None:
    _, turn = play([begin(), tool(0, "s", "advisor", "server_tool_use"), stop(0), end("end_turn"), LAST])

    assert [m.ExtractedCall("advisor", {}, "s", provider_run=True)] == turn.calls


def test_after_a_fallback_the_model_is_another() -> None:
    stream = m.Stream("anthropic", **OPTIONS)
    block = {"from": {"model": "m"}, "to": {"model": "n"}, "trigger": "overloaded"}
    events = [*stream.add(begin()), *stream.add(start(0, "fallback", **block)), *stream.add(stop(0))]

    assert m.OpaquePart(0, "fallback", {"type": "fallback", **block}) in events
    assert "n" == stream.core.facts["model"]


def test_usage_overwrites_what_is_not_null_and_counts_in_one_shape() -> None:
    first = {"input_tokens": 25, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 6, "service_tier": "standard", "output_tokens": 1}
    later = {"input_tokens": None, "cache_read_input_tokens": 7, "output_tokens": 61, "output_tokens_details": {"thinking_tokens": 14}}

    events, turn = play([begin(usage=first), end(None, {"output_tokens": 30}), end("end_turn", later), LAST])

    assert {**first, "cache_read_input_tokens": 7, "output_tokens": 61, "output_tokens_details": {"thinking_tokens": 14}} == turn.usage
    assert m.calls.Counts(36, 61, 7, 14) == [each for each in events if isinstance(each, m.UsageReported)][-1].counts
    assert "end_turn" == turn.finish_reason


def test_a_message_without_usage_has_none() -> None:
    _, turn = play([begin(usage=None), text(0, "A"), end("end_turn"), LAST])

    assert (None, "unknown") == (turn.usage, turn.usage_state)


def test_what_stands_beside_the_content_is_an_opaque_part() -> None:
    details, container, edits = {"type": "refusal", "category": "x"}, {"id": "c"}, {"applied_edits": []}

    events, turn = play([
        begin(container={"id": "b"}), {**end("refusal", stop_details=details, container=container), "context_management": edits}, LAST,
    ])  # fmt: skip

    opaque = [(each.kind, each.data) for each in events if isinstance(each, m.OpaquePart)]
    assert [("container", {"id": "b"}), ("stop_details", details), ("container", container), ("context_management", edits)] == opaque
    assert ("refusal", True, []) == (turn.finish_reason, turn.finished, turn.calls)


@pytest.mark.parametrize(("error", "message", "retryable"), [
    ({"type": "overloaded_error", "message": "Overloaded"}, "Overloaded", True), ({"type": "rate_limit_error"}, "rate_limit_error", True),
    ({"type": "invalid_request_error", "message": "no"}, "no", False), ({"type": "throttlingException", "message": "t"}, "t", True),
    ("bad", "bad", False), (None, "an error without a message", False),
])  # fmt: skip
def test_an_error_event_is_reported(error: Any, message: str, retryable: bool) -> None:
    events, turn = play([begin(), text(0, "A"), {"type": "error", "error": error, "request_id": "req"}])

    found = [each for each in events if isinstance(each, m.StreamError)]
    assert [("provider", message, retryable)] == [(each.kind, each.message, each.retryable) for each in found]
    assert ("A", False, True) == (turn.text, turn.finished, turn.truncated)
    if isinstance(error, dict):
        assert {**error, "request_id": "req"} == found[0].data


@pytest.mark.parametrize("body", [
    b'{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}', b"event: ping\ndata: {\"type\":\"ping\"}\n\n",
])  # fmt: skip
def test_a_body_without_a_message_is_known_at_its_end(body: bytes) -> None:
    stream = m.Stream(**OPTIONS)
    stream.feed(body)
    stream.close()

    assert "anthropic" == stream.turn().source
    assert bool(stream.turn().error) is (b"error" in body)
    assert stream.turn().truncated


@pytest.mark.parametrize("event", [
    {"type": "content_block_delta", "index": "x", "delta": {"type": "text_delta", "text": "A"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}}, {"type": "content_block_delta", "index": 0, "delta": "A"},
    {"type": "content_block_start", "index": 0, "content_block": "text"}, {"type": "content_block_start", "index": 0}, {"type": 7},
    {"type": "message_delta", "delta": {"stop_reason": 7}},
])  # fmt: skip
def test_fields_of_a_wrong_type_are_reported(event: dict[str, Any]) -> None:
    _, turn = play([begin(), event, tool(3), args(3, "{}"), stop(3), end(), LAST])

    assert "bad_field" == (turn.error or {}).get("kind")
    assert [("a", "f", {})] == [(each.id, each.name, each.arguments) for each in turn.calls]


@pytest.mark.parametrize("event", [
    {"type": "content_block_delta", "index": 0, "delta": None}, {"type": "message_start", "message": None}, {"type": "message_start", "message": [1]},
    {"type": "content_block_start", "index": 0, "content_block": {"type": ["x"], "text": "A"}}, {"type": "message_delta", "usage": [1]},
    tool(0, 5, ["f"], input=[1, 2]), tool(0, input={"x": "\ud800"}), start(0, "text", text=5, citations=7), start(0, "fallback", to=[]),  # type: ignore[arg-type]
    delta(0, "citations_delta", citation="c"), delta(0, "compaction_delta", content=[1]), begin(content=["x", None, {}], id=5), {"type": "message"},
    {"type": "message", "content": 5, "usage": "x"}, stop(9), {}, {"delta": {"text": "A"}}, {"type": "content_block_stop"},
])  # fmt: skip
def test_nothing_raises_because_of_what_was_sent(event: dict[str, Any]) -> None:
    _, turn = play([event, begin("msg_9"), event, tool(3), args(3, "{}"), stop(3), end(), LAST, event])

    assert not turn.truncated
    STRATEGY.extract(turn.message)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.text(max_size=3) | st.sampled_from(["{", "}", '{"x":1}', "text", "tool_use", "thinking"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "id", "input", "text", "name", "content", "to"]), inner, max_size=4),
    max_leaves=6,
)  # fmt: skip
_KINDS = ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "message", "error"]
_NOISE = st.fixed_dictionaries({"type": st.sampled_from(_KINDS)}, optional={
    "index": st.none() | st.integers(0, 2) | _JSON, "content_block": _JSON, "message": _JSON, "usage": _JSON, "error": _JSON,
    "delta": st.fixed_dictionaries({}, optional={
        "type": st.sampled_from(["text_delta", "input_json_delta", "thinking_delta", "signature_delta", "citations_delta", "compaction_delta"]) | _JSON,
        "text": _JSON, "partial_json": _JSON, "thinking": _JSON, "signature": _JSON, "citation": _JSON, "stop_reason": _JSON, "content": _JSON}),
})  # fmt: skip


@given(noise=st.lists(_NOISE, max_size=8))
def test_any_events_end_in_a_turn_that_agrees_with_its_message(noise: list[dict[str, Any]]) -> None:
    _, turn = play(noise)

    ours = [(each.name, each.arguments) for each in turn.calls if not each.provider_run]
    extracted = [(each.name, each.arguments) for each in STRATEGY.extract(turn.message)]
    assert sorted(map(repr, ours)) == sorted(map(repr, extracted))


def test_arguments_over_the_depth_never_come_back() -> None:
    _, turn = play([begin(), tool(0), args(0, '{"x":' + "[" * 200 + "]" * 200 + "}"), stop(0), end(), LAST])

    assert ["limit"] == [each.reason for each in turn.failed_calls]
    assert [] == turn.calls == STRATEGY.extract(turn.message)


def test_calls_over_the_limit_are_dropped_and_their_arguments_with_them() -> None:
    limits = m.Limits(slots=1)
    _, turn = play(
        [begin(), tool(0), args(0, "{}"), stop(0), tool(1, "b"), args(1, '{"x":'), args(1, "1}"), stop(1), end(), LAST], limits=limits
    )

    assert ["a"] == [each.id for each in turn.calls] == [each.id for each in STRATEGY.extract(turn.message)]
    assert 2 == len(turn.message["content"])
    assert "limit" == (turn.error or {}).get("kind")


# --- the message while it streams ---------------------------------------------------------------------------------


def test_a_call_has_its_text_so_far_until_its_block_is_closed() -> None:
    stream = m.Stream("anthropic", **OPTIONS)
    seen = []
    for event in (begin(), tool(0), args(0, '{"x"'), args(0, ":1}"), stop(0), tool(1, "b"), stop(1), end()):
        stream.add(event)
        seen.append([{k: v for k, v in block.items() if k.startswith("input")} for block in stream.turn().message["content"]])

    whole = {"input": {"x": 1}}
    assert [
        [], [{"input_json": ""}], [{"input_json": '{"x"'}], [{"input_json": '{"x":1}'}], [whole], [whole, {"input_json": ""}],
        [whole, {"input_json": ""}], [whole, {"input": {}}],
    ] == seen  # fmt: skip
    assert m.Forming(True, "f") == STRATEGY.forming(stream.turn().message)


def test_an_invalid_call_is_wrapped_once_its_block_is_closed() -> None:
    stream = m.Stream("anthropic", **OPTIONS)
    for event in (begin(), tool(0), args(0, '{"x" 1}'), stop(0)):
        stream.add(event)

    assert {"INVALID_JSON": '{"x" 1}'} == stream.turn().message["content"][0]["input"]
    assert [] == STRATEGY.extract(stream.turn().message)


# --- samples, recordings, cutting ---------------------------------------------------------------------------------


def test_the_sample_holds_a_thought_a_text_and_two_calls() -> None:
    stream = m.Stream("auto", **OPTIONS)
    events = stream.feed(SAMPLE.read_bytes()) + stream.close()
    turn = stream.turn()

    assert "anthropic" == turn.source
    assert ["read_file", "list_changes"] == [call.name for call in turn.calls]
    assert turn.text and turn.reasoning and turn.finished and not turn.error
    assert {} == turn.calls[1].arguments
    assert isinstance(events[-1], m.TurnFinished)


@given(places=PLACES)
def test_no_cutting_of_the_bytes_changes_anything(places: list[int] | str) -> None:
    body = SAMPLE.read_bytes()
    results = []
    for pieces in ([body], cut(body, places)):
        stream = m.Stream("auto", **OPTIONS)
        events = [event for piece in pieces for event in stream.feed(piece)] + stream.close()
        results.append((merged(events), stream.turn()))

    assert results[0] == results[1]


def _truncated(body: bytes) -> m.Turn:
    stream = m.Stream("anthropic", **OPTIONS)
    stream.feed(body)
    stream.close()
    return stream.turn()


def test_a_body_that_ends_anywhere_has_no_call_that_was_not_whole() -> None:
    body = sse([
        begin(), start(0, "text", text=""), text(0, "Hé"), stop(0), tool(1), args(1, '{"x":'), args(1, "1}"), stop(1), tool(2, "b"), stop(2),
        end(), LAST,
    ])  # fmt: skip
    whole = _truncated(body)
    assert 2 == len(whole.calls)
    first, known = body.index(b'"1}"'), body.index(b'"message_delta"')
    for size in range(len(body)):
        turn = _truncated(body[:size])
        assert turn.calls == whole.calls[: len(turn.calls)]
        assert [(c.id, c.arguments) for c in turn.calls] == [(c.id, c.arguments) for c in STRATEGY.extract(turn.message)]
        assert size > first or not turn.calls
        assert size > known or len(turn.calls) < 2
        assert turn.truncated is (turn.finish_reason is None)
        assert turn.finished is not turn.truncated
        assert size > known or turn.truncated


def test_the_streamed_message_is_the_assembled_one(shared: Path) -> None:
    lines = (shared / "wire/samples/anthropic.jsonl").read_text("utf-8").splitlines()
    body = json.loads((shared / "wire/samples/anthropic.assembled.json").read_text("utf-8"))

    _, turn = play([json.loads(line) for line in lines])

    # Beside role and content the body has the envelope, which the turn has as fields of its own.
    assert {key: body[key] for key in ("role", "content")} == turn.message
    assert (body["stop_reason"], body["usage"]) == (turn.finish_reason, turn.usage)
    assert STRATEGY.extract(body) == turn.calls


def test_recordings_extract_from_their_message_what_the_turn_calls(shared: Path) -> None:
    paths = sorted((shared / "corpus/cases/anthropic-messages").glob("*.jsonl"))
    assert paths
    for path in paths:
        expected = json.loads((shared / f"corpus/expected/anthropic-messages/{path.stem}.json").read_text("utf-8"))
        _, turn = play([json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()])

        assert (expected["text"], expected["finish_reason"]) == (turn.text, turn.finish_reason)
        ours = [call for call in turn.calls if not call.provider_run]
        assert ours == STRATEGY.extract(turn.message)
        assert [c["arguments"] for c in expected["calls"] if c["complete"] and not c["server_side"]] == [c.arguments for c in ours]
        assert not turn.calls or STRATEGY.recognizes(turn.message)


# --- recognition --------------------------------------------------------------------------------------------------

TEXT_BLOCKS = [{"type": "text", "text": "A"}]


@pytest.mark.parametrize("shape", [
    begin(), start(0, "text", text=""), text(0, "A"), stop(0), end(), LAST, SimpleNamespace(type="message_stop"),
    {"type": "message", "role": "assistant", "content": []}, {"type": "message", "role": "assistant", "content": TEXT_BLOCKS, "stop_reason": "end_turn"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "T", "signature": ""}, *TEXT_BLOCKS]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "T"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
    {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}, {"role": "assistant", "content": TEXT_BLOCKS},
    {"role": "assistant", "content": [{"type": "web_search_tool_result", "tool_use_id": "s", "content": []}, *TEXT_BLOCKS]},
])  # fmt: skip
def test_it_recognizes_its_own(shape: Any) -> None:
    assert STRATEGY.recognizes(shape)


@pytest.mark.parametrize("shape", [
    PING, {"type": "error", "error": {"type": "x"}}, {"type": "error", "sequence_number": 1, "message": "x"}, {"type": "response.created"},
    {"type": "message-start", "id": "x"}, {"type": "content-delta", "index": 0}, {"event_type": "step.start"}, {"contentBlockDelta": {}},
    {"type": "message_start", "choices": [{"delta": {}}]}, "message_start", None, 5, [],
    {"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "A"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "A"}]},
    {"role": "assistant", "content": "A"}, {"role": "assistant", "content": []}, {"role": "assistant", "content": [{"text": "A"}]},
    {"role": "assistant", "content": [{"toolUse": {}}]}, {"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text"}]}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "T"}, *TEXT_BLOCKS]}, {"role": "assistant", "content": TEXT_BLOCKS, "tool_calls": []},
    {"role": "assistant", "content": TEXT_BLOCKS, "tool_plan": "p"}, {"role": "user", "content": [{"type": "image_url"}, *TEXT_BLOCKS]},
    {"role": "model", "parts": [{"text": "A"}]}, {"output": []}, {"content": [7]},
])  # fmt: skip
def test_it_leaves_the_others_alone(shape: Any) -> None:
    assert not STRATEGY.recognizes(shape)


@pytest.mark.parametrize(("chunk", "hint"), [
    (PING, True), ({"type": "error", "error": {"type": "overloaded_error"}}, True), ({"type": "error", "message": "x"}, False),
    ({"type": "error", "error": {"type": "x"}, "sequence_number": 2}, False), ({"type": "error", "error": {"type": "x"}, "status": 400}, False),
    ({"error": {"message": "x"}}, False),
])  # fmt: skip
def test_at_the_end_a_ping_or_its_error_is_a_hint(chunk: dict[str, Any], hint: bool) -> None:
    assert hint is STRATEGY.hints(chunk)
    assert not STRATEGY.claims(chunk)


# --- whole messages, and answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("block", "arguments"), [
    ({"input": {"x": 1}}, {"x": 1}), ({"input": {}}, {}), ({"input": None}, {}), ({}, {}), ({"input": ""}, {}), ({"input": '{"x":1}'}, {"x": 1}),
    ({"input_json": '{"x":1}'}, {"x": 1}), ({"input_json": ""}, None), ({"input_json": '{"x"'}, None), ({"input": [1]}, None), ({"input": 5}, None),
    ({"input": {"INVALID_JSON": "{"}}, None), ({"name": ""}, None), ({"name": 5}, None), ({"type": "server_tool_use", "input": {}}, None),
])  # fmt: skip
def test_it_extracts_what_is_whole(block: dict[str, Any], arguments: dict[str, Any] | None) -> None:
    message = {"role": "assistant", "content": [*TEXT_BLOCKS, {"type": "tool_use", "id": "a", "name": "f", **block}]}

    assert ([] if arguments is None else [m.ExtractedCall("f", arguments, "a")]) == STRATEGY.extract(message)


@pytest.mark.parametrize("shape", [None, "text", 5, [], {}, {"content": "x"}, {"content": [5, None, "x"]}, {"content": {}}])
def test_a_wrong_shape_gives_nothing(shape: Any) -> None:
    assert [] == STRATEGY.extract(shape)
    assert not STRATEGY.forming(shape)
    assert ("text" if shape == "text" else "x" if shape == {"content": "x"} else "") == STRATEGY.content_text(shape)


def test_results_go_back_with_the_whole_turn() -> None:
    kept = [
        {"type": "thinking", "thinking": "T", "signature": "s"}, {"type": "redacted_thinking", "data": "d"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "text", "text": "Hi", "citations": [{"n": 1}]},
    ]  # fmt: skip
    one = {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}, "caller": {"type": "direct"}}
    two = {"type": "tool_use", "id": "b", "name": "find", "input": {}, "toolset_name": "browser"}
    foreign = {"type": "tool_use", "id": "c", "name": "h", "input": {}}
    body = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": " \n"}, *kept, one, foreign, two], "usage": {}}
    records = [
        SimpleNamespace(name="f", arguments={"x": 1}, result={"ok": True}, error=None, tool_call_id="a"),
        SimpleNamespace(name="find", arguments={}, result=None, error="find: broken", tool_call_id="b"),
    ]  # fmt: skip

    assert [
        {"role": "assistant", "content": [*kept, one, two]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": '{"ok": true}'},
            {"type": "tool_result", "tool_use_id": "b", "content": "find: broken", "is_error": True, "toolset_name": "browser"},
        ]},
    ] == STRATEGY.result_messages(body, records)  # fmt: skip
    assert "Hi" == STRATEGY.content_text({"content": kept})


@pytest.mark.parametrize(("raw", "input"), [('{"x"', {"INVALID_JSON": '{"x"'}), ('{"x":1}', {"x": 1}), ("", {"INVALID_JSON": ""})])
def test_a_call_that_never_became_whole_is_answered_by_its_id(raw: str, input: dict[str, Any]) -> None:
    message = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input_json": raw}]}
    record = SimpleNamespace(name="f", arguments={}, result=None, error="f: truncated", tool_call_id="a")

    turn, answer = STRATEGY.result_messages(message, [record])

    assert [{"type": "tool_use", "id": "a", "name": "f", "input": input}] == turn["content"]
    assert [{"type": "tool_result", "tool_use_id": "a", "content": "f: truncated", "is_error": True}] == answer["content"]


def test_the_answer_to_text_alone_keeps_the_text() -> None:
    assert [{"type": "text", "text": "Hi"}] == STRATEGY.result_messages({"role": "assistant", "content": "Hi"}, [])[0]["content"]
