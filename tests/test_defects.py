"""What readers of this kind get wrong in text, each as a test: right here, and wrong in `naive_reader`.

The names are those of the faults: text lost or leaked (D1-D5), calls that run wrongly, never or twice (D8-D11, D12),
crashes (D17), and cost (D22). Those of histories and dispatch are tested with the drivers.
"""

from __future__ import annotations

from typing import Any

import pytest

import mcs_fsm as m
from naive_reader import NaiveReader
from turns import TOOLS, chunk

RUN = '{"tool": "run", "arguments": {"a": 1}}'
FENCED = {"text": "x", "code": "```json\n{}\n```"}

# name -> (chunks of text, what is shown at the end, calls)
TEXT: dict[str, tuple[list[str], str, list[tuple[str, dict[str, Any]]]]] = {
    "D1 prose that waits when a call completes": ([f"I will. {RUN} Done."], "I will.  Done.", [("run", {"a": 1})]),
    "D1 prose before a brace": (["Okay. {", RUN[1:]], "Okay. ", [("run", {"a": 1})]),
    "D2 a json answer over two chunks": (['{"answer"', ": 42}"], '{"answer": 42}', []),
    "D2 a json answer in one": (['{"answer": 42}'], '{"answer": 42}', []),
    "D2 a call that nobody owns": (['{"tool": "other"', "}"], '{"tool": "other"}', []),
    "D4 a split fence": (["``", "`js", f"on\n{RUN}\n", "```"], "", [("run", {"a": 1})]),
    "D4 after a brace in prose": (["{x} ", '{"tool": ', '"run"}'], "{x} ", [("run", {})]),
    "D4 after a foreign fence": (["```py\nx\n```\n", '{"tool": ', '"run"}'], "```py\nx\n```\n", [("run", {})]),
    "D4 a second call that forms while the first runs": ([RUN + ' {"tool": "ge', 't"}'], " ", [("run", {"a": 1}), ("get", {})]),
    "D5 malformed": (['{"tool": "run", "arguments": {oops}}'], '{"tool": "run", "arguments": {oops}}', []),
    "D5 cut off": (['{"tool": "run", "argu'], '{"tool": "run", "argu', []),
    "D5 a fence that never closes": ([f"```json\n{RUN}\n"], "", [("run", {"a": 1})]),
    "D5b a fence right after a bare call": ([f"{RUN}\n```python\nx\n```"], "\n```python\nx\n```", [("run", {"a": 1})]),
    "D8 a second call in the chunk that ends the first": (['{"tool": "run"}{"tool": ', '"get"}'], "", [("run", {}), ("get", {})]),
    "D9 an odd quote before the call": ([f'6" nails {RUN}'], '6" nails ', [("run", {"a": 1})]),
    "D9 an unclosed brace before the call": ([f"set {{ of {RUN}"], "set { of ", [("run", {"a": 1})]),
    "D10 a fenced snippet in an argument": (
        ['{"tool": "run", "arguments": {"text": "x", "code": "```json\\n{}\\n```"}}'], "", [("run", FENCED)]),
    "D10 a lone fence in an argument": (['{"tool": "run", "arguments": {"a": "```"}}'], "", [("run", {"a": "```"})]),
    "D11 a call in reasoning": ([f"<think>{RUN}</think>so"], "so", []),
    "D17 a name that is no string": (['{"name": {"a": 1}} x'], '{"name": {"a": 1}} x', []),
    "D19 arguments of another kind": (['{"tool": "run", "arguments": [1]}'], '{"tool": "run", "arguments": [1]}', []),
    "parameters are arguments": (['{"tool": "run", "parameters": {"a": 1}}'], "", [("run", {"a": 1})]),
}  # fmt: skip


def ours(events: list[dict[str, Any]]) -> tuple[str, list[Any]]:
    buf = m.LLMStreamBuffer(tools=TOOLS)
    shown = ""
    for event in events:
        buf.add(event)
        shown += buf.text()
    buf.close()
    return shown + buf.text(), [(call.name, call.arguments) for call in buf.turn().calls]


def naive(events: list[dict[str, Any]]) -> Any:
    reader = NaiveReader(TOOLS)
    try:
        for event in events:
            reader.add(event)
        reader.close()
    except TypeError as exc:
        return repr(exc)
    return reader.shown, reader.calls


@pytest.mark.parametrize("name", TEXT)
def test_a_fault_of_text_readers_is_none_of_ours(name: str) -> None:
    pieces, text, calls = TEXT[name]
    events = [*map(chunk, pieces), chunk(finish="stop")]

    assert (text, calls) == ours(events)
    assert (text, calls) != naive(events), "the naive reader must get it wrong, or this shows nothing"


def test_d12_fragments_without_an_index_are_two_calls() -> None:
    fragments = [{"id": f"c{i}", "function": {"name": "run", "arguments": f'{{"a": {i}}}'}} for i in range(2)]
    events = [*(chunk(tool_calls=[each]) for each in fragments), chunk(finish="tool_calls")]

    assert ("", [("run", {"a": 0}), ("run", {"a": 1})]) == ours(events)
    assert ours(events) != naive(events)


def test_d13_choices_are_kept_apart() -> None:
    events = [{"choices": [{"index": i, "delta": {"content": t}}]} for i, t in ((1, "b"), (0, "a"))]

    assert ("a", []) == ours(events)
    assert ("a", []) != naive(events)


def test_d14_an_unknown_first_chunk_fixes_no_wire() -> None:
    events: list[dict[str, Any]] = [{"type": "ping"}, {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "a"}}]

    assert ("a", []) == ours(events)
    assert ("a", []) != naive(events)


def test_d22_a_round_reads_new_characters_only() -> None:
    """Counted: the characters that our scanner is given, and those that the naive reader looks at."""
    pieces = ["some prose, "] * 400
    seen = 0
    buf = m.LLMStreamBuffer(tools=TOOLS)
    reader = buf.stream.core.reader
    assert reader is not None
    for piece in pieces:
        before = reader.at - len(reader.tail)
        buf.add(chunk(piece))
        seen += reader.at - before
        buf.text()

    assert seen <= len("".join(pieces)) + len(pieces) * len("</reasoning>")
