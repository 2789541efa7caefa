"""Google Gemini: `streamGenerateContent` of the Gemini API and of Vertex.

SSE with `alt=sse`, else one JSON array in pieces; no sentinel. Checked 2026-11-30 against google-genai 3.6.1 (types.py)
and ai.google.dev (function calling, thought signatures).

| primitive | where |
| --- | --- |
| content | candidates[i].content.parts[].text |
| reasoning | the same where the part says thought: true |
| call | each functionCall part opens one, unless it goes on with one that said willContinue |
| name, id | functionCall.name, .id (often absent) |
| arguments | functionCall.args, a whole object; or functionCall.partialArgs: values under JSON paths |
| call end | its arrival; of partial arguments the part without willContinue |
| kept | thoughtSignature, a sibling of the part's content, on exactly that part; every other kind of part |
| finish | candidates[i].finishReason, possibly several times, text may follow |
| turn end | the end of the body |
| usage | usageMetadata: of each key the last value that is not null |
| error | error; promptFeedback.blockReason without candidates |

Keys are camelCase on the wire; the snake_case of SDK objects is read as well.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..actions import machines
from ..calls import Counts, ExtractedCall, Forming
from ..core import Core
from ..decode import ViewDecoder, mapping
from ..machine.rows import CALL_ENDS, SLOT_WHOLE, TURN_ROWS, TURN_VALUE
from ..partial_args import PartialArguments, PathFault
from ..slots import Item, Slot
from ..strategy import Format, plain, result_text

__all__ = ["GeminiExtractionStrategy"]


class Candidate(msgspec.Struct, gc=False):
    """What is read of a candidate; its parts stay mappings, because every kind of them is kept."""

    index: Any = 0
    content: Any = None
    finishReason: Any = None
    finish_reason: Any = None
    finishMessage: Any = None
    finish_message: Any = None


class Chunk(msgspec.Struct, gc=False):
    """What is read of a chunk, in both spellings."""

    candidates: list[Candidate] | None = None
    promptFeedback: Any = None
    prompt_feedback: Any = None
    usageMetadata: Any = None
    usage_metadata: Any = None
    modelVersion: Any = None
    model_version: Any = None
    responseId: Any = None
    response_id: Any = None
    createTime: Any = None
    create_time: Any = None
    error: Any = None
    response: Any = None


MACHINES = machines("gemini", TURN_ROWS + TURN_VALUE + CALL_ENDS, SLOT_WHOLE)

#: Finish reasons after which calls may be run; some gateways send the number of the enum. After all others nothing is.
CLEAN = frozenset(("STOP", 1))
#: The turn is not over, or nothing is said.
_OPEN = frozenset(("FINISH_REASON_UNSPECIFIED", "CONTINUATION", 0))
_MALFORMED = frozenset(("MALFORMED_FUNCTION_CALL", 10))

_PARTIAL = frozenset(("partialArgs", "partial_args", "willContinue", "will_continue"))
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")
_SNAKE = {
    "functionCall": "function_call", "thoughtSignature": "thought_signature", "partialArgs": "partial_args",
    "willContinue": "will_continue", "jsonPath": "json_path", "stringValue": "string_value",
    "numberValue": "number_value", "boolValue": "bool_value", "nullValue": "null_value",
    "executableCode": "executable_code", "codeExecutionResult": "code_execution_result", "toolCall": "tool_call",
    "toolResponse": "tool_response", "toolType": "tool_type", "functionResponse": "function_response",
    "inlineData": "inline_data", "fileData": "file_data", "promptFeedback": "prompt_feedback",
    "usageMetadata": "usage_metadata", "blockReason": "block_reason",
}  # fmt: skip
_CAMEL = {snake: camel for camel, snake in _SNAKE.items()}


def get(value: Mapping[str, Any], key: str) -> Any:
    """Return what stands under a key in either spelling, None if nothing does."""
    found = value.get(key)
    return value.get(_SNAKE[key]) if found is None and key in _SNAKE else found


class GeminiExtractionStrategy(Format):
    """Gemini's `streamGenerateContent`."""

    name = "gemini"
    leaks_into_text = True
    machines = MACHINES
    decoder = ViewDecoder(Chunk)

    # --- one chunk -------------------------------------------------------------------------------------------

    def lex(self, core: Core, view: Chunk) -> None:
        """Say what one chunk says."""
        if view.response is not None and view.candidates is None:  # some gateways wrap the chunk
            inner, _ = self.decoder.convert(view.response)
            view = inner or view
        feedback = mapping(view.promptFeedback or view.prompt_feedback)
        candidates = view.candidates or ()
        if candidates and not core.started:
            core.start(
                view.responseId or view.response_id, view.modelVersion or view.model_version,
                view.createTime or view.create_time,
            )  # fmt: skip
        for candidate in candidates:
            if (candidate.index or 0) == core.choice:
                self._candidate(core, candidate)
        usage = plain(view.usageMetadata or view.usage_metadata)
        if isinstance(usage, dict):
            self._usage(core, usage)
        reason = _word(get(feedback, "blockReason"))
        if reason and not candidates:
            core.error("blocked", f"the prompt was blocked: {reason}", data=plain(dict(feedback)))
        if view.error:
            error = plain(view.error)
            fields = mapping(error)
            code = fields.get("code")
            again = isinstance(code, int) and (code == 429 or code >= 500)
            core.error("provider", str(fields.get("message") or error), retryable=again, data=error)

    def _candidate(self, core: Core, candidate: Candidate) -> None:
        parts = mapping(candidate.content).get("parts")
        for part in parts if isinstance(parts, list | tuple) else ():
            self._part(core, mapping(part))
        word = _word(candidate.finishReason if candidate.finishReason is not None else candidate.finish_reason)
        if word is None or word in _OPEN:
            if word:
                core.odd("not_over")
            return
        if word in _MALFORMED:  # the attempt, if it is said at all, is a call that failed
            slot = core.open_call(None)
            core.args_set(slot, _text(candidate.finishMessage or candidate.finish_message))
            core.call_broken(slot, "malformed")
        core.finish(word, word not in CLEAN)

    def _usage(self, core: Core, usage: dict[str, Any]) -> None:
        merged = {**core.facts.get("usage", {}), **{key: value for key, value in usage.items() if value is not None}}
        core.facts["usage"] = merged
        out = _int(merged.get("candidatesTokenCount"))
        core.usage(merged, Counts(
            _int(merged.get("promptTokenCount")), out, _int(merged.get("cachedContentTokenCount")),
            _int(merged.get("thoughtsTokenCount")),
        ))  # fmt: skip

    # --- parts -----------------------------------------------------------------------------------------------

    def _part(self, core: Core, part: Mapping[str, Any]) -> None:
        call = get(part, "functionCall")
        text = part.get("text")
        if call is not None:
            self._call(core, part, mapping(call))
        elif isinstance(text, str):
            self._text(core, part, text)
        else:
            self._other(core, part)

    def _new(self, core: Core, kind: str, part: Mapping[str, Any]) -> Item:
        """Open a part of the message; what stands beside its content is kept."""
        data = {_CAMEL.get(key, key): _verbatim(value) for key, value in part.items() if value is not None}
        item = core.item(len(core.items), kind, data)
        if "thoughtSignature" in data:
            core.opaque("signature", data["thoughtSignature"], item)
            item.done = True
        return item

    def _text(self, core: Core, part: Mapping[str, Any], text: str) -> None:
        """Take text or a thought. Neighbours of one kind are one part, unless one of them is signed."""
        kind = "thought" if part.get("thought") is True else "text"
        further = {key for key, value in part.items() if value is not None and key not in ("text", "thought")}
        last = next(reversed(core.items.values()), None)
        if last is None or last.kind != kind or last.done or further:
            if not text and not further:
                return
            item = self._new(core, kind, part)
        else:
            item = last
        if kind == "thought":
            core.reasoning(text, item)
        else:
            core.content(text, item)

    def _other(self, core: Core, part: Mapping[str, Any]) -> None:
        """Take a part that the provider made: a tool that it ran, the result, a picture, whatever comes next."""
        code, tool = get(part, "executableCode"), get(part, "toolCall")
        if code is None and tool is None:
            kind = next((key for key, value in part.items() if value is not None and key != "thoughtSignature"), "part")
            kind = _CAMEL.get(kind, kind)
            item = self._new(core, kind, part)
            result = kind in ("codeExecutionResult", "toolResponse")
            core.opaque("provider_result" if result else kind, item.data.get(kind), item)
            return
        body = mapping(code if code is not None else tool)
        item = self._new(core, "call", part)
        slot = core.open_call(None, provider_run=True, item=item)
        if isinstance(body.get("id"), str) and body["id"]:
            core.identify(slot, body["id"])
        core.name(slot, "code_execution" if code is not None else str(_word(get(body, "toolType")) or "tool"))
        value = body.get("args") if code is None else {key: each for key, each in body.items() if key != "id"}
        if value:
            core.args_set(slot, _json(value))
        core.call_end(slot)

    def _call(self, core: Core, part: Mapping[str, Any], call: Mapping[str, Any]) -> None:
        id, name = _text(call.get("id")) or None, _text(call.get("name")) or None
        args, pieces = call.get("args"), get(call, "partialArgs")
        more = get(call, "willContinue") is True
        open_call: tuple[Slot, PartialArguments] | None = core.facts.get("_open")
        if open_call is not None:
            slot = open_call[0]
            if (id and slot.id and id != slot.id) or (name and name != slot.name):
                core.odd("call_not_closed")  # it stays what it is: not whole
                open_call = core.facts.pop("_open") and None
        if open_call is None:
            if not (id or name or args or pieces):
                core.odd("empty_call")
                return
            item = self._new(core, "call", {key: value for key, value in part.items()})
            slot = core.open_call(None, item=item)
            if id:
                core.identify(slot, id)
            core.name(slot, name or "")
            open_call = (slot, PartialArguments(core.limits))
        slot, built = open_call
        try:
            for piece in map(mapping, pieces if isinstance(pieces, list | tuple) else ()):
                built.add(_text(get(piece, "jsonPath")), _value(piece), get(piece, "willContinue") is True)
        except PathFault as exc:
            core.facts.pop("_open", None)
            core.error("bad_field", f"partialArgs of {slot.name}: {exc}")
            core.call_broken(slot, "malformed")
            return
        if more:
            core.facts["_open"] = open_call
            return
        partial = core.facts.pop("_open", None) is not None or bool(pieces)
        if args is None and partial:
            args = built.build()
        if args is not None:
            core.args_set(slot, args if isinstance(args, str) else _json(args))
        core.call_end(slot)

    # --- the message -----------------------------------------------------------------------------------------

    def message(self, core: Core) -> dict[str, Any]:
        """Build `candidates[].content` of the body that is not streamed."""
        return {"role": "model", "parts": [self._built(item) for item in core.items.values()]}

    @staticmethod
    def _built(item: Item) -> dict[str, Any]:
        data = dict(item.data)
        if item.kind in ("text", "thought"):
            data["text"] = item.spans.kept()
        elif item.slot is not None and "functionCall" in data:
            slot = item.slot
            call = {key: value for key, value in mapping(data["functionCall"]).items() if key not in _PARTIAL and value}
            call["name"] = slot.name
            if slot.call is not None:
                call["args"] = slot.call.arguments
            elif slot.id is not None or slot.name:
                call["willContinue"] = True  # not whole: extract() must not take it for one
            data["functionCall"] = call
        return data

    # --- strategy --------------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is of this format."""
        event = mapping(chunk)
        if "type" in event or "choices" in event or "event_type" in event:
            return False
        if isinstance(mapping(event.get("response")).get("candidates"), list):
            return True
        return isinstance(event.get("candidates"), list) or any(
            get(event, key) is not None for key in ("promptFeedback", "usageMetadata")
        )

    def recognizes(self, shape: Any) -> bool:
        """Tell whether a chunk, a body or an assembled message is of this format."""
        return self.claims(shape) or isinstance(mapping(shape).get("parts"), list)

    @staticmethod
    def _parts(message: Any) -> list[Mapping[str, Any]]:
        body = mapping(message)
        candidates = body.get("candidates")
        if isinstance(candidates, list) and candidates:
            body = mapping(mapping(candidates[0]).get("content"))
        parts = body.get("parts")
        return [mapping(part) for part in parts] if isinstance(parts, list | tuple) else []

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is there, with the first one's name."""
        for part in self._parts(message):
            call = get(part, "functionCall")
            if call is not None:
                return Forming(True, _text(mapping(call).get("name")) or None)
        return Forming()

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body."""
        found = []
        for part in self._parts(message):
            call = mapping(get(part, "functionCall"))
            name, args = call.get("name"), plain(call.get("args"))
            whole = isinstance(args, dict) or args is None
            if isinstance(name, str) and name and whole and get(call, "willContinue") is not True:
                found.append(ExtractedCall(name, args or {}, _text(call.get("id")) or None))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body, thoughts left out."""
        if isinstance(message, str):
            return message
        return "".join(_text(part.get("text")) for part in self._parts(message) if part.get("thought") is not True)

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the model's turn with the calls of `records`, and their responses in one content, in that order.

        Source: FunctionResponse of google-genai 3.6.1: `response` is an object, the result under `output`, a failure
        under `error`; `name` is needed even with an id.
        """
        left = list(records)
        turn: list[dict[str, Any]] = []
        answers: list[dict[str, Any]] = []
        for part in self._parts(message):
            call = mapping(get(part, "functionCall"))
            if not call:
                turn.append(plain(dict(part)))
                continue
            id, name = _text(call.get("id")) or None, call.get("name")
            record = next((each for each in left if each.tool_call_id == id and each.name == name and (
                id is not None or each.arguments == (plain(call.get("args")) or {}))), None)  # fmt: skip
            if record is None:
                continue
            left.remove(record)
            turn.append(plain(dict(part)))
            answer = {"name": name, "response": _response(record)}
            answers.append({"functionResponse": {"id": id, **answer} if id else answer})
        return [{"role": "model", "parts": turn}, {"role": "user", "parts": answers}]


def _response(record: Any) -> dict[str, Any]:
    if record.error is not None:
        return {"error": str(record.error)}
    try:
        msgspec.json.encode(record.result)
        return {"output": record.result}
    except (TypeError, ValueError, RecursionError):
        return {"output": result_text(record)}


def _value(piece: Mapping[str, Any]) -> Any:
    """Return a partial argument's value: which key is there decides, not whether it is true."""
    for key in _VALUES:
        present = key in piece or (piece.get(_SNAKE[key]) is not None)
        if present:
            return None if key == "nullValue" else plain(get(piece, key))
    return ""


def _json(value: Any) -> str:
    return msgspec.json.encode(plain(value), enc_hook=str).decode()


def _verbatim(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else plain(value)


def _word(value: Any) -> Any:
    """Return an enum's word or number, None if it is neither."""
    value = getattr(value, "value", value)
    return value if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
