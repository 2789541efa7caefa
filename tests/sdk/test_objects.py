"""The official SDKs' own objects as input: they give the turn that the decoded events give.

The packages are the extra `sdk`, and this folder is collected only where they are installed (`--sdk`): one that is
missing then fails. What an SDK has lost before we see it is named here, and nothing else differs.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcs_fsm as m

pytestmark = pytest.mark.filterwarnings("ignore")
OPTIONS: dict[str, Any] = {"text_format": None, "reasoning_tags": False}


def recordings(shared: Path, wire: str) -> list[tuple[str, list[dict[str, Any]]]]:
    out = []
    for path in sorted((shared / "corpus/cases" / wire).glob("*.jsonl")):
        out.append((path.stem, [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]))
    return out


FIELDS = ("text", "reasoning", "refusal", "calls", "failed_calls", "finish_reason", "finished", "usage", "message")


def play(source: str, events: list[Any]) -> m.Turn:
    stream = m.Stream(source, **OPTIONS)
    for event in events:
        stream.add(event)
    stream.close()
    return stream.turn()


def compare(
    shared: Path, wire: str, source: str, build: Callable[[dict[str, Any]], Any], least: int, lost: frozenset[str] = frozenset()
) -> None:
    """Play each recording as dicts and as objects.

    Args:
        build: makes the SDK's object of an event; raises where the SDK itself cannot read it.
        least: number of recordings that the SDK reads.
        lost: fields of the turn that the SDK has lost something of before we see it.
    """
    checked = 0
    for name, events in recordings(shared, wire):
        try:
            objects = [build(event) for event in events]
        except Exception:  # the SDK itself cannot read this one: counted below
            continue
        ours, theirs = play(source, events), play(source, objects)
        for field in FIELDS:
            if field not in lost:
                assert _plain(getattr(ours, field)) == _plain(getattr(theirs, field)), f"{name}: {field}"
        checked += 1
    assert checked >= least


def _plain(value: Any) -> Any:
    """Drop what is null or not there alike."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if each is not None}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def test_openai_chunks(shared: Path) -> None:
    from openai.types.chat import ChatCompletionChunk

    compare(shared, "openai-chat", "openai-chat", lambda event: ChatCompletionChunk.construct(**event), 102)


def test_litellm_chunks(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm.types.utils import ModelResponseStream

    def build(event: dict[str, Any]) -> Any:
        return ModelResponseStream(**event) if event.get("choices") and "error" not in event else event

    # litellm renames `reasoning`, maps finish reasons and rebuilds usage.
    lost = frozenset(("finish_reason", "message", "reasoning", "usage", "finished", "refusal"))
    compare(shared, "openai-chat", "openai-chat", build, 102, lost)


def test_openai_responses_events(shared: Path) -> None:
    from openai._models import construct_type
    from openai.types.responses import ResponseStreamEvent

    compare(shared, "openai-responses", "openai-responses", lambda e: construct_type(type_=ResponseStreamEvent, value=e), 45)


def test_anthropic_events(shared: Path) -> None:
    from anthropic._models import construct_type
    from anthropic.types import RawMessageStreamEvent

    compare(shared, "anthropic-messages", "anthropic", lambda e: construct_type(type_=RawMessageStreamEvent, value=e), 44)


def test_gemini_chunks(shared: Path) -> None:
    from google.genai.types import GenerateContentResponse

    # google-genai drops parts and keys that it does not know, and re-encodes signatures.
    compare(shared, "gemini", "gemini", GenerateContentResponse.model_validate, 19, frozenset(("message", "usage", "finish_reason")))


def test_cohere_events(shared: Path) -> None:
    from cohere.core.unchecked_base_model import construct_type
    from cohere.v2 import V2ChatStreamResponse

    compare(shared, "cohere-v2", "cohere-v2", lambda e: construct_type(type_=V2ChatStreamResponse, object_=e), 13)


def test_ollama_lines(shared: Path) -> None:
    from ollama import ChatResponse

    # The client drops ids and indexes of calls.
    compare(shared, "ollama", "ollama", ChatResponse.model_validate, 13, frozenset(("message", "calls", "usage")))


def test_boto3_events(shared: Path) -> None:
    """boto3 yields the union form as dicts, with blobs as bytes."""
    from botocore.eventstream import EventStreamBuffer

    checked = 0
    for path in sorted((shared / "corpus/raw/bedrock-converse").iterdir()):
        buffer = EventStreamBuffer()
        buffer.add_data(path.read_bytes())
        events = [{e.headers[":event-type"]: json.loads(e.payload)} for e in buffer]
        raw = m.Stream("bedrock-converse", **OPTIONS)
        raw.feed(path.read_bytes())
        raw.close()
        assert raw.turn() == play("bedrock-converse", events)
        checked += 1
    assert checked >= 17
