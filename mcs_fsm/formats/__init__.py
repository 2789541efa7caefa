"""The formats, one file each, and the registry in the order of recognition. No format imports another."""

from __future__ import annotations

from ..strategy import Format
from .anthropic import AnthropicExtractionStrategy
from .bedrock import BedrockConverseExtractionStrategy
from .cohere import CohereExtractionStrategy
from .gemini import GeminiExtractionStrategy
from .gemini_interactions import GeminiInteractionsExtractionStrategy
from .ollama import OllamaExtractionStrategy
from .openai_chat import OpenAICompletionExtractionStrategy
from .openai_responses import OpenAIResponseExtractionStrategy

__all__ = [
    "FORMATS", "AnthropicExtractionStrategy", "BedrockConverseExtractionStrategy", "CohereExtractionStrategy",
    "GeminiExtractionStrategy", "GeminiInteractionsExtractionStrategy", "OllamaExtractionStrategy",
    "OpenAICompletionExtractionStrategy", "OpenAIResponseExtractionStrategy",
]  # fmt: skip

#: Name -> the one shared object of that format.
FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        OpenAICompletionExtractionStrategy(), OpenAIResponseExtractionStrategy(), AnthropicExtractionStrategy(),
        BedrockConverseExtractionStrategy(), GeminiExtractionStrategy(), GeminiInteractionsExtractionStrategy(),
        CohereExtractionStrategy(), OllamaExtractionStrategy(),
    )
}  # fmt: skip
