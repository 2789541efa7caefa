"""Play a recorded reply through the machine and tell what happens, as it happens."""

from __future__ import annotations

import gzip
import json
import random
import sys
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, TextIO

import msgspec

from .errors import UnknownName, UsageError
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
)  # fmt: skip
from .stream import Stream

__all__ = ["Recording", "Telling", "cut", "load", "replay", "samples"]


class Recording(msgspec.Struct):
    """What is played.

    Args:
        name: where it comes from.
        body: bytes of a response body, or None.
        events: decoded events, if there is no body.
        source: format name, "auto" if unknown.
        tools: names that were offered, None if unknown.
    """

    name: str
    body: bytes | None = None
    events: list[Any] = []
    source: str = "auto"
    tools: list[str] | None = None


def samples() -> dict[str, dict[str, Any]]:
    """Return the samples that ship with the package: name -> file, format, tools, shows."""
    text = (resources.files("mcs_fsm") / "samples" / "index.toml").read_text("utf-8")
    return tomllib.loads(text)


def load(where: str) -> Recording:
    """Load a recording: `sample:NAME`, `-` for standard input, or a file's path.

    A `.jsonl` file holds one decoded event a line ("[DONE]" may be one), anything else a body; `.gz` is opened.

    Raises:
        UnknownName: there is no such sample.
        UsageError: the file cannot be read.
    """
    if where.startswith("sample:"):
        known = samples()
        name = where.removeprefix("sample:")
        if name not in known:
            raise UnknownName("sample", name, known)
        entry = known[name]
        data = (resources.files("mcs_fsm") / "samples" / entry["file"]).read_bytes()
        return Recording(where, data, source=entry["format"], tools=entry.get("tools"))
    try:
        data = sys.stdin.buffer.read() if where == "-" else Path(where).read_bytes()
        path = where
        if where.endswith(".gz"):
            data, path = gzip.decompress(data), where.removesuffix(".gz")
        if path.endswith(".jsonl"):
            lines = [line for line in data.decode().split("\n") if line.strip()]
            events = ["[DONE]" if line.strip() == "[DONE]" else json.loads(line) for line in lines]
            return Recording(where, None, events)
    except (OSError, EOFError, ValueError) as exc:
        raise UsageError(f"cannot read {where}: {exc}") from exc
    return Recording(where, data)


def cut(body: bytes, cuts: str | None) -> list[bytes]:
    """Cut a body: None (whole events as they would arrive), "bytes", "random:SEED", or a number of bytes a piece.

    Raises:
        UsageError: `cuts` is none of these.
    """
    if cuts is None:
        pieces = body.split(b"\n\n")
        return [piece + b"\n\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
    if cuts == "bytes":
        return [body[i : i + 1] for i in range(len(body))]
    try:
        if cuts.startswith("random:"):
            rng = random.Random(int(cuts.removeprefix("random:")))
            at = sorted({0, len(body), *(rng.randrange(len(body) + 1) for _ in range(1 + len(body) // 40))})
            return [body[a:b] for a, b in zip(at, at[1:], strict=False)]
        size = int(cuts)
        if size > 0:
            return [body[i : i + size] for i in range(0, len(body), size)]
    except ValueError:
        pass
    raise UsageError(f"--cuts is a number of bytes, bytes, or random:SEED, not {cuts!r}")


def replay(recording: Recording, cuts: str | None = None, **options: Any) -> Iterator[tuple[Event | None, Stream]]:
    """Yield each event with the stream it comes from; None after each chunk that left text held, and at the end."""
    options.setdefault("tools", recording.tools)
    stream = Stream(options.pop("source", None) or recording.source, **options)
    inputs: list[Any] = recording.events if recording.body is None else cut(recording.body, cuts)
    for piece in inputs:
        for event in stream.add(piece) if recording.body is None else stream.feed(piece):
            yield event, stream
        if stream.core.held.chars:
            yield None, stream
    for event in stream.close():
        yield event, stream
    yield None, stream


class Telling:
    """Tell events to a person: text as it is released, everything else on lines of its own.

    Args:
        out: where to.
        colour: whether escape codes are written.
    """

    def __init__(self, out: TextIO, colour: bool) -> None:
        self._out, self._colour = out, colour
        self._open = ""  # the kind of text whose line is open
        self._held = ""
        self._arguments: dict[int, int] = {}

    def event(self, event: Event) -> None:
        """Tell one event."""
        match event:
            case TextDelta(text=text):
                self._flow("text", text, "")
            case ReasoningDelta(text=text):
                self._flow("reasoning", text, "2")
            case RefusalDelta(text=text):
                self._flow("refusal", text, "33")
            case TurnStarted(id=id, model=model):
                self._line(f"turn      {id or ''} {model or ''}".rstrip(), "2")
            case CallForming(slot=slot, name=name, id=id):
                self._line(f"forming   {slot}: {name}" + (f" ({id})" if id else ""), "36")
            case ArgumentsDelta(slot=slot, text=text):
                self._arguments[slot] = self._arguments.get(slot, 0) + len(text)
            case CallReady(slot=slot, call=call):
                by = " (run by the provider)" if call.provider_run else " (not offered)" if call.owned is False else ""
                self._line(f"ready     {slot}: {call.name} {_json(call.arguments)}{by}", "32")
            case CallAbandoned(slot=slot, reason=reason):
                self._line(f"abandoned {slot}: {reason}, {self._arguments.get(slot, 0)} characters of arguments", "31")
            case OpaquePart(kind=kind):
                self._line(f"kept      {kind}", "2")
            case UsageReported(counts=counts):
                self._line(f"usage     {counts.input} in, {counts.output} out", "2")
            case StreamError(kind=kind, message=message, frame=frame):
                self._line(f"error     {kind}: {message}" + ("" if frame is None else f" (frame {frame})"), "31")
            case TurnFinished(reason=reason, truncated=truncated):
                self._line(f"finished  {reason or 'no reason given'}" + (", cut off" if truncated else ""), "1")

    def held(self, stream: Stream) -> None:
        """Tell what is held back at this moment, and in which state of LEX."""
        core = stream.core
        said = f"held      {core.held.chars} characters ({core.lex_state_name})"
        if core.held.chars and said != self._held:
            self._line(said, "33")
        self._held = said

    def end(self, stream: Stream) -> None:
        """Tell what was odd about the stream."""
        turn = stream.turn()
        self._line(f"source    {turn.source or 'never recognised'}, {stream.stats().frames} frames", "2")
        if turn.usage is not None:
            self._line(f"usage     {_json(turn.usage)}", "2")
        if turn.held.chunks:
            why = ", ".join(f"{state} {count}" for state, count in turn.held.why.items())
            self._line(f"held      at most {turn.held.most} characters, after {turn.held.chunks} chunks: {why}", "2")
        odd = ", ".join(f"{code} {count}" for code, count in turn.anomalies.items())
        self._line(f"odd       {odd or 'nothing'}", "2")

    def _flow(self, kind: str, text: str, code: str) -> None:
        if self._open != kind:
            self._line(f"{kind:<10}", code, end="")
            self._open = kind
        self._write(text.replace("\n", "\n          "), code)

    def _line(self, text: str, code: str, end: str = "\n") -> None:
        if self._open:
            self._out.write("\n")
            self._open = ""
        self._write(text, code)
        self._out.write(end)

    def _write(self, text: str, code: str) -> None:
        # A model's text may hold escape codes of its own: they are shown, not obeyed.
        text = "".join(c if c in "\n\t" or c.isprintable() else c.encode("unicode_escape").decode() for c in text)
        self._out.write(f"\x1b[{code}m{text}\x1b[0m" if self._colour and code else text)
        self._out.flush()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
