# The compiled twin has the names and types of the pure one.
from ._scanner_py import BROKEN, CLOSED, END, KEY, NEED, VALUE, JsonScanner, StartFinder, partial_overlap

__all__ = ["BROKEN", "CLOSED", "END", "KEY", "NEED", "VALUE", "JsonScanner", "StartFinder", "partial_overlap"]
