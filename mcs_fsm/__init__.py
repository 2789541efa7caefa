"""Read streamed LLM replies that carry tool calls: text that may be shown, calls that may be run."""

from __future__ import annotations

from .buffer import LLMStreamBuffer
from .calls import ExtractedCall, Forming, Stats, Turn
from .chain import ExtractionChain
from .codec.prompt import DelimitedPromptStrategy, JsonPromptStrategy, PromptStrategy
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
    AnthropicExtractionStrategy, BedrockConverseExtractionStrategy, CohereExtractionStrategy,
    GeminiExtractionStrategy, GeminiInteractionsExtractionStrategy, OllamaExtractionStrategy,
    OpenAICompletionExtractionStrategy, OpenAIResponseExtractionStrategy,
)  # fmt: skip
from .formats.text import TextExtractionStrategy
from .limits import Limits
from .strategy import ExtractionStrategy
from .stream import Stream, aevents, events
from .tools import Tool, ToolParameter

__version__ = "0.1.0"

__all__ = [
    "AnthropicExtractionStrategy", "ArgumentsDelta", "BedrockConverseExtractionStrategy", "CallAbandoned",
    "CallForming", "CallReady", "CohereExtractionStrategy", "DeclarationError", "DelimitedPromptStrategy", "Event",
    "ExtractedCall", "ExtractionChain", "ExtractionStrategy", "Forming", "GeminiExtractionStrategy",
    "GeminiInteractionsExtractionStrategy", "IllegalTransition", "JsonPromptStrategy", "LLMStreamBuffer", "Limits",
    "McsFsmError", "OllamaExtractionStrategy", "OpaquePart", "OpenAICompletionExtractionStrategy",
    "OpenAIResponseExtractionStrategy", "PromptStrategy", "ReasoningDelta", "RefusalDelta", "Stats", "Stream",
    "StreamClosed", "StreamError", "TextDelta", "TextExtractionStrategy", "Tool", "ToolParameter", "Turn",
    "TurnFinished", "TurnStarted", "UnknownName", "UsageError", "UsageReported", "__version__", "aevents", "events",
]  # fmt: skip
