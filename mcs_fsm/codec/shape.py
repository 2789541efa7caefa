"""What calls in text look like to the reader: markers around an object, and the names of its keys."""

from __future__ import annotations

import msgspec

__all__ = ["DELIMITED", "FENCE", "MCS_JSON", "REASONING_TAGS", "Marker", "Shape"]

#: Names of reasoning tags that models write into their text; the closing tag has the same name.
REASONING_TAGS = ("think", "thinking", "reasoning", "thought")

#: `Marker.close` of a Markdown fence: three backticks, which the reader counts instead of comparing.
FENCE = "```"


class Marker(msgspec.Struct, frozen=True):
    """An opening marker and the closing one that must follow the object. `close` None: nothing must follow."""

    open: str
    close: str | None


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """How a codec's calls are told from text.

    Args:
        markers: opening and closing texts around an object; `FENCE` stands for ``` and ```json.
        bare: "stream" (an object at top level is watched as it comes), "at_end" (it counts only if nothing
            visible follows it), "off" (only marked objects count).
        aliases: the first key of a call, which holds the tool's name.
        argument_keys: the key that holds its arguments.
    """

    markers: tuple[Marker, ...]
    bare: str = "stream"
    aliases: tuple[str, ...] = ("tool", "name")
    argument_keys: tuple[str, ...] = ("arguments", "parameters")


MCS_JSON = Shape(markers=(Marker(FENCE, FENCE),))

#: Our own unmistakable markers: no language, template engine or chat template writes them.
DELIMITED = Shape(markers=(Marker("<<mcs:call>>", "<</mcs:call>>"),), bare="off")
