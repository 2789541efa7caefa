"""The items of the output: where they begin and end, their text, their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ...core import Core
from ...decode import mapping
from ...slots import Item, Slot
from .history import FIELD, History, as_list, as_text, call_kind, plainly, whole_object
from .items import Out, Part, own_object
from .view import CUT, Event

__all__ = ["Output", "same_kind"]


class Output(History):
    """What is done with items."""

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
            if old.data.implicit and not old.done and same_kind(old, start):
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
        if not same_kind(old, said):
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
                item = last if last is not None and not last.done and same_kind(last, final) else None
        waits = item is not None and item.data.implicit and not item.done and same_kind(item, final)
        if item is not None and not waits and not self._again(item, final):
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
        elif kind in ("message", "reasoning"):
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
        elif final.get("status") != "in_progress" or core.facts.get("_response", {}).get("status") not in CUT:
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


def same_kind(item: Item, said: Mapping[str, Any]) -> bool:
    """Tell whether what is said of an item is about its kind."""
    return item.kind == (as_text(said.get("type")) or item.kind)
