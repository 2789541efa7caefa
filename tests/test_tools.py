"""Tools and the schema of their arguments."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from mcs_fsm.tools import Tool, ToolParameter, tool_schema


def test_fields_are_taken_by_place_and_by_name() -> None:
    parameter = ToolParameter("city", "Where", True, {"type": "string", "minLength": 1})

    by_place = Tool("weather", "Weather", "Tells the weather", [parameter])
    by_name = Tool(name="weather", title="Weather", description="Tells the weather", parameters=[parameter])

    assert by_place == by_name
    assert ("weather", "Weather", "Tells the weather", [parameter]) == (
        by_place.name,
        by_place.title,
        by_place.description,
        by_place.parameters,
    )
    assert ("city", "Where", True, {"type": "string", "minLength": 1}) == (
        parameter.name,
        parameter.description,
        parameter.required,
        parameter.schema,
    )
    assert by_place != Tool("weather", "Weather", "Tells the weather") != "weather"
    assert "ToolParameter(name='a', description='b', required=False, schema=None)" == repr(ToolParameter("a", "b"))


def test_a_missing_description_is_the_title() -> None:
    assert "Weather" == Tool("weather", title="Weather").description
    assert "Tells it" == Tool("weather", description="Tells it").description
    assert Tool("weather", description="Tells it").title is None


def test_a_tool_with_neither_title_nor_description_is_refused() -> None:
    with pytest.raises(ValueError, match="'weather' needs a description or a title"):
        Tool("weather")


def test_no_parameters_are_a_list_of_ones_own() -> None:
    one, other = Tool("a", "A"), Tool("b", "B", parameters=None)

    one.parameters.append(ToolParameter("x", "X"))

    assert [] == other.parameters


@pytest.mark.parametrize(
    ("parameters", "schema"),
    [
        ([], {"type": "object", "properties": {}}),
        ([ToolParameter("a", "A")], {"type": "object", "properties": {"a": {"type": "string", "description": "A"}}}),
        (
            [ToolParameter("a", "A", True, {"type": "integer"}), ToolParameter("b", "", schema={"description": "own"})],
            {
                "type": "object",
                "properties": {"a": {"type": "integer", "description": "A"}, "b": {"description": "own"}},
                "required": ["a"],
            },
        ),
        ([ToolParameter("a", "A", schema={})], {"type": "object", "properties": {"a": {"description": "A"}}}),
    ],
)
def test_the_schema_of_the_arguments(parameters: list[ToolParameter], schema: dict[str, object]) -> None:
    assert schema == tool_schema(Tool("t", "T", parameters=parameters))


def test_any_object_with_these_attributes_is_a_tool() -> None:
    parameter = SimpleNamespace(name="a", description="A", required=True, schema=None)

    schema = tool_schema(SimpleNamespace(name="t", description="T", parameters=[parameter]))

    assert {"type": "object", "properties": {"a": {"type": "string", "description": "A"}}, "required": ["a"]} == schema
    assert {"type": "object", "properties": {}} == tool_schema(SimpleNamespace(name="t", parameters=None))


def test_the_schema_is_the_callers_own() -> None:
    parameter = ToolParameter("a", "A", schema={"type": "array", "items": {"type": "string"}})

    tool_schema(Tool("t", "T", parameters=[parameter]))["properties"]["a"]["items"]["type"] = "null"

    assert {"type": "array", "items": {"type": "string"}} == parameter.schema
