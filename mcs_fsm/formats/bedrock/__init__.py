"""AWS Bedrock ConverseStream: `POST /model/{id}/converse-stream`; Amazon's own models through InvokeModel speak it too.

AWS event stream. The name of an event stands in the frame's header, so two shapes of it are about: the union form
`{"contentBlockDelta": {...}}` (boto3, proxies, frames as this package reads them) and the payload alone, flat JSON.
Checked 2026-11-30 against botocore 1.44.8 (bedrock-runtime/2023-09-30/service-2.json, botocore/eventstream.py) and
litellm 1.110.2 (llms/bedrock/chat).

| primitive | where |
| --- | --- |
| turn start | messageStart.role |
| part | contentBlockIndex; text, reasoning and citations have no start, the first delta's key says what the block is |
| content | delta.text |
| reasoning | delta.reasoningContent.text |
| opaque | reasoningContent.signature, .redactedContent; delta.citation; whole at their stop: toolResult, image |
| name, id | start.toolUse.name, .toolUseId |
| arguments | delta.toolUse.input: fragments, one whole string on some models |
| call end | contentBlockStop |
| finish | messageStop.stopReason |
| turn end | metadata after messageStop, or the end of the body: either may come first, or metadata never |
| usage | metadata.usage |
| error | {"throttlingException": {"message": ...}} and its kin; any other key with a message, from an error frame |
| run by the provider | start.toolUse.type "server_tool_use" |

`p` is padding. `{"output": {"message": ...}, "stopReason": ...}` is the body of Converse.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from typing import Any

import msgspec

from ...actions import machines
from ...calls import Counts
from ...core import Core
from ...decode import Problem, ViewDecoder, mapping
from ...machine.rows import CALL_ENDS, SLOT_ENDS, SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ...slots import Item
from ...strategy import plain
from .history import History, as_list, as_text

__all__ = ["BedrockConverseExtractionStrategy"]


class ToolUse(msgspec.Struct, gc=False):
    """What is read of a call; `input` is text in a stream, an object in a body."""

    toolUseId: str | None = None
    name: str | None = None
    input: Any = None
    type: str | None = None


class Reasoning(msgspec.Struct, gc=False):
    """What is read of reasoning; the redacted kind is base64 text, or bytes from boto3."""

    text: str | None = None
    signature: str | None = None
    redactedContent: Any = None


class Part(msgspec.Struct, gc=False):
    """What is read of a block's start or delta."""

    text: str | None = None
    toolUse: ToolUse | None = None
    reasoningContent: Reasoning | None = None
    citation: Any = None
    toolResult: Any = None
    image: Any = None


class Payload(msgspec.Struct, gc=False):
    """What is read of a payload, of any of the six events."""

    contentBlockIndex: int | None = None
    delta: Part | None = None
    start: Part | None = None
    role: str | None = None
    stopReason: str | None = None
    additionalModelResponseFields: Any = None
    usage: Any = None
    metrics: Any = None
    trace: Any = None


class Event(Payload, gc=False):
    """What is read of an event in either shape; `output` is that of a body, `other` what has none of these keys."""

    messageStart: Payload | None = None
    contentBlockStart: Payload | None = None
    contentBlockDelta: Payload | None = None
    contentBlockStop: Payload | None = None
    messageStop: Payload | None = None
    metadata: Payload | None = None
    output: Any = None
    other: Any = msgspec.field(default=None, name="")


_UNION = frozenset(
    ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")
)


class EventDecoder(ViewDecoder[Event]):
    """Decode events, and keep the whole of one with none of the known keys: an error may have any code as its key."""

    def __init__(self) -> None:
        super().__init__(Event)
        typed, nothing = self.decode, Event()

        def decode(data: Any) -> Event:
            view = typed(data)
            if view.contentBlockDelta is None and view == nothing:
                view.other = msgspec.json.decode(data)
            return view

        self.decode = decode

    def convert(self, event: Any) -> tuple[Event | None, list[Problem]]:
        """Read a decoded event, see `ViewDecoder`."""
        view, problems = super().convert(event)
        if view is not None and not problems and view == Event():
            view.other = plain(event)
        return view, problems


MACHINES = machines("bedrock", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

#: Stop reasons after which nothing may be run.
CUT = frozenset((
    "max_tokens", "model_context_window_exceeded", "guardrail_intervened", "content_filtered", "malformed_model_output",
    "malformed_tool_use",
))  # fmt: skip

_EXCEPTIONS = frozenset((
    "internalServerException", "modelStreamErrorException", "validationException", "throttlingException",
    "serviceUnavailableException", "modelTimeoutException",
))  # fmt: skip
_RETRYABLE = ("throttling", "serviceUnavailable", "internal", "Timeout", "modelStreamError")


class Block:
    """What came of a content block beside its characters."""

    __slots__ = ("citations", "redacted", "results", "signature")

    def __init__(self) -> None:
        self.signature: list[str] = []
        self.redacted: list[Any] = []
        self.citations: list[Any] = []
        self.results: list[Any] = []  # pieces of a toolResult or an image, the start first


_PARTS = ViewDecoder(Part)


class BedrockConverseExtractionStrategy(History):
    """Converse."""

    name = "bedrock-converse"
    leaks_into_text = True
    machines = MACHINES
    decoder = EventDecoder()

    # --- one frame -------------------------------------------------------------------------------------------

    def lex(self, core: Core, view: Event) -> None:
        """Say what one event says."""
        if view.contentBlockDelta is not None:
            self._delta(core, view.contentBlockDelta)
        elif view.contentBlockStart is not None:
            self._start(core, view.contentBlockStart)
        elif view.contentBlockStop is not None:
            self._stop(core, view.contentBlockStop)
        elif view.messageStart is not None:
            self._message_start(core, view.messageStart)
        elif view.messageStop is not None:
            self._message_stop(core, view.messageStop)
        elif view.metadata is not None:
            self._metadata(core, view.metadata)
        elif view.other is not None:
            self._other(core, mapping(view.other))
        elif view.output is not None:
            self._body(core, view)
        elif view.delta is not None:
            self._delta(core, view)
        elif view.start is not None:
            self._start(core, view)
        elif view.contentBlockIndex is not None:
            self._stop(core, view)
        elif view.stopReason is not None:
            self._message_stop(core, view)
        elif view.usage is not None:
            self._metadata(core, view)
        elif view.role is not None:
            self._message_start(core, view)
        else:
            core.odd("unknown_event")

    def _message_start(self, core: Core, payload: Payload) -> None:
        facts = core.facts
        if facts.get("_begun"):
            core.odd("message_repeated")
            if facts.get("_at"):  # a proxy's splice: the indexes begin again
                facts["_at"], facts["_epoch"] = {}, facts["_epoch"] + 1
        facts["_begun"] = True
        facts["role"] = payload.role or "assistant"
        core.start()

    def _message_stop(self, core: Core, payload: Payload) -> None:
        if payload.stopReason:
            core.finish(payload.stopReason, payload.stopReason in CUT)
        else:
            core.odd("no_stop_reason")
        self._beside(core, payload)

    def _metadata(self, core: Core, payload: Payload) -> None:
        usage = plain(payload.usage)
        if isinstance(usage, dict):
            parts = [_count(usage, each) for each in ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")]
            read = None if parts[0] is None else sum(part or 0 for part in parts)
            core.usage(usage, Counts(read, _count(usage, "outputTokens"), parts[1], None))
        elif usage is not None:
            core.odd("bad_usage")
        self._beside(core, payload)
        if core.finish_word is not None:
            core.end()

    def _beside(self, core: Core, payload: Payload) -> None:
        """Keep what stands beside the content and has no event of its own."""
        for key, kind in (("additionalModelResponseFields", "additional_model_response_fields"), ("trace", "trace")):
            value = plain(getattr(payload, key))
            if value is not None:
                core.facts[key] = value
                core.opaque(kind, value)

    def _other(self, core: Core, event: Mapping[str, Any]) -> None:
        """Report an exception or error; anything else is an event that is not known."""
        for key, value in event.items():
            bare = key in ("message", "Message")  # the payload of an exception frame alone
            message = as_text(value if bare else mapping(value).get("message"))
            if message or key in _EXCEPTIONS or "message" in mapping(value):
                code = "" if bare else key
                again = any(word in code for word in _RETRYABLE)
                core.error("provider", message or code, retryable=again, data=plain(event))
                return
        core.odd("unknown_event")

    def _body(self, core: Core, view: Event) -> None:
        """Take the body of Converse as if it had been streamed."""
        message = mapping(mapping(view.output).get("message"))
        self._message_start(core, Payload(role=as_text(message.get("role"))))
        content = message.get("content")
        for index, each in enumerate(content if isinstance(content, list | tuple) else ()):
            for key, value in mapping(each).items():
                self._whole(core, index, key, mapping(value) or value)
            self._stop(core, Payload(index))
        self._message_stop(core, view)
        self._metadata(core, view)
        core.end()

    def _whole(self, core: Core, index: int, key: str, value: Any) -> None:
        """Take a block of a body."""
        fields = mapping(value)
        if key == "toolUse":
            start, _ = _PARTS.convert({key: {**fields, "input": None}})
            self._start(core, Payload(index, start=start))
            parts: list[dict[str, Any]] = [{key: {"input": fields.get("input")}}]
        elif key == "reasoningContent":
            parts = [{key: {**mapping(fields.get("reasoningText")), **fields}}]
        elif key == "citationsContent":
            parts = [{"text": mapping(part).get("text")} for part in as_list(fields.get("content"))]
            parts += [{"citation": citation} for citation in as_list(fields.get("citations"))]
        elif key == "text":
            parts = [{key: value}]
        else:
            self._item(core, index, key).data.results.append(plain(value))
            return
        for part in parts:
            fitting, problems = _PARTS.convert(part)
            for problem in problems:
                core.error(problem.kind, problem.message)
            self._delta(core, Payload(index, fitting))

    # --- blocks ----------------------------------------------------------------------------------------------

    def _item(self, core: Core, index: int | None, kind: str, fresh: bool = False) -> Item:
        """Return the block at an index, a new one if there is none, or none of this kind that is still open."""
        facts = core.facts
        at: dict[Any, Item] = facts.setdefault("_at", {})
        epoch = facts.setdefault("_epoch", 0)
        last: Item | None = at.get(index) if index is not None else facts.get("_last")
        if last is not None and not fresh:
            if last.kind == kind and (not last.done or kind == "toolUse"):
                return last
            old = at.get((kind, index))
            if old is not None and not old.done and not last.done:
                return old
        if index is None:
            index = len(core.items)
        elif last is not None and (last.done or fresh):
            core.odd("index_reused")
            epoch = facts["_epoch"] = epoch + 1
        item = core.item((epoch, index, len(core.items)), kind, Block())
        at[index] = at[kind, index] = facts["_last"] = item
        return item

    def _start(self, core: Core, payload: Payload) -> None:
        start, index = payload.start or Part(), payload.contentBlockIndex
        call = start.toolUse
        if call is not None:
            at = core.facts.setdefault("_at", {})
            old: Item | None = at.get(index)
            slot = core.by_id.get(call.toolUseId or "") if old is None else old.slot
            if slot is not None and slot.item is not None and slot.item.key[1] == index:
                same = (slot.id, slot.name) == (call.toolUseId, call.name)
                if same and (call.toolUseId or not slot.item.done):  # once more, perhaps by a splice
                    core.odd("block_repeated")
                    at[index] = slot.item
                    return
            slot = None if old is None else old.slot
            fresh = old is not None and (slot is None or bool(slot.name))  # nameless: deltas came first
            item = self._item(core, index, "toolUse", fresh)
            provider_run = call.type == "server_tool_use"
            core.call(item.key, call.toolUseId or None, call.name or None, provider_run=provider_run, item=item)
            self._arguments(core, item, call.input)
        elif start.toolResult is not None or start.image is not None:
            kind = "image" if start.toolResult is None else "toolResult"
            self._item(core, index, kind).data.results.append(plain(getattr(start, kind)))
        elif start.reasoningContent is not None or start.text:  # litellm handles redacted reasoning here
            self._delta(core, Payload(index, start))

    def _delta(self, core: Core, payload: Payload) -> None:
        delta, index = payload.delta, payload.contentBlockIndex
        if delta is None:
            core.odd("unknown_delta")
        elif delta.text is not None:
            if delta.text:
                core.content(delta.text, self._item(core, index, "text"))
        elif delta.toolUse is not None:
            item = self._item(core, index, "toolUse")
            if item.slot is None and "limit_slots" not in core.anomalies:  # its start is missing
                core.call(item.key, item=item)
            self._arguments(core, item, delta.toolUse.input)
        elif delta.reasoningContent is not None:
            self._reasoning(core, index, delta.reasoningContent)
        elif delta.citation is not None:
            item, citation = self._item(core, index, "text"), plain(delta.citation)
            item.data.citations.append(citation)
            core.opaque("citation", citation, item)
        elif delta.toolResult is not None or delta.image is not None:
            kind = "image" if delta.toolResult is None else "toolResult"
            self._item(core, index, kind).data.results.append(plain(getattr(delta, kind)))
        else:
            core.odd("unknown_delta")

    def _reasoning(self, core: Core, index: int | None, reasoning: Reasoning) -> None:
        if reasoning.redactedContent:
            item = self._item(core, index, "redactedContent")
            item.data.redacted.append(reasoning.redactedContent)
            core.opaque("redacted_thinking", reasoning.redactedContent, item)
        if not reasoning.text and not reasoning.signature:
            return
        item = self._item(core, index, "reasoningContent")
        if reasoning.text:
            core.reasoning(reasoning.text, item)
        pieces: list[str] = item.data.signature
        if reasoning.signature and reasoning.signature != "".join(pieces[-1:]):  # the same again is a repeat
            pieces.append(reasoning.signature)
            core.opaque("signature", reasoning.signature, item)

    @staticmethod
    def _arguments(core: Core, item: Item, value: Any) -> None:
        slot = item.slot
        if slot is None or value is None:  # no slot: over the limit of calls
            return
        if isinstance(value, str):
            core.args(slot, value)
            return
        try:
            core.args(slot, msgspec.json.encode(value).decode())
        except (TypeError, ValueError, RecursionError):  # half a surrogate pair, an SDK's own object
            core.call_broken(slot, "malformed")

    def _stop(self, core: Core, payload: Payload) -> None:
        facts, index = core.facts, payload.contentBlockIndex
        item: Item | None = facts.get("_at", {}).get(index) if index is not None else facts.get("_last")
        if item is None or item.done:  # a block of empty text alone is none
            return
        item.done = True
        if item.slot is not None:
            core.call_end(item.slot)
        elif item.data.results:
            core.opaque("provider_result" if item.kind == "toolResult" else item.kind, self._block(item), item)

    # --- the message -----------------------------------------------------------------------------------------

    def message(self, core: Core) -> dict[str, Any]:
        """Build the message that goes back into the history, `output.message` of the body."""
        items = sorted(core.items.values(), key=lambda item: item.key)
        return {"role": core.facts.get("role", "assistant"), "content": [self._block(item) for item in items]}

    @staticmethod
    def _block(item: Item) -> dict[str, Any]:
        block: Block = item.data
        kind = item.kind
        if kind == "toolUse":
            slot = item.slot
            use: dict[str, Any] = {"toolUseId": None, "name": None, "input": ""}  # one over the limit of calls
            if slot is not None:
                use = {"toolUseId": slot.id, "name": slot.name, "input": slot.args.text()}
                if slot.call is not None:
                    use["input"] = slot.call.arguments
                if slot.provider_run:
                    use["type"] = "server_tool_use"
            return {kind: use}
        if kind == "redactedContent":
            return {"reasoningContent": {kind: _joined(block.redacted)}}
        if kind == "reasoningContent":
            reasoning = {"text": item.spans.kept()}
            if block.signature:
                reasoning["signature"] = "".join(block.signature)
            return {kind: {"reasoningText": reasoning}}
        if kind == "text":
            text = {"text": item.spans.kept()}
            if block.citations:
                return {"citationsContent": {"content": [text], "citations": list(block.citations)}}
            return text
        whole_part: dict[str, Any] = {}
        for piece in block.results:
            for each in piece if isinstance(piece, list) else [piece]:
                if kind == "toolResult" and not {"toolUseId", "status"} & mapping(each).keys():
                    whole_part.setdefault("content", []).append(each)
                else:
                    whole_part.update(mapping(each))
        return {kind: whole_part}

    # --- recognition -----------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is a Converse event in either shape, or the body of Converse."""
        event = mapping(chunk)
        keys = {key for key in event if key != "p" and not str(key).startswith("amazon-bedrock-")}
        if len(keys) == 1:
            (key,) = keys
            if key in _UNION or key in _EXCEPTIONS:
                fields = mapping(event[key])
                if key == "metadata":
                    return not fields.keys().isdisjoint(("usage", "metrics"))
                return bool(fields) or event[key] == {}
        if "type" in keys or "choices" in keys:
            return False
        if "output" in keys:
            return bool(mapping(mapping(event["output"]).get("message")))
        if "contentBlockIndex" in keys:
            return True
        return isinstance(event.get("stopReason"), str) or {"usage", "metrics"} <= keys

    def hints(self, chunk: Any) -> bool:
        """Tell whether a chunk is the flat form of messageStart, which says next to nothing."""
        event = mapping(chunk)
        return "role" in event and event.keys() <= {"role", "p", "conversationId"}


def _joined(pieces: list[Any]) -> Any:
    """Join the pieces of a blob: bytes, or base64 text, each piece padded on its own."""
    if len(pieces) == 1:
        return pieces[0]
    if all(isinstance(piece, str) for piece in pieces):
        try:
            raw = b"".join(binascii.a2b_base64(piece) for piece in pieces)
        except ValueError:
            return "".join(pieces)
        return binascii.b2a_base64(raw, newline=False).decode()
    return b"".join(piece for piece in pieces if isinstance(piece, bytes))


def _count(usage: Mapping[str, Any], key: str) -> int | None:
    """Return a token count; Nova through InvokeModel says `...TokenCount`."""
    value = usage.get(key, usage.get(key.removesuffix("Tokens") + "TokenCount"))
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
