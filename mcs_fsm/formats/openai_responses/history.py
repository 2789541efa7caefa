"""Messages as the history has them: what they call, what they say, and how calls are answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...calls import ExtractedCall, Forming
from ...decode import mapping
from ...strategy import Format, parse_arguments, plain, result_text

__all__ = ["FIELD", "OBJECT", "History", "as_list", "as_text", "call_kind", "plainly", "whole_object"]

#: Arguments that are text: kind of item -> its field.
FIELD = {
    "function_call": "arguments", "custom_tool_call": "input", "mcp_call": "arguments",
    "mcp_approval_request": "arguments",
}  # fmt: skip
#: Arguments that are an object of the item's own.
OBJECT = {
    "computer_call": "action", "local_shell_call": "action", "shell_call": "action", "web_search_call": "action",
    "apply_patch_call": "operation", "tool_search_call": "arguments",
}  # fmt: skip
_CLIENT = {
    "function_call": "function", "custom_tool_call": "custom", "computer_call": "computer",
    "local_shell_call": "local_shell", "shell_call": "shell", "apply_patch_call": "apply_patch",
    "tool_search_call": "tool_search", "mcp_approval_request": "mcp_approval",
}  # fmt: skip
_PROVIDER = {
    "mcp_call": "mcp", "web_search_call": "web_search", "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter", "image_generation_call": "image_generation", "program": "program",
}  # fmt: skip
_INPUTS = frozenset(("input_text", "input_image", "input_file"))


def call_kind(kind: str, item: Mapping[str, Any] | None = None) -> tuple[str, bool] | None:
    """Return what kind of call an item is, and whether the client runs it; None if it is no call."""
    if kind in _CLIENT:
        said = item or {}
        if kind == "tool_search_call":
            return _CLIENT[kind], said.get("execution") != "server"
        hosted = kind == "shell_call" and _hosted(said)
        return _CLIENT[kind], not hosted
    if kind in _PROVIDER:
        return _PROVIDER[kind], False
    if kind.endswith("_call") and kind != "multi_agent_call":
        return kind.removesuffix("_call"), False  # a kind of a later day: seen, and never run here
    return None


def _hosted(item: Mapping[str, Any]) -> bool:
    """Tell whether a shell call runs in a container of the provider's."""
    where = as_text(mapping(item.get("environment")).get("type"))
    return bool(where) and where != "local"


def whole_object(kind: str, value: Mapping[str, Any]) -> bool:
    """Tell whether a call's own object says what to do; the start of an item has empty places in it."""
    if kind in ("shell_call", "local_shell_call"):
        return bool(value.get("commands") or value.get("command"))
    if kind == "apply_patch_call":
        return bool(value.get("path")) and (value.get("type") == "delete_file" or bool(value.get("diff")))
    return kind == "tool_search_call" or bool(value)


class History(Format):
    """What is asked of an assembled message or body."""

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is an event of Responses, or a stream=false body."""
        event = mapping(chunk)
        kind = event.get("type")
        if "choices" in event:  # Perplexity's chat chunks have a type of this kind
            return False
        if isinstance(kind, str):
            return kind.startswith("response.") or (kind == "keepalive" and "sequence_number" in event)
        return kind is None and event.get("object") == "response" and isinstance(event.get("output"), list)

    def hints(self, chunk: Any) -> bool:
        """Tell whether an error, which other wires have too, is likely of this format."""
        event = mapping(chunk)
        if event.get("type") == "keepalive":
            return True
        if event.get("type") != "error" or "choices" in event:
            return False
        return not mapping(event.get("error")) or not event.keys().isdisjoint(("sequence_number", "status"))

    def recognizes(self, shape: Any) -> bool:
        """Tell whether a chunk, a body or an assembled message is of this format."""
        event = mapping(shape)
        if self.claims(event):
            return True
        output = event.get("output")
        if not isinstance(output, list | tuple) or "choices" in event or isinstance(event.get("type"), str):
            return False
        return event.get("object") in (None, "response") and all(
            isinstance(mapping(each).get("type"), str) for each in output
        )

    def _items(self, message: Any) -> list[Mapping[str, Any]]:
        body = mapping(message)
        inner = mapping(body.get("response"))
        return [mapping(each) for each in as_list((inner or body).get("output"))]

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way, with the first one's name if it is there."""
        for item in self._items(message):
            known = call_kind(as_text(item.get("type")), item)
            if known is not None and known[1]:
                return Forming(True, _name(item) or None)
        return Forming()

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body; those that the provider runs are none of them."""
        found = []
        for item in self._items(message):
            kind = as_text(item.get("type"))
            known = call_kind(kind, item)
            name = _name(item)
            if known is None or not known[1] or not name or item.get("status") == "incomplete":
                continue
            if kind not in ("function_call", "mcp_approval_request") and item.get("status") == "in_progress":
                continue
            arguments = _arguments(kind, item)
            if arguments is not None:
                found.append(ExtractedCall(name, arguments, _id(item), kind=known[0]))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body: its parts of type output_text."""
        if isinstance(message, str):
            return message
        out = []
        for item in self._items(message):
            if item.get("type") != "message":
                continue
            content = item.get("content")
            if isinstance(content, str):
                out.append(content)
            out.extend(
                as_text(mapping(part).get("text")) for part in as_list(content)
                if mapping(part).get("type") in ("output_text", "text")
            )  # fmt: skip
        return "".join(out)

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the output items with the calls of `records`, in order, and one output item for each of them.

        Reasoning goes back as it is, in its place. Source: response_input_item_param.py of openai 3.57.0.
        """
        ids = {record.tool_call_id for record in records}
        calls: dict[Any, dict[str, Any]] = {}
        turn: list[dict[str, Any]] = []
        if isinstance(message, str) and message.strip():
            turn.append({"role": "assistant", "content": message})
        for item in self._items(message):
            kept = plainly(item)
            known = call_kind(as_text(kept.get("type")), kept)
            if known is not None and known[1]:
                if _id(kept) not in ids:
                    continue
                calls[_id(kept)] = kept
            turn.append(kept)
        return [*turn, *(_answer(calls.get(record.tool_call_id, {}), record) for record in records)]


def _answer(call: Mapping[str, Any], record: Any) -> dict[str, Any]:
    """Return the item that answers one call, as its kind wants it."""
    kind = as_text(call.get("type")) or "function_call"
    error = getattr(record, "error", None)
    result = None if error is not None else getattr(record, "result", None)
    fields = mapping(result)
    text = result_text(record)
    answer: dict[str, Any] = {"type": f"{kind}_output", "call_id": record.tool_call_id}
    if kind == "mcp_approval_request":
        approve = fields.get("approve") if fields else result
        approved = approve is True or as_text(approve).lower() in ("true", "yes", "approve", "approved")
        answer = {"type": "mcp_approval_response", "approval_request_id": record.tool_call_id, "approve": approved}
        reason = str(error) if error is not None else fields.get("reason")
        return {**answer, "reason": reason} if reason else answer
    if kind == "local_shell_call":
        return {"type": "local_shell_call_output", "id": as_text(call.get("id")) or record.tool_call_id, "output": text}
    if kind == "computer_call":
        if error is not None:
            answer |= {"output": {"type": "computer_screenshot"}, "status": "incomplete"}
        elif fields:
            shot = fields.get("output", fields)
            answer["output"] = {"type": "computer_screenshot", **mapping(shot)}
            acknowledged = answer["output"].pop("acknowledged_safety_checks", fields.get("acknowledged_safety_checks"))
            if acknowledged:
                answer["acknowledged_safety_checks"] = acknowledged
        else:
            answer["output"] = {"type": "computer_screenshot", "image_url": text}
        return answer
    if kind == "shell_call":
        if isinstance(result, list) and result and all(isinstance(each, dict) and "outcome" in each for each in result):
            answer["output"] = result
        elif "stdout" in fields or "stderr" in fields:
            answer["output"] = [{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}, **fields}]
        else:
            streams = {"stdout": "", "stderr": text} if error is not None else {"stdout": text, "stderr": ""}
            answer["output"] = [{**streams, "outcome": {"type": "exit", "exit_code": int(error is not None)}}]
        most = mapping(call.get("action")).get("max_output_length")
        if most is not None:
            answer["max_output_length"] = most
    elif kind == "apply_patch_call":
        answer["status"] = "completed" if error is None else "failed"
        if result is not None or error is not None:
            answer["output"] = text
    elif kind == "tool_search_call":
        tools = fields.get("tools") if fields else result
        answer = {"type": "tool_search_output", "call_id": record.tool_call_id, "execution": "client",
                  "tools": tools if isinstance(tools, list) else []}  # fmt: skip
    else:
        parts = as_list(result)
        rich = bool(parts) and all(mapping(each).get("type") in _INPUTS for each in parts)
        answer["output"] = parts if rich else text
    if call.get("caller"):
        answer["caller"] = call["caller"]
    return answer


def _arguments(kind: str, item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a call's arguments, None if they are not whole."""
    if kind == "custom_tool_call":
        text = item.get("input")
        return {"input": text} if isinstance(text, str) else None
    if kind in FIELD:
        return parse_arguments(item.get(FIELD[kind]), FIELD[kind] in item)
    value = item.get(OBJECT[kind])
    if kind == "computer_call" and not isinstance(value, dict):
        value = {"actions": item["actions"]} if item.get("actions") else None
    if isinstance(value, str):
        value = parse_arguments(value)
    return value if isinstance(value, dict) and whole_object(kind, value) else None


def _name(item: Mapping[str, Any]) -> str:
    kind = as_text(item.get("type"))
    name = as_text(item.get("name"))
    return name if name or kind in FIELD else kind.removesuffix("_call")


def _id(item: Mapping[str, Any]) -> str | None:
    """Return the id by which a call is answered."""
    return as_text(item.get("call_id")) or as_text(item.get("id")) or None


def plainly(value: Any) -> Any:
    """Return a part of the wire as plain data, whatever objects it is made of."""
    value = plain(value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list):
        return [plainly(each) for each in value]
    fields = mapping(value)
    return {key: plainly(each) for key, each in fields.items()} if fields or isinstance(value, Mapping) else value


def as_list(value: Any) -> list[Any]:
    """Return a list of the wire, empty if it is none."""
    return list(value) if isinstance(value, list | tuple) else []


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
