"""Print what a chunk costs along one stream: the first tenth beside the last, with and without a text codec.

    python bench/growth.py [--chunks 1000,10000,100000] [--rounds 5]

Every stream is fed one event a read. Cost is in microseconds a chunk, medians over rounds; the garbage collector is
frozen before each run and left on. `first` and `last` are the first and the last tenth of the same stream, the first
warmed up by one untimed stream. The column `codec` is the same text with calls in text looked for. Compare ratios, not
microseconds, between machines.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import statistics
import time
from collections.abc import Callable
from typing import Any

import mcs_fsm as m
from mcs_fsm.scanner import BACKEND

PROSE = "The quick brown fox (and `its` {friends}) jumps over < 13 lazy dogs; really. "


def frame(delta: dict[str, Any]) -> bytes:
    """One Chat Completions chunk as an SSE event, with the envelope that the provider sends."""
    event = {
        "id": "chatcmpl-Bx1", "object": "chat.completion.chunk", "created": 1790000000, "model": "model-1",
        "service_tier": "default", "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}], "usage": None,
    }  # fmt: skip
    return b"data: " + json.dumps(event, separators=(",", ":")).encode() + b"\n\n"


def prose(chunks: int) -> list[bytes]:
    """Prose in pieces of four characters."""
    text = PROSE * (chunks * 4 // len(PROSE) + 1)
    return [frame({"content": text[i * 4 : i * 4 + 4]}) for i in range(chunks)]


def arguments(chunks: int) -> list[bytes]:
    """One native call whose arguments come in pieces of six characters."""
    first = frame({"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "write", "arguments": ""}}]})
    text = '{"text":"' + PROSE.replace('"', "") * (chunks * 6 // len(PROSE) + 1)
    return [first, *(
        frame({"tool_calls": [{"index": 0, "function": {"arguments": text[i * 6 : i * 6 + 6]}}]}) for i in range(chunks - 1)
    )]  # fmt: skip


def text_call(chunks: int) -> list[bytes]:
    """One call in the text, in pieces of four characters."""
    text = '{"tool":"write","arguments":{"text":"' + PROSE.replace('"', "") * (chunks * 4 // len(PROSE) + 1)
    return [frame({"content": text[i * 4 : i * 4 + 4]}) for i in range(chunks)]


def run(frames: list[bytes], stream: m.Stream) -> tuple[float, float, float]:
    """Feed a stream; return microseconds a chunk of its first tenth, its last tenth and all of it."""
    tenth = max(1, len(frames) // 10)
    gc.collect()
    gc.freeze()
    feed = stream.feed
    marks = [time.perf_counter()]
    for part in (frames[:tenth], frames[tenth:-tenth], frames[-tenth:]):
        for data in part:
            feed(data)
        marks.append(time.perf_counter())
    gc.unfreeze()
    scale = 1e6
    return (marks[1] - marks[0]) / tenth * scale, (marks[3] - marks[2]) / tenth * scale, (marks[3] - marks[0]) / len(frames) * scale


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{platform.python_implementation()} {platform.python_version()}, scanner {BACKEND}, {platform.machine()}")
    print(f"{'what':<22}{'chunks':>8}{'first':>8}{'last':>8}{'last/first':>12}{'all':>8}")
    whole: dict[tuple[str, int], float] = {}
    cases: list[tuple[str, Callable[[int], list[bytes]], dict[str, Any]]] = [
        ("prose, no codec", prose, {"text_format": None, "reasoning_tags": False}),
        ("prose, codec", prose, {"tools": ["write"]}), ("arguments", arguments, {"tools": ["write"]}),
        ("call in text", text_call, {"tools": ["write"]}),
    ]  # fmt: skip
    for count in map(int, options.chunks.split(",")):
        for name, make, settings in cases:
            frames = make(count)
            run(frames, m.Stream("openai-chat", **settings))
            rounds = [run(frames, m.Stream("openai-chat", **settings)) for _ in range(options.rounds)]
            first, last, cost = (statistics.median(column) for column in zip(*rounds, strict=True))
            whole[name, count] = cost
            print(f"{name:<22}{count:>8}{first:>8.2f}{last:>8.2f}{last / first:>12.2f}{cost:>8.2f}")
        ratio = whole["prose, codec", count] / whole["prose, no codec", count]
        print(f"{'codec / no codec':<22}{count:>8}{'':>28}{ratio:>8.2f}")


if __name__ == "__main__":
    main()
