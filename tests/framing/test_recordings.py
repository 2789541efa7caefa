"""Recorded bodies give the recorded events, in any cutting."""

from __future__ import annotations

import json
import random

from mcs_fsm.framing import Fault, Framer

TYPES = {
    ".sse": "text/event-stream",
    ".ndjson": "application/x-ndjson",
    ".eventstream": "application/vnd.amazon.eventstream",
    ".json": "application/json",
}
NAMES = {".sse": "sse", ".ndjson": "ndjson", ".eventstream": "eventstream", ".json": "json-array"}


def read(content_type, parts):
    decoder = Framer(content_type)
    pieces = [piece for part in parts for piece in decoder.feed(part)] + decoder.close()
    return pieces, decoder.name, decoder.comments


def values(pieces, name):
    assert [] == [piece for piece in pieces if isinstance(piece, Fault)]
    for piece in pieces:
        if piece.data != b"[DONE]":
            value = json.loads(piece.data)
            yield {piece.event: value} if name == "eventstream" else value


def test_every_recorded_body_gives_its_events_in_any_cutting(shared):
    count = 0
    for path in sorted((shared / "corpus/raw").glob("*/*")):
        case = shared / "corpus/cases" / path.parent.name / f"{path.stem}.jsonl"
        expected = [json.loads(line) for line in case.read_text("utf-8").split("\n") if line.strip()]
        body = path.read_bytes()
        first = read(TYPES[path.suffix], [body])
        pieces, name, comments = first
        assert NAMES[path.suffix] == name, path
        assert expected == list(values(pieces, name)), path
        result = json.loads((shared / "corpus/expected" / path.parent.name / f"{path.stem}.json").read_bytes())
        assert result["transport"]["sse_comments"] == comments, path
        assert result["transport"]["done_sentinel"] == (b"[DONE]" in [piece.data for piece in pieces]), path
        assert first == read(None, [body]), path
        if len(body) < 65_536:
            assert first == read(None, [body[i : i + 1] for i in range(len(body))]), path
        dice = random.Random(count)
        for most in (10, 100, 1000):
            parts, pos = [], 0
            while pos < len(body):
                size = dice.randint(1, most)
                parts.append(body[pos : pos + size])
                pos += size
            assert first == read(TYPES[path.suffix], parts), path
        count += 1
    assert count
