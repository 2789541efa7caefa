"""The floors: every import goes to a strictly lower one, and what must not be imported is not."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mcs_fsm

ROOT = Path(mcs_fsm.__file__).parent

FLOORS = {
    "errors": 0, "limits": 1, "calls": 1, "tools": 1, "partial_args": 2, "_scanner_py": 1, "_scanner_c": 1, "events": 2,
    "scanner": 2, "text": 2, "decode": 2, "machine.declare": 2, "machine.rows": 2, "machine.table": 3, "machine.prove": 4,
    "machine.reference": 4, "machine.diagram": 4, "machine": 4, "framing.frame": 2, "framing.jsontext": 2, "framing.envelope": 2,
    "framing.sse": 4, "framing.ndjson": 4, "framing.eventstream": 4, "framing.jsonarray": 4, "framing.detect": 5, "framing": 6,
    "codec.shape": 2, "codec": 3, "codec.reader": 4, "slots": 4, "log": 3, "actions": 5, "core": 6, "codec.prompt": 7, "strategy": 7,
    "formats": 9, "chain": 10, "stream": 11, "buffer": 12, "driver": 14, "transcoder": 13, "replay": 13, "verify": 13,
    "cli": 15, "": 16,
}  # fmt: skip


def modules() -> dict[str, Path]:
    """All modules by dotted name, without the package's own."""
    out = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        out[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return out


def floor(name: str) -> int:
    """A module's floor: its own, else one below its room's."""
    if name in FLOORS:
        return FLOORS[name]
    room = name.split(".")[0]
    if room == "formats":
        return FLOORS["formats"] - 1
    if room == "driver":
        return FLOORS["driver"] - 1
    if room == "samples":
        return 0
    raise KeyError(f"{name} has no floor")


def imports(name: str, path: Path) -> set[str]:
    """What a module imports from this package, what is for type checkers alone left out."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = {id(node) for test in ast.walk(tree) if isinstance(test, ast.If) and "TYPE_CHECKING" in ast.dump(test.test)
               for branch in test.body for node in ast.walk(branch)}  # fmt: skip
    known = modules()
    found = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.ImportFrom):
            continue
        module = node.module or ""
        if node.level:
            parts = package.split(".") if package else []
            base = parts[: len(parts) - node.level + 1]
            module = ".".join([*base, module] if module else base)
        elif module.split(".")[0] == "mcs_fsm":
            module = module.partition(".")[2]
        else:
            continue
        for alias in node.names:
            inner = f"{module}.{alias.name}" if module else alias.name
            found.add(inner if inner in known else module)
    return found


@pytest.mark.parametrize("name", sorted(modules()))
def test_imports_go_to_lower_floors(name: str) -> None:
    for target in imports(name, modules()[name]):
        depth = {"formats": 2, "driver": 1}.get(name.split(".")[0], 99)
        same_package = name.split(".")[:depth] == target.split(".")[:depth]  # the files of one format, or of one room
        assert same_package or floor(target) < floor(name), f"{name} ({floor(name)}) imports {target} ({floor(target)})"


def test_no_format_imports_another() -> None:
    for name, path in modules().items():
        if name.startswith("formats."):
            others = {t for t in imports(name, path) if t.startswith("formats.") and t.split(".")[1] != name.split(".")[1]}
            assert set() == others, name


def test_only_the_reference_and_the_diagram_may_import_transitions() -> None:
    users = {name for name, path in modules().items() if "transitions" in {
        alias.name.split(".")[0] for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Import) for alias in node.names
    } | {(node.module or "").split(".")[0] for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom) and not node.level}}  # fmt: skip

    assert users <= {"machine.reference", "machine.diagram"}
    code = "import sys, mcs_fsm; sys.exit('transitions' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_no_file_is_too_long() -> None:
    # The text reader is one loop over one machine; cut in two, its halves would share all of their state.
    reasons = {"codec.reader": 620, "codec.prompt": 510}
    for name, path in modules().items():
        assert len(path.read_text("utf-8").splitlines()) <= reasons.get(name, 500), name
