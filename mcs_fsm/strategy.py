"""What a format provides: one shared, stateless object that reads one wire, end to end, in its own shape.

Three questions are kept apart: `recognizes` (is this my format? says nothing about calls), `forming` (is a call on
its way?), `extract` (the calls that are whole). A format of this package also says how its frames are read
(`decoder`, `lex`), which machines they drive (`machines`) and how the provider's own message is built (`message`).
A third party needs none of that: `accumulate` and `is_stream_complete` are enough, see `Accumulating`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from .actions import Machines
from .calls import ExtractedCall, Forming
from .core import Core
from .decode import ViewDecoder, mapping

__all__ = ["ExtractionStrategy", "Format", "parse_arguments", "plain", "result_text"]


class ExtractionStrategy(ABC):
    """One format. Attributes: `batched` (calls of a turn run together, at its end), `leaks_into_text` (the
    assembled message keeps its envelope even for pure text, so a leaked call needs a second look)."""

    name: ClassVar[str] = ""
    batched = False
    leaks_into_text = False

    def recognizes(self, shape: Any) -> bool:
        """Tell whether this chunk, message or string is of this format."""
        return False

    def forming(self, message: Any) -> Forming:
        """Tell whether a call is on its way in `message`, and its name if it is already there."""
        return Forming()

    @abstractmethod
    def extract(self, message: Any) -> list[ExtractedCall]:
        """Return the calls of `message` that are whole, in order. A wrong shape gives []; nothing raises."""

    def content_text(self, message: Any) -> str:
        """Return the plain text of `message`."""
        if isinstance(message, str):
            return message
        content = mapping(message).get("content")
        return content if isinstance(content, str) else ""

    def settled_end(self, message: Any) -> int:
        """Return the offset, in characters, up to which the text consists of finished objects."""
        return 0

    def result_messages(self, message: Any, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the history to append: the assistant's turn and one answer for each of `records`."""
        text = self.content_text(message)
        answers = [{"role": "system", "content": result_text(record)} for record in records]
        return [{"role": "assistant", "content": text}, *answers]

    def accumulate(self, acc: dict[str, Any], chunk: Any) -> str | None:
        """Merge `chunk` into `acc` in place; return its display text, None if it has none."""
        return None

    def is_stream_complete(self, chunk: Any) -> bool:
        """Tell whether this chunk ends the turn."""
        return False


class Format(ExtractionStrategy):
    """A format that the core reads."""

    batched = True
    machines: ClassVar[Machines]
    decoder: ClassVar[ViewDecoder[Any]]

    @abstractmethod
    def lex(self, core: Core, view: Any) -> None:
        """Say to `core` what one frame says, in the order in which it says it."""

    @abstractmethod
    def message(self, core: Core) -> Any:
        """Build the provider's own non-streamed message from what came so far."""

    @abstractmethod
    def claims(self, chunk: Any) -> bool:
        """Tell whether a chunk (a mapping) is of this format and of no other."""

    def hints(self, chunk: Any) -> bool:
        """Tell whether a chunk that nobody claims is likely of this format; asked at the end of a stream only."""
        return False


def parse_arguments(value: Any, present: bool = True) -> dict[str, Any] | None:
    """Return a native call's arguments, None if they are not whole.

    An object is taken as it is. Text is parsed strictly; "" means that nothing has been streamed yet. Missing
    altogether or null is no arguments, {}. Any other value is no call.
    """
    if not present or value is None:
        return {}
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value) if value.strip() else None
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            return None
    return value if isinstance(value, dict) else None


def plain(value: Any) -> Any:
    """Return a part that is kept verbatim as plain data: SDK objects are dumped, other values are as they are."""
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json", exclude_unset=True, by_alias=True, warnings=False)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value


def result_text(record: Any) -> str:
    """Return a tool's result as text: a string as it is, else JSON, else what `str` says; the error if it failed."""
    if getattr(record, "error", None) is not None:
        return str(record.error)
    result = getattr(record, "result", None)
    if isinstance(result, str):
        return result
    try:
        return json.dumps(result, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(result)
