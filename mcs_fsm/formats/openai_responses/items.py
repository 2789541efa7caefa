"""What came of an output item, and the item as the message has it."""

from __future__ import annotations

from typing import Any

from ...core import Core
from ...slots import Item
from .history import FIELD, OBJECT, as_list, as_text

__all__ = ["Out", "Part", "built", "own_object"]


class Out:
    """An output item: its start and its end as sent, its parts, and pieces that are joined later."""

    __slots__ = ("final", "given", "ids", "implicit", "parts", "pieces", "start")

    def __init__(self, start: dict[str, Any], implicit: bool) -> None:
        self.start, self.implicit = start, implicit
        self.final: dict[str, Any] | None = None
        self.parts: dict[Any, Item] = {}
        self.pieces: dict[int, list[str]] = {}
        self.ids: set[str] = set()
        self.given = False  # the arguments so far are the whole value, which may be sent again


class Part:
    """A part of an item's text: the object that it began or ended with, and its citations."""

    __slots__ = ("cited", "index", "start")

    def __init__(self, index: int) -> None:
        self.index = index
        self.start: dict[str, Any] = {}
        self.cited: dict[bytes, Any] = {}


def own_object(item: Item) -> dict[str, Any]:
    """Return the arguments of a call that stand in its item as an object."""
    out: Out = item.data
    said = out.final or out.start
    kind = item.kind
    text = "".join(out.pieces.get(0, ()))
    if kind == "computer_call":
        action = said.get("action")
        return dict(action) if isinstance(action, dict) else {key: said[key] for key in ("actions",) if said.get(key)}
    if kind in ("code_interpreter_call", "program"):
        code = as_text(said.get("code")) or text
        return {"code": code} if code else {}
    if kind == "file_search_call":
        return {"queries": said["queries"]} if said.get("queries") else {}
    value = said.get(OBJECT.get(kind, "action"))
    value = dict(value) if isinstance(value, dict) else {}
    if kind == "shell_call" and out.pieces and not value.get("commands"):
        value["commands"] = ["".join(out.pieces[key]) for key in sorted(out.pieces)]
    elif kind == "apply_patch_call" and text and not value.get("diff"):
        value["diff"] = text
    return value


def built(core: Core, item: Item) -> dict[str, Any]:
    """Return an item as the message has it."""
    out: Out = item.data
    said = {"type": item.kind, **(out.final or out.start)}
    if item.kind == "message":
        said.setdefault("role", "assistant")
        if out.final is None or not as_list(said.get("content")):
            said["content"] = [_part(part) for part in _ordered(out, False)]
        elif core.body.cuts:
            said["content"] = _consumed(out, said["content"])
    elif item.kind == "reasoning":
        if out.final is None or not as_list(said.get("summary")):
            said["summary"] = [_part(part) for part in _ordered(out, True)]
        content = _ordered(out, False)
        if content and (out.final is None or not as_list(said.get("content"))):
            said["content"] = [_part(part) for part in content]
    elif item.slot is not None:
        _call(item, said)
    return said


def _call(item: Item, said: dict[str, Any]) -> None:
    """Make a call's item agree with what became of the call."""
    slot, kind, out = item.slot, item.kind, item.data
    assert slot is not None
    if kind in FIELD:
        raw = slot.args.text()
        if kind != "custom_tool_call" and slot.call is not None and raw.strip() in ("", "null"):
            raw = "{}"
        said[FIELD[kind]] = raw
        if slot.name:
            said.setdefault("name", slot.name)
    else:
        value = own_object(item)
        if kind in OBJECT and value:
            said[OBJECT[kind]] = value
        elif kind == "code_interpreter_call" and value:
            said["code"] = value["code"]
    if slot.provider_run:
        return
    if slot.call is None:
        said["status"] = "in_progress" if slot.open else "incomplete"
    elif said.get("status") == "in_progress" and (out.final is None or kind != "function_call"):
        said["status"] = "completed"


def _ordered(out: Out, summary: bool) -> list[Item]:
    parts = [part for part in out.parts.values() if (part.kind == "summary_text") is summary]
    return sorted(parts, key=lambda part: part.data.index)


def _part(part: Item) -> dict[str, Any]:
    made: Part = part.data
    said = {"type": part.kind, **made.start}
    if part.kind == "refusal":
        said["refusal"] = part.spans.kept()
        return said
    said["text"] = part.spans.kept()
    if part.kind == "output_text":
        said["annotations"] = list(made.cited.values()) or said.get("annotations") or []
    return said


def _consumed(out: Out, content: list[Any]) -> list[Any]:
    """Return a message's parts without the text that was consumed."""
    parts = [part for part in _ordered(out, False) if part.spans.spans]
    texts = iter([part for part in parts if part.kind == "output_text"])
    made = []
    for each in content:
        if isinstance(each, dict) and each.get("type") == "output_text" and each.get("text"):
            part = next(texts, None)
            if part is not None:
                each = {**each, "text": part.spans.kept()}
        made.append(each)
    return made
