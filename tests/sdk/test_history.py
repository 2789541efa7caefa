"""Histories validate against the official SDKs' own parameter types."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import mcs_fsm as m
from mcs_fsm.formats import FORMATS
from mcs_fsm.replay import load

pytestmark = pytest.mark.filterwarnings("ignore")


def history(sample: str) -> list[dict[str, Any]]:
    """Play a sample and answer each of its calls, the last one with an error."""
    recording = load(f"sample:{sample}")
    stream = m.Stream(recording.source, text_format=None)
    stream.feed(recording.body or b"")
    stream.close()
    turn = stream.turn()
    calls = [call for call in turn.calls if not call.provider_run]
    assert calls
    records = [
        SimpleNamespace(name=c.name, arguments=c.arguments, tool_call_id=c.id, result={"ok": True}, error=None) for c in calls
    ]
    records[-1].result, records[-1].error = None, "it failed"
    return FORMATS[recording.source].result_messages(turn.message, records)


def validate(kind: Any, value: Any) -> None:
    from pydantic import TypeAdapter

    TypeAdapter(kind).validate_python(value)


def test_openai_chat() -> None:
    from openai.types.chat import ChatCompletionMessageParam

    messages = history("text-then-tools")
    validate(list[ChatCompletionMessageParam], messages)
    assert ["assistant", "tool", "tool"] == [message["role"] for message in messages]


def test_openai_responses() -> None:
    from openai.types.responses import ResponseInputItemParam

    items = history("openai-responses")
    validate(list[ResponseInputItemParam], items)
    assert [item["call_id"] for item in items if item["type"] == "function_call"] == [
        item["call_id"] for item in items if item["type"] == "function_call_output"
    ]


def test_anthropic() -> None:
    from anthropic.types import MessageParam

    messages = history("anthropic")
    validate(list[MessageParam], messages)
    assert {"thinking", "tool_use"} <= {block["type"] for block in messages[0]["content"]}
    assert True is messages[1]["content"][-1]["is_error"]


@pytest.mark.parametrize("sample", ["gemini", "gemini-partial-args"])
def test_gemini(sample: str) -> None:
    from google.genai.types import Content

    contents = history(sample)
    for content in contents:
        Content.model_validate(content)
    assert ["model", "user"] == [content["role"] for content in contents]


def test_cohere() -> None:
    from cohere import AssistantChatMessageV2, ToolChatMessageV2
    from cohere.v2.client import V2Client  # noqa: F401 - the package is there

    turn, *answers = history("cohere")
    AssistantChatMessageV2.model_validate(turn)
    for answer in answers:
        ToolChatMessageV2.model_validate(answer)
    assert 2 == len(answers)


def test_ollama() -> None:
    from ollama import Message

    for message in history("ollama"):
        Message.model_validate(message)


def test_bedrock() -> None:
    import boto3
    from botocore.validate import validate_parameters

    client = boto3.client("bedrock-runtime", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    shape = client.meta.service_model.operation_model("ConverseStream").input_shape
    messages = history("bedrock")

    validate_parameters({"modelId": "m", "messages": messages}, shape)
    assert "error" == messages[1]["content"][-1]["toolResult"]["status"]
