"""Codecs: how a model is asked to write calls in its text, and how whole texts are read.

A whole text goes through the same LEX and the same reader as a streamed one, with every name owned, so the two
readings cannot differ. What is added here for whole texts alone is healing: rules of the caller that mend JSON
outside its strings. Wording and rules are TOML (https://toml.io/en/v1.0.0); the defaults stand beside this file.
"""

from __future__ import annotations

import json
import re
import tomllib
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from importlib.resources import files
from os import PathLike
from typing import Any, ClassVar

import msgspec

from ..actions import machines
from ..core import Core
from ..errors import DeclarationError
from ..machine.rows import SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ..slots import decode_object
from ..tools import tool_schema
from .reader import LEX_TABLE
from .shape import DELIMITED, MCS_JSON, Shape

__all__ = ["DelimitedPromptStrategy", "JsonPromptStrategy", "PromptStrategy", "fill"]

_MACHINES = machines("codec", TURN_ROWS + TURN_ARGS, SLOT_FRAGMENTS)
_CLOSING, _FENCED, _PENDING = map(LEX_TABLE.state, ("closing", "fenced", "pending"))
_TOP = frozenset(map(LEX_TABLE.state, ("idle", "text")))
_HELD = frozenset(map(LEX_TABLE.state, ("marker", "forming", "named", "args", "closing", "pending")))
_OBJECT, _REJECT, _FENCE_END, _END = map(LEX_TABLE.trigger, ("object", "reject", "fence_end", "end"))
_WHOLE = frozenset(map(LEX_TABLE.trigger, ("whole", "whole_fenced", "whole_late")))
_FAULT = frozenset(map(LEX_TABLE.trigger, ("crack", "crack_fenced", "reject")))

_PLACEHOLDER = re.compile(r"\{(tools|call_example|tool_name|error)\}")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_BRACE = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}]', re.DOTALL)
_MASK = 0xF0000  # the private planes 15 and 16: a string stands as one of their characters while rules are applied
_MASKS = re.compile("[\U000f0000-\U0010ffff]")
_MOST_MENDED = 64  # objects mended in one text; each costs one more reading of it


def fill(template: str, **values: str) -> str:
    """Put values in the place of {tools}, {call_example}, {tool_name} and {error}; any other brace stays.

    Args:
        template: the text with placeholders.
        values: by placeholder; one without value stays as it is. What is put in is not looked at again.

    Returns:
        The filled text.
    """
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), template)


class PromptStrategy(ABC):
    """A codec: how a model is asked for calls, and how its text is read.

    Attributes: `shape`, what the streaming reader looks for; None for a codec that only parses whole texts.
    """

    shape: Shape | None = None

    @property
    @abstractmethod
    def system_template(self) -> str:
        """The system message, with the placeholders {tools} and {call_example}."""

    @abstractmethod
    def format_tools(self, tools: Iterable[Any]) -> str:
        """Return the tools as the model is shown them."""

    @abstractmethod
    def format_call_example(self) -> str:
        """Return a call as the model is to write it."""

    @abstractmethod
    def parse_tool_call(self, raw: str) -> tuple[str, dict[str, Any]] | None:
        """Return the name and arguments of the first call in a whole text, None if there is none."""

    @abstractmethod
    def retry_execution_failed(self, tool_name: str, error: object) -> str:
        """Return what the model is told when a call failed."""

    def parse_tool_calls(self, raw: str) -> list[tuple[str, dict[str, Any], int]]:
        """Return (name, arguments, end) of each call in a whole text; `end` is the index just past it."""
        found = self.parse_tool_call(raw)
        return [] if found is None else [(*found, len(raw))]

    def spans(self, raw: str) -> list[tuple[str, dict[str, Any], int, int]]:
        """Return (name, arguments, start, end) of each call in a whole text.

        A codec that knows only where its calls end gives as start where the one before ended.
        """
        out, start = [], 0
        for name, arguments, end in self.parse_tool_calls(raw):
            out.append((name, arguments, start, end))
            start = end
        return out

    def settled_end(self, raw: str) -> int:
        """Return the index just past the last readable object of a whole text, 0 if there is none."""
        return 0

    def looks_like_call(self, text: str) -> bool:
        """Tell whether `text`, as far as it came, holds a call or may be at the beginning of one."""
        return False

    def peek_tool_name(self, text: str) -> str | None:
        """Return the name of the call that `looks_like_call` means, None as long as it is not whole."""
        return None

    def system_message(self, tools: Iterable[Any]) -> str:
        """Return the template, filled with the tools and the example."""
        return fill(self.system_template, tools=self.format_tools(tools), call_example=self.format_call_example())

    @classmethod
    def default(cls) -> PromptStrategy:
        """Return the default codec: JSON, in our own words."""
        return JsonPromptStrategy.from_defaults()

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> PromptStrategy:
        """Return the default codec with the wording and rules of a TOML file.

        Raises:
            DeclarationError: the file is no TOML or holds what no codec can use.
            OSError: it cannot be read.
        """
        return JsonPromptStrategy.from_toml_file(path)


class _Reading(Core):
    """The reading of one whole text: every name is owned; it notes where objects end and which are broken."""

    __slots__ = ("_object", "broken", "settled")

    def __init__(self, shape: Shape) -> None:
        super().__init__(_MACHINES, tools=(), shape=shape, tags=True)
        self._object = -1  # where the object begins that may become a call, -1 if none is open
        self.settled = 0  # just past the last readable object, with the marker that closes it
        self.broken: list[int] = []  # where objects begin that break the grammar of JSON

    def owns(self, name: str) -> bool:
        """Own every name; the empty one is none."""
        return name != ""

    def owns_prefix(self, prefix: str) -> bool:
        """Say that any name may follow."""
        return True

    def lex(self, token: int, end: int, payload: Any = None) -> None:
        """Take one step of LEX and note objects."""
        before = self.lex_state
        super().lex(token, end, payload)
        if token == _OBJECT:
            self._object = end
        elif token == _REJECT and before in _TOP:
            self._object = -1
        elif token in _FAULT and payload == "malformed":
            if self._object >= 0:
                self.broken.append(self._object)
            self._object = -1
        elif (
            token in _WHOLE
            or (token in _FAULT and payload == "not_a_call")  # an object like any other
            or (token == _FENCE_END and before in (_CLOSING, _FENCED))
            or (token == _END and before in (_CLOSING, _PENDING))
        ):
            self.settled = end


class _Whole:
    """A whole text, read: the calls and the end of the last readable object, in offsets of the text as given.

    Args:
        raw: the text.
        shape: the codec's shape.
        rules: healing rules.
    """

    __slots__ = ("_edits", "_pairs", "reading")

    def __init__(self, raw: str, shape: Shape, rules: Iterable[tuple[re.Pattern[str], str]] = ()) -> None:
        text, self._pairs = _joined(raw)
        self._edits: list[tuple[int, int, int]] = []  # (start, end) before, length after, in the order made
        self.reading = _read(text, shape)
        tried = -1
        while rules and self.reading.broken and len(self._edits) < _MOST_MENDED:
            matches: dict[int, int] = {}
            for start in self.reading.broken:
                if start > tried:
                    tried = start
                    end = _match(text, start, matches)
                    mended = _mend(text[start:end], rules) if end else None
                    if mended is not None:
                        text = text[:start] + mended + text[end:]
                        self._edits.append((start, end, len(mended)))
                        self.reading = _read(text, shape)
                        break
            else:
                break

    def spans(self) -> list[tuple[str, dict[str, Any], int, int]]:
        """Return (name, arguments, start, end) of each call."""
        return [
            (call.name, call.arguments, self._given(call.start or 0), self._given(call.end or 0))
            for call in self.reading.calls()
        ]

    @property
    def settled(self) -> int:
        """The end of the last readable object."""
        return self._given(self.reading.settled)

    def _given(self, at: int) -> int:
        """Return an offset of the text that was read as one of the text as given."""
        for start, end, length in reversed(self._edits):
            if at >= start + length:
                at += end - start - length
            elif at > start:
                at = end
        return at + bisect_left(self._pairs, at)


def _read(text: str, shape: Shape, end: bool = True) -> _Reading:
    """Read a text as a stream of one chunk is read, to its end or not."""
    reading = _Reading(shape)
    reading.content(text)
    if end:
        reading.close()
    return reading


def _joined(raw: str) -> tuple[str, list[int]]:
    """Join halves of surrogate pairs and replace those without their other half.

    Returns:
        The text, an exact `str`, and the offsets in it of characters that were two halves, ascending.
    """
    text = str.__str__(raw)
    if text.isascii() or not _SURROGATE.search(text):
        return text, []
    pairs = [found.start() - i for i, found in enumerate(_PAIR.finditer(text))]
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub("\ufffd", text), pairs


def _match(text: str, start: int, known: dict[int, int]) -> int:
    """Return the index just past the brace that closes text[start], 0 if none does; strings are leapt over.

    Each brace seen on the way is answered too, in `known`: asking for all of them costs no more than asking twice.
    """
    if start not in known:
        opened: list[int] = []
        for found in _BRACE.finditer(text, start):
            at = found.start()
            if text[at] == "{":
                if at in known and not opened:
                    break
                opened.append(at)
                known[at] = 0
            elif text[at] == "}" and opened:
                known[opened.pop()] = at + 1
    return known[start]


def _mend(text: str, rules: Iterable[tuple[re.Pattern[str], str]]) -> str | None:
    """Apply healing rules to a broken object, outside its strings.

    Each string stands as one character while the rules look at the text, and comes back as it was. A rule that
    would drop, double, move or enclose a string is left out.

    Returns:
        The object as strict JSON, None if the rules make none of it.
    """
    strings: list[str] = []

    def mask(found: re.Match[str]) -> str:
        strings.append(found[0])
        return chr(min(_MASK + len(strings) - 1, 0x10FFFF))

    masked = _STRING.sub(mask, text)
    order = [chr(_MASK + i) for i in range(min(len(strings), 0x20000))]
    for pattern, replacement in rules:
        new = pattern.sub(replacement, masked)
        if order == _MASKS.findall(new) == _MASKS.findall(_STRING.sub("", new)):
            masked = new
    if order != _MASKS.findall(masked):
        return None
    mended = _MASKS.sub(lambda found: strings[ord(found[0]) - _MASK], masked)
    return mended if mended[:1] == "{" and mended[-1:] == "}" and decode_object(mended) is not None else None


class _ConfiguredStrategy(PromptStrategy):
    """A codec out of TOML; what its configuration leaves out is as in the defaults.

    Args:
        config: the sections, as `tomllib` reads them.

    Raises:
        DeclarationError: a section, key or rule is not what it must be.
    """

    _defaults: ClassVar[str]
    _default_shape: ClassVar[Shape]
    shape: Shape

    def __init__(self, config: Mapping[str, Any]) -> None:
        own, default = _Config(config, type(self).__name__), self._default_config()
        self._template = own.text("system_message", "template", default)
        self._example = own.text("call_example", "example", default)
        self._failed = own.text("retry_prompts", "execution_failed", default)
        self.shape = msgspec.structs.replace(self._default_shape, aliases=own.aliases(default, self._default_shape))
        self._rules = own.rules()

    @classmethod
    def from_defaults(cls) -> _ConfiguredStrategy:
        """Return the codec in our own words."""
        return cls({})

    @classmethod
    def from_toml_file(cls, path: str | PathLike[str]) -> _ConfiguredStrategy:
        """Return the codec with the wording and rules of a TOML file.

        Raises:
            DeclarationError: the file is no TOML or holds what no codec can use.
            OSError: it cannot be read.
        """
        with open(path, "rb") as file:
            try:
                config = tomllib.load(file)
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
                raise DeclarationError(str(path), f"is no TOML: {exc}") from exc
        return cls(config)

    @classmethod
    def default(cls) -> PromptStrategy:
        """Return the codec in our own words."""
        return cls.from_defaults()

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> PromptStrategy:
        """Return the codec with the wording and rules of a TOML file; as `from_toml_file`."""
        return cls.from_toml_file(path)

    @classmethod
    def _default_config(cls) -> _Config:
        text = files(__package__).joinpath(cls._defaults).read_text("utf-8")
        return _Config(tomllib.loads(text), cls._defaults)

    # --- asking ----------------------------------------------------------------------------------------------

    @property
    def system_template(self) -> str:
        """The system message, with the placeholders {tools} and {call_example}."""
        return self._template

    def format_tools(self, tools: Iterable[Any]) -> str:
        """Return the tools as JSON: {"tools": [{"name", "description", "parameters": JSON Schema}]}."""
        entries = [
            {
                "name": tool.name,
                "description": getattr(tool, "description", None) or getattr(tool, "title", None) or "",
                "parameters": tool_schema(tool),
            }
            for tool in tools
        ]
        return json.dumps({"tools": entries}, ensure_ascii=False, indent=2)

    def format_call_example(self) -> str:
        """Return a call as the model is to write it."""
        return self._example

    def retry_execution_failed(self, tool_name: str, error: object) -> str:
        """Return what the model is told when a call failed."""
        return fill(self._failed, tool_name=str(tool_name), error=str(error))

    # --- reading ---------------------------------------------------------------------------------------------

    def _whole(self, raw: str) -> _Whole:
        return _Whole(raw, self.shape, self._rules)

    def spans(self, raw: str) -> list[tuple[str, dict[str, Any], int, int]]:
        """Return (name, arguments, start, end) of each call in a whole text; its markers belong to it."""
        return self._whole(raw).spans()

    def parse_tool_calls(self, raw: str) -> list[tuple[str, dict[str, Any], int]]:
        """Return (name, arguments, end) of each call in a whole text; `end` is the index just past it."""
        return [(name, arguments, end) for name, arguments, _, end in self.spans(raw)]

    def parse_tool_call(self, raw: str) -> tuple[str, dict[str, Any]] | None:
        """Return the name and arguments of the first call in a whole text, None if there is none."""
        found = self.spans(raw)
        return found[0][:2] if found else None

    def settled_end(self, raw: str) -> int:
        """Return the index just past the last readable object of a whole text, 0 if there is none."""
        return self._whole(raw).settled

    def looks_like_call(self, text: str) -> bool:
        """Tell whether `text`, as far as it came, holds a call or may be at the beginning of one."""
        reading = _read(_joined(text)[0], self.shape, end=False)
        return reading.lex_state in _HELD or self._begins(reading) or bool(reading.calls())

    def peek_tool_name(self, text: str) -> str | None:
        """Return the name of the call that `text` ends in, or else of its first whole one; None if it is not there."""
        reading = _read(_joined(text)[0], self.shape, end=False)
        if reading.lex_state in _HELD:
            slot = reading.text_slot
            return slot.name if slot is not None and slot.open else None
        calls = [] if self._begins(reading) else reading.calls()
        return calls[0].name if calls else None

    def _begins(self, reading: _Reading) -> bool:
        """Tell whether the text so far ends in the beginning of a marker of calls."""
        tail = reading.reader.tail if reading.reader is not None else ""
        return tail != "" and any(marker.open.startswith(tail) for marker in self.shape.markers)


class JsonPromptStrategy(_ConfiguredStrategy):
    """Calls as JSON objects, bare or in a Markdown fence: the default codec, "mcs-json"."""

    _defaults = "json.toml"
    _default_shape = MCS_JSON


class DelimitedPromptStrategy(_ConfiguredStrategy):
    """Calls as JSON objects between markers of their own, "mcs-delimited": nothing is held but a call."""

    _defaults = "delimited.toml"
    _default_shape = DELIMITED


class _Config:
    """A codec's configuration with its checks; `subject` names it in errors."""

    def __init__(self, sections: Mapping[str, Any], subject: str) -> None:
        self.subject = subject
        if not isinstance(sections, Mapping):
            raise DeclarationError(subject, f"a configuration is a table, not {type(sections).__name__}")
        self.sections = sections

    def value(self, section: str, key: str) -> Any:
        """Return what stands under `section`.`key`, None if nothing does."""
        table = self.sections.get(section)
        if table is None:
            return None
        if not isinstance(table, Mapping):
            raise DeclarationError(self.subject, f"[{section}] is a table, not {type(table).__name__}")
        return table.get(key)

    def text(self, section: str, key: str, default: _Config) -> str:
        """Return a text, by the defaults where there is none."""
        value = self.value(section, key)
        if value is None:
            value = default.value(section, key)
        if not isinstance(value, str):
            raise DeclarationError(self.subject, f"{section}.{key} is a text, not {type(value).__name__}")
        return value.strip()

    def aliases(self, default: _Config, shape: Shape) -> tuple[str, ...]:
        """Return the keys that hold a tool's name."""
        names = self.value("parsing", "tool_field_aliases")
        if names is None:
            names = default.value("parsing", "tool_field_aliases")
        if not isinstance(names, list | tuple) or not names or not all(isinstance(n, str) and n for n in names):
            raise DeclarationError(self.subject, "parsing.tool_field_aliases is a list of one name or more")
        for name in names:
            if name in shape.argument_keys:
                raise DeclarationError(self.subject, f"{name!r} cannot hold the tool's name: it holds the arguments")
            if json.dumps(name, ensure_ascii=False) != f'"{name}"':
                raise DeclarationError(
                    self.subject, f"a key like {name!r} needs escapes in JSON, so it is no tool alias"
                )
        return tuple(names)

    def rules(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """Return the healing rules, compiled."""
        rules = self.sections.get("healing")
        if rules is None:
            return ()
        if not isinstance(rules, list | tuple) or not all(isinstance(rule, Mapping) for rule in rules):
            raise DeclarationError(self.subject, "healing is a list of tables, each with a pattern and a replacement")
        out = []
        for rule in rules:
            pattern, replacement = rule.get("pattern"), rule.get("replacement")
            if not isinstance(pattern, str) or not isinstance(replacement, str):
                raise DeclarationError(self.subject, "a [[healing]] rule has a pattern and a replacement, both texts")
            try:
                compiled = re.compile(pattern)
                compiled.sub(replacement, "")  # also checks the groups that the replacement names
            except (re.error, IndexError) as exc:
                raise DeclarationError(self.subject, f"the [[healing]] rule {pattern!r} cannot be used: {exc}") from exc
            out.append((compiled, replacement))
        return tuple(out)
