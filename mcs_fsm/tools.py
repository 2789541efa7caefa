"""Tools as a driver offers them, and the JSON Schema of their arguments.

`tool_schema` reads attributes only, so the tools of other MCS packages work as they are.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

__all__ = ["Tool", "ToolParameter", "tool_schema"]


class _Fields:
    """Equality and repr by attributes."""

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if type(other) is type(self) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.__dict__.items())})"


class ToolParameter(_Fields):
    """One parameter of a tool.

    Args:
        name: its key in the arguments.
        description: what it means, for the model.
        required: whether a call must have it.
        schema: the JSON Schema of its value; None for a string.
    """

    def __init__(
        self, name: str, description: str, required: bool = False, schema: dict[str, Any] | None = None
    ) -> None:
        self.name, self.description, self.required, self.schema = name, description, required, schema


class Tool(_Fields):
    """A tool that can be offered to a model.

    Args:
        name: what the model calls it by.
        title: a short name for people.
        description: what it does, for the model; without one, the title.
        parameters: its parameters in order; None for none.

    Raises:
        ValueError: neither a title nor a description.
    """

    def __init__(
        self, name: str, title: str | None = None, description: str | None = None,
        parameters: Iterable[ToolParameter] | None = None,
    ) -> None:  # fmt: skip
        text = description or title
        if not text:
            raise ValueError(f"tool {name!r} needs a description or a title")
        self.name, self.title, self.description = name, title, text
        self.parameters: list[ToolParameter] = list(parameters or ())


def tool_schema(tool: Any) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments.

    Args:
        tool: anything with `parameters`, each with `name`, `description`, `required` and `schema`.

    Returns:
        {"type": "object", "properties": {...}} and, if a parameter is required, "required": [names]. The caller's own.
    """
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in getattr(tool, "parameters", None) or ():
        schema = getattr(parameter, "schema", None)
        entry = {"type": "string"} if schema is None else copy.deepcopy(dict(schema))
        description = getattr(parameter, "description", None)
        if description:
            entry.setdefault("description", description)
        properties[parameter.name] = entry
        if getattr(parameter, "required", False):
            required.append(parameter.name)
    out: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        out["required"] = required
    return out
