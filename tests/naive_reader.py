"""A small reader that has the faults of its kind: it holds a round or nothing, rescans its text, and mends what it reads.

It is what many stream readers do, and what the tests of the defects must be red on: text that waits when a call
completes is lost, calls are found by braces anywhere, healing works inside strings, reasoning is read like text.
"""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"```(?:json)?|``´")


class NaiveReader:
    """Accumulate Chat Completions deltas; show, hold and call by looking at the whole text in each round."""

    def __init__(self, tools: tuple[str, ...]) -> None:
        self.tools = tools
        self.text, self.cursor, self.shown = "", 0, ""
        self.slots: dict[int, dict[str, str]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.finished = self.dropped = False

    def add(self, chunk: dict[str, Any]) -> None:
        """Take a chunk, then do what a round does."""
        if self.dropped:
            self.text, self.cursor, self.dropped = self.text[self.cursor :], 0, False
        choice = (chunk.get("choices") or [{}])[0]
        delta = choice.get("delta") or {}
        self.text += delta.get("content") or ""
        for fragment in delta.get("tool_calls") or []:
            slot = self.slots.setdefault(fragment.get("index") or 0, {"name": "", "arguments": ""})
            function = fragment.get("function") or {}
            slot["name"] = function.get("name") or slot["name"]
            slot["arguments"] += function.get("arguments") or ""
        self.finished = self.finished or choice.get("finish_reason") is not None
        self._round()

    def close(self) -> None:
        """There is no end: what is held stays held."""

    def _round(self) -> None:
        if self.slots:
            if self.finished:
                for slot in self.slots.values():
                    try:
                        self.calls.append((slot["name"], json.loads(slot["arguments"])))
                    except ValueError:
                        continue
                self.slots = {}
            return
        end = 0
        for start, stop in self._objects():
            try:
                value = json.loads(_FENCE.sub("", self.text[start:stop]))
            except ValueError:
                continue
            end = stop + len(self.text[stop:]) - len(re.sub(r"^\s*```", "", self.text[stop:]))
            name = value.get("tool") or value.get("name")
            if name in self.tools:  # an unhashable or foreign name is an error or silence
                self.calls.append((name, value.get("arguments") or {}))
        if end:
            self.cursor, self.dropped = max(self.cursor, end), True
            self.shown += self.text[self.cursor :]
            self.cursor = len(self.text)
        elif not self._forming():
            self.shown += self.text[self.cursor :]
            self.cursor = len(self.text)

    def _objects(self) -> list[tuple[int, int]]:
        text = self.text[: self.text.rfind("```")] if self.text.count("```") % 2 else self.text
        out, depth, start, inside = [], 0, 0, False
        for i, c in enumerate(text):
            if c == '"' and text[i - 1 : i] != "\\":
                inside = not inside
            elif not inside and c == "{":
                start = i if depth == 0 else start
                depth += 1
            elif not inside and c == "}" and depth:
                depth -= 1
                if depth == 0:
                    out.append((start, i + 1))
        return out

    def _forming(self) -> bool:
        brace = self.text.find("{")
        if "```" in self.text and brace < 0:
            return self.text.rpartition("```")[2].strip() in ("", "json")
        key = re.match(r'\{\s*("(\w*)("\s*:)?)?', self.text[brace:]) if brace >= 0 else None
        return key is not None and (key.group(3) is None or key.group(2) in ("tool", "name"))
