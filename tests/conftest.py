"""Both twins of the scanner, the profiles of the properties, and where the recorded data lies."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

OPTIONAL = {"sdk": "the extra `sdk`, the providers' own packages"}
TWINS = {"cython": "mcs_fsm._scanner_c", "python": "mcs_fsm._scanner_py"}

settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile(
    "ci", deadline=None, max_examples=300, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switches for a tree without compiled modules, and for tests with packages of their own."""
    parser.addoption(
        "--no-extensions",
        action="store_true",
        help="test the pure scanner only; without it a missing compiled one is an error",
    )


    for name, what in OPTIONAL.items():
        parser.addoption(f"--{name}", action="store_true", help=f"also run tests/{name}, which need {what}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the folders whose packages are an extra of their own, unless they are asked for."""
    return True if collection_path.name in OPTIONAL and not config.getoption(f"--{collection_path.name}") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what asks for a scanner on both twins."""
    if "scanner" in metafunc.fixturenames:
        twins = ["python"] if metafunc.config.getoption("--no-extensions") else list(TWINS)
        metafunc.parametrize("scanner", twins, indirect=True, scope="session")


@pytest.fixture(scope="session")
def scanner(request: pytest.FixtureRequest) -> ModuleType:
    """The module of one twin; session-scoped, so that properties may take it."""
    return importlib.import_module(TWINS[request.param])


@pytest.fixture(scope="session")
def twins(request: pytest.FixtureRequest) -> list[ModuleType]:
    """The modules of both twins, to be compared; only the pure one with `--no-extensions`."""
    names = ["python"] if request.config.getoption("--no-extensions") else list(TWINS)
    return [importlib.import_module(TWINS[name]) for name in names]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of recorded data: `MCS_FSM_SHARED`, or `shared` beside the repository."""
    folder = Path(os.environ.get("MCS_FSM_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not folder.is_dir():
        reason = f"no recorded data at {folder}; set MCS_FSM_SHARED to where it is"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
