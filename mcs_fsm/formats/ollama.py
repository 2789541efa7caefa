"""Ollama's own chat: `POST /api/chat`, streaming by default.

NDJSON, one object a line, no sentinel. Checked 2026-11-30 against ollama (Python) 0.6.3 and the server's Go types
(api/types.go of August 2026).

| primitive | where |
| --- | --- |
| content | message.content |
| reasoning | message.thinking |
| call | each entry of message.tool_calls is a whole one; function.index is unreliable and only kept |
| name, id | function.name, id (absent from older servers) |
| arguments | function.arguments: a whole object; a JSON text from imitators |
| call end | its arrival |
| finish, turn end | done: true with done_reason; without a reason the runner's connection was lost |
| usage | the counters of the done line |
| error | a line {"error": text}; the HTTP status stays 200 |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..actions import machines
from ..calls import Counts, ExtractedCall, Forming
from ..core import Core
from ..decode import ViewDecoder, mapping
from ..machine.rows import CALL_ENDS, SLOT_WHOLE, TURN_ROWS, TURN_VALUE
from ..slots import Slot
from ..strategy import Format, parse_arguments, plain, result_text

__all__ = ["OllamaExtractionStrategy"]


class Line(msgspec.Struct, gc=False):
    """What is read of a line; the counters are the usage."""

    model: Any = None
    created_at: Any = None
    message: Any = None
    done: Any = None
    done_reason: Any = None
    error: Any = None
    total_duration: Any = None
    load_duration: Any = None
    prompt_eval_count: Any = None
    prompt_eval_duration: Any = None
    eval_count: Any = None
    eval_duration: Any = None


MACHINES = machines("ollama", TURN_ROWS + TURN_VALUE + CALL_ENDS, SLOT_WHOLE)

#: done_reason after which nothing may be run.
CUT = frozenset(("length",))

_COUNTERS = (
    "total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration",
)  # fmt: skip
_MESSAGE = frozenset(("role", "content", "thinking", "tool_calls"))


class OllamaExtractionStrategy(Format):
    """Ollama's `/api/chat`."""

    name = "ollama"
    leaks_into_text = True
    machines = MACHINES
    decoder = ViewDecoder(Line)

    def lex(self, core: Core, view: Line) -> None:
        """Say what one line says."""
        if view.error:
            text = view.error if isinstance(view.error, str) else repr(plain(view.error))
            core.error("provider", text, data=plain(view.error))
        if view.message is not None:
            core.start(None, view.model, view.created_at)
            self._message(core, mapping(view.message))
        if view.done is True:
            usage = {name: value for name in _COUNTERS if (value := getattr(view, name)) is not None}
            if usage:
                core.usage(usage, Counts(_int(view.prompt_eval_count), _int(view.eval_count)))
            if isinstance(view.done_reason, str) and view.done_reason:
                core.finish(view.done_reason, view.done_reason in CUT)
                core.end()
            else:
                core.odd("no_stop_reason")

    def _message(self, core: Core, message: Mapping[str, Any]) -> None:
        for key, value in message.items():
            if key not in _MESSAGE and value is not None:
                core.facts.setdefault(key, []).append(plain(value))
        for key, take in (("thinking", core.reasoning), ("content", core.content)):
            value = message.get(key)
            if isinstance(value, str):
                take(value)
            elif value is not None:
                core.error("bad_field", f"message.{key} is {type(value).__name__}, not a text")
        calls = message.get("tool_calls")
        if calls is not None and not isinstance(calls, list | tuple):
            core.error("bad_field", f"message.tool_calls is {type(calls).__name__}, not a list")
            return
        for entry in map(mapping, calls or ()):
            self._call(core, entry)

    def _call(self, core: Core, entry: Mapping[str, Any]) -> None:
        function = mapping(entry.get("function"))
        slot = core.open_call(None)
        if isinstance(entry.get("id"), str) and entry["id"]:
            core.identify(slot, entry["id"])
        core.name(slot, _text(function.get("name")))
        further = {key: plain(value) for key, value in entry.items() if key not in ("id", "function", "type")}
        inner = {key: plain(value) for key, value in function.items() if key not in ("name", "arguments")}
        slot.extra.update({"call": further, "function": inner})
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            core.args_set(slot, arguments)
        elif arguments is not None:
            core.args_set(slot, msgspec.json.encode(plain(arguments)).decode())
        core.call_end(slot)

    def message(self, core: Core) -> dict[str, Any]:
        """Build `message` of the stream=false body."""
        message: dict[str, Any] = {"role": "assistant", "content": core.body.kept()}
        thinking = "".join(b.slice(start, end) for b, start, end in core.reasons.spans if b is core.side)
        if thinking:
            message["thinking"] = thinking
        for key, values in core.facts.items():
            lists = all(isinstance(value, list) for value in values)
            message[key] = [each for value in values for each in value] if lists else values[-1]
        calls = [self._entry(slot) for slot in core.slots if slot.start is None]
        if calls:
            message["tool_calls"] = calls
        return message

    @staticmethod
    def _entry(slot: Slot) -> dict[str, Any]:
        arguments: Any = slot.call.arguments if slot.call is not None else slot.args.text()
        function = {**slot.extra.get("function", {}), "name": slot.name, "arguments": arguments}
        entry = {"function": function, **slot.extra.get("call", {})}
        return {"id": slot.id, **entry} if slot.id is not None else entry

    # --- strategy --------------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is a line of this format."""
        event = mapping(chunk)
        if "choices" in event or "type" in event or not _is_object(event.get("message")):
            return False
        return isinstance(event.get("done"), bool) or "created_at" in event

    def recognizes(self, shape: Any) -> bool:
        """Tell whether a line, a body or an assembled message is of this format."""
        if self.claims(shape):
            return True
        event = mapping(shape)
        if "choices" in event or "type" in event or "tool_plan" in event:
            return False
        calls = event.get("tool_calls")
        if isinstance(calls, list | tuple) and calls:
            return all(
                "type" not in call and _is_object(mapping(call.get("function")).get("arguments"))
                for call in map(mapping, calls)
            )
        return isinstance(event.get("thinking"), str) and isinstance(event.get("content"), str)

    @staticmethod
    def _inner(message: Any) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
        body = mapping(message)
        if _is_object(body.get("message")):
            body = mapping(body["message"])
        calls = body.get("tool_calls")
        return body, [mapping(call) for call in calls] if isinstance(calls, list | tuple) else []

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is there, with the first one's name."""
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
        return message if isinstance(message, str) else _text(self._inner(message)[0].get("content"))

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the assistant's turn with the calls of `records`, and a `tool` message for each of them.

        Source: api/types.go of the server: templates read `tool_name`; `tool_call_id` goes back if there was one.
        """
        body, entries = self._inner(message)
        turn = {key: plain(value) for key, value in body.items() if key != "tool_calls"}
        turn.setdefault("role", "assistant")
        turn.setdefault("content", "")
        left = list(entries)
        kept = []
        for record in records:
            for entry in left:
                function = mapping(entry.get("function"))
                same = (_text(entry.get("id")) or None) == record.tool_call_id and function.get("name") == record.name
                arguments = parse_arguments(function.get("arguments"), "arguments" in function)
                if same and arguments in (record.arguments, None):
                    kept.append(plain(entry))
                    left.remove(entry)
                    break
        if kept:
            turn["tool_calls"] = kept
        answers = []
        for record in records:
            answer = {"role": "tool", "content": result_text(record), "tool_name": record.name}
            answers.append(answer if record.tool_call_id is None else {**answer, "tool_call_id": record.tool_call_id})
        return [turn, *answers]


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping) or (value is not None and bool(mapping(value)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
