"""Which twin of the scanner is taken, and by which switch."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mcs_fsm import scanner as chosen

SHOW = "from mcs_fsm import scanner as s; print(s.BACKEND, s.JsonScanner.__module__)"


def backend(**environment: str) -> str:
    """Return what a new interpreter chooses."""
    kept = {name: value for name, value in os.environ.items() if name != "MCS_FSM_NO_EXTENSIONS"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", SHOW], env=kept | environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def test_the_names_come_from_the_twin_that_is_named():
    assert {"cython": "mcs_fsm._scanner_c", "python": "mcs_fsm._scanner_py"}[chosen.BACKEND] == (
        chosen.JsonScanner.__module__
    )


def test_the_compiled_twin_is_taken_where_it_is(pytestconfig: pytest.Config):
    built = "python mcs_fsm._scanner_py" if pytestconfig.getoption("--no-extensions") else "cython mcs_fsm._scanner_c"
    assert built == backend() == backend(MCS_FSM_NO_EXTENSIONS="0")


def test_the_switch_chooses_the_pure_twin():
    assert "python mcs_fsm._scanner_py" == backend(MCS_FSM_NO_EXTENSIONS="1")
