"""What the scanner should say, written another way: by recursive descent, and by trying all lengths."""

from __future__ import annotations

import json

NEED, CLOSED, BROKEN, KEY, VALUE, END = range(6)
Trace = list[tuple[int, int]]


class More(Exception):
    """The text ended inside a value."""


class Break(Exception):
    """The character at `at` is none that the grammar has."""


class Naive:
    """Read a whole text at once, by recursive descent."""

    def __init__(self, text: str, max_depth: int, members: bool) -> None:
        self.text, self.max_depth, self.members = text, max_depth, members
        self.at = 0
        self.stops: Trace = []

    def peek(self) -> str:
        if self.at == len(self.text):
            raise More
        return self.text[self.at]

    def take(self, allowed: str) -> str:
        c = self.peek()
        if c not in allowed:
            raise Break
        self.at += 1
        return c

    def blanks(self) -> str:
        while self.peek() in " \t\n\r":
            self.at += 1
        return self.peek()

    def string(self) -> None:
        self.take('"')
        while (c := self.peek()) != '"':
            if c < " ":
                raise Break
            self.at += 1
            if c == "\\" and self.take('"\\/bfnrtu') == "u":
                for _ in range(4):
                    self.take("0123456789abcdefABCDEF")
        self.at += 1

    def digits(self) -> None:
        self.take("0123456789")
        while self.peek() in "0123456789":
            self.at += 1

    def number(self) -> None:
        if self.peek() == "-":
            self.at += 1
        if self.peek() == "0":
            self.at += 1
        elif self.peek() in "123456789":
            self.digits()
        else:
            raise Break
        if self.peek() == ".":
            self.at += 1
            self.digits()
        if self.peek() in "eE":
            self.at += 1
            if self.peek() in "+-":
                self.at += 1
            self.digits()

    def value(self, depth: int, watched: bool) -> None:
        c = self.blanks()
        if c not in '"{[-0123456789tfn':
            raise Break
        if watched:
            self.stops.append((VALUE, self.at))
        if c in "{[":
            if depth == self.max_depth:
                raise Break
            self.at += 1
            self.container(c == "{", depth + 1)
        elif c == '"':
            self.string()
        elif c in "tfn":
            for letter in {"t": "true", "f": "false", "n": "null"}[c]:
                self.take(letter)
        else:
            self.number()
            following = self.peek()
            if (depth == 0 and following in "0123456789+-.eE") or (watched and following not in " \t\n\r,}"):
                raise Break
        if watched:
            self.stops.append((END, self.at))

    def container(self, is_object: bool, depth: int) -> None:
        watched = is_object and self.members and depth == 1
        close = "}" if is_object else "]"
        if self.blanks() == close:
            self.at += 1
            return
        while True:
            if is_object:
                self.blanks()
                self.string()
                if watched:
                    self.stops.append((KEY, self.at))
                self.blanks()
                self.take(":")
            self.value(depth, watched)
            self.blanks()
            if self.take("," + close) == close:
                return

    def run(self) -> Trace:
        """Return all stops as (status, index), and the status at the end of the text."""
        try:
            self.value(0, False)
            self.stops.append((CLOSED, self.at))
            self.blanks()
            raise Break
        except Break:
            return [*self.stops, (BROKEN, self.at)]
        except More:
            closed = self.stops[-1:] and self.stops[-1][0] == CLOSED
        if not closed:
            try:
                json.loads(self.text)  # a number at the top is closed by the end
                closed = True
            except ValueError:
                pass
        return [*self.stops, (CLOSED if closed else NEED, self.at)]


def naive_overlap(text: str, markers: tuple[str, ...]) -> int:
    """Return the length of the longest suffix of `text` that is a proper prefix of a marker."""
    for size in range(len(text), 0, -1):
        if any(len(marker) > size and marker.startswith(text[-size:]) for marker in markers):
            return size
    return 0
