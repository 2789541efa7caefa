"""Read streamed LLM replies that carry tool calls: text that may be shown, calls that may be run."""

from __future__ import annotations

from .buffer import LLMStreamBuffer
from .calls import ExtractedCall, Forming, Stats, Turn
from .chain import ExtractionChain
from .errors import DeclarationError, IllegalTransition, McsFsmError, StreamClosed, UnknownName, UsageError
from .events import (
    ArgumentsDelta,
    CallAbandoned,
    CallForming,
    CallReady,
    Event,
    OpaquePart,
    ReasoningDelta,
    RefusalDelta,
    StreamError,
    TextDelta,
    TurnFinished,
    TurnStarted,
    UsageReported,
)
from .formats import (
    AnthropicExtractionStrategy, BedrockConverseExtractionStrategy, OpenAICompletionExtractionStrategy,
)  # fmt: skip
from .limits import Limits
from .strategy import ExtractionStrategy
from .stream import Stream, aevents, events

__version__ = "0.1.0"

__all__ = [
    "AnthropicExtractionStrategy", "ArgumentsDelta", "BedrockConverseExtractionStrategy", "CallAbandoned", "CallForming", "CallReady", "DeclarationError", "Event", "ExtractedCall",
    "ExtractionChain", "ExtractionStrategy", "Forming", "IllegalTransition", "LLMStreamBuffer", "Limits", "McsFsmError",
    "OpaquePart",
    "OpenAICompletionExtractionStrategy", "ReasoningDelta", "RefusalDelta", "Stats", "Stream", "StreamClosed",
    "StreamError", "TextDelta", "Turn", "TurnFinished", "TurnStarted", "UnknownName", "UsageError", "UsageReported",
    "__version__", "aevents", "events",
]  # fmt: skip
