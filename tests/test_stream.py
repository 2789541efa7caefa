"""The first door: bytes or events in, events out; what bad input gets, and what wrong use gets."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

import mcs_fsm as m
from turns import chunk, merged


def sse(*events: Any) -> bytes:
    return b"".join(b"data: " + (e if isinstance(e, bytes) else json.dumps(e).encode()) + b"\n\n" for e in events)


def play(body: bytes, source: str = "openai-chat", **options: Any) -> tuple[list[m.Event], m.Turn]:
    stream = m.Stream(source, **options)
    events = [*stream.feed(body), *stream.close()]
    return events, stream.turn()


def errors(events: list[m.Event]) -> list[tuple[str, bool, int | None]]:
    return [(e.kind, e.retryable, e.frame) for e in events if isinstance(e, m.StreamError)]


@pytest.mark.parametrize(("body", "expected"), [
    (b"", [("empty", True, None)]),
    (b"\n\n  \n", [("empty", True, None)]),
    (b": keep-alive\n\n", [("empty", True, None)]),
    (b"<!doctype html><title>502</title>", [("not_a_stream", True, 0)]),
    (gzip.compress(b"data: {}\n\n"), [("not_a_stream", False, 0)]),
    (sse(b"{not json", chunk("b")), [("bad_json", False, 0)]),
    (sse(b'"text"', chunk("b")), [("bad_json", False, 0)]),
    (sse({"choices": {"0": 1}}, chunk("b")), [("bad_field", False, 0)]),
    (sse(b'{"choices":[{"index":0,"delta":{"content":"\xff"}}]}', chunk("b")), [("bad_utf8", False, 0)]),
    (sse(b"[" * 100_000, chunk("b")), [("bad_json", False, 0)]),
    (sse({"error": {"message": "slow down", "code": 429}}), [("provider", True, 0)]),
    (json.dumps({"error": {"message": "no", "code": 401}}).encode(), [("provider", False, 0)]),
])  # fmt: skip
def test_bad_input_is_said_and_what_follows_is_read(body: bytes, expected: list[Any]) -> None:
    events, turn = play(body)

    assert expected == errors(events)
    assert turn.error is not None and turn.error["kind"] == expected[0][0]
    assert ("b" if b'"b"' in body else "") == turn.text.replace("\ufffd", "")
    assert isinstance(events[-1], m.TurnFinished) and events[-1].truncated


def test_bad_input_leaves_no_call_to_run_unseen() -> None:
    fragment = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":'}}
    events, turn = play(sse(chunk(tool_calls=[fragment]), b"{oops", chunk(finish="tool_calls"), b"[DONE]"))

    assert [("bad_json", False, 1)] == errors(events)
    assert ([], ["a"]) == (turn.calls, [call.id for call in turn.failed_calls])


def test_another_wire_than_the_one_asked_for_is_no_turn() -> None:
    events, turn = play(sse({"type": "message_start", "message": {"id": "m", "content": []}}, {"type": "ping"}))

    assert "" == turn.text
    assert isinstance(events[-1], m.TurnFinished) and events[-1].truncated
    assert [("other_wire", False, 0)] == errors(events)
    assert "anthropic" in turn.error["message"]  # type: ignore[index]


def test_after_the_end_of_the_wire_nothing_is_read() -> None:
    events, turn = play(sse(chunk("a", finish="stop"), b"[DONE]", chunk("b")))

    assert "a" == turn.text
    assert isinstance(events[-1], m.TurnFinished)
    assert 1 == turn.anomalies["after_end"]


def test_a_stream_that_is_cut_is_told_from_one_that_ended() -> None:
    ended = {
        "done": sse(chunk("a"), b"[DONE]"), "finish": sse(chunk("a", finish="stop")), "cut": sse(chunk("a")),
        "half an event": sse(chunk("a")) + b"data: {\"cho",
    }  # fmt: skip
    said = {name: (turn.finished, turn.truncated) for name, (_, turn) in ((n, play(b)) for n, b in ended.items())}

    assert {"done": (True, False), "finish": (True, False), "cut": (False, True), "half an event": (False, True)} == said
    assert 1 == play(ended["half an event"])[1].anomalies["partial_frame"]


def test_auto_waits_until_the_wire_shows_and_reads_what_waited() -> None:
    first = {"id": "", "object": "", "model": "", "choices": [], "prompt_filter_results": []}
    events, turn = play(b": hi\n\n" + sse(first, {"type": "ping"}, chunk("a", finish="stop")), "auto")

    assert ("openai-chat", "a", None) == (turn.source, turn.text, turn.error)
    assert m.TextDelta("a", 0) in events


def test_auto_that_never_sees_a_wire_says_so() -> None:
    for body, kind in ((sse({"hello": 1}), "unknown_wire"), (sse({"error": {"message": "no"}}), "provider")):
        events, turn = play(body, "auto")
        assert ([(kind, False, 0)], None) == (errors(events), turn.source)
    events, turn = play(sse(*({"hello": i} for i in range(40))), "auto")
    assert ["unknown_wire"] == [kind for kind, _, _ in errors(events)]
    assert isinstance(events[-1], m.TurnFinished)


def test_wrong_use_says_what_to_do_instead() -> None:
    with pytest.raises(m.UnknownName, match="openai-chat"):
        m.Stream("openai")
    with pytest.raises(m.UnknownName, match="mcs-json"):
        m.Stream(text_format="nothing")
    stream = m.Stream()
    with pytest.raises(m.UsageError, match="feed"):
        stream.add(b"data: {}\n\n")
    with pytest.raises(TypeError, match="bytes"):
        stream.feed("text")  # type: ignore[arg-type]
    stream.close()
    assert [] == stream.close()
    for method in (lambda: stream.feed(b""), lambda: stream.add({})):
        with pytest.raises(m.StreamClosed, match="new one"):
            method()


def test_strict_ends_the_stream_at_the_first_forbidden_trigger() -> None:
    fragments = [
        chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]), chunk(finish="tool_calls"),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": "x"}}]), chunk("more"),
    ]  # fmt: skip
    loose = m.Stream("openai-chat")
    strict = m.Stream("openai-chat", strict=True)
    for fragment in fragments:
        loose.add(fragment)
        strict.add(fragment)
    loose.close()
    strict.close()

    assert ("more", None, 1) == (loose.turn().text, loose.turn().error, loose.turn().anomalies["forbidden_slot"])
    assert ("slot", "ready", "args_delta", "x") == loose.core.oddities[0]
    error = strict.turn().error
    assert error is not None and "illegal_transition" == error["kind"]
    assert ("", "failed", ["a"]) == (strict.turn().text, strict.core.turn_state, [c.id for c in strict.turn().calls])


@pytest.mark.parametrize(("limits", "events", "name"), [
    ({"argument_chars": 10}, [chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":"' + "y" * 20}}])], "argument_chars"),
    ({"slots": 1}, [chunk(tool_calls=[{"index": i, "id": f"c{i}", "function": {"name": "f", "arguments": "{}"}} for i in range(5)])], "slots"),
    ({"held_chars": 10}, [chunk('{"tool": "f", "arguments": {}}')], "held_chars"),
])  # fmt: skip
def test_a_limit_is_named_and_the_rest_survives(limits: dict[str, int], events: list[Any], name: str) -> None:
    stream = m.Stream("openai-chat", tools=["f"], limits=m.Limits(**limits))
    out = [e for event in [chunk("before "), *events, chunk("after"), chunk(finish="stop")] for e in stream.add(event)]
    out += stream.close()

    (error,) = [event for event in out if isinstance(event, m.StreamError)]
    assert ("limit", True, True) == (error.kind, name in error.message, str(limits[name]) in error.message)
    assert stream.turn().text.startswith("before ") and stream.turn().text.endswith("after")
    assert len(stream.turn().calls) <= 1


def test_bytes_over_a_limit_end_the_stream() -> None:
    for limits in ({"frame_bytes": 64}, {"total_bytes": 64}):
        events, turn = play(sse(chunk("a")) + sse(chunk("b" * 100)), limits=m.Limits(**limits))
        assert ["limit"] == [kind for kind, _, _ in errors(events)]
        assert isinstance(events[-1], m.TurnFinished) and turn.truncated


def test_events_and_aevents_are_the_same_stream() -> None:
    body = sse(chunk("a"), chunk("b", finish="stop"), b"[DONE]")

    async def source() -> AsyncIterator[bytes]:
        for i in range(0, len(body), 7):
            yield body[i : i + 7]

    async def gather() -> list[m.Event]:
        return [event async for event in m.aevents(source(), source="openai-chat")]

    assert merged(list(m.events([body], source="openai-chat"))) == merged(asyncio.run(gather()))


def test_stats_count_what_went_in() -> None:
    stream = m.Stream("openai-chat", tools=["run"])
    body = sse(chunk("a {"), chunk('"tool"'), chunk("x</think>"))
    stream.feed(body)
    stream.add(chunk("b"))

    stats = stream.stats()

    assert (2, 4, len(body), 2) == (stats.chunks, stats.frames, stats.bytes, stats.held.chunks)
    assert {"lone_close_tag": 1} == stats.anomalies
