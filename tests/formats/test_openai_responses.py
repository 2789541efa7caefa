"""Responses: events in, events, turn and message out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import mcs_fsm as m
from mcs_fsm.formats import FORMATS
from mcs_fsm.formats.openai_responses import OpenAIResponseExtractionStrategy

STRATEGY = OpenAIResponseExtractionStrategy()
OPTIONS: dict[str, Any] = {"text_format": None, "reasoning_tags": False}
SAMPLE = Path(m.__file__).parent / "samples" / "openai-responses-tools.sse"
KEPT = {"id": "resp_1", "object": "response", "model": "m", "created_at": 1}
CREATED = {"type": "response.created", "response": {**KEPT, "status": "in_progress", "output": []}}


@pytest.fixture(scope="module", autouse=True)
def _registered() -> Iterator[None]:
    """Register the format, if the registry does not have it."""
    FORMATS.setdefault(STRATEGY.name, STRATEGY)
    yield


def added(index: Any, type: str, **more: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": {"type": type, **more}}


def done(index: Any, type: str, **more: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": {"type": type, **more}}


def call(index: Any = 0, call_id: str = "a", name: str = "f", arguments: str = "", **more: Any) -> dict[str, Any]:
    return added(index, "function_call", id=f"fc_{call_id}", call_id=call_id, name=name, arguments=arguments, **more)


def called(index: Any = 0, call_id: str = "a", name: str = "f", arguments: str = "{}", **more: Any) -> dict[str, Any]:
    status = more.pop("status", "completed")
    more = {"id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments, "status": status, **more}
    return done(index, "function_call", **more)


def args(index: Any, delta: Any, **more: Any) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta, **more}


def text(index: Any, delta: Any, at: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "output_index": index, "content_index": at, "delta": delta, **more}


def end(kind: str = "completed", output: Any = (), **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {**KEPT, "status": kind, "output": list(output), **more}}


def play(events: list[Any], **options: Any) -> tuple[list[m.Event], m.Turn]:
    stream = m.Stream("openai-responses", **{**OPTIONS, **options})
    out = [event for each in events for event in stream.add(each)]
    return out + stream.close(), stream.turn()


def sse(events: list[Any]) -> bytes:
    return b"".join(b"event: %b\ndata: %b\n\n" % (str(each.get("type")).encode(), json.dumps(each).encode()) for each in events)


def merged(events: list[m.Event]) -> list[Any]:
    """Join neighbouring pieces of text and arguments."""
    out: list[Any] = []
    for each in events:
        if out and isinstance(each, m.TextDelta | m.ReasoningDelta | m.ArgumentsDelta):
            last = out[-1]
            place = getattr(each, "block", None), getattr(each, "slot", None)
            if type(last) is type(each) and place == (getattr(last, "block", None), getattr(last, "slot", None)):
                out[-1] = type(each)(**{**{f: getattr(last, f) for f in each.__struct_fields__}, "text": last.text + each.text})
                continue
        out.append(each)
    return out


X = '{"x":1}'
#: events, calls (id, name, arguments), text, reasoning, reasons of failed calls
TURNS: dict[str, tuple[list[Any], list[Any], str, str, list[str]]] = {
    "fragments": ([CREATED, call(), args(0, '{"x"'), args(0, ":1}"), called(arguments=X), end()], [("a", "f", {"x": 1})], "", "", []),
    "arguments only in the done event": (
        [CREATED, call(), {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": X}, called(arguments=""), end()],
        [("a", "f", {"x": 1})], "", "", []),
    "arguments only in the item's end": ([CREATED, call(), called(arguments=X), end()], [("a", "f", {"x": 1})], "", "", []),
    "arguments only in the terminal": (
        [CREATED, call(), end(output=[called(arguments=X)["item"]])], [("a", "f", {"x": 1})], "", "", []),
    "an item that only the terminal has": ([CREATED, end(output=[called(arguments=X)["item"]])], [("a", "f", {"x": 1})], "", "", []),
    "an empty snapshot replaces nothing": ([CREATED, call(), args(0, X), called(arguments="{}"), end()], [("a", "f", {"x": 1})], "", "", []),
    "arguments in the start, sent again": (
        [CREATED, call(arguments=X), args(0, '{"x":'), args(0, "1}"), called(arguments=X), end()], [("a", "f", {"x": 1})], "", "", []),
    "arguments in the start, sent again, and no end": (
        [CREATED, call(arguments=X), args(0, '{"x":'), args(0, "1}"), end()], [("a", "f", {"x": 1})], "", "", []),
    "no arguments": ([CREATED, call(), called(arguments=""), end()], [("a", "f", {})], "", "", []),
    "no item's end": ([CREATED, call(), args(0, X), end()], [("a", "f", {"x": 1})], "", "", []),
    "an item that is null": ([CREATED, {**added(0, "x"), "item": None}, call(), called(arguments=X), end()], [("a", "f", {"x": 1})], "", "", []),
    "indexes with gaps": ([CREATED, call(7), args(7, X), called(7, arguments=X), end(output=[called(arguments=X)["item"]])], [("a", "f", {"x": 1})], "", "", []),
    "item ids that change": (
        [CREATED, call(), args(0, '{"x"', item_id="p"), args(0, ":1}", item_id="q"), called(arguments=X, id="r"), end(output=[called(arguments=X, id="s")["item"]])],
        [("a", "f", {"x": 1})], "", "", []),
    "an index that begins again": (
        [CREATED, call(), called(arguments=X), call(0, "b"), args(0, "{"), args(0, "}"), called(0, "b"), end()],
        [("a", "f", {"x": 1}), ("b", "f", {})], "", "", []),
    "parallel and interleaved": (
        [CREATED, call(0), call(1, "b", "g"), args(1, '{"y"'), args(0, X), args(1, ":2}"), called(1, "b", "g", '{"y":2}'), called(0, arguments=X), end()],
        [("a", "f", {"x": 1}), ("b", "g", {"y": 2})], "", "", []),
    "no indexes": ([CREATED, call(None), args(None, X, item_id="fc_a"), called(None, arguments=X), text(None, "Hi"), end()], [("a", "f", {"x": 1})], "Hi", "", []),
    "a resumed stream": ([args(3, ':1}'), called(3, arguments=X), end()], [("a", "f", {"x": 1})], "", "", []),
    "a resumed stream whose arguments are whole before the name": ([args(3, X), called(3, arguments=X), end()], [("a", "f", {"x": 1})], "", "", []),
    "a status that says incomplete": ([CREATED, call(), args(0, X), called(arguments=X, status="incomplete"), end("incomplete")], [], "", "", ["truncated"]),
    "an open call of an incomplete turn": ([CREATED, text(0, "A"), call(1), args(1, '{"x"'), end("incomplete")], [], "A", "", ["truncated"]),
    "no object": ([CREATED, call(), args(0, "[1]"), called(arguments="[1]"), end()], [], "", "", ["not_an_object"]),
    "invalid": ([CREATED, call(), args(0, '{"x":01}'), called(arguments='{"x":01}'), end()], [], "", "", ["malformed"]),
    "text in a done event": (
        [CREATED, added(0, "message", content=[]), text(0, "He"), {"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": "Hello"},
         done(0, "message", content=[{"type": "output_text", "text": "Hello"}]), end()], [], "Hello", "", []),
    "text only in the terminal": ([CREATED, end(output=[{"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}])], [], "Hi", "", []),
    "content indexes that skip": (
        [CREATED, added(0, "message", content=[]), text(0, "A", 1), text(0, "B", 4),
         done(0, "message", content=[{"type": "output_text", "text": "A"}, {"type": "output_text", "text": "B"}]), end()], [], "AB", "", []),
    "reasoning of both kinds": (
        [CREATED, added(0, "reasoning", summary=[]), {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "S"},
         {"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "T"},
         done(0, "reasoning", summary=[{"type": "summary_text", "text": "S"}], content=[{"type": "reasoning_text", "text": "T"}]), end()], [], "", "ST", []),
    "unknown events and keepalives": (
        [CREATED, {"type": "keepalive", "sequence_number": 1}, {"type": "response.novel"}, {"type": "response.in_progress"}, text(0, "A"), end()], [], "A", "", []),
    "another response spliced in": (
        [CREATED, call(), args(0, '{"x'), {"type": "response.created", "response": {**KEPT, "id": "resp_2"}}, call(0, "b"), args(0, X), called(0, "b", arguments=X), end()],
        [("b", "f", {"x": 1})], "", "", ["truncated"]),
    "an item's end that still says in_progress": (
        [CREATED, call(), args(0, X), called(arguments=X, status="in_progress"), end(output=[called(arguments=X, status="in_progress")["item"]])],
        [("a", "f", {"x": 1})], "", "", []),
    "a failure after text": (
        [CREATED, text(0, "A"), call(1), args(1, '{"q"'), end("failed", error={"code": "server_error", "message": "x"})], [], "A", "", ["truncated"]),
    "a stream=false body": ([{**KEPT, "status": "completed", "output": [called(arguments=X)["item"]]}], [("a", "f", {"x": 1})], "", "", []),
}  # fmt: skip


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_is_what_its_events_say(name: str) -> None:
    given, calls, shown, reasoning, reasons = TURNS[name]

    events, turn = play(given)
    stream = m.Stream("openai-responses", **OPTIONS)
    by_bytes = stream.feed(sse(given)) + stream.close()
    objects, again = play([json.loads(json.dumps(each), object_hook=lambda fields: SimpleNamespace(**fields)) for each in given])

    assert calls == [(each.id, each.name, each.arguments) for each in turn.calls]
    assert (shown, reasoning, reasons) == (turn.text, turn.reasoning, [each.reason for each in turn.failed_calls])
    assert calls == [(each.id, each.name, each.arguments) for each in STRATEGY.extract(turn.message)]
    assert STRATEGY.recognizes(turn.message)
    assert None not in turn.message["output"]
    ended = [each.slot for each in events if isinstance(each, m.CallReady | m.CallAbandoned)]
    assert sorted(set(ended)) == sorted(ended)
    assert not [key for key in turn.anomalies if key.startswith("forbidden")]
    assert merged(events) == merged(by_bytes) == merged(objects)
    assert turn.message == stream.turn().message == again.message


def test_step_by_step() -> None:
    stream = m.Stream("openai-responses", **OPTIONS)
    ready = m.ExtractedCall("f", {"x": 1}, "a")
    citation = {"type": "url_citation", "url": "u"}
    steps: list[tuple[dict[str, Any], list[m.Event]]] = [
        (CREATED, [m.TurnStarted("resp_1", "m", 1)]),
        (added(0, "reasoning", summary=[], encrypted_content="p"), []),
        ({"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": 0, "delta": "S"}, [m.ReasoningDelta("S", 0)]),
        (done(0, "reasoning", summary=[{"type": "summary_text", "text": "S"}], encrypted_content="whole"), [m.OpaquePart(1, "encrypted_reasoning", "whole")]),
        (added(1, "message", content=[]), []),
        (text(1, "Hi"), [m.TextDelta("Hi", 2)]),
        ({"type": "response.output_text.annotation.added", "output_index": 1, "content_index": 0, "annotation": citation}, [m.OpaquePart(2, "citation", citation)]),
        (done(1, "message", content=[{"type": "output_text", "text": "Hi", "annotations": [citation]}]), []),
        (call(2), [m.CallForming(0, 3, "a", "f")]),
        (args(2, '{"x"'), [m.ArgumentsDelta(0, '{"x"')]),
        (args(2, ":1}"), [m.ArgumentsDelta(0, ":1}")]),
        ({"type": "response.function_call_arguments.done", "output_index": 2, "arguments": X}, []),
        (called(2, arguments=X), [m.CallReady(0, ready)]),
        (end(usage={"input_tokens": 3, "output_tokens": 9}), [
            m.UsageReported({"input_tokens": 3, "output_tokens": 9}, m.calls.Counts(3, 9)), m.TurnFinished("completed", False)]),
    ]  # fmt: skip
    for event, expected in steps:
        assert expected == stream.add(event)
    assert [] == stream.close()


CLIENT: list[tuple[dict[str, Any], str, str, dict[str, Any]]] = [
    ({"type": "custom_tool_call", "name": "run", "input": "{x"}, "custom", "run", {"input": "{x"}),
    ({"type": "shell_call", "action": {"commands": ["ls"]}, "environment": None}, "shell", "shell", {"commands": ["ls"]}),
    ({"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}}, "local_shell", "local_shell", {"type": "exec", "command": ["ls"]}),
    ({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "p"}}, "apply_patch", "apply_patch", {"type": "delete_file", "path": "p"}),
    ({"type": "computer_call", "action": {"type": "wait"}}, "computer", "computer", {"type": "wait"}),
    ({"type": "computer_call", "actions": [{"type": "wait"}]}, "computer", "computer", {"actions": [{"type": "wait"}]}),
    ({"type": "tool_search_call", "execution": "client", "arguments": {"q": 1}}, "tool_search", "tool_search", {"q": 1}),
    ({"type": "mcp_approval_request", "name": "ask", "arguments": '{"q":1}', "server_label": "s"}, "mcp_approval", "ask", {"q": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("item", "kind", "name", "arguments"), CLIENT)
@pytest.mark.parametrize("ended", [True, False])
def test_what_the_client_runs_beside_functions(item: dict[str, Any], kind: str, name: str, arguments: Any, ended: bool) -> None:
    ids = {"id": "i"} if kind == "mcp_approval" else {"id": "i", "call_id": "c"}
    item = {**ids, **item}
    wanted = [m.ExtractedCall(name, arguments, "i" if kind == "mcp_approval" else "c", kind=kind)]

    last = [done(0, **{**item, "status": "completed"})] if ended else []
    _, turn = play([CREATED, added(0, **{**item, "status": "in_progress"}), *last, end()])

    assert wanted == turn.calls == STRATEGY.extract(turn.message)
    _, lost = play([CREATED, added(0, **{**item, "status": "in_progress"})])
    assert [each for each in lost.calls if each.kind == "custom"] == []
    assert len(lost.calls) == len(STRATEGY.extract(lost.message))


@pytest.mark.parametrize(("item", "name"), [
    ({"type": "web_search_call", "action": {"type": "search"}}, "web_search"), ({"type": "file_search_call", "queries": ["q"]}, "file_search"),
    ({"type": "code_interpreter_call", "code": "1"}, "code_interpreter"), ({"type": "image_generation_call", "result": "b"}, "image_generation"),
    ({"type": "mcp_call", "name": "ask", "arguments": "{}"}, "ask"), ({"type": "program", "code": "1"}, "program"),
    ({"type": "tool_search_call", "execution": "server", "arguments": {}}, "tool_search"),
    ({"type": "shell_call", "action": {"commands": ["ls"]}, "environment": {"type": "container_reference"}}, "shell"),
])  # fmt: skip
def test_what_the_provider_runs_is_reported_and_never_extracted(item: dict[str, Any], name: str) -> None:
    item = {"id": "i", **item}

    events, turn = play([CREATED, added(0, **item), done(0, **item), end("incomplete")])

    assert [(name, "i", True)] == [(each.name, each.id, each.provider_run) for each in turn.calls]
    assert m.OpaquePart(0, "provider_result", item) in events
    assert [] == STRATEGY.extract(turn.message)
    assert not STRATEGY.forming(turn.message)
    assert [item] == turn.message["output"]


def test_shell_commands_and_diffs_come_in_pieces() -> None:
    shell = "response.shell_call_command"
    _, turn = play([
        CREATED, added(0, "shell_call", id="i", call_id="c", action={"commands": []}),
        {"type": f"{shell}.added", "output_index": 0, "command_index": 0, "command": ""},
        {"type": f"{shell}.delta", "output_index": 0, "command_index": 0, "delta": "ls "},
        {"type": f"{shell}.delta", "output_index": 0, "command_index": 0, "delta": "-a"},
        added(1, "apply_patch_call", id="j", call_id="d", operation={"type": "create_file", "path": "p", "diff": ""}),
        {"type": "response.apply_patch_call_operation_diff.delta", "output_index": 1, "delta": "+a"}, end(),
    ])  # fmt: skip

    assert [{"commands": ["ls -a"]}, {"type": "create_file", "path": "p", "diff": "+a"}] == [each.arguments for each in turn.calls]


def test_events_that_come_again_are_not_read_again() -> None:
    numbered = [{**each, "sequence_number": i} for i, each in enumerate([CREATED, text(0, "A"), text(0, "A"), text(0, "B"), end()])]

    _, turn = play([*numbered[:3], *numbered[1:]])

    assert ("AAB", 2) == (turn.text, turn.anomalies["event_repeated"])
    _, constant = play([{**each, "sequence_number": 0} for each in numbered])
    assert "AAB" == constant.text


@pytest.mark.parametrize(("last", "reason", "finished", "error"), [
    ([end()], "completed", True, False), ([end("incomplete", incomplete_details={"reason": "max_output_tokens"})], "incomplete", True, False),
    ([end("failed", error={"code": "server_error", "message": "x"})], "failed", True, True),
    ([{"type": "response.failed", "error": {"code": "c", "message": "x"}}], "failed", True, True),
    ([{"type": "error", "code": "rate_limit_exceeded", "message": "x", "sequence_number": 9}], None, False, True),
    ([{"type": "error", "error": {"code": "server_error", "message": "x"}, "status": 500}, end("failed", error={"code": "server_error"})], "failed", True, True),
    ([], None, False, False),
])  # fmt: skip
def test_how_a_turn_ends(last: list[Any], reason: str | None, finished: bool, error: bool) -> None:
    events, turn = play([CREATED, text(0, "A"), call(1), args(1, '{"x'), *last])

    assert (reason, finished, not finished, error) == (turn.finish_reason, turn.finished, turn.truncated, turn.error is not None)
    assert sum(isinstance(each, m.StreamError) for each in events) == int(error)
    if reason != "completed":
        assert [] == turn.calls == STRATEGY.extract(turn.message)
    if reason is not None:
        assert reason == turn.message["status"]


def test_a_flat_error_keeps_its_code() -> None:
    _, turn = play([CREATED, {"type": "error", "code": "rate_limit_exceeded", "message": "x", "param": None, "sequence_number": 9}])

    assert turn.error is not None
    assert ({"code": "rate_limit_exceeded", "message": "x"}, True) == (turn.error["data"], turn.error["retryable"])


def test_a_refusal_is_no_text() -> None:
    _, turn = play([CREATED, added(0, "message", content=[]), {"type": "response.refusal.delta", "output_index": 0, "content_index": 0, "delta": "No"},
                    {"type": "response.refusal.done", "output_index": 0, "content_index": 0, "refusal": "No."}, end()])  # fmt: skip

    assert ("", "No.") == (turn.text, turn.refusal)
    assert [{"type": "refusal", "refusal": "No."}] == turn.message["output"][0]["content"]


def test_the_message_is_the_one_without_streaming(shared: Path) -> None:
    folder = shared / "wire" / "samples"
    given = [json.loads(each) for each in (folder / "openai-responses.jsonl").read_text().splitlines()]

    _, turn = play(given)

    assert json.loads((folder / "openai-responses.assembled.json").read_text()) == turn.message
    assert turn.calls == STRATEGY.extract(turn.message)
    for n in range(len(given)):  # at every cut a message without holes
        _, part = play(given[:n])
        assert all(isinstance(each.get("type"), str) for each in part.message["output"])
        assert [each for each in STRATEGY.extract(part.message) if each not in turn.calls] == []
        assert all(each in turn.calls for each in part.calls)


def test_any_cutting_of_the_bytes_and_any_loss() -> None:
    body = SAMPLE.read_bytes()
    stream = m.Stream("openai-responses", **OPTIONS)
    whole = merged(stream.feed(body) + stream.close())
    final = stream.turn()
    assert ("completed", 2, {}) == (final.finish_reason, len(final.calls), final.anomalies)
    for size in (1, 7, 100):
        again = m.Stream("openai-responses", **OPTIONS)
        events = [e for i in range(0, len(body), size) for e in again.feed(body[i : i + size])]
        assert whole == merged(events + again.close())
        assert final.message == again.turn().message
    for cut in range(0, len(body), 13):
        lost = m.Stream("openai-responses", **OPTIONS)
        lost.feed(body[:cut])
        lost.close()
        turn = lost.turn()
        assert turn.finished is not turn.truncated
        assert turn.calls == final.calls[: len(turn.calls)]
        assert final.text.startswith(turn.text)


@pytest.mark.parametrize("field", ["type", "output_index", "item", "delta", "response", "arguments", "part", "content_index", "text", "summary_index", "item_id"])
@pytest.mark.parametrize("value", [None, 1, -1, 1.5, "x", [], [1], {}, {"type": 3}, True])
def test_wrong_types_raise_nothing(field: str, value: Any) -> None:
    given = [json.loads(each[6:]) for each in SAMPLE.read_text().splitlines() if each.startswith("data: ")]
    for n, each in enumerate(given):
        if field in each:
            _, turn = play([*given[:n], {**each, field: value}, *given[n + 1 :]])
            assert all(isinstance(call.arguments, dict) for call in turn.calls)
            assert all(isinstance(item, dict) for item in turn.message["output"])
            STRATEGY.extract(turn.message)


@pytest.mark.parametrize("path", ["arguments", "name", "call_id", "id", "content", "summary", "status", "type", "encrypted_content"])
@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, {"type": 3}])
def test_wrong_types_in_an_item_raise_nothing(path: str, value: Any) -> None:
    given = [json.loads(each[6:]) for each in SAMPLE.read_text().splitlines() if each.startswith("data: ")]
    for n, each in enumerate(given):
        if path in each.get("item", {}):
            _, turn = play([*given[:n], {**each, "item": {**each["item"], path: value}}, *given[n + 1 :]])
            STRATEGY.extract(turn.message)
            STRATEGY.content_text(turn.message)
            STRATEGY.result_messages(turn.message, [])


def record(id: str, result: Any = None, error: str | None = None) -> Any:
    return SimpleNamespace(name="f", arguments={}, result=result, error=error, tool_call_id=id)


def test_history_has_the_reasoning_in_its_place_and_only_the_calls_that_ran() -> None:
    reason = {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e=="}
    caller = {"type": "program", "caller_id": "p"}
    one, two = called(arguments=X, caller=caller)["item"], called(1, "b")["item"]
    message = {"output": [reason, one, two]}

    assert [reason, one, {"type": "function_call_output", "call_id": "a", "output": "ok", "caller": caller}] == STRATEGY.result_messages(message, [record("a", "ok")])
    assert {"type": "function_call_output", "call_id": "b", "output": "no"} == STRATEGY.result_messages(message, [record("b", error="no")])[-1]


@pytest.mark.parametrize(("item", "result", "answer"), [
    ({"type": "custom_tool_call", "name": "n", "input": "x"}, "ok", {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"}),
    ({"type": "local_shell_call", "action": {}}, "ok", {"type": "local_shell_call_output", "id": "i", "output": "ok"}),
    ({"type": "shell_call", "action": {"max_output_length": 9}}, "ok", {
        "type": "shell_call_output", "call_id": "c", "max_output_length": 9,
        "output": [{"stdout": "ok", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]}),
    ({"type": "apply_patch_call", "operation": {}}, "ok", {"type": "apply_patch_call_output", "call_id": "c", "status": "completed", "output": "ok"}),
    ({"type": "computer_call", "action": {}}, "data:x", {
        "type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "image_url": "data:x"}}),
    ({"type": "tool_search_call", "execution": "client"}, [{"type": "function"}], {
        "type": "tool_search_output", "call_id": "c", "execution": "client", "tools": [{"type": "function"}]}),
    ({"type": "mcp_approval_request", "name": "n"}, True, {"type": "mcp_approval_response", "approval_request_id": "c", "approve": True}),
])  # fmt: skip
def test_every_kind_has_its_answer(item: dict[str, Any], result: Any, answer: dict[str, Any]) -> None:
    item = {"id": "i", "call_id": "c", **item}

    assert [item, answer] == STRATEGY.result_messages({"output": [item]}, [record("c", result)])


@pytest.mark.parametrize(("shape", "claimed", "recognized"), [
    (CREATED, True, True), ({"type": "keepalive", "sequence_number": 1}, True, True), ({"type": "response.novel"}, True, True),
    ({**KEPT, "output": []}, True, True), ({"output": [{"type": "message"}]}, False, True), ({"output": []}, False, True),
    ({"type": "error", "sequence_number": 1, "message": "x"}, False, False), ({"type": "ping"}, False, False),
    ({"type": "message_start"}, False, False), ({"type": "response.output_text.delta", "choices": []}, False, False),
    ({"output": {"message": {}}}, False, False), ({"choices": []}, False, False), ("text", False, False), (None, False, False),
    ({"type": "keepalive"}, False, False), ({"role": "assistant", "content": "x"}, False, False),
])  # fmt: skip
def test_recognition(shape: Any, claimed: bool, recognized: bool) -> None:
    assert (claimed, recognized) == (STRATEGY.claims(shape), STRATEGY.recognizes(shape))


def test_an_error_hints_at_this_format_by_its_number() -> None:
    assert STRATEGY.hints({"type": "error", "error": {"message": "x"}, "sequence_number": 1})
    assert not STRATEGY.hints({"type": "error", "error": {"message": "x"}})


def test_consumed_text_is_not_in_the_message() -> None:
    body = 'Now.\n{"tool": "f", "arguments": {}}\nThen.'
    stream = m.Stream("openai-responses", tools=["f"], text_format="mcs-json")
    item = {"type": "message", "id": "msg", "content": [{"type": "output_text", "text": body}]}
    for each in (CREATED, added(0, "message", content=[]), text(0, body), done(0, **item), end(output=[item])):
        stream.add(each)
    stream.close()
    assert [("f", None)] == [(each.name, each.id) for each in stream.turn().calls]
    taken = stream.turn().calls[0]

    stream.core.body.cut(taken.start or 0, taken.end or 0)

    assert "Now.\n\nThen." == STRATEGY.content_text(stream.turn().message)


@pytest.mark.parametrize("name", ["vercel-github-copilot-id-rotation.1", "rig-chatgpt-codex_tool_args-zero_argument_tool_call_nonstreaming"])
def test_recordings(shared: Path, name: str) -> None:
    given = (shared / "corpus/cases/openai-responses" / f"{name}.jsonl").read_text("utf-8").split("\n")
    wanted = json.loads((shared / "corpus/expected/openai-responses" / f"{name}.json").read_text("utf-8"))

    _, turn = play([json.loads(each) for each in given if each])

    assert (wanted["text"], wanted["finish_reason"]) == (turn.text, turn.finish_reason)
    assert [(each["id"], each["arguments"]) for each in wanted["calls"]] == [(each.id, each.arguments) for each in turn.calls]
