"""Bytes of a response body in, cut anywhere; frames out, the same whatever the cutting.

Nothing here decodes a payload and nothing raises because of what was sent: what cannot be read is a `Fault`.
"""

from __future__ import annotations

from .detect import Framer
from .eventstream import EventStreamDecoder
from .frame import Decoder, Fault, Frame
from .jsonarray import JsonArrayDecoder
from .ndjson import NdjsonDecoder
from .sse import SseDecoder

__all__ = [
    "Decoder", "EventStreamDecoder", "Fault", "Frame", "Framer", "JsonArrayDecoder", "NdjsonDecoder", "SseDecoder",
]  # fmt: skip
