"""Step tables of the text reader: chunk by chunk, what has been released so far and which calls are ready."""

from __future__ import annotations

import json
from typing import Any

import pytest

import mcs_fsm as m
from mcs_fsm.codec import MCS_JSON
from turns import TOOLS, chunk, read

RUN = '{"tool": "run", "arguments": {"a": 1}}'

# name -> (options, [(chunk, released so far, names of calls ready so far)]); "END" stands for the end of the turn.
STEPS: dict[str, tuple[dict[str, Any], list[tuple[str, str, list[str]]]]] = {
    "prose before, between and after": ({}, [
        ("I will. ", "I will. ", []), ('{"tool": "run"} Then', "I will.  Then", ["run"]),
        (' {"name": "get"}', "I will.  Then ", ["run", "get"]), (" Done.", "I will.  Then  Done.", ["run", "get"]),
    ]),
    "one chunk with all of it": ({}, [(f"I will. {RUN} Done.", "I will.  Done.", ["run"])]),
    "a bare object, a character at a time": ({}, [
        ("{", "", []), ('"', "", []), ("t", "", []), ("o", "", []), ("o", "", []), ("l", "", []), ('"', "", []), (":", "", []),
        (' "run"', "", []), ("}", "", ["run"]), (".", ".", ["run"]),
    ]),
    "a first key that is no alias flows at its first wrong character": ({}, [
        ('{"t', "", []), ("o", "", []), ("p", '{"top', []), ('": {"tool": "run"}}', '{"top": {"tool": "run"}}', []),
    ]),
    "a name that nobody owns flows as soon as no owned name begins like it": ({}, [
        ('{"tool": "ge', "", []), ("t_weather", "", []), ("_x", '{"tool": "get_weather_x', []), ('"}', '{"tool": "get_weather_x"}', []),
    ]),
    "a name with an escape is judged at its closing quote": ({}, [('{"tool": "r\\u0075', "", []), ('n"}', "", ["run"])]),
    "a key with a backslash is no alias": ({}, [('{"t\\u006fol": "run"}', '{"t\\u006fol": "run"}', [])]),
    "a json answer": ({}, [('{"answer"', '{"answer"', []), (": 42}", '{"answer": 42}', [])]),
    "a fence, a character at a time": ({}, [
        ("x ", "x ", []), ("`", "x ", []), ("`", "x ", []), ("`", "x ", []), ("j", "x ", []), ("son", "x ", []), ("\n", "x ", []),
        ('{"tool": "run"}', "x ", []), ("\n", "x ", []), ("`", "x ", []), ("``", "x ", ["run"]), (" y", "x  y", ["run"]),
    ]),
    "another language is shown as it comes and opens nothing": ({}, [
        ("```py", "```py", []), (f"\n{RUN}\n", f"```py\n{RUN}\n", []), ("```\n", f"```py\n{RUN}\n```\n", []),
        ('{"tool": "run"}', f"```py\n{RUN}\n```\n", ["run"]),
    ]),
    "a fence that never closes is a call at the end": ({}, [('```json\n{"tool": "run"}\n', "", []), ("END", "", ["run"])]),
    "other text after a fenced object": ({}, [
        ('```json\n{"tool": "run"}', "", []), ("\nx", '```json\n{"tool": "run"}\nx', []),
    ]),
    "the next object in a fence makes the one before ready": ({}, [
        ('```json\n{"tool": "run"}\n', "", []), ("{", "", ["run"]), ('"name": "get"}', "", ["run"]), ("```", "", ["run", "get"]),
    ]),
    "a malformed call comes out": ({}, [('{"tool": "run", "arguments": {', "", []), ("x}}", '{"tool": "run", "arguments": {x}}', [])]),
    "a cut call comes out at the end": ({}, [('{"tool": "run", "arg', "", []), ("END", '{"tool": "run", "arg', [])]),
    "an unclosed brace in prose costs no later call": ({}, [("set { of ", "set { of ", []), (RUN, "set { of ", ["run"])]),
    "a brace with more coming may be a call": ({}, [("set {", "set ", []), ("x", "set {x", [])]),
    "markup before a brace": ({}, [
        ("`{", "`{", []), ('"tool": "run"}` [', '`{"tool": "run"}` [', []), ('{"tool": "run"}', '`{"tool": "run"}` [{"tool": "run"}', []),
    ]),
    "a tag of reasoning, cut anywhere": ({}, [
        ("<", "", []), ("thi", "", []), ("nk>a ", "", []), ("</th", "", []), ("ink>", "", []), ("b", "b", []),
    ]),
    "a tag after visible text is text": ({}, [("a <think>", "a <think>", []), ("b</think>", "a <think>b", [])]),
    "a beginning of a tag that is none": ({}, [("<thin", "", []), ("g>", "<thing>", [])]),
    "delimited, a character at a time": ({"text_format": "mcs-delimited"}, [
        ("a <", "a ", []), ("<", "a ", []), ("m", "a ", []), ("cs:call>", "a ", []), (">", "a ", []), ('{"tool": "run"}', "a ", []),
        ("<</mcs:call>", "a ", []), (">", "a ", ["run"]), (" b", "a  b", ["run"]),
    ]),
    "delimited leaves bare objects alone": ({"text_format": "mcs-delimited"}, [('{"tool": "run"}', '{"tool": "run"}', [])]),
    "at_end holds an owned object to the end": ({"text_format": "late"}, [(RUN, "", []), ("\n", "", []), ("END", "", ["run"])]),
    "at_end lets it go when text follows": ({"text_format": "late"}, [(RUN, "", []), (" So", f"{RUN} So", []), ("END", f"{RUN} So", [])]),
    "off reads fences only": ({"text_format": "off"}, [(RUN, RUN, []), ("```" + RUN + "```", RUN, ["run"])]),
    "over the limit the object flows and opens nothing inside": ({"limits": m.Limits(held_chars=30)}, [
        ('{"tool": "run", "arguments": {"a"', '{"tool": "run", "arguments": {"a"', []),
        (': {"tool": "run"}}}', '{"tool": "run", "arguments": {"a": {"tool": "run"}}}', []),
    ]),
    "reasoning is not scanned": ({}, [(f"<think>{RUN}</think>", "", []), ("x", "x", [])]),
    "reasoning that never closes": ({}, [(f"<think>{RUN}", "", []), ("END", "", [])]),
    "the firewall can be switched off": ({"reasoning_tags": False}, [("<think>" + "a", "<think>a", [])]),
    "a reply that starts inside reasoning": ({"reasoning_tags": "open"}, [("a", "", []), ("</thought>b", "b", [])]),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_step_table(name: str) -> None:
    options, rows = STEPS[name]
    given = {"late": "at_end", "off": "off"}.get(options.get("text_format", ""))
    if given:
        options = {"text_format": type(MCS_JSON)(markers=MCS_JSON.markers, bare=given)}
    stream = m.Stream("openai-chat", **{"tools": TOOLS, **options})
    released, ready = "", []

    for piece, text, calls in rows:
        events = stream.close() if piece == "END" else stream.add(chunk(piece))
        released += "".join(event.text for event in events if isinstance(event, m.TextDelta))
        ready += [event.call.name for event in events if isinstance(event, m.CallReady)]
        assert (text, calls) == (released, ready), piece
    assert released == stream.turn().text


@pytest.mark.parametrize(("text", "reason"), [
    ('{"tool": "run", "arguments": [1]}', "not_an_object"), ('{"tool": "run", "arguments": 7}', "not_an_object"),
    ('{"tool": "run", "arguments": "x"}', "not_an_object"), ('{"tool": "run", "arguments": {x', "malformed"),
    ('{"tool": "run", "name": "run"}', "duplicate_key"), ('{"tool": "run", "arguments": {}, "parameters": {}}', "duplicate_key"),
    ('{"tool": "run", "arguments": {}, "ar\\u0067uments": {}}', "duplicate_key"), ('{"tool": "run", "arguments": {"a"', "truncated"),
    ('{"tool": "run", "arguments": {"a": "\\ud83d"}}', "malformed"),
])  # fmt: skip
def test_a_call_that_never_was_whole_is_reported_with_the_reason(text: str, reason: str) -> None:
    _, stream = read([text])

    turn = stream.turn()

    assert text == turn.text
    assert [("run", reason)] == [(call.name, call.reason) for call in turn.failed_calls]


@pytest.mark.parametrize("text", ['{"tool": "run", "x": 1}', '{"tool": "no"}', '{"a": 1}', '{"tool": 7}', "{}", '{"name": {"a": 1}}'])
def test_an_object_that_is_nobodys_call_is_no_failure(text: str) -> None:
    _, stream = read([text])

    assert (text, [], []) == (stream.turn().text, stream.turn().calls, stream.turn().failed_calls)


@pytest.mark.parametrize("value", ["", ', "arguments": null', ', "arguments": ""', ', "parameters": {}'])
def test_no_arguments_in_any_spelling_are_an_empty_object(value: str) -> None:
    _, stream = read([f'{{"tool": "run"{value}}}'])

    assert [{}] == [call.arguments for call in stream.turn().calls]


def test_strings_in_arguments_are_never_touched() -> None:
    arguments = {"code": "```json\n{\"tool\": \"run\"}\n```", "tag": "</think> <think>", "one": "`", "braces": "}{"}

    _, stream = read([json.dumps({"tool": "run", "arguments": arguments})])

    assert [arguments] == [call.arguments for call in stream.turn().calls]


def test_without_tools_no_call_is_taken_from_text() -> None:
    _, stream = read([RUN], tools=None)

    assert (RUN, []) == (stream.turn().text, stream.turn().calls)


def test_a_native_call_releases_an_open_candidate_and_ends_the_reading_for_calls() -> None:
    stream = m.Stream("openai-chat", tools=TOOLS)
    stream.add(chunk('{"tool": "ru'))
    native = {"index": 0, "id": "c1", "function": {"name": "get", "arguments": "{}"}}

    events = stream.add(chunk(tool_calls=[native]))
    stream.add(chunk(f'n"}} {RUN}'))
    stream.add(chunk(finish="tool_calls"))
    stream.close()

    assert '{"tool": "ru' == "".join(event.text for event in events if isinstance(event, m.TextDelta))
    assert f'{{"tool": "run"}} {RUN}' == stream.turn().text
    assert ["get"] == [call.name for call in stream.turn().calls]


def test_a_lone_closing_tag_is_dropped_and_counted() -> None:
    _, stream = read(["a</think>b `</think>` \n```html\n</think>\n```\n"])

    assert "ab `</think>` \n```html\n</think>\n```\n" == stream.turn().text
    assert 1 == stream.turn().anomalies["lone_close_tag"]


def test_what_is_held_says_why() -> None:
    stream = m.Stream("openai-chat", tools=TOOLS)
    for piece in ('{"tool"', ': "run"', ', "arguments": {'):
        stream.add(chunk(piece))

    held = stream.turn().held

    assert (30, 30, 3) == (held.chars, held.most, held.chunks)
    assert {"forming": 1, "named": 1, "args": 1} == held.why
