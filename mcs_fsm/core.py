"""The object of one stream: text with spans, the machines' states, the calls, and what is kept verbatim.

A format calls the primitives below (`content`, `call`, `args`, `finish`, ...). Each picks a trigger, with a named
judge where the outcome depends on data, and takes one step of TURN: the table gives the next state and the actions,
and the actions are all that changes anything. SLOT moves only through the TURN actions `slot`, `slot_end`, `settle`
and `close`; LEX, if the stream looks into its text, stands between `content` and TURN. `Stream`, `LLMStreamBuffer`,
`Transcoder` and `Turn` are views on this object and keep no second copy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .events import Event
from .actions import EMPTY, LEX_PROGRAMS, PART, WHOLE, Machines
from .calls import Counts, ExtractedCall, FailedCall, Held
from .codec.reader import LEX_TABLE, TextReader
from .codec.shape import Shape
from .limits import Limits
from .log import Log
from .machine.rows import TRIGGERS
from .machine.table import ILLEGAL
from .scanner import BROKEN, CLOSED, JsonScanner
from .slots import (
    ABORT, ARGS_DELTA, ARGS_NEW, ARGS_SET, CALL_BROKEN, CALL_END, CALL_ID, CALL_NAME, CALL_PART, CALL_START, EOF, ERROR,
    FINISH, FINISH_CUT, LONE_EMPTY, OPAQUE, REASONING, REFUSAL, TEXT, TURN_END, TURN_START, USAGE, WIDTH, Item, Slot,
    decode_object, lone_empty,
)  # fmt: skip
from .text import Spans, TextBuffer, join_halves, replace_halves

__all__ = ["Core"]

_LEX_NEXT, _LEX_ACTION, _LEX_WIDTH = LEX_TABLE.next, LEX_TABLE.action, LEX_TABLE.width


class Core:
    """One stream.

    Args:
        machines: the format's machines.
        tools: names offered to the model; None if not known.
        shape: how calls in text look, None to look for none. Without `tools` no call is taken from text.
        tags: whether reasoning tags in the text count: True, False or "open".
        choice: which of several choices is read.
        strict: whether a forbidden trigger ends the stream as failed.
        limits: see `Limits`.
    """

    __slots__ = (
        "_act", "choice", "_half", "_held", "_held_most", "_held_why", "_next", "part_item",
        "part_kind", "_programs", "_runs", "text_slot", "_turn", "anomalies", "block", "body", "by_id", "by_key",
        "closed_cut", "ended", "error_data", "facts", "finish_word", "floor", "frame", "items", "last_call",
        "lex_state", "limits", "log", "machines", "oddities", "reader", "reasons", "refusals", "released", "shown",
        "side", "slots", "started", "strict", "tools", "usage_data",
    )  # fmt: skip

    def __init__(
        self, machines: Machines, *, tools: Iterable[str] | None = None, shape: Shape | None = None,
        tags: bool | str = False, choice: int = 0, strict: bool = False, limits: Limits | None = None,
    ) -> None:  # fmt: skip
        self.limits = limits or Limits()
        self.tools = None if tools is None else frozenset(tools)
        self.choice, self.strict = choice, strict
        self.body = TextBuffer()  # what the wire calls its content, shown or not
        self.side = TextBuffer()  # reasoning and refusals that have a field of their own
        self.shown, self.reasons, self.refusals = Spans(), Spans(), Spans()
        self.released = 0  # content before this offset is shown, or hidden for good
        self.floor = 0  # end of the last hidden span: the beginning of the text, for the reader
        self.slots: list[Slot] = []
        self.by_key: dict[Any, Slot] = {}
        self.by_id: dict[str, Slot] = {}
        self.last_call: Slot | None = None  # the native call that was opened last
        self.items: dict[Any, Item] = {}
        self.facts: dict[str, Any] = {}  # the envelope's own values for the message, a format's business
        self.log = Log()
        self.block = -1
        self.part_kind = -1
        self.part_item: Item | None = None
        self._runs: list[tuple[int, Item | None]] = [(0, None)]
        self.started = False
        self.finish_word: str | None = None
        self.ended: int | None = None  # the trigger that ended the turn
        self.closed_cut = False  # whether calls were last settled or closed as those of a turn that was cut off
        self.usage_data: dict[str, Any] | None = None
        self.error_data: dict[str, Any] | None = None
        self.anomalies: dict[str, int] = {}
        self.oddities: list[tuple[str, str, str, Any]] = []
        self.frame: int | None = None
        self._half: dict[Any, str] = {}
        self._held = self._held_most = 0
        self._held_why: dict[str, int] = {}
        self.text_slot: Slot | None = None
        self.lex_state = LEX_TABLE.state("reasoning") if tags == "open" else LEX_TABLE.initial
        self.reader: TextReader | None = None
        shape = shape if self.tools is not None else None
        if shape is not None or tags:
            self.reader = TextReader(self, shape, tags, self.limits.held_chars, self.limits.depth)
        self.adopt(machines)

    def adopt(self, machines: Machines) -> None:
        """Take a format's machines, before the first step."""
        self.machines = machines
        turn = machines.turn_text if self.reader is not None else machines.turn
        self._next, self._act, self._programs, self._turn = turn.next, turn.action, turn.programs, turn.initial

    # --- stepping --------------------------------------------------------------------------------------------

    def step(self, trigger: int, where: Any = None, payload: Any = None) -> None:
        """Take one step of TURN: one cell, its actions in order, the next state."""
        cell = self._turn * WIDTH + trigger
        state = self._next[cell]
        if state == ILLEGAL:
            self._forbidden("turn", self.turn_state, trigger, payload)
            return
        self._turn = state
        for act in self._programs[self._act[cell]]:
            act(self, trigger, where, payload)

    def step_slot(self, trigger: int, slot: Slot, payload: Any = None) -> None:
        """Take one step of SLOT for one call."""
        machine = slot.machine
        cell = slot.state * WIDTH + trigger
        state = machine.next[cell]
        if state == ILLEGAL:
            self._forbidden("slot", slot.state_name, trigger, payload)
            return
        slot.state = state
        for act in machine.programs[machine.action[cell]]:
            act(self, slot, payload)

    def lex(self, token: int, end: int, payload: Any = None) -> None:
        """Take one step of LEX; `end` is the content offset up to which the token speaks."""
        cell = self.lex_state * _LEX_WIDTH + token
        state = _LEX_NEXT[cell]
        if state == ILLEGAL:
            self._forbidden("lex", LEX_TABLE.states[self.lex_state], token, payload)
            return
        for act in LEX_PROGRAMS[_LEX_ACTION[cell]]:
            act(self, end, payload)
        self.lex_state = state

    def _forbidden(self, machine: str, state: str, trigger: int, payload: Any) -> None:
        name = LEX_TABLE.triggers[trigger] if machine == "lex" else TRIGGERS[trigger]
        self.odd(f"forbidden_{machine}")
        if len(self.oddities) < 64:
            self.oddities.append((machine, state, name, payload))
        if self.strict and self.ended is None:
            message = f"{machine}: {name!r} is forbidden in state {state!r}"
            self.step(ABORT, None, ("illegal_transition", message, False, None))

    @property
    def turn_state(self) -> str:
        """The TURN state's name."""
        machine = self.machines.turn_text if self.reader is not None else self.machines.turn
        return machine.table.states[self._turn]

    @property
    def lex_state_name(self) -> str:
        """The LEX state's name."""
        return LEX_TABLE.states[self.lex_state]

    @property
    def over(self) -> bool:
        """Whether the last event has been said."""
        return self.ended is not None

    def odd(self, code: str) -> None:
        """Count something odd about the stream, by its stable code."""
        self.anomalies[code] = self.anomalies.get(code, 0) + 1

    # --- primitives: what a format says ----------------------------------------------------------------------

    def start(self, id: Any = None, model: Any = None, created: Any = None) -> None:
        """Say that the reply begins; only the first time counts."""
        if not self.started:
            self.step(TURN_START, None, (id, model, created))

    def item(self, key: Any, kind: str, data: Any = None) -> Item:
        """Return the part of the wire's message under `key`, made as `kind` with `data` if it is not there."""
        found = self.items.get(key)
        if found is None:
            found = self.items[key] = Item(key, kind, data)
        return found

    def content(self, text: str, item: Item | None = None) -> None:
        """Take characters of the reply: LEX reads them where there is one, else they are shown."""
        text = self._mend("content", text)
        if not text:
            return
        body = self.body
        start = body.append(text)
        end = body.length
        if item is not None:
            item.spans.add(body, start, end)
        reader = self.reader
        if reader is None:
            self.released = end
            self.step(TEXT, item, (body, start, end))
            return
        if item is not self._runs[-1][1]:
            self._runs.append((start, item))
        reader.read(text)
        held = self._held = end - self.released
        if held:
            self._held_most = max(held, self._held_most)
            why = LEX_TABLE.states[self.lex_state]
            self._held_why[why] = self._held_why.get(why, 0) + 1

    def reasoning(self, text: str, item: Item | None = None) -> None:
        """Take reasoning that has a field of its own."""
        self._aside(REASONING, text, item)

    def refusal(self, text: str, item: Item | None = None) -> None:
        """Take the provider's refusal text."""
        self._aside(REFUSAL, text, item)

    def _aside(self, trigger: int, text: str, item: Item | None) -> None:
        text = self._mend(trigger, text)
        if text:
            start = self.side.append(text)
            if item is not None:
                item.spans.add(self.side, start, self.side.length)
            self.step(trigger, item, (self.side, start, self.side.length))

    def route(self, key: Any, id: str | None, name: str | None) -> Slot | None:
        """Return the call that a fragment belongs to, None if it opens a new one.

        A fragment without key: a new id or a new name opens a call, otherwise it goes to the last one opened. The
        same key with another id and a name is another call; another id alone goes on with the call. A name without
        id, when the arguments so far are one whole value, opens a new one.
        """
        if key is None:
            if id:
                return self.by_id.get(id)
            slot = self.last_call
            if slot is not None and name and slot.name and (name != slot.name or slot.whole):
                return None
            return slot
        slot = self.by_key.get(key)
        if slot is None or not name:
            return slot
        if id and id != slot.id:
            return None if slot.id or slot.whole else slot
        return None if slot.whole and not id else slot

    def call(
        self, key: Any, id: str | None = None, name: str | None = None, *, kind: str = "function",
        provider_run: bool = False, item: Item | None = None,
    ) -> Slot:  # fmt: skip
        """Return the call that a fragment with this key, id and name belongs to, opened and named as needed."""
        slot = self.route(key, id, name)
        if slot is None:
            if key is not None and key in self.by_key:
                self.odd("index_reused")
            slot = self.open_call(key, kind=kind, provider_run=provider_run, item=item)
        if id:
            self.identify(slot, id)
        if name:
            self.name(slot, name)
        return slot

    def identify(self, slot: Slot, id: str) -> None:
        """Take a call's id; the first one counts."""
        if slot.id is None:
            self.step(CALL_ID, slot, id)
        elif id != slot.id:
            self.odd("id_changed")

    def open_call(
        self, key: Any, *, kind: str = "function", provider_run: bool = False, item: Item | None = None
    ) -> Slot:
        """Open a call that has no id and no name yet."""
        if not provider_run and self.reader is not None:
            self.reader.native()
        slot = Slot(key, self.machines.slot, kind, provider_run, item)
        if len(self.slots) >= self.limits.slots:
            if len(self.slots) == self.limits.slots and not self.anomalies.get("limit_slots"):
                self.note_limit("slots", self.limits.slots)
            self.odd("limit_slots")
            slot.state = slot.machine.table.state("abandoned")
            return slot
        if kind != "custom":
            slot.scan = JsonScanner(self.limits.depth)
        if key is not None:
            self.by_key[key] = slot
        self.last_call = slot
        if item is not None:
            item.slot = slot
        self.step(CALL_START, item, slot)
        return slot

    def name(self, slot: Slot, piece: str) -> None:
        """Take a piece of a call's name. The name so far again is a repeat."""
        if not piece or piece == slot.name:
            return
        name = slot.name + piece
        part = self.tools is not None and name not in self.tools and self.owns_prefix(name)
        self.step(CALL_PART if part else CALL_NAME, slot, piece)

    def args(self, slot: Slot, piece: str) -> None:
        """Take a piece of a call's arguments. An object after a lone `{}` replaces that placeholder."""
        piece = self._mend(slot, piece)
        if not piece:
            return
        if slot.args.length + len(piece) > self.limits.argument_chars:
            if slot.open:
                self.note_limit("argument_chars", self.limits.argument_chars)
                self.step(CALL_BROKEN, slot, "limit")
            return
        if slot.whole and lone_empty(slot) and piece.lstrip()[:1] == "{":
            self.odd("placeholder_replaced")
            self.step(ARGS_NEW, slot, piece)
        else:
            self.step(ARGS_DELTA, slot, piece)

    def args_set(self, slot: Slot, text: str) -> None:
        """Take a call's arguments as one snapshot. An empty one never replaces what came."""
        if slot.args.length:
            if not text.strip() or LONE_EMPTY.fullmatch(text) or text == slot.args.text():
                return
            if not text.startswith(slot.args.text()):
                self.odd("arguments_replaced")
        elif not text:
            return
        if len(text) > self.limits.argument_chars:
            self.note_limit("argument_chars", self.limits.argument_chars)
            self.step(CALL_BROKEN, slot, "limit")
            return
        self.step(ARGS_SET, slot, text)

    def call_end(self, slot: Slot) -> None:
        """Say that the wire closes this call."""
        if slot.open:
            self.step(CALL_END, slot)

    def call_broken(self, slot: Slot, reason: str) -> None:
        """Say that this call can never be whole, and why."""
        if slot.open:
            self.step(CALL_BROKEN, slot, reason)

    def opaque(self, kind: str, data: Any, item: Item | None = None) -> None:
        """Take something that must ride back or on unchanged."""
        self.step(OPAQUE, item, (kind, data))

    def usage(self, usage: dict[str, Any], counts: Counts) -> None:
        """Take the provider's usage object, merged as its wire merges, and the counts in one shape."""
        if usage != self.usage_data:
            self.step(USAGE, None, (usage, counts))

    def finish(self, word: str, cut: bool = False) -> None:
        """Take the finish signal; `cut` for length, filter, error and their kin."""
        self.step(FINISH_CUT if cut else FINISH, None, word)

    def error(self, kind: str, message: str, *, retryable: bool = False, data: Any = None, fatal: bool = False) -> None:
        """Report an error; after a fatal one nothing more is read."""
        if fatal:
            self._end_text()
        self.step(ABORT if fatal else ERROR, None, (kind, message, retryable, data))

    def end(self) -> None:
        """Say that the wire ended the turn."""
        self._end_text()
        self.step(TURN_END)

    def close(self) -> None:
        """Say that the connection is over."""
        self._end_text()
        self.step(EOF)

    def _end_text(self) -> None:
        if self.ended is None:
            for channel in list(self._half):
                half = self._half.pop(channel)
                if channel == "content":
                    self.content(self._replace(half))
                elif isinstance(channel, Slot):
                    self.args(channel, self._replace(half))
                else:
                    self._aside(channel, self._replace(half), None)
            if self.reader is not None:
                self.reader.end()
                self._held = 0

    # --- judges and helpers ----------------------------------------------------------------------------------

    def judge(self, slot: Slot, cut: bool) -> int:
        """Say whether a call is whole, empty or only a part. Arguments are parsed here, once, and never mended."""
        if slot.start is not None or not slot.name:  # a text call is judged by LEX
            return PART
        scan = slot.scan
        if scan is None:
            slot.value = {"input": slot.args.text()}
            return PART if cut else WHOLE
        if scan.status != BROKEN and (not scan.kind or (scan.kind == "n" and scan.status == CLOSED)):
            return EMPTY
        if scan.status == CLOSED and scan.kind == "{":
            slot.value = decode_object(slot.args.text())
            if slot.value is not None:
                return WHOLE
        if slot.provider_run and not cut:
            slot.value = {"input": slot.args.text()}
            return WHOLE
        return PART

    def text_call_fault(self) -> str:
        """Judge the text call whose object just closed; return why it is no call, "" if it is one."""
        slot = self.text_slot
        assert slot is not None
        raw = slot.args.text()
        slot.value = decode_object(raw) if raw else {}
        return "" if slot.value is not None else "malformed"

    def owns(self, name: str) -> bool:
        """Whether the name is among the offered tools."""
        return self.tools is not None and name in self.tools

    def owns_prefix(self, prefix: str) -> bool:
        """Whether an offered name begins like this."""
        return self.tools is not None and any(tool.startswith(prefix) for tool in self.tools)

    def note_limit(self, limit: str, value: int) -> None:
        """Report that a limit was passed, by name and value."""
        self.error("limit", f"{limit} passed its limit of {value}")

    def _mend(self, channel: Any, text: str) -> str:
        """Join the halves of a surrogate pair that were cut over frames; a half without its other is U+FFFD."""
        if text.isascii() and not self._half:
            return text
        text, half, lone = join_halves(self._half.pop(channel, "") if self._half else "", text)
        if half:
            self._half[channel] = half
        return self._replace(text) if lone else text

    def _replace(self, text: str) -> str:
        self.odd("lone_surrogate")
        self.error("lone_surrogate", "half of a surrogate pair came without the other half")
        return replace_halves(text)

    def step_span(self, trigger: int, start: int, end: int) -> None:
        """Step TURN with content from `start` to `end`, cut where the wire's own parts meet."""
        runs, body = self._runs, self.body
        while start < end:
            while len(runs) > 1 and runs[1][0] <= start:
                del runs[0]
            stop = min(end, runs[1][0]) if len(runs) > 1 else end
            self.step(trigger, runs[0][1], (body, start, stop))
            start = stop

    def take(self) -> list[Event]:
        """Return the events since last asked."""
        return self.log.take()

    # --- what is known ---------------------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        """Whether a terminal signal was seen."""
        return self.finish_word is not None or self.ended == TURN_END

    @property
    def cut(self) -> bool:
        """Whether the turn was cut off (length, filter, error, a lost connection): nothing of it may be run."""
        return self.closed_cut or self.turn_state in ("cut", "failed")

    @property
    def truncated(self) -> bool:
        """Whether the stream ended without a terminal signal."""
        return self.ended is not None and not self.finished

    @property
    def held(self) -> Held:
        """What was held back."""
        return Held(self._held, self._held_most, sum(self._held_why.values()), dict(self._held_why))

    def calls(self) -> list[ExtractedCall]:
        """Return the whole calls in order of first appearance."""
        return [slot.call for slot in self.slots if slot.call is not None]

    def failed_calls(self) -> list[FailedCall]:
        """Return the calls that never became whole; an object that was no call after all is none of them."""
        return [
            FailedCall(slot.id, slot.name or None, slot.provider_run, slot.reason, slot.args.text())
            for slot in self.slots
            if slot.reason and slot.reason != "not_a_call"
        ]
