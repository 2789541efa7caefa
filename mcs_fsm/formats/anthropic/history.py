"""Messages as the history has them: what they call, what they say, and how calls are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...calls import ExtractedCall, Forming
from ...decode import mapping
from ...strategy import Format, parse_arguments, plain, result_text

__all__ = ["INVALID", "History", "as_object", "as_text"]

#: What a call that never became whole carries as its input, as the documents on fine-grained streaming say.
INVALID = "INVALID_JSON"

_OWN = frozenset(("redacted_thinking", "compaction", "fallback", "container_upload", "mcp_tool_listing"))


class History(Format):
    """What is asked of an assembled message or body."""

    def recognizes(self, shape: Any) -> bool:
        """Tell whether a chunk, a body or an assembled message is of this format."""
        event = mapping(shape)
        if self.claims(event):
            return True
        content = event.get("content")
        if event.keys() & {"type", "tool_calls", "tool_plan", "parts", "choices"} or not isinstance(content, list):
            return False
        blocks = [mapping(block) for block in content]
        kinds = [as_text(block.get("type")) for block in blocks]
        if not all(kinds) or not kinds:
            return False
        if any(kind.endswith(("tool_use", "tool_result")) or kind in _OWN for kind in kinds):
            return True
        thoughts = [block for block in blocks if block["type"] == "thinking"]
        if thoughts:  # Mistral's is a list, Cohere's has no signature
            return all(isinstance(block.get("thinking"), str) and "signature" in block for block in thoughts)
        return all(kind == "text" for kind in kinds)

    def _blocks(self, message: Any) -> list[Mapping[str, Any]]:
        content = mapping(message).get("content")
        return [mapping(block) for block in content] if isinstance(content, list | tuple) else []

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way, with the first one's name if it is there."""
        call = next((block for block in self._blocks(message) if block.get("type") == "tool_use"), None)
        return Forming() if call is None else Forming(True, as_text(call.get("name")) or None)

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body; those that the provider runs are none of them."""
        found = []
        for block in self._blocks(message):
            name, id = block.get("name"), block.get("id")
            if block.get("type") != "tool_use" or not isinstance(name, str) or not name:
                continue
            if "input" not in block and "input_json" in block:
                arguments = parse_arguments(block["input_json"])
            else:
                arguments = {} if block.get("input") == "" else parse_arguments(block.get("input"))
            if arguments is not None and arguments.keys() != {INVALID}:
                found.append(ExtractedCall(name, arguments, id if isinstance(id, str) and id else None))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body: its blocks of type text."""
        content = message if isinstance(message, str) else mapping(message).get("content")
        if isinstance(content, str):
            return content
        return "".join(as_text(block.get("text")) for block in self._blocks(message) if block.get("type") == "text")

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the assistant's turn with the calls of `records`, and one user message that answers each of them.

        Blocks go back as they are; the API takes no blank text block, and no `input_json`. A block's `toolset_name`
        is part of its identity and stands on the answer too (ToolResultBlockParam of anthropic 2.14.0).
        """
        ids = {record.tool_call_id for record in records}
        turn: list[dict[str, Any]] = []
        toolsets: dict[Any, Any] = {}
        text = message if isinstance(message, str) else mapping(message).get("content")
        if isinstance(text, str) and text.strip():
            turn.append({"type": "text", "text": text})
        for block in map(as_object, self._blocks(message)):
            if block is None or (block.get("type") == "text" and not as_text(block.get("text")).strip()):
                continue
            if block.get("type") == "tool_use":
                id = as_text(block.get("id")) or None
                if id not in ids:
                    continue
                toolsets[id] = block.get("toolset_name")
            if "input_json" in block:
                raw = block.pop("input_json")
                whole = parse_arguments(raw)
                block.setdefault("input", {INVALID: raw} if whole is None else whole)
            turn.append(block)
        answers = []
        for record in records:
            answer = {"type": "tool_result", "tool_use_id": record.tool_call_id, "content": result_text(record)}
            if getattr(record, "error", None) is not None:
                answer["is_error"] = True
            if toolsets.get(record.tool_call_id):
                answer["toolset_name"] = toolsets[record.tool_call_id]
            answers.append(answer)
        return [{"role": "assistant", "content": turn}, {"role": "user", "content": answers}]


def as_object(value: Any) -> dict[str, Any] | None:
    """Return an object of the wire as a dict of plain data, None if it is none."""
    value = plain(value)
    if isinstance(value, dict):
        return value
    fields = mapping(value)
    return {key: plain(each) for key, each in fields.items()} if fields else None


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
