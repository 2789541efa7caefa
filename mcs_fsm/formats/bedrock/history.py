"""Messages as the history has them: what they call, what they say, and how calls are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...calls import ExtractedCall, Forming
from ...decode import mapping
from ...strategy import Format, plain, result_text

__all__ = ["History", "as_list", "as_text"]

#: What a call that never became whole carries in the history: `input` has to be an object there.
INVALID = "INVALID_JSON"

_BLOCKS = frozenset((
    "text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint",
    "reasoningContent", "citationsContent", "searchResult", "toolAddition", "toolRemoval",
))  # fmt: skip


class History(Format):
    """What is asked of an assembled message or body."""

    def recognizes(self, shape: Any) -> bool:
        """Tell whether a chunk, a body or an assembled message is of this format."""
        event = mapping(shape)
        if self.claims(event):
            return True
        content = event.get("content")
        if event.keys() & {"type", "tool_calls", "tool_plan", "parts"} or not isinstance(content, list) or not content:
            return False
        blocks = [mapping(block) for block in content]
        return all("type" not in block and bool(_BLOCKS & block.keys()) for block in blocks)

    def _blocks(self, message: Any) -> list[Mapping[str, Any]]:
        body = mapping(message)
        inner = mapping(mapping(body.get("output")).get("message"))
        return [mapping(block) for block in as_list((inner or body).get("content"))]

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way, with the first one's name if it is there."""
        for block in self._blocks(message):
            call = block.get("toolUse")
            if call is not None and mapping(call).get("type") != "server_tool_use":
                return Forming(True, as_text(mapping(call).get("name")) or None)
        return Forming()

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body; text as `input` is arguments that are still streaming."""
        found = []
        for block in self._blocks(message):
            call = mapping(block.get("toolUse"))
            name, id = call.get("name"), call.get("toolUseId")
            arguments = call.get("input")
            if not isinstance(name, str) or not name or call.get("type") == "server_tool_use":
                continue
            arguments = {} if arguments is None else arguments
            if isinstance(arguments, dict) and arguments.keys() != {INVALID}:
                found.append(ExtractedCall(name, arguments, id if isinstance(id, str) and id else None))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body, the cited one included."""
        if isinstance(message, str):
            return message
        out = []
        for block in self._blocks(message):
            cited = as_list(mapping(block.get("citationsContent")).get("content"))
            out += [as_text(mapping(part).get("text")) for part in (block, *cited)]
        return "".join(out)

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the assistant's turn with the calls of `records`, and one user message that answers each of them.

        Blocks go back as they are, but for blank text, which the API refuses. An object is answered as `json`, all
        else as text; `status` is sent for errors alone, because models other than Nova and Claude do not take it.
        """
        ids = {record.tool_call_id for record in records}
        turn = []
        for block in map(dict, self._blocks(message)):
            call = mapping(block.get("toolUse"))
            if call and call.get("type") != "server_tool_use":
                if (as_text(call.get("toolUseId")) or None) not in ids:
                    continue
                if isinstance(call.get("input"), str):
                    block["toolUse"] = {**call, "input": {INVALID: call["input"]}}
            if "text" in block and not as_text(block["text"]).strip():
                continue
            turn.append({key: plain(value) for key, value in block.items()})
        answers = []
        for record in records:
            failed = getattr(record, "error", None) is not None
            result = getattr(record, "result", None)
            content = {"json": result} if not failed and _is_json_object(result) else {"text": result_text(record)}
            answer: dict[str, Any] = {"toolUseId": record.tool_call_id, "content": [content]}
            if failed:
                answer["status"] = "error"
            answers.append({"toolResult": answer})
        return [{"role": "assistant", "content": turn}, {"role": "user", "content": answers}]


def _is_json_object(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    try:
        return isinstance(msgspec.json.decode(msgspec.json.encode(value)), dict)
    except (TypeError, ValueError, RecursionError):
        return False


def as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
