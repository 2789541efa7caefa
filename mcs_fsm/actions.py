"""What the rows do: the actions of TURN, SLOT and LEX, and the compiled machines that they are bound to.

An action does one thing to the core and chooses nothing. The core's judges pick the trigger; the table says which
actions run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .events import (
    ArgumentsDelta, CallAbandoned, CallForming, CallReady, OpaquePart, ReasoningDelta, RefusalDelta, StreamError,
    TextDelta, TurnFinished, TurnStarted, UsageReported,
)  # fmt: skip
from .calls import Counts, ExtractedCall
from .codec.reader import LEX_TABLE
from .machine.declare import Machine
from .machine.rows import ACTIONS, SLOT_ACTIONS, SLOT_FRAGMENTS, SLOT_STATES, TEXT_CALLS, TRIGGERS, TURN_STATES
from .machine.table import Table
from .scanner import CLOSED
from .slots import (
    ARGS_DELTA, ARGS_WHOLE, CALL_BROKEN, CALL_NAME, CALL_START, CALL_WHOLE, REASONING, TEXT, Bound, Item, Slot,
    lone_empty,
)  # fmt: skip
from .text import TextBuffer

if TYPE_CHECKING:
    from .core import Core

__all__ = ["LEX_PROGRAMS", "TEXT_SLOT", "Machines", "machines"]

# What a judge says of a slot, and the trigger that each asker makes of it.
WHOLE, EMPTY, PART = range(3)
_SETTLE = (TRIGGERS.index("settle_whole"), TRIGGERS.index("settle_empty"), TRIGGERS.index("settle_part"))
_SETTLE_CUT = (TRIGGERS.index("settle_whole"), TRIGGERS.index("settle_part"), TRIGGERS.index("settle_part"))
_CLOSE = (TRIGGERS.index("close_whole"), TRIGGERS.index("close_empty"), TRIGGERS.index("close_part"))
_CLOSE_CUT = (TRIGGERS.index("close_whole"), TRIGGERS.index("close_cut"), TRIGGERS.index("close_cut"))
_END = (TRIGGERS.index("end_whole"), TRIGGERS.index("end_empty"), TRIGGERS.index("end_part"))

# --- TURN actions: (core, trigger, where, payload) --------------------------------------------------------------


def _part(core: Core, trigger: int, item: Item | None, payload: Any) -> None:
    if trigger != core.part_kind or item is not core.part_item or trigger == CALL_START:
        core.part_kind, core.part_item = trigger, item
        core.block += 1
        if item is not None and item.block is None:
            item.block = core.block


def _show(core: Core, trigger: int, item: Item | None, payload: Any) -> None:
    core.shown.add(*payload)
    core.log.span(TextDelta, core.block, *payload)


def _reason(core: Core, trigger: int, item: Item | None, payload: Any) -> None:
    core.reasons.add(*payload)
    core.log.span(ReasoningDelta, core.block, *payload)


def _refuse(core: Core, trigger: int, item: Item | None, payload: Any) -> None:
    core.refusals.add(*payload)
    core.log.span(RefusalDelta, core.block, *payload)


def _open(core: Core, trigger: int, item: Item | None, slot: Slot) -> None:
    slot.index, slot.block = len(core.slots), core.block
    core.slots.append(slot)


def _step_slot(core: Core, trigger: int, slot: Slot, payload: Any) -> None:
    core.step_slot(trigger, slot, payload)


def _slot_end(core: Core, trigger: int, slot: Slot, payload: Any) -> None:
    core.step_slot(_END[core.judge(slot, False)], slot)


def _keep(core: Core, trigger: int, item: Item | None, payload: tuple[str, Any]) -> None:
    if item is not None and item.block is None:
        core.part_kind, core.part_item = trigger, item
        core.block += 1
        item.block = core.block
    block = item.block if item is not None and item.block is not None else max(core.block, 0)
    core.log.say(OpaquePart(block, payload[0], payload[1]))


def _note_start(core: Core, trigger: int, where: Any, payload: tuple[Any, Any, Any]) -> None:
    core.started = True
    core.log.say(TurnStarted(*payload))


def _note_usage(core: Core, trigger: int, where: Any, payload: tuple[dict[str, Any], Counts]) -> None:
    core.usage_data = payload[0]
    core.log.say(UsageReported(payload[0], payload[1]))


def _note_finish(core: Core, trigger: int, where: Any, word: str) -> None:
    core.finish_word = word


def _each_open(outcomes: tuple[int, int, int], cut: bool) -> Callable[..., None]:
    def act(core: Core, trigger: int, where: Any, payload: Any) -> None:
        core.closed_cut = cut
        for slot in core.slots:
            if slot.open:
                core.step_slot(outcomes[core.judge(slot, cut)], slot)

    return act


def _end(core: Core, trigger: int, where: Any, payload: Any) -> None:
    core.ended = trigger
    core.log.say(TurnFinished(core.finish_word, core.truncated))


def _report(core: Core, trigger: int, where: Any, payload: tuple[str, str, bool, Any]) -> None:
    kind, message, retryable, data = payload
    if core.error_data is None:
        core.error_data = {
            "kind": kind, "message": message, "retryable": retryable, "frame": core.frame, "data": data,
        }  # fmt: skip
    core.log.say(StreamError(kind, message, retryable, core.frame, data))


def _nothing(*_: Any) -> None:
    pass


_TURN_DO: dict[str, Callable[..., None]] = {
    "part": _part, "show": _show, "reason": _reason, "refuse": _refuse, "open": _open, "slot": _step_slot,
    "slot_end": _slot_end, "keep": _keep, "note_start": _note_start, "note_usage": _note_usage,
    "note_finish": _note_finish, "settle": _each_open(_SETTLE, False), "settle_cut": _each_open(_SETTLE_CUT, True),
    "close": _each_open(_CLOSE, False), "close_cut": _each_open(_CLOSE_CUT, True), "report": _report, "end": _end,
    "skip": _nothing,
}  # fmt: skip

# --- SLOT actions: (core, slot, payload) ------------------------------------------------------------------------


def _set_id(core: Core, slot: Slot, id: str) -> None:
    slot.id = id
    core.by_id[id] = slot


def _name(core: Core, slot: Slot, piece: str) -> None:
    slot.name += piece


def _announce(core: Core, slot: Slot, payload: Any) -> None:
    if slot.said != (slot.id, slot.name):
        slot.said = (slot.id, slot.name)
        core.log.say(CallForming(slot.index, slot.block, slot.id, slot.name))
        _tell(core, slot, None)


def _append(core: Core, slot: Slot, piece: str) -> None:
    slot.args.append(piece)
    if slot.scan is not None:
        slot.scan.feed(piece)
        if slot.scan.status == CLOSED:
            core.step_slot(ARGS_WHOLE, slot)


def _replace(core: Core, slot: Slot, piece: str) -> None:
    if slot.args.slice(0, slot.told) != piece[: slot.told]:
        slot.told = 0
    slot.args = TextBuffer()
    if slot.scan is not None:
        slot.scan.reset()
    _append(core, slot, piece)


def _tell(core: Core, slot: Slot, payload: Any) -> None:
    # A lone `{}` may be a placeholder that the real object replaces: it is told when the call is ready.
    if slot.told < slot.args.length and not (slot.whole and lone_empty(slot)):
        _tell_all(core, slot)


def _tell_all(core: Core, slot: Slot) -> None:
    if slot.told < slot.args.length:
        core.log.span(ArgumentsDelta, slot.index, slot.args, slot.told, slot.args.length)
        slot.told = slot.args.length


def _ready(core: Core, slot: Slot, end: int | None) -> None:
    _tell_all(core, slot)
    owned = None if core.tools is None else slot.name in core.tools
    slot.call = ExtractedCall(
        slot.name, slot.value or {}, slot.id, slot.start, end if slot.start is not None else None, slot.kind, owned,
        slot.provider_run,
    )  # fmt: skip
    core.log.say(CallReady(slot.index, slot.call))


def _ready_empty(core: Core, slot: Slot, payload: Any) -> None:
    slot.value = {}
    _ready(core, slot, None)


def _abandon(core: Core, slot: Slot, reason: str | None) -> None:
    slot.reason = reason or slot.fault
    core.log.say(CallAbandoned(slot.index, slot.reason))


_SLOT_DO: dict[str, Callable[..., None]] = {
    "set_id": _set_id, "name": _name, "announce": _announce, "append": _append, "replace": _replace, "tell": _tell,
    "wait": _nothing, "ready": _ready, "ready_empty": _ready_empty, "abandon": _abandon,
}  # fmt: skip

# --- LEX actions: (core, end, payload) --------------------------------------------------------------------------


def _lex_show(core: Core, end: int, payload: Any) -> None:
    start, core.released = core.released, max(end, core.released)
    core.step_span(TEXT, start, end)


def _lex_reason(core: Core, end: int, payload: Any) -> None:
    start, core.released = core.released, max(end, core.released)
    core.step_span(REASONING, start, end)


def _lex_drop(core: Core, end: int, payload: Any) -> None:
    core.released = core.floor = end


def _lex_open(core: Core, end: int, name: str) -> None:
    slot = Slot(None, TEXT_SLOT, "function", False, None)
    slot.start = core.released
    core.text_slot = slot
    core.step(CALL_START, None, slot)
    core.step(CALL_NAME, slot, name)


def _lex_append(core: Core, end: int, piece: str) -> None:
    core.step(ARGS_DELTA, core.text_slot, piece)


def _lex_ready(core: Core, end: int, payload: Any) -> None:
    assert core.text_slot is not None
    core.text_slot.late = payload is not None  # only the end of the text says why
    core.step(CALL_WHOLE, core.text_slot, end)
    core.released = core.floor = end


def _lex_abandon(core: Core, end: int, reason: str) -> None:
    core.step(CALL_BROKEN, core.text_slot, reason)


_LEX_DO: dict[str, Callable[..., None]] = {
    "show": _lex_show, "reason": _lex_reason, "drop": _lex_drop, "hold": _nothing, "wait": _nothing, "open": _lex_open,
    "append": _lex_append, "ready": _lex_ready, "abandon": _lex_abandon,
}  # fmt: skip
LEX_PROGRAMS = LEX_TABLE.bind(_LEX_DO)


class Machines:
    """The compiled machines of one format: `turn`, `turn_text` (with the rows for calls in text), `slot`."""

    __slots__ = ("slot", "turn", "turn_text")

    def __init__(self, turn: Table, turn_text: Table, slot: Table) -> None:
        self.turn, self.turn_text = Bound(turn, _TURN_DO), Bound(turn_text, _TURN_DO)
        self.slot = Bound(slot, _SLOT_DO)


# --- what a format compiles -------------------------------------------------------------------------------------


def machines(name: str, turn: Iterable[Any], slot: Iterable[Any]) -> Machines:
    """Compile a format's machines from their rows; the states are those that the rows lead to.

    A stream that looks for calls in its text runs TURN with the rows for them, so a wire that sends arguments whole
    gets the state `args` from there and from nowhere else.
    """
    turn, slot = tuple(turn), tuple(slot)
    with_text = turn if any(row[2] == "args" for row in turn) else (*turn, *TEXT_CALLS)
    return Machines(
        turn_table(f"{name}.turn", turn), turn_table(f"{name}.turn_text", with_text), slot_table(f"{name}.slot", slot)
    )


def turn_table(name: str, rows: Iterable[Any]) -> Table:
    """Compile TURN from its rows."""
    return _table(name, TURN_STATES, "idle", "done failed", tuple(rows), ACTIONS)


def slot_table(name: str, rows: Iterable[Any]) -> Table:
    """Compile SLOT from its rows."""
    return _table(name, SLOT_STATES, "forming", "ready abandoned", tuple(rows), SLOT_ACTIONS)


def _table(
    name: str, all_states: str, initial: str, final: str, rows: tuple[Any, ...], actions: frozenset[str]
) -> Table:
    """Compile a machine with those of `all_states` that a row leads to; a source that none leads to is absent."""
    reached = {row[2] for row in rows} | {initial}
    sources = {state for row in rows for state in row[1].split()}
    states = [state for state in all_states.split() if state in reached]
    absent = [state for state in all_states.split() if state in sources - reached]
    machine = Machine(name, states=states, initial=initial, final=final, rows=rows, actions=actions, absent=absent)
    return Table(machine, TRIGGERS)


TEXT_SLOT = Bound(slot_table("text.slot", SLOT_FRAGMENTS), _SLOT_DO)
