"""OpenAI Responses and the servers that speak it: `POST /v1/responses`, stream=true; the same events on WebSocket.

SSE, `event: <type>` and the same `type` in the data, so that the name of the event is not needed; no `[DONE]`. Checked
2026-11-30 against openai 3.57.0 (types/responses, lib/streaming/responses/_responses.py).

| primitive | where (`response.` left out) |
| --- | --- |
| turn start | created, queued, in_progress: response; another created with another id is a splice |
| part | output_index; item ids may change with every event, so they are used only where the index fails |
| content, refusal | output_text.delta, refusal.delta by content_index; what only a done event has, from there |
| reasoning | reasoning_summary_text.delta, reasoning_text.delta |
| opaque | encrypted_content of a reasoning item, at its end; annotations; what the provider's tools gave |
| name, id | output_item.added .name, .call_id; for an item without them the kind's name and the item's id |
| arguments | function_call_arguments, mcp_call_arguments, custom_tool_call_input; other kinds: in the item |
| call end | output_item.done, whose item replaces what came |
| finish, turn end | completed, incomplete, failed; the word is response.status. A steered response ends its turn, too |
| usage | response.usage |
| error | error (flat or nested), response.error |

Events that were sent before, as a resumed stream does, are told by sequence_number. An event without type is the
stream=false body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...actions import machines
from ...calls import Counts
from ...core import Core
from ...decode import mapping
from ...machine.rows import CALL_ENDS, SLOT_ENDS, SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ...slots import Item
from .history import FIELD, as_list, as_text, call_kind, plainly, whole_object
from .items import Out, built, own_object
from .output import Output, same_kind
from .view import CUT, Decoder, Event

__all__ = ["OpenAIResponseExtractionStrategy"]


MACHINES = machines("openai_responses", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

_ENDS = {"response.completed": "completed", "response.incomplete": "incomplete", "response.failed": "failed",
         "response.cancelled": "cancelled"}  # fmt: skip
_STARTS = frozenset(("response.created", "response.queued", "response.in_progress"))
#: The pieces of text: event -> (kind of the part, kind of the item).
_PIECES = {
    "response.output_text.delta": ("output_text", "message"),
    "response.refusal.delta": ("refusal", "message"),
    "response.reasoning_summary_text.delta": ("summary_text", "reasoning"),
    "response.reasoning_text.delta": ("reasoning_text", "reasoning"),
}
_SNAPSHOTS = {
    "response.output_text.done": ("output_text", "message"),
    "response.refusal.done": ("refusal", "message"),
    "response.reasoning_summary_text.done": ("summary_text", "reasoning"),
    "response.reasoning_text.done": ("reasoning_text", "reasoning"),
}
#: Arguments as text: event -> the item's kind.
_ARGUMENTS = {
    "response.function_call_arguments.delta": "function_call",
    "response.custom_tool_call_input.delta": "custom_tool_call",
    "response.mcp_call_arguments.delta": "mcp_call",
}
_ARGUMENTS_DONE = {
    "response.function_call_arguments.done": "function_call",
    "response.custom_tool_call_input.done": "custom_tool_call",
    "response.mcp_call_arguments.done": "mcp_call",
}
#: Pieces of a call's own object: event -> (the item's kind, whether it is the whole of a piece).
_OBJECTS = {
    "response.code_interpreter_call_code.delta": ("code_interpreter_call", False),
    "response.code_interpreter_call_code.done": ("code_interpreter_call", True),
    "response.shell_call_command.added": ("shell_call", True),
    "response.shell_call_command.delta": ("shell_call", False),
    "response.shell_call_command.done": ("shell_call", True),
    "response.apply_patch_call_operation_diff.delta": ("apply_patch_call", False),
    "response.apply_patch_call_operation_diff.done": ("apply_patch_call", True),
}
#: What an item's end says again, what only shows progress, and what is not about this turn.
_BESIDE = (
    "response.web_search_call.", "response.file_search_call.", "response.code_interpreter_call.",
    "response.image_generation_call.", "response.mcp_call.", "response.mcp_list_tools.", "response.compaction.",
    "response.shell_call_output_content.", "response.shell_call.", "response.apply_patch_call.", "response.steer.",
    "response.inject.", "response.keep", "keepalive",
)  # fmt: skip
_RETRYABLE = ("server", "rate_limit", "overload", "timeout", "unavailable")


class OpenAIResponseExtractionStrategy(Output):
    """Responses."""

    name = "openai-responses"
    leaks_into_text = True
    machines = MACHINES
    decoder = Decoder()

    # --- one frame -------------------------------------------------------------------------------------------

    def lex(self, core: Core, view: Event) -> None:
        """Say what one event says."""
        kind = view.type
        if view.sequence_number is not None and self._repeated(core, view):
            return
        if kind in _PIECES:
            self._piece(core, view, *_PIECES[kind])
        elif kind in _ARGUMENTS:
            self._arguments(core, view, _ARGUMENTS[kind])
        elif kind in _ARGUMENTS_DONE:
            self._arguments_done(core, view, _ARGUMENTS_DONE[kind])
        elif kind == "response.output_item.added":
            self._added(core, view.output_index, view.item)
        elif kind == "response.output_item.done":
            self._finished(core, view.output_index, view.item)
        elif kind in _SNAPSHOTS:
            part_kind, item_kind = _SNAPSHOTS[kind]
            text = view.refusal if part_kind == "refusal" and view.refusal is not None else view.text
            if isinstance(text, str) and text:
                self._snapshot(core, self._part(core, view, part_kind, item_kind), text)
        elif kind in _OBJECTS:
            self._own(core, view, *_OBJECTS[kind])
        elif kind in _STARTS:
            self._started(core, view)
        elif kind in _ENDS:
            self._ended(core, _ENDS[kind], plainly(view.response), view.error)
        elif kind in ("response.content_part.added", "response.content_part.done",
                      "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
                      "response.reasoning_part.added", "response.reasoning_part.done"):  # fmt: skip
            self._part_said(core, view)
        elif kind == "response.output_text.annotation.added":
            self._annotation(core, view)
        elif kind is None and isinstance(mapping(view.body).get("output"), list):
            self._body(core, plainly(view.body))
        elif kind == "error" or (kind is None and view.error):
            self._error(core, plainly(view.error), view)
        elif kind is not None and kind.startswith("response.audio."):
            if view.delta is not None:
                core.opaque("audio", {"type": kind, "delta": view.delta})
        elif kind is None or not kind.startswith(_BESIDE):
            core.odd("unknown_event")

    @staticmethod
    def _repeated(core: Core, view: Event) -> bool:
        """Tell whether an event was read before, by its number.

        Some servers give every event the same number: one number for two different events, and numbers say nothing.
        """
        facts = core.facts
        seen: dict[int, Any] | None = facts.get("_seen")
        if seen is None:
            if "_seen" in facts:
                return False
            seen = facts["_seen"] = {}
        number = view.sequence_number
        assert number is not None
        delta = view.delta
        mark = (view.type, view.output_index, hash(delta) if isinstance(delta, str) else None)
        if number not in seen:
            seen[number] = mark
            return False
        if view.type == "response.created" and facts.get("id") not in (None, mapping(view.response).get("id")):
            return False  # a splice, whose numbers begin again
        if seen[number] == mark:
            core.odd("event_repeated")
            return True
        facts["_seen"] = None
        core.odd("numbers_reused")
        return False

    # --- the response ----------------------------------------------------------------------------------------

    def _started(self, core: Core, view: Event) -> None:
        response = plainly(view.response)
        if not isinstance(response, dict):
            return
        facts = core.facts
        id = as_text(response.get("id")) or None
        if view.type == "response.created":
            if facts.get("id") not in (None, id):
                core.odd("response_spliced")
                facts["_at"], facts["_ids"], facts["_last"] = {}, {}, None
                facts["_epoch"] = facts.get("_epoch", 0) + 1
                if facts.get("_seen") is not None:
                    facts["_seen"] = {view.sequence_number: (view.type, None, None)}
            facts["id"] = id
        facts["_response"] = {**facts.get("_response", {}), **response}
        self._start(core, response)
        at = facts.setdefault("_at", {})
        for index, item in enumerate(as_list(response.get("output"))):
            if index not in at:
                whole = mapping(item).get("status") == "completed"
                (self._finished if whole else self._added)(core, index, item)

    @staticmethod
    def _start(core: Core, response: Mapping[str, Any]) -> None:
        core.start(
            as_text(response.get("id")) or None, as_text(response.get("model")) or None, response.get("created_at")
        )

    def _body(self, core: Core, response: dict[str, Any]) -> None:
        """Take a stream=false body."""
        status = response.get("status")
        self._ended(core, status if isinstance(status, str) else "completed", response, None)

    def _ended(self, core: Core, word: str, response: Any, error: Any) -> None:
        """Take the terminal event: what it alone says, its output, and the end of the turn."""
        facts = core.facts
        if not isinstance(response, dict):
            if response is not None:
                core.error("bad_field", f"response is {type(response).__name__}, not an object")
            response = {}
        self._start(core, response)
        old = facts.get("_response", {})
        facts["_response"] = {**old, "status": word, **response}
        self._reconcile(core, as_list(response.get("output")))
        status = response.get("status")
        if isinstance(status, str) and (status in CUT or status == "completed"):
            word = status
        facts["_response"]["status"] = word
        self._usage(core, response.get("usage"))
        failure = response.get("error") or plainly(error)
        if (failure or word == "failed") and not facts.get("_failed"):
            self._error(core, failure or {"message": "the response failed"}, Event())
        cut = word in CUT
        if not cut:
            for item in list(core.items.values()):
                self._settle(core, item)
        if word not in ("in_progress", "queued"):  # a body that was asked for in the background
            core.finish(word, cut)
            core.end()

    def _settle(self, core: Core, item: Item) -> None:
        """Give a call that has an object of its own, and no end, what came of it."""
        slot = item.slot
        if slot is None or not slot.open or item.done or call_kind(item.kind) is None or item.kind in FIELD:
            return
        value = own_object(item)
        if whole_object(item.kind, value):
            self._give(core, slot, value)
        else:
            core.call_broken(slot, "truncated")

    def _reconcile(self, core: Core, output: list[Any]) -> None:
        """Take the terminal's items as the ends of those that came, and open those that did not come."""
        facts = core.facts
        at: dict[Any, Item] = facts.setdefault("_at", {})
        epoch = facts.get("_epoch", 0)
        own = [item for item in core.items.values() if isinstance(item.data, Out) and item.key[0] == epoch]
        left = {id(item): item for item in own}
        objects = [each for each in map(plainly, output) if isinstance(each, dict)]
        pairs: list[Item | None] = [None] * len(objects)

        def pair(place: int, item: Item | None) -> None:
            if item is not None and pairs[place] is None and id(item) in left and same_kind(item, objects[place]):
                pairs[place] = left.pop(id(item))

        names = {name: item for item in own for name in item.data.ids}
        for place, each in enumerate(objects):
            for key in ("call_id", "id"):
                if as_text(each.get(key)):
                    pair(place, names.get(each[key]))
        for place in range(len(objects)):
            pair(place, at.get(place))
        for place, each in enumerate(objects):  # ids that change, and indexes with gaps: the next of that kind
            pair(place, next((item for item in left.values() if same_kind(item, each)), None))
        for place, each in enumerate(objects):
            item = pairs[place]
            if item is None:
                item = self._open(core, place, each)
            self._take_end(core, item, each)

    # --- what stands beside the items --------------------------------------------------------------------------

    @staticmethod
    def _usage(core: Core, usage: Any) -> None:
        if usage is None:
            return
        if not isinstance(usage, dict):
            core.odd("bad_usage")
            return
        core.usage(usage, Counts(
            _int(usage.get("input_tokens")), _int(usage.get("output_tokens")),
            _int(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
            _int(mapping(usage.get("output_tokens_details")).get("reasoning_tokens")),
        ))  # fmt: skip

    @staticmethod
    def _error(core: Core, nested: Any, view: Event) -> None:
        """Report an error: nested, or flat in the event."""
        core.facts["_failed"] = True
        data = nested
        if not data:
            flat = {"code": view.code, "message": view.message, "param": view.param}
            data = {key: value for key, value in flat.items() if value is not None}
        fields = mapping(data)
        code = as_text(fields.get("code")) or as_text(fields.get("type"))
        message = as_text(fields.get("message")) or as_text(data) or code or "an error without a message"
        status = view.status if isinstance(view.status, int) else 0
        again = any(word in code for word in _RETRYABLE) or status >= 500 or status in (408, 409, 429)
        core.error("provider", message, retryable=again, data=data)

    # --- the message -----------------------------------------------------------------------------------------

    def message(self, core: Core) -> dict[str, Any]:
        """Build the response object: what its events said of it, and its output."""
        items = sorted((item for item in core.items.values() if isinstance(item.data, Out)), key=lambda item: item.key)
        response = {key: value for key, value in core.facts.get("_response", {}).items() if key != "output"}
        return {**response, "output": [built(core, item) for item in items]}


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
