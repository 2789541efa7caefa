"""Which format a chunk or message is of. Native formats come before text, so an envelope beats its content."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .decode import mapping
from .formats import FORMATS
from .formats.undecided import PLAIN_TEXT
from .strategy import ExtractionStrategy, Format

__all__ = ["ExtractionChain", "recognize", "recognize_weakly"]


class ExtractionChain:
    """Strategies in order; the first that recognises a shape owns it, even if it then finds no call in it."""

    def __init__(self, strategies: Iterable[ExtractionStrategy]) -> None:
        self.strategies = list(strategies)

    def resolve(self, shape: Any) -> ExtractionStrategy | None:
        """Return the first strategy that recognises `shape`, or None."""
        return next((each for each in self.strategies if each.recognizes(shape)), None)


def recognize(chunk: Any) -> Format | None:
    """Return the format of a decoded chunk, None as long as it could be any (a ping, an error, metadata)."""
    if isinstance(chunk, str):
        return PLAIN_TEXT
    event = mapping(chunk)
    return next((each for each in FORMATS.values() if each.claims(event)), None)


def recognize_weakly(chunk: Any) -> Format | None:
    """Return the format that a chunk hints at, for a stream that ends before anything clearer came."""
    event = mapping(chunk)
    return next((each for each in FORMATS.values() if each.hints(event)), None)
