"""Anthropic Messages and the servers that speak it: `POST /v1/messages`, stream=true.

SSE, `event: <type>` and the same `type` in the data, so that the name of the event is not needed; no `[DONE]`. Checked
2026-11-30 against anthropic 2.14.0 (types/raw_message_stream_event.py, types/beta, lib/streaming/_beta_messages.py) and
https://platform.claude.com/docs (streaming, fine-grained tool streaming, stop reasons).

| primitive | where |
| --- | --- |
| turn start | message_start.message; a second one with another id is a splice, whose indexes begin again |
| part | index of content_block_start / _delta / _stop |
| content | content_block.text, text_delta.text |
| reasoning | content_block.thinking, thinking_delta.thinking |
| opaque | signature_delta, citations_delta, compaction_delta; whole: redacted_thinking, *_tool_result, fallback, ... |
| name, id | content_block.name, .id |
| arguments | input_json_delta.partial_json: fragments; content_block.input: whole, where no fragment follows |
| call end | content_block_stop: the arguments may be invalid even then (eager streaming), or cut |
| finish | message_delta.delta.stop_reason; on some bodies message_start.message.stop_reason |
| turn end | message_stop |
| usage | message_start.message.usage, then message_delta.usage: totals that overwrite what is not null |
| error | error.error |
| run by the provider | server_tool_use, mcp_tool_use |

An event of type "message" is the stream=false body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ...actions import machines
from ...calls import Counts
from ...core import Core
from ...decode import ViewDecoder, mapping
from ...machine.rows import CALL_ENDS, SLOT_ENDS, SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ...slots import Item, Slot
from ...strategy import plain
from .history import INVALID, History, as_object, as_text

__all__ = ["AnthropicExtractionStrategy"]


class Delta(msgspec.Struct, gc=False):
    """What is read of a delta, a block's or the message's."""

    type: str | None = None
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    signature: str | None = None
    citation: Any = None
    content: Any = None
    encrypted_content: Any = None
    stop_reason: str | None = None
    stop_details: Any = None
    container: Any = None


class Event(msgspec.Struct, gc=False):
    """What is read of an event; the last four fields are those of a stream=false body."""

    type: str | None = None
    index: int | None = None
    delta: Delta | None = None
    content_block: Any = None
    message: Any = None
    usage: Any = None
    error: Any = None
    request_id: Any = None
    context_management: Any = None
    input_transformations: Any = None
    id: Any = None
    model: Any = None
    content: Any = None
    stop_reason: Any = None
    stop_details: Any = None
    container: Any = None


MACHINES = machines("anthropic", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

#: Stop reasons after which nothing may be run: a refusal may come in the middle of a call.
CUT = frozenset(("max_tokens", "model_context_window_exceeded", "refusal"))

_EVENTS = frozenset((
    "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
    "message_stop",
))  # fmt: skip
_RETRYABLE = frozenset(("rate_limit_error", "timeout_error", "overloaded_error", "api_error"))
_AGAIN = ("throttling", "Unavailable", "internalServer", "Timeout")  # AWS exceptions, from anthropic's Bedrock client
_BESIDE = ("stop_details", "container", "context_management", "input_transformations")
_CALL = frozenset(("type", "id", "name", "input"))


class Block:
    """What came of a content block beside its characters: the start as sent, and pieces that are joined later."""

    __slots__ = ("citations", "given", "implicit", "more", "signature", "start")

    def __init__(self, start: dict[str, Any], implicit: bool = False) -> None:
        self.start, self.implicit = start, implicit
        self.signature: list[str] = []
        self.citations: list[Any] = []
        self.more: dict[str, Any] = {}
        self.given = False  # the arguments so far are a whole value, or a beginning that is sent again


class AnthropicExtractionStrategy(History):
    """Messages."""

    name = "anthropic"
    leaks_into_text = True
    machines = MACHINES
    decoder = ViewDecoder(Event)

    # --- one frame -------------------------------------------------------------------------------------------

    def lex(self, core: Core, view: Event) -> None:
        """Say what one event says."""
        kind = view.type
        if kind == "content_block_delta":
            if view.delta is not None:
                self._delta(core, view.index, view.delta)
        elif kind == "content_block_start":
            self._start(core, view.index, view.content_block)
        elif kind == "content_block_stop":
            self._stop(core, view.index)
        elif kind == "ping":
            pass
        elif kind == "message_start":
            self._message(core, mapping(view.message))
        elif kind == "message_delta":
            delta = view.delta or Delta()
            word = delta.stop_reason or view.stop_reason
            if isinstance(word, str) and word:
                core.finish(word, word in CUT)
            self._usage(core, view.usage)
            self._beside(core, {key: getattr(delta, key, None) or getattr(view, key) for key in _BESIDE})
        elif kind == "message_stop":
            core.end()
        elif kind == "message":
            self._message(core, {field: getattr(view, field) for field in view.__struct_fields__})
            core.end()
        elif kind == "error" or view.error:
            self._error(core, view)
        else:
            core.odd("unknown_event")

    def _message(self, core: Core, message: Mapping[str, Any]) -> None:
        """Take a message: its envelope, and whatever it holds already (a whole call, on programmatic tool calls)."""
        facts = core.facts
        id, model = as_text(message.get("id")) or None, as_text(message.get("model")) or None
        if "id" in facts:
            if id == facts["id"]:
                core.odd("message_repeated")
                return
            core.odd("message_spliced")
            facts["_at"], facts["_epoch"] = {}, facts.get("_epoch", 0) + 1
        facts["id"], facts["model"] = id, model
        core.start(id, model)
        content = message.get("content")
        for index, block in enumerate(content if isinstance(content, list | tuple) else ()):
            self._start(core, index, block)
            self._stop(core, index)
        word = message.get("stop_reason")
        if isinstance(word, str) and word:
            core.finish(word, word in CUT)
        self._usage(core, message.get("usage"))
        self._beside(core, message)

    def _beside(self, core: Core, message: Mapping[str, Any]) -> None:
        """Keep what stands beside the content and has no event of its own."""
        for key in _BESIDE:
            value = plain(message.get(key))
            if value is not None and value != core.facts.get(key):
                core.facts[key] = value
                core.opaque(key, value)

    # --- blocks ----------------------------------------------------------------------------------------------

    def _start(self, core: Core, index: int | None, content_block: Any) -> None:
        start = as_object(content_block)
        if start is None:
            core.error("bad_field", f"content_block is {type(content_block).__name__}, not an object")
            return
        kind = as_text(start.get("type")) or ("text" if "text" in start else "unknown")
        facts = core.facts
        at: dict[Any, Item] = facts.setdefault("_at", {})
        epoch = facts.setdefault("_epoch", 0)
        if index is None:
            index = len(core.items)
        old = at.get(index) or self._replayed(core, index, start)
        if old is not None:
            if self._continues(old, kind, start):
                at[index] = facts["_last"] = old
                self._again(core, old, start)
                return
            core.odd("index_reused")
            epoch = facts["_epoch"] = epoch + 1
        item = core.item((epoch, index, len(core.items)), kind, Block(start))
        at[index] = facts["_last"] = item
        self._open(core, item, start)

    @staticmethod
    def _continues(item: Item, kind: str, start: Mapping[str, Any]) -> bool:
        """Tell whether a block start is the one that was read already, and not another block at its index."""
        if item.data.implicit:
            return item.kind == kind or (item.slot is not None and kind.endswith("tool_use"))
        if item.kind != kind:
            return False
        slot = item.slot
        if slot is None:
            return not item.done and kind in ("text", "thinking")
        id = start.get("id")
        return slot.id == id if id else not item.done and slot.id is None and not slot.whole

    @staticmethod
    def _replayed(core: Core, index: int, start: Mapping[str, Any]) -> Item | None:
        """Return a call that a spliced message says once more: same place, id and name."""
        id = start.get("id")
        slot = core.by_id.get(id) if isinstance(id, str) else None
        if slot is None or slot.item is None or slot.item.key[1] != index or slot.name != start.get("name"):
            return None
        return slot.item

    def _again(self, core: Core, item: Item, start: dict[str, Any]) -> None:
        """Take a block's start for the second time, or late, after its first deltas."""
        block: Block = item.data
        if not block.implicit:
            core.odd("block_repeated")
            block.given = item.slot is not None
            return
        block.start, block.implicit, item.kind = start, False, as_text(start.get("type")) or item.kind
        slot = item.slot
        if slot is not None:
            slot.provider_run = item.kind != "tool_use"
            core.call(slot.key, as_text(start.get("id")) or None, as_text(start.get("name")) or None, item=item)

    def _open(self, core: Core, item: Item, start: dict[str, Any]) -> None:
        kind, block = item.kind, item.data
        if kind == "text":
            core.content(as_text(start.get("text")), item)
            citations = start.get("citations")
            for citation in citations if isinstance(citations, list) else ():
                self._citation(core, item, citation)
        elif kind == "thinking":
            core.reasoning(as_text(start.get("thinking")), item)
            self._signature(core, item, as_text(start.get("signature")))
        elif kind.endswith("tool_use"):
            slot = core.call(
                item.key, as_text(start.get("id")) or None, as_text(start.get("name")) or None,
                provider_run=kind != "tool_use", item=item,
            )  # fmt: skip
            slot.extra = {key: value for key, value in start.items() if key not in _CALL}
            if start.get("input"):
                self._given(core, slot, start["input"])
                block.given = True
        elif kind == "compaction":
            if start.get("content") or start.get("encrypted_content"):
                core.opaque(kind, start, item)
        else:
            if kind == "fallback":  # what follows is by another model
                model = mapping(start.get("to")).get("model")
                core.facts["model"] = model if isinstance(model, str) else core.facts.get("model")
            core.opaque("provider_result" if kind.endswith("_tool_result") else kind, start, item)

    @staticmethod
    def _given(core: Core, slot: Slot, value: Any) -> None:
        """Take the arguments that stand in the block's start; fragments, if any follow, replace them."""
        try:
            core.args_set(slot, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        except (TypeError, ValueError, RecursionError):  # half a surrogate pair, an SDK's own object
            core.call_broken(slot, "malformed")

    def _stop(self, core: Core, index: int | None) -> None:
        facts = core.facts
        item: Item | None = facts.get("_at", {}).get(index) if index is not None else facts.get("_last")
        if item is None:
            core.odd("stop_without_block")
            return
        item.done = True
        if item.slot is not None:
            core.call_end(item.slot)

    def _delta(self, core: Core, index: int | None, delta: Delta) -> None:
        facts = core.facts
        item: Item | None = facts.get("_at", {}).get(index) if index is not None else facts.get("_last")
        kind = delta.type
        if kind == "text_delta" or (kind is None and delta.text):
            if delta.text:
                if item is None or item.slot is not None or item.kind == "thinking":
                    item = self._stray(core, index, "text")
                core.content(delta.text, item)
        elif kind == "input_json_delta" or (kind is None and delta.partial_json):
            piece = delta.partial_json
            if piece:
                if item is None or not item.kind.endswith("tool_use"):
                    item = self._stray(core, index, "tool_use")
                self._arguments(core, item, piece)
        elif kind == "thinking_delta" or (kind is None and delta.thinking):
            if delta.thinking:
                if item is None or item.kind != "thinking":
                    item = self._stray(core, index, "thinking")
                core.reasoning(delta.thinking, item)
        elif kind == "signature_delta" or (kind is None and delta.signature):
            if item is None or item.slot is not None or item.kind == "text":
                item = self._stray(core, index, "thinking")
            self._signature(core, item, delta.signature or "")
        elif kind == "citations_delta":
            if delta.citation is not None:
                if item is None or item.slot is not None or item.kind == "thinking":
                    item = self._stray(core, index, "text")
                self._citation(core, item, delta.citation)
        elif kind == "compaction_delta":
            if item is None or item.kind != "compaction":
                item = self._stray(core, index, "compaction")
            pieces = (("content", delta.content), ("encrypted_content", delta.encrypted_content))
            more = {key: plain(value) for key, value in pieces if value is not None}
            if more:
                item.data.more.update(more)
                core.opaque("compaction", more, item)
        else:
            core.odd("unknown_delta")

    @staticmethod
    def _stray(core: Core, index: int | None, kind: str) -> Item:
        """Return the block for a delta that has no start, or whose index is that of a block of another kind."""
        facts = core.facts
        at: dict[Any, Item] = facts.setdefault("_at", {})
        epoch = facts.setdefault("_epoch", 0)
        last = core.last_call
        if kind == "tool_use" and last is not None and last.open and last.item is not None and not last.item.done:
            core.odd("index_mismatch")
            return last.item
        place = index if index is not None and index not in at else (kind, index)
        item = at.get(place)
        if item is None:
            core.odd("delta_without_block")
            number = index if index is not None else len(core.items)
            item = core.item((epoch, number, len(core.items)), kind, Block({"type": kind}, implicit=True))
            at[place] = facts["_last"] = item
            if kind == "tool_use":
                core.call(item.key, item=item)
        return item

    @staticmethod
    def _arguments(core: Core, item: Item, piece: str) -> None:
        slot, block = item.slot, item.data
        if slot is None:  # over the limit of calls
            return
        if block.given:
            block.given = False
            if piece.lstrip()[:1] == "{":
                core.args_set(slot, piece)
                return
        core.args(slot, piece)

    @staticmethod
    def _signature(core: Core, item: Item, piece: str) -> None:
        """Take a signature, or a piece of one; the same again is a repeat."""
        pieces: list[str] = item.data.signature
        if piece and piece != "".join(pieces[-1:]):
            pieces.append(piece)
            core.opaque("signature", piece, item)

    @staticmethod
    def _citation(core: Core, item: Item, citation: Any) -> None:
        citation = plain(citation)
        item.data.citations.append(citation)
        core.opaque("citation", citation, item)

    # --- what stands beside the blocks -------------------------------------------------------------------------

    @staticmethod
    def _usage(core: Core, usage: Any) -> None:
        if usage is None:
            return
        new = as_object(usage)
        if new is None:
            core.odd("bad_usage")
            return
        old = core.usage_data or {}
        total = {**old, **{key: value for key, value in new.items() if value is not None or key not in old}}
        parts = [
            _int(total.get(key)) for key in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        ]
        core.usage(total, Counts(
            None if parts[0] is None else sum(part or 0 for part in parts), _int(total.get("output_tokens")), parts[2],
            _int(mapping(total.get("output_tokens_details")).get("thinking_tokens")),
        ))  # fmt: skip

    @staticmethod
    def _error(core: Core, view: Event) -> None:
        data = plain(view.error or view.message)
        fields = mapping(data)
        kind = as_text(fields.get("type"))
        message = as_text(fields.get("message")) or kind or as_text(data) or "an error without a message"
        if view.request_id and isinstance(data, dict):
            data = {**data, "request_id": view.request_id}
        again = kind in _RETRYABLE or any(word in kind for word in _AGAIN)
        core.error("provider", message, retryable=again, data=data)

    # --- the message -----------------------------------------------------------------------------------------

    def message(self, core: Core) -> dict[str, Any]:
        """Build the message that goes back into the history."""
        items = sorted(core.items.values(), key=lambda item: item.key)
        return {"role": "assistant", "content": [self._block(item) for item in items]}

    @staticmethod
    def _block(item: Item) -> dict[str, Any]:
        block: Block = item.data
        built = {"type": item.kind, **block.start, **block.more}
        if item.kind.endswith("tool_use"):
            slot: Slot | None = item.slot
            built.pop("input", None)
            if slot is not None and slot.call is not None:
                built["input"] = slot.call.arguments
            elif slot is not None and slot.open and (not item.done or slot.state_name == "ended"):
                built["input_json"] = slot.args.text()
            else:
                built["input"] = {INVALID: slot.args.text() if slot is not None else ""}
        elif item.kind == "thinking":
            built["thinking"] = item.spans.kept()
        elif item.kind == "text" or item.spans.spans:
            built["text"] = item.spans.kept()
        if block.citations:
            built["citations"] = list(block.citations)
        if block.signature:
            built["signature"] = "".join(block.signature)
        return built

    # --- recognition -----------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is one of the six events, or a stream=false body."""
        event = mapping(chunk)
        kind = event.get("type")
        if "choices" in event or not isinstance(kind, str):  # Perplexity's chat chunks have both
            return False
        return kind in _EVENTS or (kind == "message" and _is_body(event))

    def hints(self, chunk: Any) -> bool:
        """Tell whether an event that other wires have too is likely of this format."""
        event = mapping(chunk)
        if event.get("type") != "error":
            return event.get("type") == "ping"
        return bool(mapping(event.get("error"))) and event.keys().isdisjoint(("sequence_number", "status"))


def _is_body(event: Mapping[str, Any]) -> bool:
    """Tell a stream=false body from an output item of Responses, which has the same type and role."""
    content = event.get("content")
    if event.get("role") != "assistant" or not isinstance(content, list) or "status" in event:
        return False
    return not any(mapping(block).get("type") in ("output_text", "refusal") for block in content)


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
