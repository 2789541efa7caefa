"""Turns the characters of a reply into tokens for LEX. Each character is read once, whatever the cutting.

In comes text as it arrives; out go `core.lex(token, end, payload)` calls, where `end` is the offset in the content
up to which the token speaks. The reader keeps only what a scanner keeps: a possible beginning of a marker (`tail`),
the JSON scanner of the open object, the key or name that is being spelled, the length of a fence. What any of it
means stands in the LEX table.

Rules: calls are objects whose first key is a tool alias, bare at top level or behind a marker; Markdown fences by
CommonMark 0.31.2 section 4.5 (https://spec.commonmark.org/0.31.2/#fenced-code-blocks, checked 2026-11-30), with
any indentation and only where they begin a line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from ..machine.declare import Machine
from ..machine.rows import LEX_ACTIONS, LEX_ROWS, LEX_STATES, LEX_TOKENS
from ..machine.table import Table
from ..scanner import BROKEN, CLOSED, END, KEY, NEED, VALUE, JsonScanner, StartFinder, partial_overlap
from .shape import FENCE, REASONING_TAGS, Shape

if TYPE_CHECKING:
    from ..core import Core

__all__ = ["LEX", "LEX_TABLE", "TextReader"]

LEX = Machine("lex", states=LEX_STATES, initial="idle", final="ended", rows=LEX_ROWS, actions=LEX_ACTIONS)
LEX_TABLE = Table(LEX, LEX_TOKENS)

_state, _token = LEX_TABLE.state, LEX_TABLE.trigger
IDLE, TEXT, MARKER, FORMING, NAMED, ARGS = map(_state, ("idle", "text", "marker", "forming", "named", "args"))
CLOSING, PENDING, OTHER, FENCED, CODE, REASONING, ENDED = map(
    _state, ("closing", "pending", "other", "fenced", "code", "reasoning", "ended"))  # fmt: skip
_HELD = frozenset((MARKER, FORMING, NAMED, ARGS, CLOSING, PENDING))
(
    T_BLANK, T_PLAIN, T_PARTIAL, T_THINK, T_UNTHINK, T_OBJECT, T_FENCE, T_FOREIGN, T_STRAY, T_ALIAS, T_REJECT, T_OWNED,
    T_ARGUMENTS, T_MORE, T_WHOLE, T_WHOLE_FENCED, T_WHOLE_LATE, T_FENCE_END, T_CRACK, T_CRACK_FENCED, T_NATIVE, T_LIMIT,
    T_END,
) = map(_token, LEX_TOKENS)  # fmt: skip

_BLANK = " \t\r\n"
_NEVER_BEFORE = "`>][,"  # an object right after one of these is code, markup or an element, not a call
_LONGEST = 512  # characters of a key or an escaped name that are worth comparing
_CLOSE_TAGS = tuple(f"</{name}>" for name in REASONING_TAGS)
_INDENT = 64  # blanks before a fence that still count as indentation

# Where on a line of a foreign code block the reader is.
_OPENING, _INFO, _START, _RUN, _AFTER, _DEAD = range(6)


class TextReader:
    """Read one reply's text.

    Args:
        core: the stream object; gets the tokens, and is asked for text further back and for owned names.
        shape: the codec's shape, or None to look for reasoning tags only.
        tags: True (reasoning tags count), False, or "open" (the reply starts inside reasoning).
        held_chars: characters that may be held, see `Limits.held_chars`.
        depth: nesting of JSON, see `Limits.depth`.
    """

    __slots__ = (
        "_acc", "_args_seen", "_bare", "_base", "_close", "_close_tags", "_fence", "_idle_markers", "_in_args", "_info",
        "_key_turn", "_limit", "_line", "_others", "_paused", "_queue", "_run_length", "_scan", "_shape", "_starts",
        "_tags", "_text_markers", "_value", "_was_blank", "at", "core", "settled", "tail",
    )  # fmt: skip

    def __init__(self, core: Core, shape: Shape | None, tags: bool | str, held_chars: int, depth: int) -> None:
        self.core = core
        self.at = 0  # offset just past the last character taken in
        self.tail = ""  # the last characters, which may begin a marker
        self.settled = True  # False while the owners are not known yet
        self._base = 0  # offset of the first character of the text in hand
        self._limit, self._tags = held_chars, tags
        self._queue: list[str] | None = None  # text behind a name that waits for its owner
        self._paused = ""
        self._close_tags = _CLOSE_TAGS
        self._look_for(shape)
        self._scan = JsonScanner(depth, True)
        self._acc: str | None = None
        self._close: str | None = None
        self._fence, self._line, self._run_length = ("`", 3), _DEAD, 0
        self._info, self._was_blank = "", False
        self._in_args = self._args_seen = self._others = False
        self._key_turn = True
        self._value: tuple[str, int] | None = None

    def _look_for(self, shape: Shape | None) -> None:
        """Choose the markers that count from here on."""
        self._shape = shape
        words = tuple(m.open for m in shape.markers if m.open != FENCE) if shape else ()
        close = _CLOSE_TAGS if self._tags else ()
        opening = tuple(f"<{name}>" for name in REASONING_TAGS) if self._tags else ()
        self._text_markers = tuple(sorted(words + close, key=len, reverse=True))  # the longest match counts
        self._idle_markers = tuple(sorted(words + close + opening, key=len, reverse=True))
        first = {m[0] for m in self._idle_markers} | {"`", "~"}
        self._bare = shape is not None and shape.bare != "off"
        if shape:
            first.add("{")
        self._starts = StartFinder("".join(sorted(first)))

    # --- what the core calls ---------------------------------------------------------------------------------

    def read(self, text: str) -> None:
        """Read the next characters; they already stand at the end of the core's content."""
        if self._queue is not None:
            self._queue.append(text)
            return
        self.at += len(text)
        self._run(self.tail + text if self.tail else text)

    def settle(self) -> None:
        """From now on the owners are known: judge the name that waited for them and read on."""
        self.settled = True
        if self._queue is None:
            return
        text, self._queue = "".join(self._queue), None
        self._base = self.at
        self._judge_name(self.at, self._paused)
        self.at += len(text)
        if text:
            self._run(text)

    def native(self) -> None:
        """A call of the wire begins: release what is open, and look for reasoning tags only from here on."""
        self.settle()
        core = self.core
        if self.tail and core.lex_state in (IDLE, TEXT):
            core.lex(T_PLAIN, self.at)
        core.lex(T_NATIVE, self.at, "native_call")
        self.tail = ""
        self._look_for(None)

    def end(self) -> None:
        """The text is over: nothing stays held."""
        self.settle()
        self.core.lex(T_END, self.at, "truncated")
        self.tail = ""

    # --- the loop --------------------------------------------------------------------------------------------

    def _run(self, text: str) -> None:
        self.tail = ""
        core = self.core
        self._base = base = self.at - len(text)
        i, n, rest = 0, len(text), ""
        at, stuck = -1, 0
        while True:
            while i < n:
                state = core.lex_state
                # No row of the table leaves a character unread; a table that did would stop nothing but this reader.
                stuck = stuck + 1 if base + i == at else 0
                at = base + i
                if stuck > 8:
                    core.odd("lex_stuck")
                    i += 1
                    continue
                if state in _HELD:
                    room = core.released + self._limit - base
                    if room <= i:
                        core.lex(T_LIMIT, base + i, "limit")
                        core.note_limit("held_chars", self._limit)
                        continue
                    if room < n:  # no further than the limit in one go, so that it strikes at the same character
                        text, rest, n = text[:room], text[room:], room
                i = _HANDLERS[state](self, text, i, n)
                if self._queue is not None:
                    self._queue += [text[i:], rest]
                    self.at = base + i
                    return
            if not rest:
                return
            base += n - len(self.tail)
            text, rest, self.tail = self.tail + rest, "", ""
            self._base, i, n = base, 0, len(text)

    def _flow(self, text: str, i: int, j: int) -> None:
        """Say that text[i:j] is no part of any marker."""
        if j > i:
            blank = self.core.lex_state == IDLE and text[i:j].isspace()
            self.core.lex(T_BLANK if blank else T_PLAIN, self._base + j)

    def _wait(self, text: str, i: int, j: int) -> int:
        """Let text[i:j] go and keep the rest, which may begin a marker."""
        self._flow(text, i, j)
        self.tail = text[j:]
        if self.tail:
            self.core.lex(T_PARTIAL, self._base + j)
        return len(text)

    def _before(self, text: str, j: int) -> str:
        """Return the character before text[j], "" at the beginning of what counts."""
        at = self._base + j
        if at <= self.core.floor:
            return ""
        return text[j - 1] if j else self.core.body.slice(at - 1, at)

    def _prior(self, text: str, j: int, skip: str | None, most: int) -> str:
        """Return the last character before text[j] that is not in `skip` (None: not blank), "" if there is none.

        Looks back over `most` characters at most; further back the answer is a letter.
        """
        core = self.core
        floor = core.floor
        piece, start = text[max(0, floor - self._base) : j], max(self._base, floor)
        while True:
            short = piece.rstrip() if skip is None else piece.rstrip(skip)
            if short:
                return short[-1]
            most -= len(piece)
            if start <= floor or most < 0:
                return "" if start <= floor else "x"
            piece, start = core.body.before(start, floor)

    def _begins_line(self, text: str, j: int) -> bool:
        return self._prior(text, j, " \t", _INDENT) in ("", "\n", "\r")

    # --- top level -------------------------------------------------------------------------------------------

    def _top(self, text: str, i: int, n: int) -> int:
        core, find, base = self.core, self._starts.find, self._base
        j = find(text, i)
        while j >= 0:
            c = text[j]
            if c == "{":
                prior = self._prior(text, j, None, self._limit)
                opens = self._bare and (prior == "" or prior not in _NEVER_BEFORE)
                self._flow(text, i, j)
                self._open(None)
                core.lex(T_OBJECT if opens else T_REJECT, base + j)
                return j
            elif c == "`" or c == "~":
                k = j + 1
                while k < n and text[k] == c:
                    k += 1
                if self._before(text, j) != c:
                    if k == n and k - j <= 3:
                        return self._wait(text, i, j)
                    if k - j >= 3:
                        begins = self._begins_line(text, j)
                        if c == "`" and k - j == 3 and self._fences():
                            self._flow(text, i, j)
                            self._line = _INFO if begins else _DEAD
                            self._close, self._info, self._was_blank = FENCE, "", False
                            core.lex(T_FENCE, base + k)
                            return k
                        if begins:
                            self._flow(text, i, j)
                            self._fence, self._line = (c, k - j), _OPENING
                            core.lex(T_FOREIGN, base + k)
                            return k
                j = k
            else:
                visible = core.lex_state == TEXT or not (i == j or text[i:j].isspace())
                marker = self._marker_at(text, j, n, self._text_markers if visible else self._idle_markers)
                if marker is None:
                    j += 1
                elif marker == "":
                    return self._wait(text, i, j)
                elif marker[1] == "/" and marker in _CLOSE_TAGS:
                    if self._before(text, j) == "`":
                        j += 1
                    else:
                        self._flow(text, i, j)
                        core.lex(T_UNTHINK, base + j + len(marker))
                        core.odd("lone_close_tag")
                        return j + len(marker)
                else:
                    self._flow(text, i, j)
                    end = j + len(marker)
                    if self._shape is not None and any(m.open == marker for m in self._shape.markers):
                        self._close = next(m.close for m in self._shape.markers if m.open == marker)
                        core.lex(T_FENCE, base + end)
                    else:
                        self._close_tags = (f"</{marker[1:]}",)
                        core.lex(T_THINK, base + end)
                    return end
            j = find(text, j) if j < n else -1
        self._flow(text, i, n)
        return n

    def _fences(self) -> bool:
        return self._shape is not None and any(m.open == FENCE for m in self._shape.markers)

    @staticmethod
    def _marker_at(text: str, j: int, n: int, markers: tuple[str, ...]) -> str | None:
        """Return the marker at text[j], "" if only its beginning is here, None if there is none."""
        for marker in markers:
            if text.startswith(marker, j):
                return marker
            if n - j < len(marker) and marker.startswith(text[j:n]):
                return ""
        return None

    def _marker(self, text: str, i: int, n: int) -> int:
        """Read on behind an opening marker, to the object that it must hold."""
        core, base = self.core, self._base
        fence = self._close == FENCE
        while i < n:
            c = text[i]
            if c == "{" and (not fence or self._info in ("", "json")):
                self._open(self._close)
                core.lex(T_OBJECT, base + i)
                return i
            if c in _BLANK and (not fence or self._info in ("", "json")):
                self._was_blank = True
            elif fence and not self._was_blank and "json".startswith(self._info + c.lower()):
                self._info += c.lower()
            elif fence and self._line == _INFO:
                self._enter_code(text, i, core.lex, T_FOREIGN)
                return i
            else:
                core.lex(T_STRAY, base + i)
                return i
            i += 1
        return n

    # --- foreign code ----------------------------------------------------------------------------------------

    def _enter_code(self, text: str, i: int, lex: Callable[..., None], token: int, payload: Any = None) -> None:
        """Go on inside a block of three backticks that holds no call."""
        self._fence = ("`", 3)
        if self._begins_line(text, i):
            self._line = _START
        else:
            self._line = _INFO if token == T_FOREIGN and self.core.lex_state == MARKER else _DEAD
        lex(token, self._base + i, payload)

    def _code(self, text: str, i: int, n: int) -> int:
        """Show a foreign block; it ends at a run of its own character, as long or longer, alone on a line."""
        core, base = self.core, self._base
        char, length = self._fence
        line, j = self._line, i
        while j < n:
            if line == _DEAD or line == _INFO:
                k = text.find("\n", j)
                stop = k if k >= 0 else n
                if line == _INFO and char == "`":
                    tick = text.find("`", j, stop)
                    if tick >= 0:  # an info string has no backtick: this was inline code
                        self._line = _DEAD
                        core.lex(T_FENCE_END, base + tick)
                        return tick
                if k < 0:
                    break
                line, j = _START, k + 1
                continue
            c = text[j]
            if line == _OPENING:
                if c == char:
                    length += 1
                    self._fence = (char, length)
                else:
                    line = _INFO
                    continue
            elif c == "\n":
                if (line == _RUN and self._run_length >= length) or line == _AFTER:
                    self._line = _DEAD
                    core.lex(T_FENCE_END, base + j)
                    core.floor = base + j  # a closed block is no character before an object
                    return j
                line = _START
            elif c == char and line == _START:
                line, self._run_length = _RUN, 1
            elif c == char and line == _RUN:
                self._run_length += 1
            elif c in " \t\r":
                if line == _RUN:
                    line = _AFTER if self._run_length >= length else _DEAD
            else:
                line = _DEAD
            j += 1
        self._line = line
        core.lex(T_PLAIN, base + n)
        return n

    # --- objects ---------------------------------------------------------------------------------------------

    def _open(self, close: str | None) -> None:
        """Make ready to follow an object; `close` is what must come behind it."""
        self._scan.reset()
        self._close, self._acc, self._key_turn = close, None, True
        self._in_args = self._args_seen = self._others = False
        self._value = None

    def _spell(self, text: str, i: int, j: int) -> None:
        """Collect the characters of the string that is being read, without its opening quote."""
        if self._acc is None:
            quote = text.find('"', i, j)
            if quote >= 0:
                self._acc = text[quote + 1 : j]
        elif len(self._acc) <= _LONGEST:
            self._acc += text[i:j]

    def _crack(self, text: str, j: int, reason: str) -> int:
        if self._close == FENCE:
            self._enter_code(text, j, self.core.lex, T_CRACK_FENCED, reason)
        else:
            self.core.lex(T_CRACK, self._base + j, reason)
        return j

    def _forming(self, text: str, i: int, n: int) -> int:
        """Follow an object up to the tool's name, the value of its first key."""
        core, scan, shape = self.core, self._scan, self._shape
        j = scan.feed(text, i)
        status = scan.status
        if status == BROKEN or status == CLOSED or shape is None:
            return self._crack(text, j, "malformed")
        if status == VALUE:
            if text[j] != '"':
                core.lex(T_REJECT, self._base + j)
            self._key_turn = False
            return j
        self._spell(text, i, j)
        spelled = self._acc
        if status == NEED:
            if spelled is not None and self._hopeless(spelled, shape):
                core.lex(T_REJECT, self._base + j)
        elif status == KEY:
            self._acc = None
            known = spelled is not None and spelled[:-1] in shape.aliases
            core.lex(T_ALIAS if known else T_REJECT, self._base + j)
        else:
            name = _unescape(spelled[:-1]) if spelled and len(spelled) <= _LONGEST else None
            self._acc, self._key_turn = None, True
            if name is None:
                core.lex(T_REJECT, self._base + j)
            elif self.settled or core.owns(name):
                self._judge_name(self._base + j, name)
            else:
                self._queue, self._paused = [], name
        return j

    def _hopeless(self, spelled: str, shape: Shape) -> bool:
        """Tell whether no alias, or no owned name, begins with the characters so far."""
        if self._key_turn:
            return not any(alias.startswith(spelled) for alias in shape.aliases)
        if "\\" in spelled or not self.settled:
            return len(spelled) > _LONGEST
        return not self.core.owns_prefix(spelled)

    def _judge_name(self, end: int, name: str) -> None:
        if self.core.owns(name):
            self.core.lex(T_OWNED, end, name)
        else:
            self.core.lex(T_REJECT, end)

    def _members(self, text: str, i: int, n: int) -> int:
        """Follow an owned object: collect its arguments, and judge it where it closes."""
        core, scan, base, shape = self.core, self._scan, self._base, self._shape
        j = scan.feed(text, i)
        status = scan.status
        if self._in_args:
            if j > i:
                core.lex(T_MORE, base + j, text[i:j])
        elif self._key_turn:
            self._spell(text, i, j)
        if status == BROKEN:
            return self._crack(text, j, "limit" if scan.too_deep else "malformed")
        if status == KEY:
            spelled, self._acc, self._key_turn = self._acc or "", None, False
            key = _unescape(spelled[:-1]) if len(spelled) <= _LONGEST else None
            if shape is not None and (key in shape.aliases or (key in shape.argument_keys and self._args_seen)):
                core.lex(T_REJECT, base + j, "duplicate_key")
                return j
            if shape is not None and key in shape.argument_keys:
                self._args_seen, self._value = True, ("", 0)
            else:
                self._others = True
        elif status == VALUE:
            if self._value is not None:
                c = text[j]
                if c == "{":
                    core.lex(T_ARGUMENTS, base + j)
                    self._in_args, self._value = True, None
                elif c == "n" or c == '"':
                    self._value = (c, base + j)
                else:
                    core.lex(T_REJECT, base + j, "not_an_object")
                    return j
        elif status == END:
            if self._value is not None and self._value[0] == '"' and base + j - self._value[1] != 2:
                core.lex(T_REJECT, base + j, "not_an_object")
                return j
            self._in_args, self._value, self._key_turn, self._acc = False, None, True, None
        elif status == CLOSED:
            reason = "not_a_call" if self._others and not self._args_seen else core.text_call_fault()
            self._run_length = 0
            if reason:
                core.lex(T_REJECT, base + j, reason)
            if self._close is not None:
                core.lex(T_WHOLE_FENCED, base + j)
            elif reason:
                core.lex(T_WHOLE, base + j)
            elif shape is not None and shape.bare == "at_end":
                core.lex(T_WHOLE_LATE, base + j)
            else:
                core.lex(T_WHOLE, base + j)
        return j

    def _other(self, text: str, i: int, n: int) -> int:
        """Show a rejected object up to its end or first break."""
        core, scan, base = self.core, self._scan, self._base
        j = scan.feed(text, i)
        while scan.status in (KEY, VALUE, END):
            j = scan.feed(text, j)
        if scan.status == NEED:
            core.lex(T_PLAIN, base + j)
        elif scan.status == BROKEN:
            return self._crack(text, j, "malformed")
        else:
            self._run_length = 0
            core.lex(T_WHOLE if self._close is None else T_WHOLE_FENCED, base + j)
        return j

    def _closing(self, text: str, i: int, n: int) -> int:
        """Look for what must come behind an object: the closing marker, or another object."""
        core, base, close = self.core, self._base, self._close or ""
        held = core.lex_state == CLOSING
        j = i
        while j < n:
            c = text[j]
            if c == close[self._run_length] or (c == "´" and close == FENCE and self._run_length == 2):
                self._run_length += 1
                j += 1
                if self._run_length == len(close):
                    core.lex(T_FENCE_END, base + j)
                    return j
            elif self._run_length == 0 and c in _BLANK:
                j += 1
            elif self._run_length == 0 and c == "{":
                if not held and j > i:
                    core.lex(T_BLANK, base + j)
                self._open(close)
                core.lex(T_OBJECT, base + j)
                return j
            elif close == FENCE:
                self._enter_code(text, j, core.lex, T_FOREIGN, "not_closed")
                return j
            else:
                core.lex(T_STRAY, base + j, "not_closed")
                return j
        if not held:
            core.lex(T_BLANK, base + j)
        return n

    def _pending(self, text: str, i: int, n: int) -> int:
        """Behind a call that counts only at the end: blanks may follow, nothing else."""
        j = i
        while j < n and text[j].isspace():
            j += 1
        if j < n:
            self.core.lex(T_PLAIN, self._base + j, "text_follows")
        else:
            self.core.lex(T_BLANK, self._base + j)
        return j

    def _reasoning(self, text: str, i: int, n: int) -> int:
        """Keep reasoning apart up to its closing tag."""
        core, base = self.core, self._base
        found = [(j, tag) for tag in self._close_tags if (j := text.find(tag, i)) >= 0]
        if not found:
            rest = text[i:] if i else text
            return self._wait(text, i, n - partial_overlap(rest, self._close_tags))
        j, tag = min(found)
        self._flow(text, i, j)
        core.lex(T_UNTHINK, base + j + len(tag))
        self._close_tags = _CLOSE_TAGS
        return j + len(tag)

    def _over(self, text: str, i: int, n: int) -> int:
        return n


def _unescape(spelled: str) -> str | None:
    """Return the string whose JSON spelling, without quotes, this is; None if it has no meaning."""
    if "\\" not in spelled:
        return spelled
    try:
        value = msgspec.json.decode(f'"{spelled}"', type=str)
    except msgspec.DecodeError:
        return None
    return value


_HANDLERS: list[Callable[[TextReader, str, int, int], int]] = [TextReader._over] * len(LEX_TABLE.states)
for _states, _handler in (
    ((IDLE, TEXT), TextReader._top), ((MARKER,), TextReader._marker), ((FORMING,), TextReader._forming),
    ((NAMED, ARGS), TextReader._members), ((OTHER,), TextReader._other), ((CLOSING, FENCED), TextReader._closing),
    ((PENDING,), TextReader._pending), ((CODE,), TextReader._code), ((REASONING,), TextReader._reasoning),
):  # fmt: skip
    for _each in _states:
        _HANDLERS[_each] = _handler
