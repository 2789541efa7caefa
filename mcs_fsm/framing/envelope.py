"""Open the envelope of InvokeModelWithResponseStream: one decoded event in, the JSON of the event inside out.

An event `chunk` carries the model provider's own event as `{"bytes": ..., "p"?: ...}`: base64 text in the frames, bytes
from boto3, which has decoded it already. Which wire is inside only the inside can say. Source: the service model of
bedrock-runtime in botocore 1.44.8 (ResponseStream, PayloadPart; `p` is padding), checked 2026-11-30.
"""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from typing import Any

__all__ = ["open_envelope"]


def open_envelope(event: Mapping[str, Any]) -> bytes | None:
    """Return the JSON text inside an envelope, None if `event` is none.

    Args:
        event: a decoded event, `{"chunk": {"bytes": ...}}` or `{"bytes": ...}`; beside them only padding (`p`) and
            `amazon-bedrock-*` may stand, because `bytes` and `chunk` are ordinary words.

    Returns:
        The bytes inside; b"" for an envelope whose content is no base64, so that it is reported as bad JSON.
    """
    payload: Any = event
    if "chunk" in event:
        if not _alone(event, "chunk"):
            return None
        payload = event["chunk"]
    if not isinstance(payload, Mapping) or "bytes" not in payload or not _alone(payload, "bytes"):
        return None
    inner = payload["bytes"]
    if isinstance(inner, bytes | bytearray | memoryview):
        return bytes(inner)
    if not isinstance(inner, str):
        return b"" if payload is not event else None
    try:
        return binascii.a2b_base64(inner, strict_mode=True)
    except ValueError:
        return b""


def _alone(event: Mapping[str, Any], key: str) -> bool:
    return all(each == key or each == "p" or str(each).startswith("amazon-bedrock-") for each in event)
