"""What holds for every format alike: samples, truncation, leaks into the text, recognition, diagrams."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcs_fsm as m
from mcs_fsm.decode import mapping
from mcs_fsm.formats import FORMATS
from mcs_fsm.framing import Frame, Framer
from mcs_fsm.machine import diagram
from mcs_fsm.replay import load, samples
from mcs_fsm.verify import tables
from test_one_cell import WIRES
from turns import chunk

OPTIONS: dict[str, Any] = {"text_format": None, "reasoning_tags": False}


def read(name: str, inputs: list[Any], **options: Any) -> m.Stream:
    stream = m.Stream(name, **{**OPTIONS, **options})
    for each in inputs:
        if isinstance(each, bytes):
            stream.feed(each)
        else:
            stream.add(each)
    stream.close()
    return stream


def lines(path: Path) -> list[Any]:
    return ["[DONE]" if line == "[DONE]" else json.loads(line) for line in path.read_text("utf-8").split("\n") if line and line[0] in "{["]


# --- the assembled message ----------------------------------------------------------------------------------------

ASSEMBLED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "openai-chat": ("openai-chat", lambda body: body["choices"][0]["message"]),
    "openai-responses": ("openai-responses", lambda body: body),
    "anthropic": ("anthropic", lambda body: {key: body[key] for key in ("role", "content")}),
    "bedrock-converse": ("bedrock-converse", lambda body: body["output"]["message"]),
    "gemini": ("gemini", lambda body: body["candidates"][0]["content"]),
    "gemini.partialargs": ("gemini", lambda body: body["candidates"][0]["content"]),
    "cohere-v2": ("cohere-v2", lambda body: body["message"]), "ollama": ("ollama", lambda body: body["message"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ASSEMBLED)
def test_the_streamed_message_is_the_providers_own(shared: Path, name: str) -> None:
    source, inner = ASSEMBLED[name]
    turn = read(source, lines(shared / f"wire/samples/{name}.jsonl")).turn()
    body = json.loads((shared / f"wire/samples/{name}.assembled.json").read_text("utf-8"))
    want = inner(body)

    ours = {key: turn.message[key] for key in want} if isinstance(want, dict) else turn.message
    assert want == ours
    strategy = FORMATS[source]
    extracted = [(call.id, call.name, call.arguments) for call in strategy.extract(body)]
    assert extracted == [(c.id, c.name, c.arguments) for c in strategy.extract(turn.message)]
    assert extracted == [(c.id, c.name, c.arguments) for c in turn.calls if not c.provider_run]
    assert strategy.recognizes(body) and strategy.recognizes(turn.message)
    assert turn.text == strategy.content_text(turn.message)


# --- truncation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", samples())
def test_a_sample_cut_at_every_byte_says_no_call_that_was_not_whole(name: str) -> None:
    recording = load(f"sample:{name}")
    body = recording.body or b""
    options = {"tools": recording.tools, "text_format": "mcs-json"} if name == "text-call" else {}
    whole = read(recording.source, [body], **options).turn()
    for size in range(len(body)):
        turn = read(recording.source, [body[:size]], **options).turn()
        assert turn.calls == whole.calls[: len(turn.calls)] or {c.id for c in turn.calls} <= {c.id for c in whole.calls}
        for call in turn.calls:
            assert any((call.id, call.name, call.arguments) == (c.id, c.name, c.arguments) for c in whole.calls)
        assert turn.truncated is not turn.finished
        assert whole.text.startswith(turn.text) or name == "text-call"
        assert FORMATS[recording.source].extract(turn.message) == [] or turn.calls


def test_every_format_has_a_sample() -> None:
    assert set(FORMATS) == {entry["format"] for entry in samples().values()}


# --- calls that leak into the text -----------------------------------------------------------------------------------

TEXT: dict[str, Callable[[str], Any]] = {
    "openai-chat": lambda text: chunk(text),
    "openai-responses": lambda text: {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text},
    "anthropic": lambda text: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
    "bedrock-converse": lambda text: {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": text}}},
    "gemini": lambda text: {"candidates": [{"content": {"parts": [{"text": text}]}}]},
    "gemini-interactions": lambda text: {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": text}},
    "cohere-v2": lambda text: {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}},
    "ollama": lambda text: {"model": "m", "message": {"role": "assistant", "content": text}, "done": False},
}  # fmt: skip
FUNCTION = {"name": "f", "arguments": "{}"}
NATIVE: dict[str, list[Any]] = {
    "openai-chat": [chunk(tool_calls=[{"index": 0, "id": "a", "function": FUNCTION}])],
    "openai-responses": [{"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", "call_id": "a", **FUNCTION}}],
    "anthropic": [{"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "f", "input": {}}}],
    "bedrock-converse": [{"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "a", "name": "f"}}}}],
    "gemini": [{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "id": "a", "args": {}}}]}}]}],
    "gemini-interactions": [{"event_type": "step.start", "index": 1, "step": {"type": "function_call", "id": "a", "name": "f"}}],
    "cohere-v2": [{"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {"id": "a", "function": FUNCTION}}}}],
    "ollama": [{"model": "m", "message": {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]}, "done": False}],
}  # fmt: skip
RUN = 'Look: {"tool": "run", "arguments": {"a": 1}} done.'


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_call_in_the_text_is_taken_on_every_wire(name: str, size: int) -> None:
    pieces = [TEXT[name](RUN[i : i + size]) for i in range(0, len(RUN), size)]
    stream = read(name, pieces, tools=["run"], text_format="mcs-json")

    assert ("Look:  done.", [("run", {"a": 1})]) == (stream.turn().text, [(c.name, c.arguments) for c in stream.turn().calls])
    assert [] == stream.turn().failed_calls
    assert RUN == FORMATS[name].content_text(stream.turn().message)
    assert [] == FORMATS[name].extract(stream.turn().message)


@pytest.mark.parametrize("name", FORMATS)
def test_a_native_call_in_the_same_message_wins(name: str) -> None:
    stream = read(name, [*NATIVE[name], TEXT[name](RUN)], tools=["run", "f"], text_format="mcs-json")

    assert RUN == stream.turn().text
    assert {"f"} == {call.name for call in (*stream.turn().calls, *stream.turn().failed_calls)}


# --- recognition -----------------------------------------------------------------------------------------------------

#: Chunks that could be of any wire: they wait for the next one.
UNDECIDED: list[Any] = [
    {"type": "ping"}, {"error": {"message": "no"}}, {"choices": []}, {"metadata": {}, "id": "x"}, {}, {"id": "x", "usage": {}},
    {"role": "assistant"}, None, 7, [], {"type": "error", "error": {"message": "no"}}, {"message": "no"}, {"detail": "no"},
]  # fmt: skip


def claimants(event: Any) -> list[str]:
    return [name for name, format in FORMATS.items() if format.claims(mapping(event))]


def test_what_could_be_any_wire_is_claimed_by_none() -> None:
    assert [] == [(event, claimants(event)) for event in UNDECIDED if claimants(event)]


@pytest.mark.parametrize("wire", WIRES)
def test_a_recorded_chunk_is_claimed_by_its_own_format_or_by_none(shared: Path, wire: str) -> None:
    name, claimed = WIRES[wire], 0
    for path in sorted((shared / "corpus/cases" / wire).glob("*.jsonl")):
        for event in lines(path):
            if event != "[DONE]":
                found = claimants(event)
                assert found in ([], [name]), (path.name, event)
                claimed += bool(found)
    assert claimed > 20


@pytest.mark.parametrize("name", sorted(NATIVE))
def test_a_made_chunk_is_claimed_by_its_own_format_alone(name: str) -> None:
    assert [[name]] * 2 == [claimants(NATIVE[name][0]), claimants(TEXT[name]("a"))]


def test_sample_chunks_are_claimed_by_their_own_format_or_by_none(shared: Path) -> None:
    for path in sorted((shared / "wire/samples").glob("*.jsonl")):
        stem = path.name.split(".")[0]
        name = "gemini-interactions" if "interactions" in path.name else stem
        for event in lines(path):
            if event != "[DONE]":
                assert claimants(event) in ([], [name]), (path.name, event)


@pytest.mark.parametrize("name", ASSEMBLED)
def test_an_assembled_message_is_recognised_by_its_own_format_alone(shared: Path, name: str) -> None:
    source, inner = ASSEMBLED[name]
    body = json.loads((shared / f"wire/samples/{name}.assembled.json").read_text("utf-8"))
    for shape in (body, inner(body)):
        found = [each for each, format in FORMATS.items() if format.recognizes(shape)]
        ambiguous = {"openai-chat", "cohere-v2"}  # a bare {role, tool_calls} is one for both, and read right by either
        assert found == [source] or (source in ambiguous and set(found) == ambiguous), found


# --- machines --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
def test_only_a_wire_of_fragments_draws_the_state_args(name: str) -> None:
    whole = name in ("gemini", "ollama")
    drawn = [diagram.mermaid(tables(name)["turn"]), diagram.mermaid(tables(name)["slot"])]

    assert [whole] * 2 == ["args --" not in text and "--> args" not in text for text in drawn]
    assert "args" in tables(name)["turn_text"].states


# --- anything at all ---------------------------------------------------------------------------------------------------

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.floats(allow_nan=False) | st.sampled_from(["", "x", "{", "{}", "text", "f"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "text", "id", "index", "x"]), inner, max_size=2),
    max_leaves=4,
)


def sample_events(name: str) -> list[Any]:
    """The decoded events of a sample."""
    recording = load(f"sample:{name}")
    framer = Framer()
    frames = [frame for frame in framer.feed(recording.body or b"") + framer.close() if isinstance(frame, Frame)]
    out = []
    for frame in frames:
        if frame.data != b"[DONE]":
            event = json.loads(frame.data)
            out.append({frame.event: event} if framer.name == "eventstream" else event)
    return out


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path to a value inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, part in inner for each in places(part, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """The value with something else at a path."""
    if not path:
        return junk
    if isinstance(value, dict):
        return {key: replaced(part, path[1:], junk) if key == path[0] else part for key, part in value.items()}
    return [replaced(part, path[1:], junk) if i == path[0] else part for i, part in enumerate(value)]


@given(data=st.data())
@pytest.mark.parametrize("name", samples())
def test_wrong_values_anywhere_never_raise_and_the_turn_agrees_with_itself(name: str, data: st.DataObject) -> None:
    events = sample_events(name)
    order = data.draw(st.permutations(range(len(events)))) if data.draw(st.integers(0, 4)) == 0 else range(len(events))
    events = [events[i] for i in order]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(events) - 1))
        path = data.draw(st.sampled_from(places(events[at])))
        events[at] = replaced(events[at], path, data.draw(JUNK))
    stream = m.Stream(samples()[name]["format"], tools=["get_tide", "now"])
    said = [each for event in events for each in stream.add(event)] + stream.close()
    turn = stream.turn()

    assert isinstance(said[-1], m.TurnFinished) and sum(isinstance(each, m.TurnFinished) for each in said) == 1
    assert turn.text == "".join(each.text for each in said if isinstance(each, m.TextDelta))
    assert len(turn.calls) == sum(isinstance(each, m.CallReady) for each in said)
    json.dumps(turn.message, default=str)
    strategy = FORMATS[samples()[name]["format"]]
    # Of a call that is named twice and differently the message has the provider's last word: names are not compared.
    ours = sorted(repr(c.arguments) for c in turn.calls if not c.provider_run and c.start is None)
    theirs = sorted(repr(c.arguments) for c in strategy.extract(turn.message))
    # The message of Responses is its terminal event's, which may contradict what came before; never does it say more.
    assert ours == theirs or (strategy.name == "openai-responses" and set(theirs) <= set(ours))
    strategy.recognizes(turn.message)
    strategy.forming(turn.message)
    strategy.content_text(turn.message)
