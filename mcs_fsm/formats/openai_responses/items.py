"""The items of a Responses output: which are calls, who runs them, and how their results go back.

Source: openai 3.57.0, types/responses/response_output_item.py and response_input_item_param.py (checked 2026-11-30).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ...calls import ExtractedCall
from ...decode import mapping
from ...strategy import parse_arguments, plain, result_text

__all__ = ["CallItem", "call_of", "extract_item", "history"]


class CallItem(msgspec.Struct, frozen=True):
    """How a kind of item is a call.

    Args:
        kind: `ExtractedCall.kind`.
        name: the tool's name, None if the item says it.
        field: where its arguments stand: a JSON text, a free text (kind "custom"), or an object.
        provider_run: whether the provider runs it.
    """

    kind: str
    name: str | None
    field: str
    provider_run: bool = False


_CALLS = {
    "function_call": CallItem("function", None, "arguments"),
    "custom_tool_call": CallItem("custom", None, "input"),
    "computer_call": CallItem("computer", "computer", "action"),
    "local_shell_call": CallItem("local_shell", "local_shell", "action"),
    "shell_call": CallItem("shell", "shell", "action"),
    "apply_patch_call": CallItem("apply_patch", "apply_patch", "operation"),
    "tool_search_call": CallItem("tool_search", "tool_search", "arguments"),
    "mcp_approval_request": CallItem("mcp_approval", None, "arguments"),
    "mcp_call": CallItem("mcp", None, "arguments", True),
    "program": CallItem("program", "program", "code", True),
    "code_interpreter_call": CallItem("code_interpreter", "code_interpreter", "code", True),
}


def call_of(item: Mapping[str, Any]) -> CallItem | None:
    """Return how an item is a call, None if it is none."""
    kind = item.get("type")
    if not isinstance(kind, str):
        return None
    found = _CALLS.get(kind)
    if found is None:
        # web_search_call, file_search_call, image_generation_call, and whatever comes next: not ours to run
        name = kind.removesuffix("_call")
        return CallItem(name, name, "action", True) if kind.endswith("_call") else None
    environment = mapping(item.get("environment"))
    if (kind == "tool_search_call" and item.get("execution") == "server") or (
        kind == "shell_call" and environment.get("type") not in (None, "local")
    ):
        return msgspec.structs.replace(found, provider_run=True)
    return found


def call_id(item: Mapping[str, Any]) -> str | None:
    """Return what correlates a call with its result: `call_id`, or the item's own id where it has none."""
    for key in ("call_id", "id"):
        if isinstance(item.get(key), str) and item[key]:
            return str(item[key])
    return None


def arguments_of(item: Mapping[str, Any], call: CallItem) -> str:
    """Return an item's arguments as JSON text, a custom call's as they are, "" if there are none yet."""
    value = item.get(call.field)
    if value is None and call.field == "action" and item.get("actions"):
        value = {"actions": item["actions"]}
    if isinstance(value, str):
        return value
    return msgspec.json.encode(plain(value)).decode() if value else ""


def extract_item(item: Mapping[str, Any]) -> ExtractedCall | None:
    """Return the call that an item of a message is, None if it is none that is whole and the client's."""
    call = call_of(item)
    if call is None or call.provider_run or item.get("status") == "incomplete":
        return None
    name = call.name or item.get("name")
    if not isinstance(name, str) or not name:
        return None
    if call.kind == "custom":
        value = item.get("input")
        return ExtractedCall(name, {"input": value}, call_id(item), kind="custom") if isinstance(value, str) else None
    present = call.field in item or "actions" in item
    text = arguments_of(item, call)
    arguments = parse_arguments(text, present) if text or call.kind == "function" else {}
    return None if arguments is None else ExtractedCall(name, arguments, call_id(item), kind=call.kind)


def history(output: Sequence[Mapping[str, Any]], records: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the output items with only the calls of `records` among the client's, and one answer for each record."""
    answered = {record.tool_call_id: record for record in records}
    turn, answers = [], []
    for item in output:
        call = call_of(item)
        if call is None or call.provider_run:
            turn.append(plain(dict(item)))
        elif call_id(item) in answered:
            turn.append(plain(dict(item)))
            answers.append(_answer(item, answered[call_id(item)]))
    return [*turn, *answers]


def _answer(item: Mapping[str, Any], record: Any) -> dict[str, Any]:
    kind, text = item["type"], result_text(record)
    failed = record.error is not None
    back: dict[str, Any] = {"type": f"{kind}_output", "call_id": item.get("call_id"), "output": text}
    if "caller" in item:
        back["caller"] = plain(item["caller"])
    if kind == "local_shell_call":  # this one is keyed by the item's own id
        return {"type": "local_shell_call_output", "id": item.get("id"), "output": text}
    if kind == "shell_call":
        result = record.result
        if not (isinstance(result, list) and not failed):
            outcome = {"type": "exit", "exit_code": 1 if failed else 0}
            result = [{"stdout": "" if failed else text, "stderr": text if failed else "", "outcome": outcome}]
        back["output"] = result
    elif kind == "apply_patch_call":
        back["status"] = "failed" if failed else "completed"
    elif kind == "tool_search_call":
        tools = record.result if isinstance(record.result, list) and not failed else []
        return {"type": "tool_search_output", "call_id": item.get("call_id"), "execution": "client", "tools": tools}
    elif kind == "mcp_approval_request":
        approve = record.result is True or (isinstance(record.result, Mapping) and record.result.get("approve") is True)
        answer = {"type": "mcp_approval_response", "approval_request_id": item.get("id"), "approve": approve}
        return answer if approve else {**answer, "reason": text}
    elif kind == "computer_call" and isinstance(record.result, Mapping) and not failed:
        back["output"] = json.loads(text)
    elif kind == "custom_tool_call":
        back["type"] = "custom_tool_call_output"
    elif kind == "function_call":
        back["type"] = "function_call_output"
    return back
