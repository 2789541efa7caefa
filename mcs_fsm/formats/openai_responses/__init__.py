"""OpenAI Responses: `POST /v1/responses`, stream=true, and the same events over a WebSocket.

SSE, `event: <type>` and the same `type` in the data; no `[DONE]`. Checked 2026-11-30 against openai 3.57.0
(types/responses/response_stream_event.py, lib/streaming/responses).

| primitive | event -> field |
| --- | --- |
| turn start | response.created, .queued, .in_progress -> response |
| part | output_index; item ids may change from event to event, the index does not |
| content | response.output_text.delta -> delta, under (output_index, content_index) |
| refusal | response.refusal.delta -> delta |
| reasoning | response.reasoning_summary_text.delta, response.reasoning_text.delta -> delta |
| call | response.output_item.added -> item: call_id, name; kinds in `items` |
| arguments | response.function_call_arguments.delta, .custom_tool_call_input.delta, ... -> delta; .done is a snapshot |
| call end | response.output_item.done -> item, which is the authority |
| finish, turn end | response.completed, .incomplete, .failed -> response; the word is its status |
| usage | response.usage of that event |
| error | error -> code, message (flat or nested); response.failed -> response.error |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...actions import machines
from ...calls import Counts, ExtractedCall, Forming
from ...core import Core
from ...decode import ViewDecoder, mapping
from ...machine.rows import CALL_ENDS, SLOT_ENDS, SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ...slots import Item
from ...strategy import Format, plain
from .items import arguments_of, call_id, call_of, extract_item, history

__all__ = ["OpenAIResponseExtractionStrategy"]


class Event(msgspec.Struct, gc=False):
    """What is read of an event: one flat struct for all kinds."""

    type: Any = None
    sequence_number: Any = None
    output_index: Any = None
    item_id: Any = None
    content_index: Any = None
    summary_index: Any = None
    delta: Any = None
    text: Any = None
    refusal: Any = None
    arguments: Any = None
    input: Any = None
    code: Any = None
    part: Any = None
    item: Any = None
    annotation: Any = None
    response: Any = None
    error: Any = None
    message: Any = None


MACHINES = machines("openai_responses", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

_TERMINAL = {
    "response.completed": "completed", "response.incomplete": "incomplete", "response.failed": "failed",
    "response.cancelled": "cancelled",
}  # fmt: skip
# Delta events by what their characters are: the kind of part, and the key of its number.
_TEXTS = {
    "output_text": ("output_text", "content_index"), "refusal": ("refusal", "content_index"),
    "reasoning_text": ("reasoning_text", "content_index"), "reasoning_summary_text": ("summary_text", "summary_index"),
}  # fmt: skip
# Delta events of arguments -> where their .done has the snapshot.
_ARGUMENTS = {
    "function_call_arguments": "arguments", "custom_tool_call_input": "input", "mcp_call_arguments": "arguments",
    "code_interpreter_call_code": "code",
}  # fmt: skip
#: Events that say nothing that an item does not say as well: states of hosted tools, pieces of items, audio.
_QUIET = (
    "response.web_search_call.", "response.file_search_call.", "response.code_interpreter_call.", "response.mcp_call.",
    "response.mcp_list_tools.", "response.image_generation_call.", "response.audio.", "response.shell_call_",
    "response.apply_patch_call_", "response.compaction.", "response.content_part.", "response.reasoning_summary_part.",
    "response.reasoning_part.", "response.steer.", "response.inject.", "keepalive",
)  # fmt: skip
_OWNER = {"output_text": "message", "refusal": "message", "reasoning_text": "reasoning", "summary_text": "reasoning"}


class OpenAIResponseExtractionStrategy(Format):
    """OpenAI Responses."""

    name = "openai-responses"
    leaks_into_text = True
    machines = MACHINES
    decoder = ViewDecoder(Event)

    # --- one event -------------------------------------------------------------------------------------------

    def lex(self, core: Core, view: Event) -> None:
        """Say what one event says."""
        kind = view.type
        if not isinstance(kind, str) or (view.sequence_number is not None and self._repeated(core, view)):
            return
        if kind == "response.output_item.added":
            self._added(core, view.output_index, mapping(view.item))
        elif kind == "response.output_item.done":
            self._done(core, view.output_index, mapping(view.item))
        elif kind in _TERMINAL:
            self._terminal(core, kind, mapping(view.response))
        elif kind in ("response.created", "response.queued", "response.in_progress"):
            self._started(core, mapping(view.response))
        elif kind == "error":
            self._error(core, mapping(view.error) or {"code": view.code, "message": view.message})
        elif kind == "response.output_text.annotation.added":
            item = self._part(core, view, "output_text", view.content_index)
            item.data.setdefault("annotations", []).append(plain(view.annotation))
            core.opaque("citation", plain(view.annotation), item)
        elif kind.startswith("response.") and self._piece(core, view, kind[9:]):
            return
        elif not kind.startswith(_QUIET):
            core.odd("unknown_event")

    def _piece(self, core: Core, view: Event, kind: str) -> bool:
        """Take a delta, or the snapshot that closes a series of them; False if it is neither."""
        name, _, what = kind.rpartition(".")
        text = _TEXTS.get(name)
        if text is not None:
            if what == "delta":
                if isinstance(view.delta, str):
                    self._say(core, self._part(core, view, text[0], getattr(view, text[1])), view.delta)
            elif what == "done":
                said = view.refusal if name == "refusal" else view.text
                if isinstance(said, str):
                    self._complete(core, self._part(core, view, text[0], getattr(view, text[1])), said)
            return what in ("delta", "done")
        field = _ARGUMENTS.get(name)
        if field is None or what not in ("delta", "done"):
            return False
        item = self._at(core, view.output_index, view.item_id)
        if item is None or item.slot is None:
            core.odd("delta_without_block")
        elif what == "delta":
            if isinstance(view.delta, str):
                core.args(item.slot, view.delta)
        elif isinstance(getattr(view, field), str):
            core.args_set(item.slot, getattr(view, field))
        return True

    def _repeated(self, core: Core, view: Event) -> bool:
        """Tell whether a resumed stream says again what was said. Servers that do not count send only zeros."""
        number = view.sequence_number
        if not isinstance(number, int) or view.type == "response.created":
            core.facts["_number"] = number if isinstance(number, int) else 0
            return False
        last = core.facts.get("_number", -1)
        if number < last or (number == last and number > 0):
            core.odd("event_repeated")
            return True
        if last < 0 and number > 0:
            core.facts["_resumed"] = True
        core.facts["_number"] = number
        return False

    def _started(self, core: Core, response: Mapping[str, Any]) -> None:
        if response:
            core.facts["_response"] = plain(dict(response))
            core.start(response.get("id") or None, response.get("model") or None, response.get("created_at"))

    # --- items and their parts -------------------------------------------------------------------------------

    def _at(self, core: Core, index: Any, id: Any = None) -> Item | None:
        """Return the item under an output index; without one, by its id, else the last one."""
        places: dict[Any, Item] = core.facts.setdefault("_items", {})
        if isinstance(index, int):
            return places.get(index)
        for item in reversed(places.values()):
            if id is None or item.data.get("id") == id:
                return item
        return None

    def _open(self, core: Core, index: Any, data: Mapping[str, Any]) -> Item:
        places: dict[Any, Item] = core.facts.setdefault("_items", {})
        if not isinstance(index, int):
            index = len(core.items)
        elif index in places:
            core.odd("index_reused")
            places[("before", len(core.items))] = places.pop(index)
        item = core.item(("item", len(core.items)), str(data.get("type")), plain(dict(data)))
        places[index] = item
        call = call_of(data)
        if call is not None:
            kind = "custom" if call.kind == "custom" else call.kind
            slot = core.open_call(None, kind=kind, provider_run=call.provider_run, item=item)
            id = call_id(data)
            if id:
                core.identify(slot, id)
            core.name(slot, call.name or _text(data.get("name")))
            if call.kind in ("function", "custom", "mcp_approval", "mcp"):
                core.args(slot, arguments_of(data, call))
        return item

    def _added(self, core: Core, index: Any, data: Mapping[str, Any]) -> None:
        if not data:  # `item: null` happens
            return
        item = self._at(core, index, data.get("id")) if isinstance(index, int) else None
        if item is None or item.done:
            self._open(core, index, data)
        else:
            core.odd("block_repeated")
            item.data.update(plain(dict(data)))

    def _done(self, core: Core, index: Any, data: Mapping[str, Any]) -> None:
        if not data:
            return
        item = self._at(core, index, data.get("id"))
        if item is None or item.done or item.kind != data.get("type"):
            item = self._open(core, index, data)
        self._finish(core, item, data)

    def _finish(self, core: Core, item: Item, data: Mapping[str, Any]) -> None:
        """Take the item as it is at last."""
        notes = item.data.get("annotations")
        item.data = plain(dict(data))
        item.done = True
        if notes is not None:
            item.data.setdefault("annotations", notes)
        slot, call = item.slot, call_of(data)
        if slot is not None and call is not None:
            id = call_id(data)
            if id and slot.id is None:
                core.identify(slot, id)
            if not slot.name:
                core.name(slot, call.name or _text(data.get("name")))
            if data.get("status") == "incomplete" and not call.provider_run:
                core.call_broken(slot, "truncated")
            elif slot.open:
                core.args_set(slot, arguments_of(data, call))
                core.call_end(slot)
        elif item.kind == "message" and not core.facts.get("_resumed"):
            for number, part in enumerate(map(mapping, _list(data.get("content")))):
                kind = "refusal" if part.get("type") == "refusal" else "output_text"
                said = part.get("refusal" if kind == "refusal" else "text")
                if isinstance(said, str):
                    self._complete(core, self._number(core, item, kind, number), said)
        elif item.kind == "reasoning":
            for kind, key in (("summary_text", "summary"), ("reasoning_text", "content")):
                for number, part in enumerate(map(mapping, _list(data.get(key)))):
                    if isinstance(part.get("text"), str) and not core.facts.get("_resumed"):
                        self._complete(core, self._number(core, item, kind, number), part["text"])
            if data.get("encrypted_content"):
                core.opaque("encrypted_reasoning", data["encrypted_content"], item)
        else:
            core.opaque(item.kind, item.data, item)

    def _part(self, core: Core, view: Event, kind: str, number: Any) -> Item:
        item = self._at(core, view.output_index, view.item_id)
        if item is None:
            item = self._open(core, view.output_index, {"type": _OWNER[kind], "id": view.item_id})
        return self._number(core, item, kind, number)

    def _number(self, core: Core, item: Item, kind: str, number: Any) -> Item:
        """Return a part of an item by kind and number; some servers skip numbers, so it is no position."""
        number = number if isinstance(number, int) else 0
        return core.item(("part", item.key, kind, number), kind, {})

    def _say(self, core: Core, part: Item, text: str) -> None:
        if part.kind == "output_text":
            core.content(text, part)
        elif part.kind == "refusal":
            core.refusal(text, part)
        else:
            core.reasoning(text, part)

    def _complete(self, core: Core, part: Item, text: str) -> None:
        """Take a part's whole text: what has not come in pieces is said now."""
        said = part.spans.text()
        if text.startswith(said):
            if len(text) > len(said):
                self._say(core, part, text[len(said) :])
        elif not core.facts.get("_resumed"):
            core.odd("text_replaced")

    # --- ends ------------------------------------------------------------------------------------------------

    def _terminal(self, core: Core, kind: str, response: Mapping[str, Any]) -> None:
        self._started(core, response)
        output = [mapping(item) for item in _list(response.get("output"))]
        places: dict[Any, Item] = core.facts.setdefault("_items", {})
        for index, data in enumerate(output):
            item = places.get(index)
            if item is None and not any(_same(old.data, data) for old in places.values()):
                item = self._open(core, index, data)
            if item is not None and not item.done and item.kind == data.get("type"):
                self._finish(core, item, data)
        if output and len(output) >= len([item for item in places.values() if item.done]):
            core.facts["_final"] = True
        word = response.get("status")
        word = word if isinstance(word, str) and word else _TERMINAL[kind]
        usage = plain(response.get("usage"))
        if isinstance(usage, dict) and usage:
            came, went = (mapping(usage.get(f"{side}_tokens_details")) for side in ("input", "output"))
            core.usage(usage, Counts(
                _int(usage.get("input_tokens")), _int(usage.get("output_tokens")), _int(came.get("cached_tokens")),
                _int(went.get("reasoning_tokens")),
            ))  # fmt: skip
        core.finish(word, word != "completed")
        if mapping(response.get("error")):
            self._error(core, mapping(response["error"]))
        core.end()

    def _error(self, core: Core, error: Mapping[str, Any]) -> None:
        data = plain(dict(error))
        message = _text(data.get("message")) or "the provider reported an error"
        if core.error_data is not None and core.error_data["message"] == message:
            return  # an `error` event, and the response that failed with it
        code = _text(data.get("code"))
        again = code in ("server_error", "rate_limit_exceeded", "vector_store_timeout")
        core.error("provider", message, retryable=again, data=data)

    # --- the message -----------------------------------------------------------------------------------------

    def message(self, core: Core) -> dict[str, Any]:
        """Build the response with its output; the terminal event's own where it has all items."""
        response = dict(core.facts.get("_response", {}))
        places: dict[Any, Item] = core.facts.get("_items", {})
        if core.facts.get("_final") and not core.body.cuts:
            slots = {slot.id: slot for slot in core.slots if slot.start is None}
            output = [dict(item) for item in response["output"]]
            for data in output:
                slot = slots.get(call_id(data))
                if slot is not None and slot.call is not None and data.get("arguments") == "":
                    data["arguments"] = "{}"
        else:
            output = [self._built(core, item) for item in places.values()]
        return {**response, "output": output}

    def _built(self, core: Core, item: Item) -> dict[str, Any]:
        """Build an item from what came of it; one that is done is the provider's own."""
        data = dict(item.data)
        parts = [part for key, part in core.items.items() if key[0] == "part" and key[1] == item.key]
        if item.kind == "message" and (not item.done or core.body.cuts):
            data.setdefault("role", "assistant")
            data["content"] = [self._content(part) for part in parts]
        elif item.kind == "reasoning" and not item.done:
            texts = {kind: [{"type": kind, "text": part.spans.kept()} for part in parts if part.kind == kind]
                     for kind in ("summary_text", "reasoning_text")}  # fmt: skip
            data["summary"] = texts["summary_text"]
            if texts["reasoning_text"]:
                data["content"] = texts["reasoning_text"]
        slot = item.slot
        if slot is not None and item.kind in ("function_call", "custom_tool_call", "mcp_call", "mcp_approval_request"):
            field = "input" if item.kind == "custom_tool_call" else "arguments"
            raw = slot.args.text()
            empty = slot.call is not None and not raw.strip() and field == "arguments"
            data[field] = "{}" if empty else raw or data.get(field, "")
        return data

    @staticmethod
    def _content(part: Item) -> dict[str, Any]:
        if part.kind == "refusal":
            return {"type": "refusal", "refusal": part.spans.kept()}
        return {"type": "output_text", "text": part.spans.kept(), "annotations": part.data.get("annotations", [])}

    # --- strategy --------------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is an event of this format."""
        event = mapping(chunk)
        kind = event.get("type")
        if not isinstance(kind, str) or "choices" in event:
            return False
        return kind.startswith("response.") or (kind == "keepalive" and "sequence_number" in event)

    def recognizes(self, shape: Any) -> bool:
        """Tell whether an event, a body or an assembled output is of this format."""
        event = mapping(shape)
        return self.claims(shape) or event.get("object") == "response" or isinstance(event.get("output"), list)

    @staticmethod
    def _output(message: Any) -> list[Mapping[str, Any]]:
        body = mapping(message)
        if "output" not in body and mapping(body.get("response")):
            body = mapping(body["response"])
        return [mapping(item) for item in _list(body.get("output"))]

    def forming(self, message: Any) -> Forming:
        """Tell whether a call of the client's is on its way, with the first one's name if it is there."""
        for item in self._output(message):
            call = call_of(item)
            if call is not None and not call.provider_run:
                return Forming(True, call.name or _text(item.get("name")) or None)
        return Forming()

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body that the client runs."""
        return [call for item in self._output(message) if (call := extract_item(item)) is not None]

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body."""
        if isinstance(message, str):
            return message
        parts = [mapping(part) for item in self._output(message) if item.get("type") == "message"
                 for part in _list(item.get("content"))]  # fmt: skip
        return "".join(_text(part.get("text")) for part in parts if part.get("type") == "output_text")

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the output items to send back, with the calls of `records`, and one output item for each."""
        return history(self._output(message), records)


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether two items are one: by call id, else by kind and id."""
    if one.get("call_id") or other.get("call_id"):
        return one.get("call_id") == other.get("call_id")
    return one.get("type") == other.get("type") and one.get("id") == other.get("id") and one.get("id") is not None


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
