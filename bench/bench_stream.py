"""pytest-benchmark: what a chunk costs. Run `python -m pytest bench --benchmark-only`; ns a chunk stands in extra_info.

Compare ratios within one run: `decode` is the bare typed decode of the same payloads, the floor of every format.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest
from growth import arguments, prose, text_call

import mcs_fsm as m
from mcs_fsm.formats import FORMATS
from mcs_fsm.framing import Framer
from mcs_fsm.replay import cut, load, samples

CHUNKS = 2_000
CASES: dict[str, tuple[Callable[[int], list[bytes]], dict[str, Any]]] = {
    "prose": (prose, {"text_format": None, "reasoning_tags": False}), "prose-codec": (prose, {"tools": ["write"]}),
    "arguments": (arguments, {"tools": ["write"]}), "text-call": (text_call, {"tools": ["write"]}),
}  # fmt: skip


def note(benchmark: Any, chunks: int) -> None:
    """Write nanoseconds a chunk beside the figures."""
    if benchmark.stats is not None:
        benchmark.extra_info["ns_per_chunk"] = round(benchmark.stats.stats.median / chunks * 1e9)


@pytest.mark.parametrize("name", CASES)
def bench_feed(benchmark: Any, name: str) -> None:
    """Bytes in, events out, one event a read."""
    make, options = CASES[name]
    frames = make(CHUNKS)

    def run() -> None:
        stream = m.Stream("openai-chat", **options)
        for data in frames:
            stream.feed(data)

    benchmark(run)
    note(benchmark, CHUNKS)


@pytest.mark.parametrize("name", ["prose", "arguments"])
def bench_decode(benchmark: Any, name: str) -> None:
    """The floor: the typed decode of the payloads alone."""
    payloads = [frame[6:-2] for frame in CASES[name][0](CHUNKS)]
    decode = FORMATS["openai-chat"].decoder.decode
    benchmark(lambda: [decode(payload) for payload in payloads])
    note(benchmark, CHUNKS)


@pytest.mark.parametrize("name", ["prose", "prose-codec"])
def bench_add(benchmark: Any, name: str) -> None:
    """Decoded dicts in, events out."""
    make, options = CASES[name]
    events = [json.loads(frame[6:]) for frame in make(CHUNKS)]

    def run() -> None:
        stream = m.Stream("openai-chat", **options)
        for event in events:
            stream.add(event)

    benchmark(run)
    note(benchmark, CHUNKS)


@pytest.mark.parametrize("size", [1, 1_400, 16_384])
def bench_framing(benchmark: Any, size: int) -> None:
    """Bytes to frames, by the size of a read (1: one event a read)."""
    frames = prose(CHUNKS)
    body = b"".join(frames)
    reads = frames if size == 1 else [body[i : i + size] for i in range(0, len(body), size)]

    def run() -> None:
        framer = Framer("text/event-stream")
        for data in reads:
            framer.feed(data)

    benchmark(run)
    note(benchmark, CHUNKS)


@pytest.mark.parametrize("name", samples())
def bench_sample(benchmark: Any, name: str) -> None:
    """A whole sample of each format, beside `bench_sample_decode`."""
    recording = load(f"sample:{name}")
    pieces = cut(recording.body or b"", None)

    def run() -> None:
        stream = m.Stream(recording.source, tools=recording.tools)
        for data in pieces:
            stream.feed(data)
        stream.close()

    benchmark(run)
    note(benchmark, len(pieces))


@pytest.mark.parametrize("name", samples())
def bench_sample_decode(benchmark: Any, name: str) -> None:
    """The bare typed decode of the same sample's frames."""
    recording = load(f"sample:{name}")
    framer = Framer()
    frames = framer.feed(recording.body or b"") + framer.close()
    payloads = [frame.data for frame in frames if getattr(frame, "data", b"[DONE]") != b"[DONE]"]
    decode = FORMATS[recording.source].decoder.decode
    benchmark(lambda: [decode(payload) for payload in payloads])
    note(benchmark, max(1, len(payloads)))


def bench_samples_ship(benchmark: Any) -> None:
    """Reading the list of samples, so that the suite fails where they are missing."""
    assert benchmark(samples)
    assert (resources.files("mcs_fsm") / "samples" / "index.toml").is_file()
