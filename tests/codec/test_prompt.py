"""Codecs: what the model is told, how whole texts are read, and that streams are read the same."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcs_fsm.codec import DELIMITED, MCS_JSON
from mcs_fsm.codec.prompt import DelimitedPromptStrategy, JsonPromptStrategy, PromptStrategy, fill
from mcs_fsm.errors import DeclarationError
from mcs_fsm.stream import text_shape
from mcs_fsm.tools import Tool, ToolParameter
from turns import ARGUMENTS, PLACES, TOOLS, Piece, cut, prose, read, turn_pieces

JSON, MARKED = JsonPromptStrategy.from_defaults(), DelimitedPromptStrategy.from_defaults()
COMMAS = {"pattern": r",\s*([}\]])", "replacement": r"\1"}
PYTHON = [{"pattern": r"\bTrue\b", "replacement": "true"}, {"pattern": r"\bNone\b", "replacement": "null"}]
RUN = '{"tool": "run", "arguments": {"a": 1}}'


def _found(text: str, codec: PromptStrategy = JSON) -> list[tuple[str, dict[str, Any], str]]:
    """The calls of a text, each with the text that it stands in."""
    return [(name, arguments, text[start:end]) for name, arguments, start, end in codec.spans(text)]


# --- reading: (text, [(name, arguments, the call's own text)], the text up to the last readable object)
# (None: what cannot become a call has no end that anyone relies on).

TEXTS: dict[str, tuple[str, list[tuple[str, dict[str, Any], str]], str | None]] = {
    "nothing": ("", [], ""),
    "prose": ("No call here.", [], ""),
    "prose around a call": (f"I will. {RUN} Done.", [("run", {"a": 1}, RUN)], f"I will. {RUN}"),
    "two calls": (
        f'{RUN}{{"name": "get"}}',
        [("run", {"a": 1}, RUN), ("get", {}, '{"name": "get"}')],
        f'{RUN}{{"name": "get"}}',
    ),
    "parameters": (
        '{"name": "run", "parameters": {"b": 2}}',
        [("run", {"b": 2}, '{"name": "run", "parameters": {"b": 2}}')],
        '{"name": "run", "parameters": {"b": 2}}',
    ),
    "a fence belongs to its call": (
        f"a ```json\n{RUN}\n``` b",
        [("run", {"a": 1}, f"```json\n{RUN}\n```")],
        f"a ```json\n{RUN}\n```",
    ),
    "a fence without language": (f"```{RUN}```", [("run", {"a": 1}, f"```{RUN}```")], f"```{RUN}```"),
    "a fence closed by a typo": (f"```\n{RUN}\n``´ b", [("run", {"a": 1}, f"```\n{RUN}\n``´")], f"```\n{RUN}\n``´"),
    "a fence that never closes": (f"```json\n{RUN}", [("run", {"a": 1}, f"```json\n{RUN}")], f"```json\n{RUN}"),
    "a fence right behind a bare call is another one": (
        f"{RUN}\n```python\nx = 1\n```\n",
        [("run", {"a": 1}, RUN)],
        RUN,
    ),
    "a foreign fence is text": (f"```python\n{RUN}\n```\n", [], ""),
    "an odd quote before": (f'5" wide: {RUN}', [("run", {"a": 1}, RUN)], f'5" wide: {RUN}'),
    "an unclosed brace before": (f"set {{ of {RUN}", [("run", {"a": 1}, RUN)], f"set {{ of {RUN}"),
    "reasoning is not read": (f"<think>{RUN}</think>ok", [], ""),
    "reasoning that never closes": (f"<thinking>{RUN}", [], ""),
    "a call behind reasoning": (f"<think>hm</think>{RUN}", [("run", {"a": 1}, RUN)], f"<think>hm</think>{RUN}"),
    "fences in an argument": (
        json.dumps({"tool": "run", "arguments": {"c": "```json\n{}\n```", "d": "```"}}),
        [
            (
                "run",
                {"c": "```json\n{}\n```", "d": "```"},
                json.dumps({"tool": "run", "arguments": {"c": "```json\n{}\n```", "d": "```"}}),
            )
        ],
        json.dumps({"tool": "run", "arguments": {"c": "```json\n{}\n```", "d": "```"}}),
    ),
    "a name that is an object": ('{"name": {"a": 1}}', [], '{"name": {"a": 1}}'),
    "a name that is a list": ('{"name": ["run"]}', [], '{"name": ["run"]}'),
    "a name that is empty": ('{"name": "", "arguments": {}}', [], '{"name": "", "arguments": {}}'),
    "the alias is not the first key": ('{"arguments": {}, "tool": "run"}', [], '{"arguments": {}, "tool": "run"}'),
    "an alias and other keys": ('{"name": "Ann", "age": 7} so', [], '{"name": "Ann", "age": 7}'),
    "a json answer": ('The answer: {"answer": 42}.', [], 'The answer: {"answer": 42}'),
    "a json answer in a fence": ('```json\n{"answer": 42}\n```\n', [], '```json\n{"answer": 42}\n```'),
    "a list is no call": (f"[{RUN}]", [], None),
    "a tag of another family is text": (f"<tool_call>{RUN}</tool_call>", [], None),
    "inline code is text": (f"Write `{RUN}` then.", [], None),
    "arguments that are a list": ('{"tool": "run", "arguments": [1]}', [], None),
    "arguments that are a text": ('{"tool": "run", "arguments": "{}"}', [], None),
    "arguments that are null": (
        '{"tool": "run", "arguments": null}',
        [("run", {}, '{"tool": "run", "arguments": null}')],
        '{"tool": "run", "arguments": null}',
    ),
    "an alias twice": ('{"tool": "run", "tool": "get"}', [], None),
    "malformed": ('{"tool": "run", "arguments": {x}}', [], ""),
    "cut": ('{"tool": "run", "arguments": {"a": ', [], ""),
    "other text in the fence": (f"```json\n{RUN}\nthat was it\n```", [], f"```json\n{RUN}"),
    "wrapper objects": ('{"tool_uses": [{"recipient_name": "run"}]}', [], '{"tool_uses": [{"recipient_name": "run"}]}'),
    "halves of a pair count as the text has them": (
        '\ud83c\udf26 \ud800 {"tool": "run", "arguments": {"s": "\ud83c\udf26"}}!',
        [("run", {"s": "🌦"}, '{"tool": "run", "arguments": {"s": "\ud83c\udf26"}}')],
        '\ud83c\udf26 \ud800 {"tool": "run", "arguments": {"s": "\ud83c\udf26"}}',
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_whole_texts(name: str) -> None:
    text, calls, settled = TEXTS[name]

    assert calls == _found(text)
    assert [(call, arguments) for call, arguments, _ in calls[:1]] == [x for x in [JSON.parse_tool_call(text)] if x]
    assert [(name, arguments, end) for name, arguments, _, end in JSON.spans(text)] == JSON.parse_tool_calls(text)
    if settled is not None:
        assert settled == text[: JSON.settled_end(text)]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (f"a <<mcs:call>>{RUN}<</mcs:call>> b", [("run", {"a": 1}, f"<<mcs:call>>{RUN}<</mcs:call>>")]),
        (f"<<mcs:call>>\n{RUN}\n<</mcs:call>>", [("run", {"a": 1}, f"<<mcs:call>>\n{RUN}\n<</mcs:call>>")]),
        (RUN, []),
        (f"```json\n{RUN}\n```", []),
        (f"<<mcs:call>>{RUN} oh", []),
        (f"<<mcs:call>>x{RUN}<</mcs:call>>", []),
    ],
)
def test_delimited_texts(text: str, calls: list[Any]) -> None:
    assert calls == _found(text, MARKED)


def test_a_text_of_a_derived_class_is_text() -> None:
    class Text(str):
        __slots__ = ()

    assert [("run", {"a": 1}, 0, len(RUN))] == JSON.spans(Text(RUN))
    assert JSON.looks_like_call(Text(RUN)) and "run" == JSON.peek_tool_name(Text(RUN))


def test_an_object_counts_at_the_end_only_if_the_shape_says_so() -> None:
    late = JsonPromptStrategy.from_defaults()
    late.shape = msgspec.structs.replace(late.shape, bare="at_end")

    assert [("run", {"a": 1})] == [call[:2] for call in late.spans(f"{RUN}\n")]
    assert [] == late.spans(f"{RUN} so")


def _streamed(text: str, codec: PromptStrategy, places: list[int] | str, tools: Any) -> list[Any]:
    _, stream = read(cut(text, places), tools=tools, text_format=codec)
    return [(call.name, call.arguments, call.start, call.end) for call in stream.turn().calls]


_NOISE = st.lists(
    st.sampled_from(
        [
            *'{}[]"\\:,`~<>/ \n\rtolname1',
            "<think>",
            "</think>",
            '"tool"',
            '"run"',
            "```",
            "```json\n",
            "~~~",
            "````",
            "``´",
            "null",
            '{"tool":"run"',
            '"arguments":{',
            '{"tool":"run"}',
            '{"name":"get","parameters":{}}',
            "\n```\n",
            "<<mcs:call>>",
            "<</mcs:call>>",
        ]
    ),
    max_size=30,
).map("".join)


@given(
    text=_NOISE | turn_pieces().map(lambda pieces: "".join(piece.text for piece in pieces)),
    places=PLACES,
    codec=st.sampled_from([JSON, MARKED]),
)
@example(text=f"```json\n{RUN}\n{RUN}", places=[9], codec=JSON)
def test_whole_and_streamed_reading_find_the_same(text: str, places: list[int] | str, codec: PromptStrategy) -> None:
    whole = codec.spans(text)

    assert whole == _streamed(text, codec, places, [call[0] for call in whole])


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "run", "arguments": 5, "x": {"tool": "get"}}',
        '{"tool": "run", "tool": "run", "x": {"tool": "get"}}',
        '{"tool": "run", "arguments": {}, "parameters": {"tool": "get"}}',
        '[{"tool": "run", "arguments": {"tool": "get"}}]',
        '`{"a": {"tool": "get"}}`',
        '<tool_call>{"name": "run", "arguments": {"name": "get"}}</tool_call>',
    ],
)
def test_nothing_inside_an_object_that_is_no_call_is_one(text: str) -> None:
    assert [] == JSON.spans(text)
    assert [] == _streamed(text, JSON, "each", TOOLS)


@given(pieces=turn_pieces())
def test_the_calls_of_a_turn_are_found_where_they_stand(pieces: list[Piece]) -> None:
    text = "".join(piece.text for piece in pieces)

    found = [call for call in _found(text) if call[0] in TOOLS]

    assert [call for piece in pieces for call in piece.calls] == [call[:2] for call in found]


# --- what is on its way ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "looks", "name"),
    [
        ("", False, None),
        ("Prose.", False, None),
        ("{", True, None),
        ("{ ", True, None),
        ('{"', True, None),
        ('{"to', True, None),
        ('{"tool"', True, None),
        ('{"tool":', True, None),
        ('{"tool": "ru', True, None),
        ('{"tool": "run"', True, "run"),
        (RUN, True, "run"),
        (f"{RUN} so", True, "run"),
        (f'{RUN}{{"name": "get", ', True, "get"),
        (f"{RUN} {{", True, None),
        ('{"par', False, None),
        ('{"answer": ', False, None),
        ('{"tool": 5', False, None),
        ('{"tool": "run", "arguments": {x', False, None),
        ("`", True, None),
        ("``", True, None),
        ("```", True, None),
        ("```js", True, None),
        ("```json\n", True, None),
        ("```json\n{", True, None),
        ("```python", False, None),
        ("```\nx", False, None),
        (f"```json\n{RUN}", True, "run"),
        (f"```json\n{RUN}\n``", True, "run"),
        ("<think>{", False, None),
        ("<", False, None),
        ("a {x", False, None),
        (f"{RUN}\n```", True, None),
        ("`{", False, None),
    ],
)
def test_what_looks_like_a_call_so_far(text: str, looks: bool, name: str | None) -> None:
    assert (looks, name) == (JSON.looks_like_call(text), JSON.peek_tool_name(text))


@pytest.mark.parametrize(
    ("text", "looks", "name"),
    [
        ("a <", True, None),
        ("a <<mcs:cal", True, None),
        ("<<mcs:call>>", True, None),
        ("<<x", False, None),
        (RUN, False, None),
        (f"<<mcs:call>>{RUN}", True, "run"),
        (f"<<mcs:call>>{RUN}<</mcs:call>>.", True, "run"),
        ("`", False, None),
        ("</", False, None),
    ],
)
def test_what_looks_like_a_delimited_call_so_far(text: str, looks: bool, name: str | None) -> None:
    assert (looks, name) == (MARKED.looks_like_call(text), MARKED.peek_tool_name(text))


@given(
    arguments=ARGUMENTS, fence=st.sampled_from(["", "```", "```json\n"]), before=prose().map(lambda piece: piece.text)
)
def test_every_beginning_of_a_call_looks_like_one(arguments: dict[str, Any], fence: str, before: str) -> None:
    spelled = json.dumps({"tool": "run", "arguments": arguments})
    text = fence + spelled
    named = len(fence) + len('{"tool": "run"')

    for end in range(1, len(text) + 1):
        assert JSON.looks_like_call(before + text[:end]), text[:end]
        if not JSON.looks_like_call(before):
            assert ("run" if end >= named else None) == JSON.peek_tool_name(before + text[:end]), text[:end]


# --- healing ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "text", "calls"),
    [
        (
            [COMMAS],
            'a {"tool": "run", "arguments": {"a": [1,],},} b',
            [("run", {"a": [1]}, '{"tool": "run", "arguments": {"a": [1,],},}')],
        ),
        (
            [COMMAS],
            '{"tool": "run", "arguments": {"s": "x,}", }}',
            [("run", {"s": "x,}"}, '{"tool": "run", "arguments": {"s": "x,}", }}')],
        ),
        (
            PYTHON,
            '{"tool": "run", "arguments": {"a": True, "b": "True"}}',
            [("run", {"a": True, "b": "True"}, '{"tool": "run", "arguments": {"a": True, "b": "True"}}')],
        ),
        (
            [{"pattern": r"(?<=[{,\s])(\w+)\s*:", "replacement": r'"\1":'}],
            '{tool: "run", arguments: {a: "b: c"}}',
            [("run", {"a": "b: c"}, '{tool: "run", arguments: {a: "b: c"}}')],
        ),
        ([{"pattern": "[“”]", "replacement": '"'}], "{“tool”: “run”}", [("run", {}, "{“tool”: “run”}")]),
        (
            [COMMAS],
            '```json\n{"tool": "run",}\n{"tool": "get",}\n``` {"a": 1,}',
            [("run", {}, '```json\n{"tool": "run",}\n'), ("get", {}, '{"tool": "get",}\n```')],
        ),
        # An inner object is no call of its own once the outer one is read.
        (
            PYTHON,
            '{"tool": "run", "arguments": {"a": True, "b": {"tool": "get"}}}',
            [
                (
                    "run",
                    {"a": True, "b": {"tool": "get"}},
                    '{"tool": "run", "arguments": {"a": True, "b": {"tool": "get"}}}',
                )
            ],
        ),
        # What no rule mends costs nothing behind it, and what is no call does not become one.
        (
            [COMMAS],
            '{x} { {"tool": "run",} {"tool": "get"}',
            [("run", {}, '{"tool": "run",}'), ("get", {}, '{"tool": "get"}')],
        ),
        ([COMMAS], '<think>{"tool": "run",}</think>```python\n{"tool": "run",}\n```\n`{"tool": "run",}`', []),
        ([COMMAS], '{"answer": 1, "tool": "run",}', []),
        ([COMMAS], '{"tool": "run", "arguments": [1,]}', []),
        # A rule that drops, doubles, moves or encloses a string is left out.
        ([{"pattern": r"\S", "replacement": ""}, COMMAS], '{"tool": "run",}', [("run", {}, '{"tool": "run",}')]),
        ([{"pattern": r"(\S)", "replacement": r"\1\1"}, COMMAS], '{"tool": "run",}', [("run", {}, '{"tool": "run",}')]),
        (
            [{"pattern": r"(\S): (\S)", "replacement": r"\2: \1"}, COMMAS],
            '{"tool": "run",}',
            [("run", {}, '{"tool": "run",}')],
        ),
        (
            [{"pattern": r"(\S),", "replacement": r'"\1"'}, COMMAS],
            '{"tool": ":1,",}',
            [(":1,", {}, '{"tool": ":1,",}')],
        ),
        # The rules of old configurations for fences find nothing left to do.
        (
            [
                {"pattern": r"^\s*```(?:json)?\s*", "replacement": ""},
                {"pattern": r"\s*```\s*$", "replacement": ""},
                {"pattern": "``´", "replacement": "```"},
            ],
            f"```json\n{RUN}\n```",
            [("run", {"a": 1}, f"```json\n{RUN}\n```")],
        ),
    ],
)
def test_healing_rules(rules: list[dict[str, str]], text: str, calls: list[Any]) -> None:
    assert calls == _found(text, JsonPromptStrategy({"healing": rules}))


def test_what_is_mended_is_settled_and_its_offsets_are_those_of_the_text() -> None:
    codec = JsonPromptStrategy({"healing": [{"pattern": r",\s*([}\]])", "replacement": r"      \1"}]})
    text = '\ud83c\udf26 {"a": 1,} {"tool": "run",} {"tool": "get",} z'

    assert ['{"tool": "run",}', '{"tool": "get",}'] == [text[start:end] for _, _, start, end in codec.spans(text)]
    assert text[:-2] == text[: codec.settled_end(text)]


def test_streams_are_never_healed() -> None:
    codec = JsonPromptStrategy({"healing": [COMMAS]})

    assert [] == _streamed('{"tool": "run",}', codec, [], TOOLS)
    assert not codec.looks_like_call('{"tool": "run",}')


_RULES = st.lists(
    st.sampled_from(
        [
            COMMAS,
            *PYTHON,
            {"pattern": "[a-z]", "replacement": "X"},
            {"pattern": '"', "replacement": "'"},
            {"pattern": "'", "replacement": '"'},
            {"pattern": ".", "replacement": ""},
            {"pattern": r"(\S+)", "replacement": r"\1\1"},
            {"pattern": "^", "replacement": '"'},
            {"pattern": "$", "replacement": "}"},
            {"pattern": r"\\", "replacement": "/"},
            {"pattern": "```", "replacement": ""},
            {"pattern": r"(?s)\{(.*)\}", "replacement": r"\1"},
            {"pattern": r"\s+", "replacement": " "},
            {"pattern": "\n", "replacement": r"\\n"},
            {"pattern": "[^\x00-\x7f]", "replacement": "?"},
            {"pattern": r"\W", "replacement": ""},
            {"pattern": ":", "replacement": ","},
        ]
    ),
    max_size=5,
)
_TEXT = st.text(
    st.sampled_from(list("ab,}{[]:\"\\'`\n \U000f0000\U000f0001Tre")) | st.characters(codec="utf-8"), max_size=8
)


@given(
    rules=_RULES,
    arguments=st.dictionaries(_TEXT, _TEXT | st.lists(_TEXT, max_size=2), max_size=3),
    ascii=st.booleans(),
    last=st.booleans(),
)
def test_healing_never_touches_what_stands_in_strings(
    rules: list[dict[str, str]], arguments: dict[str, Any], ascii: bool, last: bool
) -> None:
    broken = f"{json.dumps({'tool': 'run', 'arguments': arguments}, ensure_ascii=ascii)[:-1]},}}"
    codec = JsonPromptStrategy({"healing": [*rules, COMMAS] if last else [COMMAS, *rules]})

    found = _found(broken, codec)

    assert found in ([], [("run", arguments, broken)])
    if not rules:
        assert found


def test_many_open_braces_do_not_take_for_ever() -> None:
    codec = JsonPromptStrategy({"healing": [COMMAS]})
    texts = ["{x " * 20_000, '{"x ' * 20_000, '{x" ' * 20_000, '{x}" ' * 10_000]

    began = time.process_time()

    for text in texts:
        assert [] == codec.spans(text)
    assert time.process_time() - began < 10


# --- asking ----------------------------------------------------------------------------------------------------

WEATHER = Tool(
    "get_weather", "Weather", "Tells the {weather} {call_example}", [ToolParameter("city", "Wo? Köln", True)]
)


@pytest.mark.parametrize("codec", [JSON, MARKED])
def test_the_system_message_names_the_tools_and_shows_a_call(codec: PromptStrategy) -> None:
    message = codec.system_message([WEATHER])

    assert codec.format_tools([WEATHER]) in message, "what is filled in is not looked at again"
    assert codec.format_call_example() in message
    assert "{tools}" not in message
    assert "{tools}" in codec.system_template and "{call_example}" in codec.system_template


@pytest.mark.parametrize("codec", [JSON, MARKED])
def test_the_example_is_a_call_to_the_codec_itself(codec: PromptStrategy) -> None:
    example = codec.format_call_example()

    assert [("name_of_the_tool", {"name_of_a_parameter": "its value"}, 0, len(example))] == codec.spans(example)


def test_tools_are_shown_as_json() -> None:
    shown = json.loads(
        JSON.format_tools([WEATHER, SimpleNamespace(name="x", title="X", description=None, parameters=None)])
    )

    assert {
        "tools": [
            {
                "name": "get_weather",
                "description": "Tells the {weather} {call_example}",
                "parameters": {
                    "type": "object",
                    "properties": {"city": {"type": "string", "description": "Wo? Köln"}},
                    "required": ["city"],
                },
            },
            {"name": "x", "description": "X", "parameters": {"type": "object", "properties": {}}},
        ]
    } == shown
    assert "Köln" in JSON.format_tools([WEATHER])


@pytest.mark.parametrize("codec", [JSON, MARKED])
def test_a_failed_call_is_told_with_its_name_and_the_error(codec: PromptStrategy) -> None:
    prompt = codec.retry_execution_failed("run", KeyError("{tool_name}"))

    assert '"run"' in prompt and "{tool_name}" in prompt and "{error}" not in prompt


def test_only_the_four_placeholders_are_filled() -> None:
    template = '{tools} {"a": {}} {other} {error!r} {{tool_name}} {call_example}'

    assert '{error} {"a": {}} {other} {error!r} {run} {call_example}' == fill(
        template, tools="{error}", tool_name="run", error="!"
    )


# --- configuration -------------------------------------------------------------------------------------------


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("""
        [system_message]
        template = "Tools: {tools} Example: {call_example} {'braces'}"
        [call_example]
        example = '{"action": "x"}'
        [parsing]
        tool_field_aliases = ["action"]
        [retry_prompts]
        execution_failed = "{tool_name}: {error}"
        [[healing]]
        pattern = ',\\s*\\}'
        replacement = '}'
    """)

    for codec in (
        JsonPromptStrategy.from_toml_file(path),
        JsonPromptStrategy.from_toml(str(path)),
        PromptStrategy.from_toml(path),
    ):
        assert isinstance(codec, JsonPromptStrategy)
        assert 'Example: {"action": "x"} {\'braces\'}' in codec.system_message([])
        assert [("run", {}, '{"action": "run",}')] == _found('{"action": "run",} {"tool": "run"}', codec)
        assert "run: no" == codec.retry_execution_failed("run", "no")
        assert ("action",) == codec.shape.aliases


def test_what_a_file_leaves_out_is_as_in_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[call_example]\nexample = 'so'\n")

    codec = DelimitedPromptStrategy.from_toml(path)

    assert isinstance(codec, DelimitedPromptStrategy)
    assert ("so", MARKED.system_template, DELIMITED) == (
        codec.format_call_example(),
        codec.system_template,
        codec.shape,
    )


def test_the_default_codec_is_json() -> None:
    assert type(PromptStrategy.default()) is type(JsonPromptStrategy.default()) is JsonPromptStrategy
    assert type(DelimitedPromptStrategy.default()) is DelimitedPromptStrategy
    assert JsonPromptStrategy({}).shape == MCS_JSON == text_shape(JSON)
    assert DELIMITED == text_shape(MARKED)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (["x"], "a configuration is a table"),
        ({"system_message": "x"}, r"\[system_message\] is a table"),
        ({"system_message": {"template": 5}}, "system_message.template is a text, not int"),
        ({"call_example": {"example": []}}, "call_example.example is a text"),
        ({"retry_prompts": {"execution_failed": {}}}, "is a text"),
        ({"parsing": {"tool_field_aliases": "tool"}}, "a list of one name or more"),
        ({"parsing": {"tool_field_aliases": []}}, "a list of one"),
        ({"parsing": {"tool_field_aliases": ["tool", 1]}}, "a list of one"),
        ({"parsing": {"tool_field_aliases": [""]}}, "a list of one"),
        ({"parsing": {"tool_field_aliases": ["arguments"]}}, "it holds the arguments"),
        ({"parsing": {"tool_field_aliases": ["a\\b"]}}, "needs escapes"),
        ({"parsing": {"tool_field_aliases": ['a"']}}, "needs escapes"),
        ({"healing": {"pattern": "x"}}, "a list of tables"),
        ({"healing": ["x"]}, "a list of tables"),
        ({"healing": [{"pattern": "x"}]}, "a pattern and a replacement"),
        ({"healing": [{"pattern": 1, "replacement": ""}]}, "both texts"),
        ({"healing": [{"pattern": "(", "replacement": ""}]}, "cannot be used"),
        ({"healing": [{"pattern": "x", "replacement": r"\1"}]}, "cannot be used"),
        ({"healing": [{"pattern": "x", "replacement": r"\g<y>"}]}, "cannot be used"),
    ],
)
def test_a_wrong_configuration_is_refused_with_a_sentence(config: Any, sentence: str) -> None:
    with pytest.raises(DeclarationError, match=sentence):
        JsonPromptStrategy(config)


@pytest.mark.parametrize("data", [b"[x", b"\xff"])
def test_a_file_that_is_no_toml_is_refused_by_its_name(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(data)

    with pytest.raises(DeclarationError, match=r"bad\.toml: is no TOML"):
        JsonPromptStrategy.from_toml(path)


# --- a codec of someone else -----------------------------------------------------------------------------------


class Shout(PromptStrategy):
    """A call is `CALL name`, at the end of a text."""

    system_template = "{tools}"

    def format_tools(self, tools: Any) -> str:
        return " ".join(tool.name for tool in tools)

    def format_call_example(self) -> str:
        return "CALL x"

    def parse_tool_call(self, raw: str) -> tuple[str, dict[str, Any]] | None:
        _, word, name = raw.rpartition("CALL ")
        return (name, {}) if word else None

    def retry_execution_failed(self, tool_name: str, error: object) -> str:
        return f"{tool_name}: {error}"


def test_a_codec_that_only_parses_whole_texts() -> None:
    codec = Shout()

    assert [("run", {}, 11)] == codec.parse_tool_calls("so CALL run") and [] == codec.parse_tool_calls("so")
    assert [("run", {}, 0, 11)] == codec.spans("so CALL run")
    assert (0, False, None, None) == (
        codec.settled_end("x"),
        codec.looks_like_call("x"),
        codec.peek_tool_name("x"),
        codec.shape,
    )
    assert "get_weather" == codec.system_message([WEATHER])


def test_a_contract_that_is_not_kept_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        PromptStrategy()  # type: ignore[abstract]
