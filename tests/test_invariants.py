"""The promises of the reader over generated turns, whatever the cutting, on both scanner twins."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import mcs_fsm as m
import mcs_fsm.codec.reader
import mcs_fsm.core
import mcs_fsm.scanner
from turns import PLACES, TOOLS, Piece, chunk, cut, merged, read, turn_pieces


@pytest.fixture(scope="module", params=["python", "cython"])
def twin(request: pytest.FixtureRequest) -> Iterator[str]:
    """The reader and the core on one of the scanner twins."""
    if request.param == "cython" and mcs_fsm.scanner.BACKEND == "python":
        backend = importlib.import_module("mcs_fsm._scanner_py")  # the run without extensions: once more the same
    else:
        backend = importlib.import_module("mcs_fsm._scanner_py" if request.param == "python" else "mcs_fsm.scanner")
    patch = pytest.MonkeyPatch()
    for module in (mcs_fsm.codec.reader, mcs_fsm.core):
        for name in ("JsonScanner", "StartFinder"):
            if hasattr(module, name):
                patch.setattr(module, name, getattr(backend, name))
    yield request.param
    patch.undo()


def _calls(turn: m.Turn) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in turn.calls]


@given(pieces=turn_pieces(), places=PLACES)
@example(pieces=[Piece("Okay. ", "Okay. "), Piece('{"tool": "run"}', "", [("run", {})]), Piece(" so", " so")], places=[8])
def test_what_a_turn_shows_and_calls_is_what_its_pieces_say(twin: str, pieces: list[Piece], places: list[int] | str) -> None:
    text = "".join(piece.text for piece in pieces)

    _, stream = read(cut(text, places))
    turn = stream.turn()

    assert [call for piece in pieces for call in piece.calls] == _calls(turn)
    assert "".join(piece.shown for piece in pieces) == turn.text
    assert "".join(piece.reasoning for piece in pieces) == turn.reasoning


def _without_frames(events: list[m.Event]) -> list[Any]:
    """The number of the frame is where the text was cut, here."""
    return [(e.kind, e.message) if isinstance(e, m.StreamError) else e for e in events]


# Any characters at all, many of them the beginnings of something.
_TAGS = re.compile("(</?(think|thinking|reasoning|thought)>)*")
_NOISE = st.lists(st.sampled_from([
    *'{}[]"\\:,`~<>/ \n\rtolname1', "<think>", "</think>", "</thought>", '"tool"', '"run"', "```", "```json\n", "~~~", "````",
    '{"tool":"run"', '"arguments":{', '{"tool":"run"}', '{"name":"get","parameters":{}}', "\n```\n", "<<mcs:call>>", "<</mcs:call>>",
]), max_size=30).map("".join)  # fmt: skip


@given(text=_NOISE | st.text(max_size=40), places=PLACES, options=st.sampled_from([
    {}, {"text_format": None}, {"reasoning_tags": False}, {"reasoning_tags": "open"}, {"text_format": "mcs-delimited"},
    {"limits": m.Limits(held_chars=20)}, {"finish": None}, {"finish": "length"},
]))  # fmt: skip
@example(text='```json\n{"tool":"run"', places="each", options={"limits": m.Limits(held_chars=20)})
def test_no_cutting_changes_the_events(twin: str, text: str, places: list[int] | str, options: dict[str, Any]) -> None:
    whole, stream = read([text], **options)
    pieces, again = read(cut(text, places), **options)

    assert _without_frames(merged(whole)) == _without_frames(merged(pieces))
    one, other = stream.turn(), again.turn()
    assert one.anomalies == other.anomalies
    assert (one.text, one.reasoning, one.calls, one.failed_calls) == (other.text, other.reasoning, other.calls, other.failed_calls)


@given(text=_NOISE, places=PLACES)
def test_every_character_is_shown_once_or_hidden_once_in_order(twin: str, text: str, places: list[int] | str) -> None:
    events, stream = read(cut(text, places))
    core = stream.core

    parts = [(start, end, "shown") for _, start, end in core.shown.spans]
    parts += [(start, end, "reasoning") for _, start, end in core.reasons.spans]
    parts += [(call.start, call.end, "call") for call in core.calls()]
    at = 0
    for start, end, _ in sorted(parts):
        assert start >= at, "no character twice"
        hidden = text[at:start]
        assert _TAGS.fullmatch(hidden), "only tags are dropped"
        at = end
    assert _TAGS.fullmatch(text[at:])
    assert core.released == len(text), "nothing is pending after the end"
    assert all(not slot.open for slot in core.slots)
    assert isinstance(events[-1], m.TurnFinished)


@given(pieces=turn_pieces(), places=PLACES)
def test_a_call_forms_then_is_ready_once_and_never_after_the_end(twin: str, pieces: list[Piece], places: list[int] | str) -> None:
    events, _ = read(cut("".join(piece.text for piece in pieces), places))

    life: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, m.CallForming | m.ArgumentsDelta | m.CallReady | m.CallAbandoned):
            life.setdefault(event.slot, []).append(type(event).__name__)
    for steps in life.values():
        assert steps[0] == "CallForming"
        assert [steps[-1]] == [step for step in steps if step in ("CallReady", "CallAbandoned")]
    assert [type(event) for event in events].count(m.TurnFinished) == 1


@given(pieces=turn_pieces(), places=PLACES, at=st.integers(0, 400))
def test_a_lost_connection_shows_no_call_and_loses_no_text(twin: str, pieces: list[Piece], places: list[int] | str, at: int) -> None:
    text = "".join(piece.text for piece in pieces)[:at]

    _, stream = read(cut(text, places), finish=None)
    turn = stream.turn()

    assert turn.truncated and not turn.finished
    assert stream.core.released == len(text)
    assert _calls(turn) == [call for piece in pieces for call in piece.calls][: len(turn.calls)]


def test_the_steps_of_a_chunk_do_not_depend_on_what_came_before() -> None:
    """Counted, not timed: steps of the machines and calls of the scanner per 4 characters of prose and of a call."""
    counts = []
    for length in (4_000, 40_000):
        steps = 0
        stream = m.Stream("openai-chat", tools=TOOLS)
        core = stream.core
        text = ("Prose with { braces } and `code` and more of it. " * 2_000)[:length]
        plain = type(core).lex

        def count(self: Any, *args: Any, plain: Any = plain) -> None:
            nonlocal steps
            steps += 1
            plain(self, *args)

        patch = pytest.MonkeyPatch()
        patch.setattr(type(core), "lex", count)
        for i in range(0, length, 4):
            stream.add(chunk(text[i : i + 4]))
        patch.undo()
        counts.append(steps / length)
        assert stream.turn().text == text
    assert counts[1] == pytest.approx(counts[0], rel=0.02)


def test_prose_with_tools_offered_holds_nothing_but_the_beginning_of_a_marker() -> None:
    stream = m.Stream("openai-chat", tools=TOOLS)
    prose = ("The model explains: if (a < b) use `x` and {y}, or ``z``; see <https://example.test> for more. " * 200)[:10_000]
    for i in range(0, len(prose), 4):
        stream.add(chunk(prose[i : i + 4]))

    held = stream.turn().held
    assert held.most <= len("</reasoning")
    assert set(held.why) <= {"idle", "text", "forming"}
