"""Chat Completions and the servers compatible with it, chunk by chunk."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcs_fsm as m
from mcs_fsm import OpenAICompletionExtractionStrategy
from turns import PLACES, chunk, cut, merged

STRATEGY = OpenAICompletionExtractionStrategy()
OPTIONS: dict[str, Any] = {"text_format": None, "reasoning_tags": False}


def play(events: list[Any], **options: Any) -> tuple[list[m.Event], m.Turn]:
    stream = m.Stream("openai-chat", **{**OPTIONS, **options})
    out = [event for each in events for event in stream.add(each)]
    out += stream.close()
    return out, stream.turn()


def call(index: Any = 0, id: Any = None, name: Any = None, arguments: Any = None, **further: Any) -> dict[str, Any]:
    fragment: dict[str, Any] = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}, **further}
    if index is None:
        del fragment["index"]
    return fragment


def calls(*fragments: dict[str, Any]) -> dict[str, Any]:
    return chunk(tool_calls=list(fragments))


STOP = chunk(finish="tool_calls")

# What the fragments are, and the calls (id, name, arguments) that they make.
ROUTING: dict[str, tuple[list[dict[str, Any]], list[tuple[Any, str, dict[str, Any]]]]] = {
    "interleaved by index": (
        [calls(call(0, "a", "f", '{"x"')), calls(call(1, "b", "g", ""), call(0, arguments=":1}")), calls(call(1, arguments="{}"))],
        [("a", "f", {"x": 1}), ("b", "g", {})]),
    "an index with another id and a name is another call": (
        [calls(call(0, "a", "f", "{}")), calls(call(0, "b", "f", '{"x":1}'))], [("a", "f", {}), ("b", "f", {"x": 1})]),
    "another id alone goes on with the call, the first id is kept": (
        [calls(call(0, "a", "f", '{"x":')), calls(call(0, "z", None, "1}"))], [("a", "f", {"x": 1})]),
    "id and name repeated on every fragment": (
        [calls(call(0, "a", "f", '{"x":')), calls(call(0, "a", "f", "1}"))], [("a", "f", {"x": 1})]),
    "a name in pieces": ([calls(call(0, "a", "get_")), calls(call(0, None, "weather", "{}"))], [("a", "get_weather", {})]),
    "a name without id after a whole value opens a call": (
        [calls(call(0, None, "f", '{"x":1}')), calls(call(0, None, "f", "{}"))], [(None, "f", {"x": 1}), (None, "f", {})]),
    "no index: a new id opens, nothing goes on": (
        [calls(call(None, "a", "f", '{"x":')), calls(call(None, arguments="1}")), calls(call(None, "b", "f", "{}"))],
        [("a", "f", {"x": 1}), ("b", "f", {})]),
    "no index: a known id comes back": (
        [calls(call(None, "a", "f", '{"x":')), calls(call(None, "b", "g", "{")), calls(call(None, "a", None, "1}"), call(None, "b", None, "}"))],
        [("a", "f", {"x": 1}), ("b", "g", {})]),
    "no index, no id: another name opens": (
        [calls(call(None, None, "f", "{}")), calls(call(None, None, "g", "{}"))], [(None, "f", {}), (None, "g", {})]),
    "no index, no id: the same name after a whole value opens": (
        [calls(call(None, None, "f", '{"x":1}')), calls(call(None, None, "f", '{"x":2}'))], [(None, "f", {"x": 1}), (None, "f", {"x": 2})]),
    "indexes may start anywhere and be floats": ([calls(call(3, "a", "f", "{}")), calls(call(7.0, "b", "g", "{}"))], [("a", "f", {}), ("b", "g", {})]),
    "a placeholder is replaced": ([calls(call(0, "a", "f", "{}")), calls(call(0, arguments='{"x":')), calls(call(0, arguments="1}"))], [("a", "f", {"x": 1})]),
    "a lone {} stays": ([calls(call(0, "a", "f", "{}"))], [("a", "f", {})]),
    "arguments as an object": ([calls(call(0, "a", "f", {"x": [1]}))], [("a", "f", {"x": [1]})]),
    "arguments null, then text": ([calls(call(0, "a", "f")), calls(call(0, arguments="{}"))], [("a", "f", {})]),
    "no arguments at all": ([calls(call(0, "a", "f"))], [("a", "f", {})]),
    "the id comes late": ([calls(call(0, None, "f", '{"x":')), calls(call(0, "a", None, "1}"))], [("a", "f", {"x": 1})]),
    "arguments before the name": ([calls(call(0, "a", None, '{"x":1}')), calls(call(0, None, "f"))], [("a", "f", {"x": 1})]),
    "the string null is no id": ([calls(call(0, "a", "f", "{")), calls(call(0, "null", "", "}"))], [("a", "f", {})]),
    "empty strings are nothing": ([calls(call(0, "a", "f", "{")), calls(call(0, "", "", "}"))], [("a", "f", {})]),
    "white space after a whole value": ([calls(call(0, "a", "f", '{"x":1}')), calls(call(0, arguments="\n"))], [("a", "f", {"x": 1})]),
    "a bare string as the function": ([chunk(tool_calls=[{"index": 0, "id": "a", "function": "f"}])], [("a", "f", {})]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUTING)
def test_a_fragment_finds_its_call(name: str) -> None:
    fragments, expected = ROUTING[name]

    events, turn = play([*fragments, STOP])

    assert expected == [(each.id, each.name, each.arguments) for each in turn.calls]
    assert [] == turn.failed_calls
    assert [(each.name, each.arguments) for each in STRATEGY.extract(turn.message)] == [(e[1], e[2]) for e in expected]
    told: dict[int, str] = {}
    for event in events:
        if isinstance(event, m.ArgumentsDelta):
            told[event.slot] = told.get(event.slot, "") + event.text
    raw = [each["function"]["arguments"] for each in turn.message["tool_calls"]]
    assert raw == [told.get(slot, "{}") for slot in range(len(raw))]


@pytest.mark.parametrize(("arguments", "reason"), [
    ('{"x":', "truncated"), ("}", "malformed"), ("oops", "malformed"), ("nul", "truncated"), ('{"x":tru', "truncated"), ('{"x":]', "malformed"), ("[1]", "not_an_object"), ("7", "truncated"),
    ('"x"', "not_an_object"), ('{"x":1}}', "malformed"), ('{"x":"\\ud800"}', "malformed"), ("{" * 200, "malformed"), ('{"a":' * 200, "limit"),
])  # fmt: skip
def test_arguments_that_are_no_object_are_never_mended(arguments: str, reason: str) -> None:
    events, turn = play([calls(call(0, "a", "f", arguments)), STOP, "[DONE]"])

    assert [] == turn.calls == STRATEGY.extract(turn.message)
    assert [("a", "f", reason, arguments)] == [(f.id, f.name, f.reason, f.raw) for f in turn.failed_calls]
    assert m.CallAbandoned(0, reason) in events


@pytest.mark.parametrize("word", ["length", "content_filter", "error", "model_length", "sensitive"])
def test_at_a_cut_the_whole_call_stays_and_the_others_fail(word: str) -> None:
    fragments = calls(call(0, "a", "f", "{}"), call(1, "b", "g", '{"x"'), call(2, "c", "h", ""))

    _, turn = play([fragments, chunk(finish=word), "[DONE]"])

    assert ["a"] == [each.id for each in turn.calls]
    assert ["b", "c"] == [each.id for each in turn.failed_calls]
    assert ["a"] == [each.id for each in STRATEGY.extract(turn.message)]
    assert (word, True, False) == (turn.finish_reason, turn.finished, turn.truncated)


def test_the_life_of_a_turn_in_events() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}}
    first = {"id": "i", "model": "mo", "created": 7, **chunk(role="assistant", content="", refusal=None)}
    events, turn = play([
        first, chunk("Let "), chunk("me."), calls(call(0, "a", "f", '{"x":')), chunk("Aside."), calls(call(0, arguments="1}")), STOP,
        {**chunk(), "choices": [], "usage": usage}, "[DONE]",
    ], tools=["f"])  # fmt: skip

    ready = m.ExtractedCall("f", {"x": 1}, "a", owned=True)
    assert [
        m.TurnStarted("i", "mo", 7), m.TextDelta("Let ", 0), m.TextDelta("me.", 0), m.CallForming(0, 1, "a", "f"),
        m.ArgumentsDelta(0, '{"x":'), m.TextDelta("Aside.", 2), m.ArgumentsDelta(0, "1}"), m.CallReady(0, ready),
        m.UsageReported(usage, m.calls.Counts(3, 2, 1, None)), m.TurnFinished("tool_calls", False),
    ] == events  # fmt: skip
    message = {
        "role": "assistant", "content": "Let me.Aside.", "refusal": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}],
    }  # fmt: skip
    assert message == turn.message
    assert "reported" == turn.usage_state


@pytest.mark.parametrize(("delta", "reasoning", "message"), [
    ({"reasoning_content": "a"}, "a", {"reasoning_content": "a"}),
    ({"reasoning": "a"}, "a", {"reasoning": "a"}),
    ({"reasoning": "a", "reasoning_content": "a"}, "a", {}),
    ({"reasoning": "a", "reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0}]}, "a",
     {"reasoning_details": [{"type": "reasoning.text", "text": "a", "index": 0}]}),
    ({"reasoning_details": [{"type": "reasoning.summary", "summary": "a", "index": 0}]}, "a", {}),
    ({"thinking_blocks": [{"type": "thinking", "thinking": "a", "signature": "s"}]}, "a",
     {"thinking_blocks": [{"type": "thinking", "thinking": "a", "signature": "s"}]}),
    ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]}, "a",
     {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]}),
])  # fmt: skip
def test_reasoning_is_counted_once_and_rides_back(delta: dict[str, Any], reasoning: str, message: dict[str, Any]) -> None:
    _, turn = play([chunk(**delta), chunk(finish="stop")])

    assert (reasoning, "") == (turn.reasoning, turn.text)
    assert message.items() <= turn.message.items()


def test_fragments_of_kept_keys_are_merged_at_the_end() -> None:
    pieces = [{"type": "reasoning.text", "text": t, "index": 0, "format": "f"} for t in ("a", "b")]
    _, turn = play([*(chunk(reasoning_details=[piece]) for piece in pieces), chunk(annotations=[{"x": 1}]), chunk(annotations=[{"x": 2}]), STOP])

    assert [{"type": "reasoning.text", "text": "ab", "index": 0, "format": "f"}] == turn.message["reasoning_details"]
    assert [{"x": 1}, {"x": 2}] == turn.message["annotations"]


def test_typed_content_and_plain_content_are_one_message() -> None:
    events = [
        chunk(""), chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]),
        chunk(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "b"}], "closed": True}, {"type": "text", "text": "c"}]),
        chunk("d"), chunk(content=[{"type": "reference", "reference_ids": [1]}]), chunk("e", finish="stop"),
    ]  # fmt: skip

    _, turn = play(events)

    assert ("cde", "ab") == (turn.text, turn.reasoning)
    assert [
        {"type": "thinking", "thinking": [{"type": "text", "text": "ab"}], "closed": True}, {"type": "text", "text": "cd"},
        {"type": "reference", "reference_ids": [1]}, {"type": "text", "text": "e"},
    ] == turn.message["content"]  # fmt: skip
    assert "cde" == STRATEGY.content_text(turn.message)


def test_custom_and_legacy_calls() -> None:
    custom = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": "SELECT "}}
    _, turn = play([calls(custom), calls({"index": 0, "custom": {"input": "1"}}), STOP])
    assert [m.ExtractedCall("sql", {"input": "SELECT 1"}, "a", kind="custom")] == turn.calls == STRATEGY.extract(turn.message)

    _, turn = play([chunk(function_call={"name": "f", "arguments": '{"x"'}), chunk(function_call={"arguments": ":1}"}), chunk(finish="function_call")])
    assert [m.ExtractedCall("f", {"x": 1})] == turn.calls == STRATEGY.extract(turn.message)
    assert {"name": "f", "arguments": '{"x":1}'} == turn.message["function_call"]


@pytest.mark.parametrize("event", [
    {"error": {"message": "no", "code": 502}}, {**chunk(), "error": {"message": "no", "code": 502}},
    {"choices": [{"index": 0, "delta": {}, "error": {"message": "no", "code": 502}}]}, {**chunk(), "x_groq": {"error": "no"}},
])  # fmt: skip
def test_an_error_in_the_stream_is_said_and_what_came_is_kept(event: dict[str, Any]) -> None:
    events, turn = play([chunk("a"), event, chunk("b")])

    errors = [each for each in events if isinstance(each, m.StreamError)]
    assert [("provider", "no", 1)] == [(each.kind, each.message, each.frame) for each in errors]
    assert ("ab", True) == (turn.text, turn.truncated)
    assert turn.error is not None and "no" == turn.error["message"]


@pytest.mark.parametrize(("event", "kind"), [
    ({"choices": 5}, "bad_field"), ({"choices": [5]}, "bad_field"), (7, "bad_json"), ([1], "bad_json"), (None, "bad_json"),
    (chunk(content=5), "bad_field"), (chunk(tool_calls=5), "bad_field"), ("text", "bad_json"),
])  # fmt: skip
def test_a_wrong_field_is_said_and_the_stream_goes_on(event: Any, kind: str) -> None:
    events, turn = play([chunk("a"), event, chunk("b")])

    assert [(kind, 1)] == [(each.kind, each.frame) for each in events if isinstance(each, m.StreamError)]
    assert "ab" == turn.text


JUNK = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5), lambda x: st.lists(x, max_size=3)
                    | st.dictionaries(st.sampled_from("choices delta content tool_calls function name arguments index id usage error "
                                                      "message object finish_reason x_groq reasoning_details function_call refusal".split()), x))  # fmt: skip


@given(events=st.lists(JUNK | st.builds(lambda d: {"choices": [{"delta": d}]}, JUNK), max_size=5))
def test_nothing_that_is_sent_raises(events: list[Any]) -> None:
    out, turn = play(events)

    assert isinstance(out[-1], m.TurnFinished)
    json.dumps(turn.text)


def test_other_choices_are_streams_of_their_own() -> None:
    both = {"choices": [{"index": i, "delta": {"content": t}, "finish_reason": None} for i, t in enumerate("ab")]}
    assert ["a", "b", ""] == [play([both], choice=i)[1].text for i in range(3)]


def test_a_whole_body_is_read_as_a_turn() -> None:
    message = {"role": "assistant", "content": "hi", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 1}}

    _, turn = play([body])

    assert ("hi", ["a"], "tool_calls", True) == (turn.text, [c.id for c in turn.calls], turn.finish_reason, turn.finished)
    assert message == turn.message
    assert ["a"] == [c.id for c in STRATEGY.extract(body)]


def namespace(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{key: namespace(each) for key, each in value.items()})
    return [namespace(each) for each in value] if isinstance(value, list) else value


def test_objects_are_read_by_their_attributes() -> None:
    events = [chunk("a"), calls(call(0, "i", "f", '{"x":1}', extra_content=None)), STOP, {**chunk(), "choices": []}]

    assert play(events) == play([namespace(event) for event in events])


def test_samples_give_the_assembled_message(shared: Path) -> None:
    folder = shared / "wire/samples"
    lines = [line for line in (folder / "openai-chat.jsonl").read_text().split("\n") if line]
    _, turn = play([json.loads(line) for line in lines if line[0] == "{"])
    body = json.loads((folder / "openai-chat.assembled.json").read_text())

    assert body["choices"][0]["message"] == turn.message
    assert (body["usage"], body["choices"][0]["finish_reason"]) == (turn.usage, turn.finish_reason)
    assert STRATEGY.extract(body) == STRATEGY.extract(turn.message) == turn.calls


@given(places=PLACES)
def test_no_cutting_of_the_bytes_changes_the_events(places: list[int] | str) -> None:
    body = b": hi\r\n" + b"".join(b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\r\n\r\n" for event in [
        chunk("Grüße 🌦️ "), chunk(content='{"tool"'), calls(call(0, "a", "f", '{"x":"é'), call(1, "b", "g", "")), calls(call(0, arguments='"}')), STOP,
    ]) + b"data: [DONE]\n\n"  # fmt: skip

    def read(pieces: list[bytes]) -> tuple[list[m.Event], m.Turn]:
        stream = m.Stream("openai-chat", tools=["f"])
        out = [event for piece in pieces for event in stream.feed(piece)]
        return merged(out + stream.close()), stream.turn()

    assert read([body]) == read(cut(body, places))


FRAGMENTS = st.builds(
    lambda index, id, name, arguments: call(index, id, name, arguments),
    st.sampled_from([0, 1, 2, None]), st.sampled_from([None, "a", "b", "c", ""]), st.sampled_from([None, "f", "g", "f_", ""]),
    st.sampled_from([None, "", "{}", '{"x":', "1}", '{"é":"🌦️ \\u00e9', '"}', "}", " "]),
)  # fmt: skip
EVENTS = st.lists(
    st.sampled_from(["a", "é ", "🌦️", "<b>", ""]).map(lambda t: chunk(t)) | st.builds(lambda t: chunk(reasoning_content=t), st.sampled_from(["r", ""]))
    | st.lists(FRAGMENTS, min_size=1, max_size=3).map(lambda f: calls(*f)) | st.sampled_from([chunk(finish="length"), STOP, chunk(refusal="no")]),
    max_size=10,
)  # fmt: skip


@given(events=EVENTS, places=PLACES, end=st.sampled_from([b"\n\n", b"\r\n\r\n", b"\r\r"]), tools=st.sampled_from([None, ["f", "f_g"]]))
def test_generated_turns_are_the_same_under_any_cutting_and_agree_with_themselves(
    events: list[dict[str, Any]], places: list[int] | str, end: bytes, tools: list[str] | None
) -> None:
    body = b"".join(b"data:" + json.dumps(event, ensure_ascii=False).encode() + end for event in events) + b"data: [DONE]" + end

    def read(inputs: list[Any]) -> tuple[list[m.Event], m.Turn]:
        stream = m.Stream("openai-chat", tools=tools)
        out = [e for each in inputs for e in (stream.feed(each) if isinstance(each, bytes) else stream.add(each))]
        return merged(out + stream.close()), stream.turn()

    whole, turn = read([body])
    assert (whole, turn) == read(cut(body, places)) == read([*events, "[DONE]"])
    assert turn.text == "".join(event.text for event in whole if isinstance(event, m.TextDelta))
    assert [(c.name, c.arguments) for c in turn.calls] == [(c.name, c.arguments) for c in STRATEGY.extract(turn.message)]
    assert turn.calls == [event.call for event in sorted((e for e in whole if isinstance(e, m.CallReady)), key=lambda e: e.slot)]
    ends = [event.slot for event in whole if isinstance(event, m.CallReady | m.CallAbandoned)]
    assert len(ends) == len(set(ends)) and {event.slot for event in whole if isinstance(event, m.CallForming)} <= set(ends)


def test_a_surrogate_pair_cut_over_two_frames_is_one_character() -> None:
    stream = m.Stream("openai-chat", **OPTIONS)
    head, tail = b'data: {"choices":[{"delta":{"content":"', b'"}}]}\n\n'
    events = [*stream.feed(head + b"a\\ud83d" + tail), *stream.feed(head + b"\\ude00b" + tail), *stream.close()]
    assert ["a", "😀b"] == [event.text for event in events if isinstance(event, m.TextDelta)]
    assert None is stream.turn().error

    stream = m.Stream("openai-chat", **OPTIONS)
    events = [*stream.feed(head + b"a\\ud83d" + tail), *stream.feed(head + b"b" + tail), *stream.close()]
    assert "a\ufffdb" == stream.turn().text
    assert ["lone_surrogate"] == [event.kind for event in events if isinstance(event, m.StreamError)]


def test_results_go_back_as_tool_messages() -> None:
    _, turn = play([chunk("x"), calls(call(0, "a", "f", "{}"), call(1, "b", "g", "{}")), chunk(reasoning_content="r"), STOP])
    records = [SimpleNamespace(name="f", tool_call_id="a", result={"y": 1}, error=None), SimpleNamespace(name="g", tool_call_id="b", result=None, error="no")]

    history = STRATEGY.result_messages(turn.message, records)

    assert [turn.message, {"role": "tool", "tool_call_id": "a", "content": '{"y": 1}'}, {"role": "tool", "tool_call_id": "b", "content": "no"}] == history
    assert ["a"] == [each["id"] for each in STRATEGY.result_messages(turn.message, records[:1])[0]["tool_calls"]]


@pytest.mark.parametrize(("shape", "recognized"), [
    ({"tool_calls": None}, True), ({"tool_calls": []}, True), ({"choices": []}, True), (chunk("a"), True),
    ({"role": "assistant", "content": "x"}, False), ("x", False), (None, False), (7, False),
    ({"object": "text_completion", "choices": [{"text": "x"}]}, False), (SimpleNamespace(choices=[]), True),
    ({"tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, False),
])  # fmt: skip
def test_recognition(shape: Any, recognized: bool) -> None:
    assert recognized is STRATEGY.recognizes(shape)


@pytest.mark.parametrize(("message", "forming", "found"), [
    ({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": ""}}]}, m.Forming(True, "f"), []),
    ({"tool_calls": [{"id": "a", "function": {}}]}, m.Forming(True), []),
    ({"tool_calls": [{"id": "a", "function": {"name": "f"}}]}, m.Forming(True, "f"), [m.ExtractedCall("f", {}, "a")]),
    ({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": None}}]}, m.Forming(True, "f"), [m.ExtractedCall("f", {}, "a")]),
    ({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "[1]"}}]}, m.Forming(True, "f"), []),
    ({"tool_calls": None}, m.Forming(), []), ("x", m.Forming(), []), ([], m.Forming(), []),
])  # fmt: skip
def test_forming_and_extract(message: Any, forming: m.Forming, found: list[m.ExtractedCall]) -> None:
    assert (forming, found) == (STRATEGY.forming(message), STRATEGY.extract(message))
