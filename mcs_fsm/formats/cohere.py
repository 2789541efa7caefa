"""Cohere v2: `POST /v2/chat`, stream=true.

SSE, `event: <type>` and the same `type` in the data; some proxies send {"event": ..., "data": {...}} objects instead.
Checked 2026-11-30 against cohere 7.3.1 (types/v2chat_stream_response.py).

| primitive | event -> field |
| --- | --- |
| turn start | message-start -> id |
| content | content-delta -> delta.message.content.text, in the part that content-start opened under its index |
| reasoning | content-delta -> delta.message.content.thinking; tool-plan-delta -> delta.message.tool_plan |
| call key | index of tool-call-start, -delta, -end: a number space of its own |
| name, id, arguments | delta.message.tool_calls: one object in the stream, a list in the message |
| call end | tool-call-end; a call without arguments leaves "" |
| citations | citation-start -> delta.message.citations, whole |
| finish, usage, error, turn end | message-end -> delta.finish_reason, .usage, .error |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..actions import machines
from ..calls import Counts, ExtractedCall, Forming
from ..core import Core
from ..decode import ViewDecoder, mapping
from ..machine.rows import CALL_ENDS, SLOT_ENDS, SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ..slots import Item, Slot
from ..strategy import Format, parse_arguments, plain, result_text

__all__ = ["CohereExtractionStrategy"]


class Event(msgspec.Struct, gc=False):
    """What is read of an event; `event` and `data` are a proxy's wrapper."""

    type: Any = None
    id: Any = None
    index: Any = None
    delta: Any = None
    event: Any = None
    data: Any = None


MACHINES = machines("cohere", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

TYPES = frozenset(
    "message-start content-start content-delta content-end tool-plan-delta tool-call-start tool-call-delta "
    "tool-call-end citation-start citation-end message-end debug".split()
)
#: Finish reasons after which nothing may be run.
CUT = frozenset(("MAX_TOKENS", "ERROR", "TIMEOUT"))
_FAILED = frozenset(("ERROR", "TIMEOUT"))
_CALL = frozenset(("id", "type", "function"))


class CohereExtractionStrategy(Format):
    """Cohere v2."""

    name = "cohere-v2"
    leaks_into_text = True
    machines = MACHINES
    decoder = ViewDecoder(Event)

    def lex(self, core: Core, view: Event) -> None:
        """Say what one event says."""
        if view.type is None and view.data is not None:
            inner, _ = self.decoder.convert(view.data)
            if inner is None:
                core.error("bad_field", f"data is {type(view.data).__name__}, not an object")
                return
            view = inner
        delta = mapping(view.delta)
        message = mapping(delta.get("message"))
        index = view.index if isinstance(view.index, int | str) else None
        match view.type:
            case "content-delta":
                self._content(core, index, mapping(message.get("content")))
            case "tool-call-delta":
                self._call(core, index, mapping(message.get("tool_calls")), opens=False)
            case "tool-plan-delta":
                core.facts.setdefault("plan", core.item("plan", "plan"))
                core.reasoning(_text(message.get("tool_plan")), core.facts["plan"])
            case "message-start":
                core.start(view.id)
            case "content-start":
                self._content(core, index, mapping(message.get("content")), opens=True)
            case "tool-call-start":
                self._call(core, index, mapping(message.get("tool_calls")), opens=True)
            case "tool-call-end":
                slot = core.by_key.get(index)
                if slot is None:
                    core.odd("stop_without_block")
                else:
                    core.call_end(slot)
            case "citation-start":
                citation = plain(message.get("citations"))
                core.facts.setdefault("citations", []).append(citation)
                core.opaque("citation", citation)
            case "message-end":
                self._end(core, delta)
            case "content-end" | "citation-end" | "debug":
                pass
            case _:
                core.odd("unknown_event")

    def _content(self, core: Core, index: Any, content: Mapping[str, Any], opens: bool = False) -> None:
        key = ("content", index)
        item = core.items.get(key)
        thinks = content.get("type") == "thinking" or content.get("thinking") is not None
        kind = "thinking" if thinks else "text"
        if item is None or (opens and item.spans.spans):
            if item is not None:  # the index begins once more: another part
                core.odd("index_reused")
                core.items[("content", index, len(core.items))] = core.items.pop(key)
            item = core.item(key, kind)
        core.reasoning(_text(content.get("thinking")), item)
        core.content(_text(content.get("text")), item)

    def _call(self, core: Core, index: Any, call: Mapping[str, Any], opens: bool) -> None:
        function = mapping(call.get("function"))
        id, name = _text(call.get("id")) or None, _text(function.get("name")) or None
        known = core.by_key.get(index)
        if opens and (known is None or not known.open):
            if known is not None:
                core.odd("index_reused")
            slot = core.open_call(index)
            if id:
                core.identify(slot, id)
            core.name(slot, name or "")
        else:
            slot = core.call(index, id, name)
        for key, value in call.items():
            if key not in _CALL and value is not None:
                slot.extra[key] = plain(value)
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            core.args(slot, arguments)
        elif arguments is not None:
            core.args_set(slot, msgspec.json.encode(plain(arguments)).decode())

    def _end(self, core: Core, delta: Mapping[str, Any]) -> None:
        usage = plain(delta.get("usage"))
        if isinstance(usage, dict) and usage:
            tokens = mapping(usage.get("tokens"))
            core.usage(usage, Counts(
                _int(tokens.get("input_tokens")), _int(tokens.get("output_tokens")), _int(usage.get("cached_tokens")),
                _int(tokens.get("reasoning_tokens")),
            ))  # fmt: skip
        word = _text(delta.get("finish_reason"))
        if word:
            core.finish(word, word in CUT)
        error = plain(delta.get("error"))
        if error or word in _FAILED:
            text = error if isinstance(error, str) else f"the reply ended with {word}"
            core.error("provider", text, retryable=word == "TIMEOUT", data=error)
        core.end()

    def message(self, core: Core) -> dict[str, Any]:
        """Build `message` of the stream=false body; parts and calls are lists there."""
        message: dict[str, Any] = {"role": "assistant"}
        parts = [self._part(item) for item in core.items.values() if item.kind in ("text", "thinking")]
        if parts:
            message["content"] = parts
        if "plan" in core.facts:
            message["tool_plan"] = core.facts["plan"].spans.kept()
        calls = [self._entry(slot) for slot in core.slots if slot.start is None]
        if calls:
            message["tool_calls"] = calls
        if "citations" in core.facts:
            message["citations"] = list(core.facts["citations"])
        return message

    @staticmethod
    def _part(item: Item) -> dict[str, Any]:
        return {"type": item.kind, item.kind: item.spans.kept()}

    @staticmethod
    def _entry(slot: Slot) -> dict[str, Any]:
        raw = slot.args.text()
        if slot.call is not None and not slot.call.arguments and raw.strip() in ("", "null"):
            raw = "{}"
        call = {"type": "function", "function": {"name": slot.name, "arguments": raw}, **slot.extra}
        return {"id": slot.id, **call} if slot.id is not None else call

    # --- strategy --------------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is an event of this format."""
        event = mapping(chunk)
        if "type" not in event and mapping(event.get("data")):
            event = mapping(event["data"])
        return isinstance(event.get("type"), str) and event["type"] in TYPES and "choices" not in event

    def recognizes(self, shape: Any) -> bool:
        """Tell whether an event, a body or an assembled message is of this format.

        A bare {role, tool_calls} is that of Chat Completions too; either reads it right.
        """
        if self.claims(shape):
            return True
        event = mapping(shape)
        if any(key in event for key in ("choices", "done", "output", "candidates", "type", "parts", "function_call")):
            return False
        if mapping(event.get("message")):
            return True
        if "tool_plan" in event:
            return True
        content = event.get("content")
        if isinstance(content, list):
            parts = [mapping(part) for part in content]
            kinds = {part.get("type") for part in parts}
            thinks = any(isinstance(part.get("thinking"), str) for part in parts)
            signed = any("signature" in part for part in parts)
            return kinds <= {"text", "thinking"} and not signed and (thinks or "tool_calls" in event)
        calls = event.get("tool_calls")
        return content is None and isinstance(calls, list) and bool(calls) and all(
            isinstance(mapping(call.get("function")).get("arguments"), str) for call in map(mapping, calls)
        )

    @staticmethod
    def _inner(message: Any) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
        body = mapping(message)
        body = mapping(body.get("message")) or body
        calls = body.get("tool_calls")
        return body, [mapping(call) for call in calls] if isinstance(calls, list | tuple) else []

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way, with the first one's name if it is there."""
        _, calls = self._inner(message)
        return Forming(True, _text(mapping(calls[0].get("function")).get("name")) or None) if calls else Forming()

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body."""
        found = []
        for entry in self._inner(message)[1]:
            function = mapping(entry.get("function"))
            name = function.get("name")
            arguments = parse_arguments(function.get("arguments"), "arguments" in function)
            if isinstance(name, str) and name and arguments is not None:
                found.append(ExtractedCall(name, arguments, _text(entry.get("id")) or None))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body."""
        if isinstance(message, str):
            return message
        content = self._inner(message)[0].get("content")
        if isinstance(content, list):
            return "".join(_text(mapping(part).get("text")) for part in content)
        return _text(content)

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the assistant's turn with the calls of `records`, and a `tool` message for each of them.

        Source: ToolChatMessageV2 of cohere 7.3.1.
        """
        body, entries = self._inner(message)
        ids = {record.tool_call_id for record in records}
        turn = {key: plain(value) for key, value in body.items() if key != "tool_calls"}
        turn.setdefault("role", "assistant")
        kept = [plain(entry) for entry in entries if entry.get("id") in ids]
        if kept:
            turn["tool_calls"] = kept
        answers = [
            {"role": "tool", "tool_call_id": record.tool_call_id, "content": result_text(record)} for record in records
        ]
        return [turn, *answers]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
