"""Google's Interactions API: `POST /v1beta/interactions`, stream: true. It shares nothing with `gemini` but the vendor.

SSE, `event:` equal to `event_type` in the data, ended by `[DONE]`. Checked 2026-11-30 against google-genai 3.6.1
(_gaos/types/interactions).

| primitive | event -> field |
| --- | --- |
| turn start | interaction.created -> interaction.id, .model |
| part | index of step.start, step.delta, step.stop |
| content, reasoning | step.delta -> delta of type text: text; of type thought_summary: content.text |
| call | step.start -> step of type function_call: name, id |
| arguments | step.delta -> delta of type arguments_delta: arguments, fragments of JSON |
| call end | step.stop |
| kept | thought_signature, annotations, steps and results of the provider's own tools |
| finish, turn end | interaction.completed -> interaction.status |
| usage | interaction.completed -> interaction.usage |
| error | event_type error -> error |
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
from ..slots import Item
from ..strategy import Format, parse_arguments, plain, result_text

__all__ = ["GeminiInteractionsExtractionStrategy"]


class Event(msgspec.Struct, gc=False):
    """What is read of an event."""

    event_type: Any = None
    index: Any = None
    step: Any = None
    delta: Any = None
    interaction: Any = None
    status: Any = None
    error: Any = None


MACHINES = machines("gemini_interactions", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

#: Statuses after which calls may be run; after the others nothing is.
CLEAN = frozenset(("completed", "requires_action"))
_TEXT_STEPS = {"model_output": "text", "thought": "thought"}
_QUIET = frozenset(("interaction.status_update", "interaction.in_progress", "ping"))


class GeminiInteractionsExtractionStrategy(Format):
    """Gemini Interactions."""

    name = "gemini-interactions"
    leaks_into_text = True
    machines = MACHINES
    decoder = ViewDecoder(Event)

    def lex(self, core: Core, view: Event) -> None:
        """Say what one event says."""
        match view.event_type:
            case "step.delta":
                self._delta(core, view.index, mapping(view.delta))
            case "step.start":
                self._start(core, view.index, mapping(view.step))
            case "step.stop":
                item = core.items.get(self._key(core, view.index))
                if item is None:
                    core.odd("stop_without_block")
                    return
                item.done = True
                if item.slot is not None:
                    core.call_end(item.slot)
            case "interaction.created":
                interaction = mapping(view.interaction)
                core.facts["interaction"] = plain(dict(interaction))
                core.start(interaction.get("id"), interaction.get("model"), interaction.get("created"))
            case "interaction.completed":
                self._completed(core, mapping(view.interaction))
            case "error":
                error = plain(view.error)
                message = mapping(error).get("message") or error or "the provider reported an error"
                core.error("provider", str(message), data=error)
            case _:
                if not isinstance(view.event_type, str) or view.event_type not in _QUIET:
                    core.odd("unknown_event")

    @staticmethod
    def _key(core: Core, index: Any) -> Any:
        return ("step", index if isinstance(index, int) else 0, core.facts.setdefault("_again", {}).get(str(index), 0))

    def _start(self, core: Core, index: Any, step: Mapping[str, Any]) -> None:
        if self._key(core, index) in core.items:
            core.odd("index_reused")
            again = core.facts["_again"]
            again[str(index)] = again.get(str(index), 0) + 1
        kind = step.get("type")
        item = core.item(self._key(core, index), kind if isinstance(kind, str) else "", plain(dict(step)))
        if item.kind.endswith("_call"):
            own = item.kind == "function_call"
            name = _text(step.get("name")) or ("" if own else item.kind.removesuffix("_call"))
            slot = core.open_call(None, provider_run=not own, item=item)
            if _text(step.get("id")):
                core.identify(slot, step["id"])
            core.name(slot, name)
            if step.get("arguments"):
                core.args_set(slot, _json(step["arguments"]))
        elif item.kind not in _TEXT_STEPS:
            core.opaque(item.kind or "step", item.data, item)
        else:
            for part in (mapping(each) for each in step.get("content") or () if mapping(each)):
                self._say(core, item, _text(part.get("text")))

    def _delta(self, core: Core, index: Any, delta: Mapping[str, Any]) -> None:
        kind = delta.get("type")
        key = self._key(core, index)
        item = core.items.get(key)
        if item is None:
            core.odd("delta_without_block")
            item = core.item(key, "thought" if kind == "thought_summary" else "model_output", {})
        if kind == "text":
            self._say(core, item, _text(delta.get("text")))
        elif kind == "thought_summary":
            core.reasoning(_text(mapping(delta.get("content")).get("text")), item)
        elif kind == "arguments_delta":
            if item.slot is not None:
                core.args(item.slot, _text(delta.get("arguments")))
        elif kind == "thought_signature":
            item.data["signature"] = delta.get("signature")
            core.opaque("signature", delta.get("signature"), item)
        elif kind == "text_annotation_delta":
            notes = plain(delta.get("annotations"))
            item.data.setdefault("_annotations", []).extend(notes if isinstance(notes, list) else [notes])
            core.opaque("citation", notes, item)
        elif item.slot is not None and delta.get("arguments") is not None:
            core.args_set(item.slot, _json(delta["arguments"]))
        elif isinstance(kind, str):
            data = plain({key: value for key, value in delta.items() if key != "type"})
            item.data.update(data)
            core.opaque("provider_result" if kind.endswith("_result") else kind, data, item)
        else:
            core.odd("unknown_delta")

    def _say(self, core: Core, item: Item, text: str) -> None:
        if item.kind == "thought":
            core.reasoning(text, item)
        else:
            core.content(text, item)

    def _completed(self, core: Core, interaction: Mapping[str, Any]) -> None:
        core.facts["interaction"] = {**core.facts.get("interaction", {}), **plain(dict(interaction))}
        usage = plain(interaction.get("usage"))
        if isinstance(usage, dict) and usage:
            core.usage(usage, Counts(
                _int(usage.get("total_input_tokens")), _int(usage.get("total_output_tokens")),
                _int(usage.get("total_cached_tokens")), _int(usage.get("total_thought_tokens")),
            ))  # fmt: skip
        status = interaction.get("status")
        if isinstance(status, str) and status:
            core.finish(status, status not in CLEAN)
        core.end()

    def message(self, core: Core) -> dict[str, Any]:
        """Build the interaction with its steps, which the stream's own last event leaves out."""
        steps = [self._step(item) for key, item in core.items.items() if key[0] == "step"]
        return {**core.facts.get("interaction", {}), "steps": steps}

    @staticmethod
    def _step(item: Item) -> dict[str, Any]:
        data = {key: value for key, value in item.data.items() if key != "_annotations"}
        if item.kind == "model_output":
            part: dict[str, Any] = {"type": "text", "text": item.spans.kept()}
            if "_annotations" in item.data:
                part["annotations"] = list(item.data["_annotations"])
            return {"type": "model_output", **data, "content": [part]}
        if item.kind == "thought":
            text = item.spans.kept()
            return {**data, "summary": [{"type": "text", "text": text}]} if text else data
        if item.slot is not None:
            slot = item.slot
            data["arguments"] = slot.call.arguments if slot.call is not None else slot.args.text()
        return data

    # --- strategy --------------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is an event of this format: no other has `event_type`, but Cohere's older one."""
        kind = mapping(chunk).get("event_type")
        return isinstance(kind, str) and (kind.startswith(("interaction.", "step.")) or kind == "error")

    def recognizes(self, shape: Any) -> bool:
        """Tell whether an event or an interaction is of this format."""
        event = mapping(shape)
        return self.claims(shape) or event.get("object") == "interaction" or isinstance(event.get("steps"), list)

    @staticmethod
    def _steps(message: Any) -> list[Mapping[str, Any]]:
        steps = mapping(message).get("steps")
        return [mapping(step) for step in steps] if isinstance(steps, list | tuple) else []

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way, with the first one's name if it is there."""
        for step in self._steps(message):
            if step.get("type") == "function_call":
                return Forming(True, _text(step.get("name")) or None)
        return Forming()

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of an interaction."""
        found = []
        for step in self._steps(message):
            name = step.get("name")
            if step.get("type") != "function_call" or not isinstance(name, str) or not name:
                continue
            arguments = parse_arguments(step.get("arguments"), "arguments" in step)
            if arguments is not None:
                found.append(ExtractedCall(name, arguments, _text(step.get("id")) or None))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of an interaction."""
        if isinstance(message, str):
            return message
        parts = [mapping(part) for step in self._steps(message) if step.get("type") == "model_output"
                 for part in step.get("content") or ()]  # fmt: skip
        return "".join(_text(part.get("text")) for part in parts)

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the `input` of the request that goes on: one `function_result` for each of `records`.

        The turn itself is not sent again: the request names it by `previous_interaction_id`.
        """
        out = []
        for record in records:
            answer = {"type": "function_result", "call_id": record.tool_call_id, "name": record.name}
            failed = {"is_error": True} if record.error is not None else {}
            out.append({**answer, "result": result_text(record), **failed})
        return out


def _json(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(plain(value), enc_hook=str).decode()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
