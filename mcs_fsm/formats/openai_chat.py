"""OpenAI Chat Completions and the servers compatible with it: `POST /v1/chat/completions`, stream=true.

SSE, `data: {chunk}`, ended by `data: [DONE]` (not by every server). Checked 2026-11-30 against openai 3.57.0
(types/chat/chat_completion_chunk.py), mistralai 3.7.0, groq 1.7.0, together 3.1.1, litellm 1.110.2.

| primitive | where |
| --- | --- |
| content | choices[i].delta.content: str, or Mistral's list of typed chunks |
| reasoning | delta.reasoning_content, reasoning, reasoning_details[].text, thinking chunks: one text, counted once |
| refusal | delta.refusal |
| call key | (choice, delta.tool_calls[].index), repaired where servers reuse or omit it |
| name, id | tool_calls[].function.name, .id: first fragment, or repeated, or in pieces |
| arguments | tool_calls[].function.arguments: fragments; an object on some servers; custom.input: free text |
| call end | none: the choice's finish_reason |
| finish | choices[i].finish_reason; usage may follow |
| turn end | [DONE], or the end of the body |
| usage | usage, x_groq.usage, choices[i].usage: the last object that is not null |
| error | a top-level `error`, choices[i].error, x_groq.error |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..actions import machines
from ..calls import Counts, ExtractedCall, Forming
from ..core import Core
from ..decode import ViewDecoder, mapping
from ..machine.rows import SLOT_FRAGMENTS, TURN_ARGS, TURN_ROWS
from ..slots import Item, Slot
from ..strategy import Format, parse_arguments, plain, result_text

__all__ = ["OpenAICompletionExtractionStrategy"]


class Choice(msgspec.Struct, gc=False):
    """What is read of a choice; `delta` stays a mapping, because its unknown keys matter."""

    index: Any = 0
    delta: Any = None
    finish_reason: Any = None
    message: Any = None
    usage: Any = None
    error: Any = None


class Chunk(msgspec.Struct, gc=False):
    """What is read of a chunk."""

    id: Any = None
    object: Any = None
    model: Any = None
    created: Any = None
    choices: list[Choice] | None = None
    usage: Any = None
    error: Any = None
    x_groq: Any = None


MACHINES = machines("openai_chat", TURN_ROWS + TURN_ARGS, SLOT_FRAGMENTS)

#: Finish reasons after which nothing may be run. mistralai: model_length, error; GLM: sensitive, network_error;
#: DeepSeek: insufficient_system_resource; SGLang: abort; litellm: guardrail_intervened, malformed_function_call.
CUT = frozenset(
    "length model_length max_tokens content_filter error abort sensitive network_error guardrail_intervened "
    "insufficient_system_resource malformed_function_call".split()
)

_DELTA = frozenset(("role", "content", "refusal", "tool_calls", "function_call", "executed_tools"))
_REASONING = ("reasoning_content", "reasoning")
_CALL = frozenset(("index", "id", "type", "function", "custom"))
_FIXED = frozenset(("type", "id", "format", "index", "role", "signature", "object"))


class OpenAICompletionExtractionStrategy(Format):
    """Chat Completions."""

    name = "openai-chat"
    machines = MACHINES
    decoder = ViewDecoder(Chunk)

    # --- one frame -------------------------------------------------------------------------------------------

    def lex(self, core: Core, view: Chunk) -> None:
        """Say what one chunk says."""
        whole = view.object == "chat.completion"  # a stream=false body
        choices = view.choices
        if choices:
            if not core.started:
                core.start(view.id or None, view.model or None, view.created)
            for choice in choices:
                if (choice.index or 0) != core.choice:
                    continue
                delta = choice.message if whole and choice.delta is None else choice.delta
                if delta is not None:
                    self._delta(core, mapping(delta), whole)
                if choice.error:
                    self._error(core, choice.error)
                word = choice.finish_reason
                if word and isinstance(word, str):
                    core.finish(word, word in CUT)
                if choice.usage:
                    self._usage(core, choice.usage)
        if view.usage:
            self._usage(core, view.usage)
        if view.x_groq:
            extra = mapping(view.x_groq)
            if extra.get("usage"):
                self._usage(core, extra["usage"])
            if extra.get("error"):
                self._error(core, extra["error"])
        if view.error:
            self._error(core, view.error)
        if whole and choices:
            core.end()

    def _delta(self, core: Core, delta: Mapping[str, Any], whole: bool) -> None:
        content = delta.get("content")
        if len(delta) > 1 or content is None:
            for key, value in delta.items():
                if key not in _DELTA and value is not None and key not in _REASONING:
                    core.facts.setdefault(key, []).append(plain(value))
            self._reasoning(core, delta)
        if content:
            if isinstance(content, str):
                if "_parts" in core.facts:  # a plain piece among typed ones
                    self._typed(core, {"type": "text", "text": content})
                else:
                    core.content(content)
            elif isinstance(content, list | tuple):
                for part in content:
                    self._typed(core, mapping(part))
            else:
                core.error("bad_field", f"delta.content is {type(content).__name__}")
        if "refusal" in delta:
            core.facts["refusal"] = True
            if isinstance(delta["refusal"], str):
                core.refusal(delta["refusal"])
        for fragment in _list(core, delta, "executed_tools"):
            self._executed(core, mapping(fragment))
        for fragment in _list(core, delta, "tool_calls"):
            self._call(core, mapping(fragment), whole)
        legacy = delta.get("function_call")
        if legacy:
            call = mapping(legacy)
            slot = core.by_key.get("function_call") or core.open_call("function_call")
            core.name(slot, _text(call.get("name")))
            self._arguments(core, slot, call.get("arguments"))

    def _reasoning(self, core: Core, delta: Mapping[str, Any]) -> None:
        """Servers send the same reasoning under several keys: the first that has text counts."""
        for key in _REASONING:
            value = delta.get(key)
            if value and isinstance(value, str):
                core.facts[key] = True
                core.reasoning(value)
                return
        for key, part in (("reasoning_details", ("text", "summary")), ("thinking_blocks", ("thinking",))):
            texts = [
                entry[name]
                for entry in map(mapping, _entries(delta.get(key)))
                for name in part
                if isinstance(entry.get(name), str)
            ]
            if any(texts):
                core.reasoning("".join(texts))
                return

    def _typed(self, core: Core, part: Mapping[str, Any]) -> None:
        """Take one of Mistral's typed chunks; neighbours of one kind are one part of the message."""
        parts = core.facts.setdefault("_parts", [])
        if not parts and core.body.length:  # plain text came before
            parts.append(Item(0, "text"))
            parts[0].spans.add(core.body, 0, core.body.length)
        kind = _text(part.get("type"))
        texts = part.get("thinking") if kind == "thinking" else [part]
        if kind not in ("text", "thinking"):
            parts.append(Item(len(parts), kind, plain(part)))
            core.opaque(kind or "content", plain(part), parts[-1])
            return
        if not parts or parts[-1].kind != kind or parts[-1].done:
            parts.append(Item(len(parts), kind, {}))
        item = parts[-1]
        for each in texts if isinstance(texts, list) else [{"text": texts}]:
            text = _text(mapping(each).get("text"))
            if kind == "text":
                core.content(text, item)
            else:
                core.reasoning(text, item)
        further = {key: plain(value) for key, value in part.items() if key not in ("type", "text", "thinking")}
        item.data.update(further)
        item.done = bool(part.get("closed"))

    def _call(self, core: Core, fragment: Mapping[str, Any], whole: bool) -> None:
        function, custom = fragment.get("function"), fragment.get("custom")
        if isinstance(function, str):  # Fireworks types it as a bare string
            function = {"name": function}
        body = mapping(custom if custom else function)
        id = fragment.get("id")
        if not isinstance(id, str) or id == "null":  # Mistral-hosted models send the string on continuations
            id = None
        name = _text(body.get("name"))
        key = fragment.get("index")
        if not isinstance(key, int | float | str):
            key = len(core.slots) if whole else None
        kind = "custom" if custom else "function"
        slot = core.call(key, id or None, name or None, kind=kind)
        for extra, value in fragment.items():
            if extra not in _CALL and value is not None:
                slot.extra.setdefault(extra, []).append(plain(value))
        self._arguments(core, slot, body.get("input") if custom else body.get("arguments"))

    def _arguments(self, core: Core, slot: Slot, value: Any) -> None:
        if isinstance(value, str):
            core.args(slot, value)
        elif value is not None:  # Fireworks, Mistral, SGLang: an object, whole; of anything else the judge says no
            core.args(slot, msgspec.json.encode(plain(value), enc_hook=str).decode())

    def _executed(self, core: Core, fragment: Mapping[str, Any]) -> None:
        """Groq ran a tool itself: reported, never dispatched; sent once without and once with its output."""
        key = ("executed", str(fragment.get("index")))
        slot = core.by_key.get(key)
        if slot is None:
            slot = core.open_call(key, provider_run=True)
            core.name(slot, _text(fragment.get("type")) or "tool")
            core.args_set(slot, _text(fragment.get("arguments")))
        slot.extra.update(plain(dict(fragment)))

    def _usage(self, core: Core, usage: Any) -> None:
        usage = plain(usage)
        if not isinstance(usage, dict):
            core.odd("bad_usage")
            return
        prompt, completion = (mapping(usage.get(f"{side}_tokens_details")) for side in ("prompt", "completion"))
        cached = _int(prompt.get("cached_tokens"))
        core.usage(usage, Counts(
            _int(usage.get("prompt_tokens")), _int(usage.get("completion_tokens")),
            _int(usage.get("prompt_cache_hit_tokens")) if cached is None else cached,
            _int(completion.get("reasoning_tokens")),
        ))  # fmt: skip

    def _error(self, core: Core, error: Any) -> None:
        data = plain(error)
        fields = data if isinstance(data, dict) else {}
        message = _text(fields.get("message")) or (data if isinstance(data, str) else repr(data))
        core.error("provider", message, retryable=retryable(fields.get("code"), fields.get("type")), data=data)

    # --- the message -----------------------------------------------------------------------------------------

    def message(self, core: Core) -> dict[str, Any]:
        """Build `choices[].message` of the stream=false body."""
        facts = core.facts
        message: dict[str, Any] = {"role": "assistant", "content": core.body.kept() or None}
        parts = facts.get("_parts")
        if parts:
            message["content"] = [self._part(item) for item in parts]
        if "refusal" in facts:
            message["refusal"] = core.refusals.text() or None
        for key in _REASONING:
            if key in facts:
                message[key] = "".join(b.slice(start, end) for b, start, end in core.reasons.spans if b is core.side)
        message.update({key: merged(value) for key, value in facts.items() if key[0] != "_" and value is not True})
        calls = []
        for slot in core.slots:
            if slot.start is not None:
                continue
            raw = slot.args.text()
            if slot.call is not None and not slot.call.arguments and raw.strip() in ("", "null"):
                raw = "{}"
            if slot.provider_run:
                message.setdefault("executed_tools", []).append(dict(slot.extra))
            elif slot.key == "function_call":
                message["function_call"] = {"name": slot.name, "arguments": raw}
            else:
                key, field = ("custom", "input") if slot.kind == "custom" else ("function", "arguments")
                call = {"id": slot.id, "type": key, key: {"name": slot.name, field: raw}}
                known = {key: value for key, value in call.items() if value is not None}
                calls.append({**known, **{key: merged(values) for key, values in slot.extra.items()}})
        if calls:
            message["tool_calls"] = calls
        return message

    @staticmethod
    def _part(item: Item) -> dict[str, Any]:
        if item.kind == "text":
            return {"type": "text", "text": item.spans.kept(), **(item.data or {})}
        if item.kind == "thinking":
            inner = [{"type": "text", "text": item.spans.kept()}]
            return {"type": "thinking", "thinking": inner, **item.data}
        return dict(item.data)

    # --- strategy --------------------------------------------------------------------------------------------

    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk is a Chat Completions chunk."""
        event = mapping(chunk)
        if event.get("object") in ("chat.completion.chunk", "chat.completion"):
            return True
        choices = event.get("choices")
        if not isinstance(choices, list | tuple) or not choices:
            return False
        first = mapping(choices[0])
        return "delta" in first or "content_filter_offsets" in first or ("message" in first and "text" not in first)

    def hints(self, chunk: Any) -> bool:
        """Tell whether a chunk without choices is likely of this format."""
        event = mapping(chunk)
        id = event.get("id")
        return not event.get("choices") and (
            event.get("choices") == [] or "x_groq" in event or "prompt_filter_results" in event
            or (isinstance(id, str) and id.startswith("chatcmpl-"))
        )  # fmt: skip

    def recognizes(self, shape: Any) -> bool:
        """Tell whether a chunk, a body or an assembled message is of this format."""
        event = mapping(shape)
        if isinstance(event.get("choices"), list | tuple):
            return event.get("object") != "text_completion"
        if "type" in event or "tool_plan" in event or "done" in event:
            return False
        if "tool_calls" in event or "function_call" in event or "executed_tools" in event:
            return all(
                "type" in call or isinstance(mapping(call.get("function")).get("arguments"), str | None)
                for call in map(mapping, _entries(event.get("tool_calls")))
            )
        content = event.get("content")
        return isinstance(content, list) and any(
            mapping(part).get("type") == "thinking" and isinstance(mapping(part).get("thinking"), list)
            for part in content
        )

    def _calls(self, message: Any) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
        """Return the inner message and its call entries, the legacy one included."""
        body = mapping(message)
        choices = body.get("choices")
        if isinstance(choices, list | tuple) and choices:
            first = mapping(choices[0])
            body = mapping(first.get("message") or first.get("delta"))
        calls = body.get("tool_calls")
        entries = [mapping(call) for call in calls] if isinstance(calls, list | tuple) else []
        legacy = mapping(body.get("function_call"))
        return body, [*entries, {"function": legacy}] if legacy else entries

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way, with the first one's name if it is there."""
        _, calls = self._calls(message)
        if not calls:
            return Forming()
        call = mapping(calls[0].get("function") or calls[0].get("custom"))
        return Forming(True, _text(call.get("name")) or None)

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the whole calls of a message or body."""
        found = []
        for entry in self._calls(message)[1]:
            id = entry.get("id")
            id = id if isinstance(id, str) and id else None
            custom, call = mapping(entry.get("custom")), mapping(entry.get("function"))
            if custom:
                if isinstance(custom.get("name"), str) and isinstance(custom.get("input"), str):
                    found.append(ExtractedCall(custom["name"], {"input": custom["input"]}, id, kind="custom"))
                continue
            name = call.get("name")
            arguments = parse_arguments(call.get("arguments"), "arguments" in call)
            if isinstance(name, str) and name and arguments is not None:
                found.append(ExtractedCall(name, arguments, id))
        return found

    def content_text(self, message: Any) -> str:
        """Return the text of a message or body; of typed parts, those of type text."""
        if isinstance(message, str):
            return message
        content = self._calls(message)[0].get("content")
        if isinstance(content, list):
            return "".join(
                _text(mapping(part).get("text")) for part in content if mapping(part).get("type") == "text"
            )
        return content if isinstance(content, str) else ""

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the assistant's turn with the calls of `records`, and one `tool` message for each of them.

        Source: ChatCompletionToolMessageParam of openai 3.57.0; a legacy call is answered by role `function`.
        """
        body, entries = self._calls(message)
        ids = {record.tool_call_id for record in records}
        turn = {key: plain(value) for key, value in body.items() if key not in ("tool_calls", "function_call")}
        turn.setdefault("role", "assistant")
        turn.setdefault("content", None)
        kept = [plain(entry) for entry in entries if "id" in entry and entry["id"] in ids]
        legacy = body.get("function_call") if None in ids else None
        if kept:
            turn["tool_calls"] = kept
        if legacy:
            turn["function_call"] = plain(legacy)
        answers: list[dict[str, Any]] = []
        for record in records:
            if record.tool_call_id is None and legacy:
                answers.append({"role": "function", "name": record.name, "content": result_text(record)})
            else:
                answers.append(
                    {"role": "tool", "tool_call_id": record.tool_call_id, "content": result_text(record)}
                )
        return [turn, *answers]


def merged(fragments: Sequence[Any]) -> Any:
    """Merge the fragments of a key that is kept verbatim, as openai's accumulate_delta does.

    Text is joined, objects are merged key by key, list entries with an `index` are merged by it (and their `type`),
    other entries are added; of anything else the last value counts.
    """
    if all(isinstance(each, str) for each in fragments):
        return "".join(fragments)
    if all(isinstance(each, dict) for each in fragments):
        keys: dict[str, list[Any]] = {}
        for each in fragments:
            for key, value in each.items():
                if value is not None or key not in keys:
                    keys.setdefault(key, []).append(value)
        return {
            key: values[-1] if key in _FIXED else merged([v for v in values if v is not None] or [None])
            for key, values in keys.items()
        }
    if all(isinstance(each, list) for each in fragments):
        entries: dict[Any, list[Any]] = {}
        for each in fragments:
            for entry in each:
                index = entry.get("index") if isinstance(entry, dict) else None
                key = object() if index is None else (str(index), str(entry.get("type")))
                entries.setdefault(key, []).append(entry)
        return [merged(group) if len(group) > 1 else group[0] for group in entries.values()]
    return fragments[-1]


def retryable(code: Any, kind: Any) -> bool:
    """Tell whether sending the request again makes sense, by status code or the provider's word."""
    if isinstance(code, int):
        return code in (408, 409, 429) or code >= 500
    return any(isinstance(each, str) and ("rate" in each or "overload" in each or "server" in each or "timeout" in each
                                          or "unavailable" in each) for each in (code, kind))  # fmt: skip


def _entries(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _list(core: Core, delta: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = delta.get(key)
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return value
    core.error("bad_field", f"delta.{key} is {type(value).__name__}, not a list")
    return ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
