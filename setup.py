"""Build of the compiled scanner; everything else is static in pyproject.toml."""

import os
import sys

from setuptools import Extension, setup

# auto: compile where it can be done, yes: a failure to compile is an error, no: do not try.
mode = os.environ.get("MCS_FSM_EXTENSIONS", "auto")
if mode not in ("auto", "no", "yes"):
    raise SystemExit(f"MCS_FSM_EXTENSIONS must be auto, no or yes, not {mode!r}")
if mode == "auto" and sys.implementation.name != "cpython":
    mode = "no"

setup(
    ext_modules=[]
    if mode == "no"
    # No cythonize() here: it drops optional=. setuptools compiles the .pyx itself.
    else [
        Extension(
            "mcs_fsm._scanner_c",
            ["_speedups/scanner.pyx"],
            depends=["_speedups/json_grammar.pxi"],
            optional=mode == "auto",
        )
    ]
)
