"""The command line: what it prints, and what wrong use gets."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

import mcs_fsm as m
from mcs_fsm.cli import main
from mcs_fsm.formats import FORMATS
from mcs_fsm.replay import Telling, cut, load, replay, samples


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(argv)
    out = capsys.readouterr()
    return status, out.out, out.err


def test_replay_tells_text_calls_and_the_end_in_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "replay", "sample:text-then-tools")

    assert (0, "") == (status, err)
    assert "\x1b" not in out
    for line in (
        "turn      chatcmpl-demo1 demo-model", "text      Two harbours, so I will ask for the tide twice. 🌊",
        "forming   0: get_tide (call_h1)", 'ready     1: get_tide {"harbour": "Hånes"}', "usage     61 in, 38 out",
        "finished  tool_calls", "source    openai-chat, 20 frames", "odd       nothing",
    ):  # fmt: skip
        assert line in out.splitlines()


@pytest.mark.parametrize("name", samples())
@pytest.mark.parametrize("cuts", [None, "bytes", "7", "random:1"])
def test_every_sample_plays_the_same_under_any_cutting(name: str, cuts: str | None) -> None:
    recording = load(f"sample:{name}")
    assert recording.source in FORMATS
    streams = [stream for _, stream in replay(recording, cuts)]
    whole = [stream for _, stream in replay(recording, "1000000")]

    assert whole[-1].turn() == streams[-1].turn() or streams[-1].turn().held.chunks
    assert (whole[-1].turn().text, whole[-1].turn().calls) == (streams[-1].turn().text, streams[-1].turn().calls)
    assert samples()[name]["shows"]


def test_the_text_call_sample_holds_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "replay", "sample:text-call")

    assert 'ready     0: get_tide {"harbour": "Florø"}' in out
    assert "(closing)" in out and "held      at most" in out
    assert "tool" not in "".join(line for line in out.splitlines() if line.startswith("text"))


def test_a_cut_off_stream_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "replay", "sample:cut-off")

    assert "abandoned 0: truncated, 15 characters of arguments" in out
    assert "finished  no reason given, cut off" in out


def test_json_is_one_event_a_line_and_the_turn(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "replay", "sample:tool-then-text", "--json")

    lines = [json.loads(line) for line in out.splitlines()]
    assert ["TurnStarted", "CallForming"] == [line["event"] for line in lines[:2]]
    assert "Booked while you read this." == lines[-1]["turn"]["text"]
    assert "TurnFinished" == lines[-2]["event"]


def test_files_standard_input_and_options(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"{\\"tool\\": \\"f\\"} x"}}]}\n\ndata: [DONE]\n\n'
    (tmp_path / "a.sse.gz").write_bytes(gzip.compress(body))
    (tmp_path / "b.jsonl").write_text('{"choices":[{"index":0,"delta":{"content":"hello"}}]}\n[DONE]\n')

    assert 'text      {"tool": "f"} x' in run(capsys, "replay", str(tmp_path / "a.sse.gz"))[1]
    assert "ready     0: f {}" in run(capsys, "replay", str(tmp_path / "a.sse.gz"), "--tools", "f,g")[1]
    assert "ready" not in run(capsys, "replay", str(tmp_path / "a.sse.gz"), "--tools", "f", "--text-format", "none")[1]
    assert "text      hello" in run(capsys, "replay", str(tmp_path / "b.jsonl"), "--from", "openai-chat")[1]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(body)))
    assert '{"tool": "f"} x' in run(capsys, "replay", "-")[1]


@pytest.mark.parametrize(("argv", "message"), [
    (["replay", "sample:none"], "text-then-tools"), (["replay", "/no/such/file"], "cannot read"),
    (["replay", "sample:think", "--from", "nope"], "openai-chat"), (["replay", "sample:think", "--cuts", "x"], "random:SEED"),
    (["replay", "sample:think", "--cuts", "0"], "random:SEED"), (["replay", "sample:think", "--text-format", "nope"], "mcs-json"),
    (["diagram", "nope"], "openai-chat"),
])  # fmt: skip
def test_wrong_use_says_what_to_do_and_exits_with_2(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, *argv)

    assert (2, True) == (status, message in err)
    assert "Traceback" not in err


def test_escape_codes_of_a_model_are_shown_and_not_obeyed() -> None:
    out = io.StringIO()
    Telling(out, False).event(m.TextDelta("a\x1b[31mb\u202e", 0))

    assert "text      a\\x1b[31mb\\u202e" == out.getvalue()


def test_colour_is_written_only_where_it_is_asked_for() -> None:
    out = io.StringIO()
    Telling(out, True).event(m.CallReady(0, m.ExtractedCall("f", {})))

    assert "\x1b[32mready     0: f {}\x1b[0m\n" == out.getvalue()


def test_formats_verify_and_diagrams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "formats")
    assert status == 0 and all(name in out for name in FORMATS) and "mcs-json" in out
    status, out, _ = run(capsys, "verify")
    assert status == 0 and ", 0 faults" in out
    for kind, ending in (("mermaid", "mmd"), ("table", "md"), ("dot", "dot")):
        run(capsys, "diagram", "all", "--as", kind, "-o", str(tmp_path))
        assert {f"{name}.{ending}" for name in (*FORMATS, "lex")} == {p.name for p in tmp_path.glob(f"*.{ending}")}
    assert "call_start / part open" in (tmp_path / "openai-chat.mmd").read_text()


def test_verify_exits_with_1_at_a_fault(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from mcs_fsm import verify

    bad = verify.Result("planted", 1, (), ["a fault"])
    monkeypatch.setattr(verify, "verify_all", lambda: iter([bad]))
    status, out, _ = run(capsys, "verify")

    assert (1, True) == (status, "a fault" in out)


def test_cutting_loses_nothing() -> None:
    body: Any = bytes(range(256)) * 3
    for cuts in (None, "bytes", "10", "random:4"):
        assert body == b"".join(cut(body, cuts))
