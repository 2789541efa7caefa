"""The command `mcs-fsm`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from .codec import TEXT_FORMATS
from .errors import McsFsmError, UnknownName
from .formats import FORMATS

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 0, 1 if `verify` finds a fault, 2 for wrong use."""
    options = _parser().parse_args(argv)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except McsFsmError as exc:
        print(f"mcs-fsm: {exc}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mcs-fsm", description="Read streamed LLM replies that carry tool calls.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    play = commands.add_parser("replay", help="play a recorded reply through the machine")
    play.add_argument("recording", help="a response body, a .jsonl of events, - for standard input, or sample:NAME")
    play.add_argument("--from", dest="source", metavar="F", help="format name (default: recognised)")
    play.add_argument("--tools", help="names that were offered, separated by commas")
    play.add_argument("--text-format", metavar="NAME", help="codec that looks for calls in text, or none")
    play.add_argument("--cuts", metavar="N|bytes|random:SEED", help="how to cut the body")
    play.add_argument("--json", action="store_true", help="one event a line, then the turn")
    play.set_defaults(run=_replay)

    drawn = commands.add_parser("diagram", help="draw the machines from the tables that run")
    drawn.add_argument("format", nargs="?", default="all", help="a format name, lex, or all")
    drawn.add_argument("--as", dest="kind", choices=("mermaid", "dot", "table"), default="mermaid")
    drawn.add_argument("-o", dest="folder", type=Path, help="write files into this folder")
    drawn.set_defaults(run=_diagram)

    commands.add_parser("verify", help="prove the machines").set_defaults(run=_verify)
    commands.add_parser("formats", help="list formats, their machines and text formats").set_defaults(run=_formats)
    return parser


def _replay(options: argparse.Namespace) -> int:
    from .replay import Telling, load, replay

    recording = load(options.recording)
    given = {}
    if options.source:
        given["source"] = options.source
    if options.tools is not None:
        given["tools"] = [name for name in options.tools.split(",") if name]
    if options.text_format:
        given["text_format"] = None if options.text_format == "none" else options.text_format
    stream = None
    if options.json:
        encoder = msgspec.json.Encoder(enc_hook=str)
        for event, stream in replay(recording, options.cuts, **given):  # noqa: B007 - the last one tells the turn
            if event is not None:
                print(encoder.encode(event).decode(), flush=True)
        if stream is not None:
            print(encoder.encode({"turn": stream.turn()}).decode())
        return 0
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    telling = Telling(sys.stdout, colour)
    for event, stream in replay(recording, options.cuts, **given):
        if event is not None:
            telling.event(event)
        else:
            telling.held(stream)
    if stream is not None:
        telling.end(stream)
    return 0


def _verify(options: argparse.Namespace) -> int:
    from .verify import verify_all

    cells = faults = machines = 0
    for result in verify_all():
        machines += 1
        cells += result.cells
        faults += len(result.faults)
        print(f"{result.name:<28}{result.cells:>6} cells  {'FAILS' if result.faults else '; '.join(result.proved)}")
        for fault in result.faults:
            print(f"    {fault}")
    print(f"{machines} machines, {cells} cells, {faults} faults")
    return 1 if faults else 0


def _diagram(options: argparse.Namespace) -> int:
    from .codec.reader import LEX_TABLE
    from .machine import diagram
    from .verify import tables

    known = [*FORMATS, "lex"]
    if options.format not in (*known, "all"):
        raise UnknownName("format", options.format, (*known, "all"))
    for name in known if options.format == "all" else [options.format]:
        parts = [LEX_TABLE] if name == "lex" else [table for part, table in tables(name).items() if part != "turn_text"]
        if options.kind == "table":
            text = "\n".join(f"## {part.machine.name}\n\n{diagram.table(part)}" for part in parts)
        else:
            text = {"mermaid": diagram.mermaid, "dot": diagram.dot}[options.kind](parts)
        if options.folder is None:
            print(text)
        else:
            options.folder.mkdir(parents=True, exist_ok=True)
            ending = {"mermaid": "mmd", "dot": "dot", "table": "md"}[options.kind]
            (options.folder / f"{name}.{ending}").write_text(text, "utf-8")
    return 0


def _formats(options: argparse.Namespace) -> int:
    from .verify import tables

    print(f"{'format':<22}{'TURN states, rows':<20}{'SLOT states, rows':<20}strategy")
    for name, format in FORMATS.items():
        turn, slot = tables(name)["turn"].machine, tables(name)["slot"].machine
        sizes = [f"{len(each.states)}, {len(each.rows)}" for each in (turn, slot)]
        print(f"{name:<22}{sizes[0]:<20}{sizes[1]:<20}{type(format).__name__}")
    print(f"text formats: {', '.join(TEXT_FORMATS)}")
    return 0
