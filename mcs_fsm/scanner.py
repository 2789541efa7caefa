"""The scanner: the compiled twin where it is there, else the pure one, with the same names and behaviour.

`MCS_FSM_NO_EXTENSIONS` in the environment, set to anything but "" or "0", chooses the pure one. `BACKEND` says which
it is: "cython" or "python".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._scanner_py import BROKEN, CLOSED, END, KEY, NEED, VALUE, JsonScanner, StartFinder, partial_overlap

    BACKEND: str
else:
    BACKEND = "python"
    if os.environ.get("MCS_FSM_NO_EXTENSIONS", "") in ("", "0"):
        try:
            from ._scanner_c import BROKEN, CLOSED, END, KEY, NEED, VALUE, JsonScanner, StartFinder, partial_overlap
        except ImportError:
            pass
        else:
            BACKEND = "cython"
    if BACKEND == "python":
        from ._scanner_py import BROKEN, CLOSED, END, KEY, NEED, VALUE, JsonScanner, StartFinder, partial_overlap

__all__ = [
    "BACKEND", "BROKEN", "CLOSED", "END", "KEY", "NEED", "VALUE", "JsonScanner", "StartFinder", "partial_overlap",
]  # fmt: skip
