"""The formats, one file each, and the registry in the order of recognition. No format imports another."""

from __future__ import annotations

from ..strategy import Format
from .openai_chat import OpenAICompletionExtractionStrategy

__all__ = ["FORMATS", "OpenAICompletionExtractionStrategy"]

#: Name -> the one shared object of that format.
FORMATS: dict[str, Format] = {each.name: each for each in (OpenAICompletionExtractionStrategy(),)}
