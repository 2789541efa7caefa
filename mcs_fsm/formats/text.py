"""Calls in plain text, as a codec reads them: the last resort behind the native formats.

In comes a text, or anything with a text under `content`; out go the codec's calls with the offsets of their text.
Streams are not read here: their text goes through LEX while it arrives, with the codec's shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..calls import ExtractedCall, Forming
from ..codec.prompt import PromptStrategy
from ..strategy import ExtractionStrategy

__all__ = ["TextExtractionStrategy"]


class TextExtractionStrategy(ExtractionStrategy):
    """Read calls out of text.

    Args:
        codec: how calls in text look. Anything with the methods of a `PromptStrategy` will do.
    """

    name = "text"

    def __init__(self, codec: PromptStrategy) -> None:
        self.codec = codec

    def recognizes(self, shape: Any) -> bool:
        """Tell whether this is a text, or holds one under `content`."""
        return _text(shape) is not None

    def forming(self, message: Any) -> Forming:
        """Tell whether the text holds a call or ends in what may be one, with its name if it is there."""
        text = _text(message)
        if not text or not self.codec.looks_like_call(text):
            return Forming()
        return Forming(True, self.codec.peek_tool_name(text))

    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the text's calls in order, each with its `start` and `end`; of anything else none."""
        text = _text(message)
        if not text:
            return []
        spans = getattr(self.codec, "spans", None)
        if spans is None:  # a codec of the published contract knows only where a call ends
            found = [(name, arguments, None, end) for name, arguments, end in self.codec.parse_tool_calls(text)]
        else:
            found = spans(text)
        return [
            ExtractedCall(name, arguments, start=start, end=end)
            for name, arguments, start, end in found
            if isinstance(name, str) and name and isinstance(arguments, dict)
        ]

    def settled_end(self, message: Any) -> int:
        """Return the offset, in characters, up to which the text consists of finished objects."""
        text = _text(message)
        return self.codec.settled_end(text) if text else 0

    def content_text(self, message: Any) -> str:
        """Return the text."""
        return _text(message) or ""

    def accumulate(self, acc: dict[str, Any], chunk: Any) -> str | None:
        """Append a chunk's text to `content`: the chunk itself, or a text under its `content` or `delta`.

        Returns:
            What was appended, None if there was nothing.
        """
        text = _text(chunk)
        if text is None:
            text = _field(chunk, "delta")
        content = acc.get("content")
        if not isinstance(text, str) or not text or not isinstance(content, str | None):
            return None
        acc.setdefault("role", "assistant")
        acc["content"] = (content or "") + text
        return text


def _field(value: Any, key: str) -> Any:
    """Return what an object of any kind holds under `key`, None if nothing."""
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)


def _text(message: Any) -> str | None:
    """Return the text of a message, None if it has none."""
    if isinstance(message, str):
        return message
    content = _field(message, "content")
    return content if isinstance(content, str) else None
