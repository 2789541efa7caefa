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
| arguments | function_call_arguments, mcp_call_arguments, custom_tool_call_input: .delta, .done; other kinds: the item's own |
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

import msgspec

from ...actions import machines
from ...calls import Counts
from ...core import Core
from ...decode import Problem, ViewDecoder, mapping
from ...machine.rows import CALL_ENDS, SLOT_ENDS, SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ...slots import Item, Slot
from .history import FIELD, History, as_list, as_text, call_kind, plainly, whole_object
from .items import Out, Part, built, own_object

__all__ = ["OpenAIResponseExtractionStrategy"]


class Event(msgspec.Struct, gc=False):
    """What is read of an event; `body` is a whole stream=false body, which has no type."""

    type: str | None = None
    sequence_number: int | None = None
    output_index: int | None = None
    item_id: Any = None
    content_index: int | None = None
    summary_index: int | None = None
    command_index: int | None = None
    delta: Any = None
    text: Any = None
    refusal: Any = None
    arguments: Any = None
    input: Any = None
    code: Any = None
    command: Any = None
    diff: Any = None
    part: Any = None
    item: Any = None
    annotation: Any = None
    response: Any = None
    error: Any = None
    message: Any = None
    param: Any = None
    status: Any = None
    body: Any = None


class Decoder(ViewDecoder[Event]):
    """Decode events, and keep a body as it is: all of its keys belong to the message."""

    def __init__(self) -> None:
        super().__init__(Event)
        typed = self.decode

        def decode(data: bytes) -> Event:
            view = typed(data)
            if view.type is None:
                view.body = msgspec.json.decode(data)
            return view

        self.decode = decode  # type: ignore[assignment]

    def convert(self, event: Any) -> tuple[Event | None, list[Problem]]:
        """Read a decoded event, see `ViewDecoder`."""
        view, problems = super().convert(event)
        if view is not None and view.type is None:
            view.body = plainly(event)
            if isinstance(mapping(view.body).get("output"), list):
                problems = []  # a body's fields are others than an event's
        return view, problems


MACHINES = machines("openai_responses", TURN_ROWS + TURN_ARGS + CALL_ENDS, SLOT_FRAGMENTS + SLOT_ENDS)

#: Statuses after which nothing may be run.
CUT = frozenset(("incomplete", "failed", "cancelled"))

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


class OpenAIResponseExtractionStrategy(History):
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
        elif kind == "error" or (kind is None and view.error and not isinstance(mapping(view.body).get("output"), list)):
            self._error(core, plainly(view.error), view)
        elif kind is None and isinstance(mapping(view.body).get("output"), list):
            self._body(core, plainly(view.body))
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
        if failure or word == "failed":
            if not facts.get("_failed"):
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
        own = [item for item in core.items.values() if isinstance(item.data, Out) and item.key[0] == facts.get("_epoch", 0)]
        left = {id(item): item for item in own}
        objects = [each for each in map(plainly, output) if isinstance(each, dict)]
        pairs: list[Item | None] = [None] * len(objects)

        def pair(place: int, item: Item | None) -> None:
            if item is not None and pairs[place] is None and id(item) in left and _same_kind(item, objects[place]):
                pairs[place] = left.pop(id(item))

        names = {name: item for item in own for name in item.data.ids}
        for place, each in enumerate(objects):
            for key in ("call_id", "id"):
                if as_text(each.get(key)):
                    pair(place, names.get(each[key]))
        for place in range(len(objects)):
            pair(place, at.get(place))
        for place, each in enumerate(objects):  # ids that change, and indexes with gaps: the next of that kind
            pair(place, next((item for item in left.values() if _same_kind(item, each)), None))
        for place, each in enumerate(objects):
            item = pairs[place]
            if item is None:
                item = self._open(core, place, each)
            self._take_end(core, item, each)

    # --- items -----------------------------------------------------------------------------------------------

    def _added(self, core: Core, index: int | None, said: Any) -> None:
        if said is None:
            return
        start = plainly(said)
        if not isinstance(start, dict):
            core.error("bad_field", f"item is {type(start).__name__}, not an object")
            return
        old = core.facts.setdefault("_at", {}).get(index) if index is not None else None
        if old is not None:
            if old.data.implicit and not old.done and _same_kind(old, start):
                old.data.start, old.data.implicit = start, False
                self._remember(core, old, start)
                self._name(core, old, start)
                return
            if self._again(old, start):
                core.odd("item_repeated")
                self._remember(core, old, start)
                return
            core.odd("index_reused")
        self._open(core, index, start)

    @staticmethod
    def _again(old: Item, said: Mapping[str, Any]) -> bool:
        """Tell whether an item at a place that is taken is the one that is there."""
        if not _same_kind(old, said):
            return False
        call_id = as_text(said.get("call_id"))
        known = as_text(old.data.start.get("call_id"))
        if call_id and known:
            return call_id == known
        return not old.done or (bool(as_text(said.get("id"))) and said["id"] in old.data.ids)

    def _finished(self, core: Core, index: int | None, said: Any) -> None:
        final = plainly(said)
        if not isinstance(final, dict):
            if final is not None:
                core.error("bad_field", f"item is {type(final).__name__}, not an object")
            return
        facts = core.facts
        item = facts.setdefault("_at", {}).get(index) if index is not None else None
        if item is None:
            ids = facts.setdefault("_ids", {})
            item = ids.get(as_text(final.get("call_id"))) or ids.get(as_text(final.get("id")))
            if item is None and index is None:
                last = facts.get("_last")
                item = last if last is not None and not last.done and _same_kind(last, final) else None
        if item is not None and not (item.data.implicit and not item.done and _same_kind(item, final)):
            if not self._again(item, final):
                core.odd("index_reused")
                item = None
        if item is None:
            item = self._open(core, index, final)
        elif item.data.implicit:
            item.data.start, item.data.implicit = final, False
        self._take_end(core, item, final)

    def _open(self, core: Core, index: int | None, start: dict[str, Any], implicit: bool = False) -> Item:
        """Open an item of the output, with what its first event has of it."""
        facts = core.facts
        at: dict[Any, Item] = facts.setdefault("_at", {})
        if index is None:
            index = max((key for key in at if isinstance(key, int)), default=-1) + 1
        kind = as_text(start.get("type")) or ("message" if "content" in start else "unknown")
        number = len(core.items)
        item = core.item((facts.get("_epoch", 0), index, number), kind, Out(start, implicit))
        at[index] = facts["_last"] = item
        self._remember(core, item, start)
        known = call_kind(kind, start)
        if known is not None:
            word, client = known
            core.call(item.key, kind=word, provider_run=not client, item=item)
            self._name(core, item, start)
            slot = item.slot
            if slot is not None and kind in FIELD and start.get(FIELD[kind]):
                self._give(core, slot, start[FIELD[kind]])
                item.data.given = True
        elif kind == "message":
            self._parts(core, item, start)
        elif kind == "reasoning":
            self._parts(core, item, start)
        return item

    @staticmethod
    def _remember(core: Core, item: Item, said: Mapping[str, Any]) -> None:
        ids = core.facts.setdefault("_ids", {})
        for key in ("call_id", "id"):
            value = as_text(said.get(key))
            if value:
                ids[value] = item
                item.data.ids.add(value)

    @staticmethod
    def _name(core: Core, item: Item, said: Mapping[str, Any]) -> None:
        """Give a call the id by which it is answered, and its name."""
        slot = item.slot
        if slot is None:
            return
        id = as_text(said.get("call_id")) or ("" if item.kind in ("function_call", "custom_tool_call")
                                              and not item.done else as_text(said.get("id")))  # fmt: skip
        if id and slot.id is None:
            core.call(slot.key, id)
        if not slot.name:
            name = as_text(said.get("name"))
            if not name and item.kind not in ("function_call", "custom_tool_call", "mcp_call"):
                name = item.kind.removesuffix("_call")
            core.name(slot, name)

    def _take_end(self, core: Core, item: Item, final: dict[str, Any]) -> None:
        """Take an item as its end says it: that replaces what came, and an empty value replaces nothing."""
        out: Out = item.data
        first = not item.done
        item.done = True
        out.final = final
        self._remember(core, item, final)
        slot = item.slot
        if slot is not None:
            self._call_done(core, item, slot, final)
            if first and slot.provider_run:
                core.opaque("provider_result", final, item)
        elif item.kind in ("message", "reasoning"):
            self._parts(core, item, final)
            sealed = final.get("encrypted_content")
            if first and sealed:
                core.opaque("encrypted_reasoning", sealed, item)
        elif first and call_kind(item.kind, final) is None:
            ours = item.kind.endswith(("_output", "list_tools"))
            core.opaque("provider_result" if ours else item.kind, final, item)

    def _call_done(self, core: Core, item: Item, slot: Slot, final: dict[str, Any]) -> None:
        known = call_kind(item.kind, final)
        if known is not None and slot.open:
            slot.provider_run = not known[1]
        if not slot.open:
            return
        self._name(core, item, final)
        if slot.extra == {}:
            slot.extra = {key: final[key] for key in ("namespace", "caller", "async") if key in final}
        if item.kind in FIELD:
            if final.get(FIELD[item.kind]):
                self._give(core, slot, final[FIELD[item.kind]])
        else:
            value = own_object(item)
            if whole_object(item.kind, value) or slot.provider_run:
                self._give(core, slot, value)
            else:
                core.call_broken(slot, "truncated")
        if final.get("status") == "incomplete" and not slot.provider_run:
            core.call_broken(slot, "truncated")
        elif final.get("status") != "in_progress" or core.facts["_response"].get("status") not in CUT:
            core.call_end(slot)

    @staticmethod
    def _give(core: Core, slot: Slot, value: Any) -> None:
        """Take arguments as one value: text, or an object of the item's own."""
        try:
            core.args_set(slot, value if isinstance(value, str) else msgspec.json.encode(value).decode())
        except (TypeError, ValueError, RecursionError):  # half a surrogate pair, something that is no data
            core.call_broken(slot, "malformed")

    # --- which item an event is about ------------------------------------------------------------------------

    def _find(self, core: Core, view: Event, kind: str) -> Item:
        """Return the item of that kind which an event is about: by its index, else by its id, else a new one."""
        facts = core.facts
        at: dict[Any, Item] = facts.setdefault("_at", {})
        index, id = view.output_index, view.item_id
        item = at.get(index) if index is not None else None
        if item is not None and item.kind == kind:
            return item
        other = facts.setdefault("_ids", {}).get(id) if isinstance(id, str) else None
        if other is not None and other.kind == kind:
            return other  # type: ignore[no-any-return]
        last = facts.get("_last")
        if last is not None and last.kind == kind and not last.done and (index is None or item is not None):
            return last  # type: ignore[no-any-return]
        stray: Item | None = at.get((kind, index))
        if stray is not None and not stray.done:
            return stray
        core.odd("delta_without_item")
        start: dict[str, Any] = {"type": kind}
        if isinstance(id, str) and id:
            start["id"] = id
        if item is None:
            return self._open(core, index, start, implicit=True)
        core.odd("index_mismatch")
        taken = at[index]
        stray = self._open(core, index, start, implicit=True)
        at[index], at[(kind, index)] = taken, stray
        return stray

    # --- text ------------------------------------------------------------------------------------------------

    def _part(self, core: Core, view: Event, kind: str, item_kind: str) -> Item:
        item = self._find(core, view, item_kind)
        index = view.summary_index if kind == "summary_text" else view.content_index
        return self._part_at(core, item, kind, index or 0)

    @staticmethod
    def _part_at(core: Core, item: Item, kind: str, index: int) -> Item:
        parts: dict[Any, Item] = item.data.parts
        part = parts.get((kind, index))
        if part is None:
            part = core.item((*item.key, kind, index), kind, Part(index))
            parts[kind, index] = part
        return part

    def _piece(self, core: Core, view: Event, kind: str, item_kind: str) -> None:
        text = view.delta
        if not isinstance(text, str):
            if text is not None:
                core.error("bad_field", f"delta is {type(text).__name__}, not text")
            return
        if text:
            self._say(core, self._part(core, view, kind, item_kind), text)

    @staticmethod
    def _say(core: Core, part: Item, text: str) -> None:
        if part.kind == "output_text":
            core.content(text, part)
        elif part.kind == "refusal":
            core.refusal(text, part)
        else:
            core.reasoning(text, part)

    def _snapshot(self, core: Core, part: Item, text: str) -> None:
        """Take the whole text of a part: what the pieces did not bring is said now."""
        if part.done:
            return
        part.done = True
        came = part.spans.text()
        if text == came:
            return
        if text.startswith(came):
            self._say(core, part, text[len(came) :])
        else:
            core.odd("text_replaced")

    def _parts(self, core: Core, item: Item, said: Mapping[str, Any]) -> None:
        """Take the parts that an item carries: `content_index` is no position, where some numbers are left out."""
        for field, summary in (("summary", True), ("content", False)):
            listed = [mapping(each) for each in as_list(said.get(field))]
            there = sorted(
                (part.data.index, part.kind) for part in item.data.parts.values()
                if (part.kind == "summary_text") is summary
            )  # fmt: skip
            gaps = any(index >= len(listed) for index, _ in there)
            for place, each in enumerate(listed):
                kind = as_text(each.get("type")) or ("summary_text" if summary else "output_text")
                if kind == "text":
                    kind = "reasoning_text" if item.kind == "reasoning" else "output_text"
                text = as_text(each.get("refusal")) if kind == "refusal" else as_text(each.get("text"))
                if gaps and place < len(there):
                    part = item.data.parts.get((kind, there[place][0]))
                else:
                    part = item.data.parts.get((kind, place))
                if part is None and (text or not item.done):
                    part = self._part_at(core, item, kind, place if not gaps else there[-1][0] + 1 + place)
                if part is None:
                    continue
                if not item.done:
                    part.data.start = dict(each)
                    if text:
                        self._say(core, part, text)
                else:
                    if text:
                        self._snapshot(core, part, text)
                    for annotation in as_list(each.get("annotations")):
                        self._cite(core, part, annotation)

    def _part_said(self, core: Core, view: Event) -> None:
        said = plainly(view.part)
        if not isinstance(said, dict):
            return
        kind = as_text(said.get("type"))
        summary = "summary" in (view.type or "")
        if summary:
            kind = "summary_text"
        elif kind not in ("output_text", "refusal", "reasoning_text"):
            return  # the item's end has it
        owner = "reasoning" if kind in ("summary_text", "reasoning_text") else "message"
        part = self._part(core, view, kind, owner)
        text = as_text(said.get("refusal" if kind == "refusal" else "text"))
        if (view.type or "").endswith(".added"):
            if not part.data.start:
                part.data.start = said
                if text and not part.spans.spans:
                    self._say(core, part, text)
        else:
            part.data.start = said
            if text:
                self._snapshot(core, part, text)
            for annotation in as_list(said.get("annotations")):
                self._cite(core, part, annotation)

    def _annotation(self, core: Core, view: Event) -> None:
        if view.annotation is not None:
            self._cite(core, self._part(core, view, "output_text", "message"), plainly(view.annotation))

    @staticmethod
    def _cite(core: Core, part: Item, annotation: Any) -> None:
        """Take a citation once; it comes alone, with its part and with its item."""
        try:
            mark = msgspec.json.encode(annotation, order="sorted")
        except (TypeError, ValueError, RecursionError):
            return
        if mark not in part.data.cited:
            part.data.cited[mark] = annotation
            core.opaque("citation", annotation, part)

    # --- arguments -------------------------------------------------------------------------------------------

    def _arguments(self, core: Core, view: Event, kind: str) -> None:
        piece = view.delta
        if not isinstance(piece, str):
            if piece is not None:
                core.error("bad_field", f"delta is {type(piece).__name__}, not text")
            return
        item = self._find(core, view, kind)
        slot, out = item.slot, item.data
        if not piece or slot is None or not slot.open:
            return
        if out.given:  # the whole stood in the item's start, or in a done event, and is sent again
            out.given = False
            if kind == "custom_tool_call" or piece.lstrip()[:1] == "{":
                core.args_set(slot, piece)
                return
        core.args(slot, piece)

    def _arguments_done(self, core: Core, view: Event, kind: str) -> None:
        value = view.input if kind == "custom_tool_call" else view.arguments
        item = self._find(core, view, kind)
        if value and item.slot is not None and item.slot.open:
            self._give(core, item.slot, value)
            item.data.given = True

    def _own(self, core: Core, view: Event, kind: str, whole: bool) -> None:
        """Take a piece of what stands in an item as an object: code, a command, a diff."""
        item = self._find(core, view, kind)
        place = view.command_index or 0
        said = next((each for each in (view.command, view.code, view.diff) if each is not None), None)
        text = said if whole else view.delta
        if isinstance(text, str) and (text or not whole):
            if whole:
                item.data.pieces[place] = [text]
            else:
                item.data.pieces.setdefault(place, []).append(text)

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
        """Report an error: nested, or flat in the event, whose `code` stands in the words of `decoder`."""
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


def _same_kind(item: Item, said: Mapping[str, Any]) -> bool:
    return item.kind == (as_text(said.get("type")) or item.kind)


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
