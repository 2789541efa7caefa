"""What is read of an event, and how a body without events is read."""

from __future__ import annotations

from typing import Any

import msgspec

from ...decode import Problem, ViewDecoder, mapping
from .history import plainly

__all__ = ["CUT", "Decoder", "Event"]

#: Statuses after which nothing may be run.
CUT = frozenset(("incomplete", "failed", "cancelled"))


class Event(msgspec.Struct, gc=False):
    """What is read of an event; `body` is a whole stream=false body, which has no type."""

    type: str | None = None
    sequence_number: int | None = None
    output_index: int | None = None
    item_id: Any = None
    content_index: int | None = None
    summary_index: int | None = None
    command_index: int | None = None
    delta: Any = None
    text: Any = None
    refusal: Any = None
    arguments: Any = None
    input: Any = None
    code: Any = None
    command: Any = None
    diff: Any = None
    part: Any = None
    item: Any = None
    annotation: Any = None
    response: Any = None
    error: Any = None
    message: Any = None
    param: Any = None
    status: Any = None
    body: Any = None


class Decoder(ViewDecoder[Event]):
    """Decode events, and keep a body as it is: all of its keys belong to the message."""

    def __init__(self) -> None:
        super().__init__(Event)
        typed = self.decode

        def decode(data: bytes) -> Event:
            view = typed(data)
            if view.type is None:
                view.body = msgspec.json.decode(data)
            return view

        self.decode = decode  # type: ignore[assignment]

    def convert(self, event: Any) -> tuple[Event | None, list[Problem]]:
        """Read a decoded event, see `ViewDecoder`."""
        view, problems = super().convert(event)
        if view is not None and view.type is None:
            view.body = plainly(event)
            if isinstance(mapping(view.body).get("output"), list):
                problems = []  # a body's fields are others than an event's
        return view, problems
