"""What the README and the docs show runs as it stands, and what they list is what there is."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_the_examples_run(page: Path) -> None:
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)):
        exec(compile(code, f"{page.name}#{number}", "exec"), {"__name__": "example"})


def test_the_readme_example_says_what_it_should() -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)[0]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {})

    assert "Let me look. [get_weather is coming]\nget_weather {'city': 'Oslo'}\ntool_calls False\n" == out.getvalue()


def test_the_readme_has_two_commands() -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)

    assert 2 == len(block.splitlines())


def test_every_anomaly_is_listed_and_every_listed_one_exists() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "mcs_fsm").rglob("*.py"))
    said = set(re.findall(r'\.odd\(\s*"([a-z_]+)"', sources)) | {"forbidden_turn", "forbidden_slot", "forbidden_lex"}
    listed = set(re.findall(r"^\| `([a-z_]+)`", (ROOT / "docs/anomalies.md").read_text("utf-8"), re.MULTILINE))

    assert said == listed


def test_every_local_link_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
