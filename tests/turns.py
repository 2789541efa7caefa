"""Generated turns: pieces of model text, each with what a right reader makes of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

import mcs_fsm as m

TOOLS = ("get_weather", "get", "run")


@dataclass
class Piece:
    """`text` as the model writes it, `shown` of it, the calls in it, and its reasoning."""

    text: str
    shown: str
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    reasoning: str = ""


_WORDS = st.sampled_from([
    "It", "is", "sunny.", "Ünïcödé", "🌦️", 'he said "no', "it's", "a < b", "x > y", "5 {", "}", "{x}", "{ }", "\\", "\r\n",
    "$\\frac{a}{b}$", "a:hover{color:red}", "| a | b |", "[1, 2]", "- item", "``", "`code`", "~~", "<b>", "</b>", "<think",
    "<tool_call>", "null", "e.g.", "\t", "100%", "{{name}}", "<<mcs", "'", ",", "end.",
])  # fmt: skip
_STRINGS = st.text(
    st.sampled_from(list("ab {}[]\"\\/`~<>\n\té🌦:,'")) | st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=12
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | _STRINGS
    | st.sampled_from(["```json\n{}\n```", "</think>", '{"tool":"run"}', "<think>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_STRINGS, inner, max_size=3), max_leaves=6,
)  # fmt: skip
ARGUMENTS = st.dictionaries(_STRINGS | st.sampled_from(["tool", "name", "arguments"]), _VALUES, max_size=4)


@st.composite
def prose(draw: Any) -> Piece:
    """Words with everything that looks like the beginning of something; ends in a letter."""
    text = " ".join(draw(st.lists(_WORDS, max_size=8)))
    return Piece(text + " so\n", text + " so\n")


@st.composite
def call(draw: Any) -> Piece:
    """A call as the default codec is asked for it, in any spelling that counts."""
    name, arguments = draw(st.sampled_from(TOOLS)), draw(ARGUMENTS)
    alias, key = draw(st.sampled_from(["tool", "name"])), draw(st.sampled_from(["arguments", "parameters"]))
    body: dict[str, Any] = {alias: name}
    if draw(st.booleans()):
        body["id"] = draw(_STRINGS)
    if arguments or len(body) > 1 or draw(st.booleans()):
        body[key] = arguments or draw(st.sampled_from([{}, None, ""]))
    if draw(st.booleans()):
        body["note"] = draw(_VALUES)
    if len(body) > 1 and key not in body:
        body[key] = arguments
    spelled = json.dumps(body, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2])))
    fence = draw(st.sampled_from(["", "```", "```json\n", "```JSON ", "``` \n"]))
    text = f"{fence}{spelled}" + (draw(st.sampled_from(["```", "\n```", " \n```"])) if fence else "")
    return Piece(text, "", [(name, arguments)])


@st.composite
def not_a_call(draw: Any) -> Piece:
    """An object that is nobody's call, or a call that must not run, or code that is only shown."""
    inner = json.dumps({"tool": "run", "arguments": {}})
    text = draw(st.sampled_from([
        '{"answer": 42, "tool": "run"}', '{"tool": "other", "arguments": {"tool": "run"}}', '{"arguments": {}, "tool": "run"}',
        '{"tool": "run", "arguments": [1]}', '{"tool": "run", "arguments": 5}', '{"tool": "run", "x": 1}',
        '{"tool": "run", "tool": "run"}', '{"tool": "run", "arguments": {}, "parameters": {}}', '{"tool": 5}', '{"name": {}}',
        '{"tool": "run", "arguments": {"a": tru}} ', '{"tool": "run", "arguments": "{}"}', '{"tool": "run" "x"} ',
        f"`{inner}`", f"[{inner}]", f"<tool_call>{inner}</tool_call>", f"\n```python\n{inner}\n```\n", f"\n~~~\n{inner}\n~~~\n",
        f'{{"tool": "run", "arguments": 5, "x": {inner}}}', f'{{"tool": "run", "tool": "run", "x": {inner}}}', f'[{{"a": {inner}}}]',
        f'`{{"a": [{inner}, {inner}]}}`', f'<tool_call>{{"name": "run", "arguments": {inner}}}</tool_call>', f'{{"a": {inner}}}', '```json\n{"answer": 1}\n```\n', '```json\n[1]\n```\n', "\n````\n```json\n" + inner + "\n```\n````\n",
    ]))  # fmt: skip
    return Piece(text + " ok\n", text + " ok\n")


@st.composite
def turn_pieces(draw: Any) -> list[Piece]:
    """A whole reply; reasoning in a tag may come first."""
    pieces = draw(st.lists(prose() | call() | not_a_call(), max_size=6))
    if draw(st.booleans()):
        thought = draw(st.sampled_from(["hm", 'try {"tool": "run"}', "a < b </thin", "```json\n{", ""]))
        tag = draw(st.sampled_from(["think", "thinking", "reasoning", "thought"]))
        pieces.insert(0, Piece(f"<{tag}>{thought}</{tag}>", "", reasoning=thought))
    return pieces


def cut(text: Any, places: list[int] | str) -> list[Any]:
    """Cut a text (or bytes) at these places, each taken modulo its length; or at "each" place."""
    if isinstance(places, str):
        return [text[i : i + 1] for i in range(len(text))] or [text]
    at = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[a:b] for a, b in zip(at, at[1:], strict=False)] or [text]


PLACES = st.lists(st.integers(0, 10_000), max_size=12) | st.just("each")


def chunk(content: str | None = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """A Chat Completions chunk."""
    if content is not None:
        delta["content"] = content
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def merged(events: list[m.Event]) -> list[m.Event]:
    """Join neighbouring deltas of one kind and number: what must not depend on the cutting."""
    out: list[m.Event] = []
    for event in events:
        last = out[-1] if out else None
        if type(event) is type(last) and isinstance(event, m.TextDelta | m.ReasoningDelta | m.RefusalDelta):
            if event.block == last.block:  # type: ignore[union-attr]
                out[-1] = type(event)(last.text + event.text, event.block)  # type: ignore[union-attr]
                continue
        elif type(event) is type(last) and isinstance(event, m.ArgumentsDelta) and event.slot == last.slot:  # type: ignore[union-attr]
            out[-1] = m.ArgumentsDelta(event.slot, last.text + event.text)  # type: ignore[union-attr]
            continue
        out.append(event)
    return out


def read(pieces: list[str], *, finish: str | None = "stop", **options: Any) -> tuple[list[m.Event], m.Stream]:
    """Play text pieces through a stream; return its events and the closed stream."""
    stream = m.Stream("openai-chat", **{"tools": TOOLS, **options})
    events = [event for piece in pieces for event in stream.add(chunk(piece))]
    if finish:
        events += stream.add(chunk(finish=finish))
    events += stream.close()
    return events, stream
