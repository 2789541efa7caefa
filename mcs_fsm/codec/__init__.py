"""Calls in text: what they look like (`shape`), how they are read (`reader`), and how a model is asked for them."""

from __future__ import annotations

from .shape import DELIMITED, MCS_JSON, Shape

__all__ = ["TEXT_FORMATS", "Shape"]

#: Text formats by name.
TEXT_FORMATS: dict[str, Shape] = {"mcs-json": MCS_JSON, "mcs-delimited": DELIMITED}
