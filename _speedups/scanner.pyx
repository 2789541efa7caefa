# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True, embedsignature=True, embedsignature.format=clinic, binding=False, auto_pickle=False, freethreading_compatible=True
"""Look at text as it arrives, piece by piece; the compiled twin of `mcs_fsm/_scanner_py.py`.

Text comes in as `str`, cut anywhere; indexes come out, in characters of the piece in hand. The JSON grammar is that of
RFC 8259 (https://www.rfc-editor.org/rfc/rfc8259, sections 2 to 7), with nothing added to it.

The rules of both twins: text is exactly `str`, a subclass is a TypeError; objects cannot be pickled, copied or
derived from; attributes are read-only; an index outside the text is a ValueError. Anything else raised is a bug.

All loops run over the characters of the `str` itself, 1, 2 or 4 bytes each, and touch no Python object.
"""

cimport cython
from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from operator import index

cdef extern from "Python.h":
    bint PyUnicode_CheckExact(object text)
    bint PyTuple_CheckExact(object value)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void *data, Py_ssize_t index)
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyNumber_AsSsize_t(object value, PyObject *overflow) except? -1
    ctypedef struct PyObject

ctypedef fused char_t:
    uint8_t
    uint16_t
    uint32_t

include "json_grammar.pxi"

__all__ = ["BROKEN", "CLOSED", "END", "KEY", "NEED", "VALUE", "JsonScanner", "StartFinder", "partial_overlap"]

# What JsonScanner.status says.
NEED = C_NEED
CLOSED = C_CLOSED
BROKEN = C_BROKEN
KEY = C_KEY
VALUE = C_VALUE
END = C_END


cdef object _wrong_type(str what, str wanted, value):
    return TypeError(f"{what} must be exactly {wanted}, not {type(value).__name__}")


cdef inline Py_ssize_t _range(object text, object start) except -1:
    """Return `start` as an index into `text`."""
    if not PyUnicode_CheckExact(text):
        raise _wrong_type("text", "str", text)
    cdef Py_ssize_t at = PyNumber_AsSsize_t(start, NULL)  # NULL: a huge one is cut to size, and is outside all the same
    if not 0 <= at <= PyUnicode_GET_LENGTH(text):
        raise ValueError(f"start must be 0 to {PyUnicode_GET_LENGTH(text)}, not {int(index(start))}")
    return at


def partial_overlap(text, markers):
    """Measure the end of `text` that may be the beginning of a marker.

    Args:
        text: what has come, exactly `str`.
        markers: what is looked for, a tuple of exactly `str`; an empty one begins nowhere.

    Returns:
        Characters of the longest suffix of `text` that is a proper prefix of a marker, 0 if there is none.

    Raises:
        TypeError: an argument is of another type.
    """
    if not PyUnicode_CheckExact(text):
        raise _wrong_type("text", "str", text)
    if not PyTuple_CheckExact(markers):
        raise _wrong_type("markers", "tuple", markers)
    cdef int kind = PyUnicode_KIND(text), marker_kind
    cdef const void *data = PyUnicode_DATA(text)
    cdef const void *marker_data
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), best = 0, length, at, k
    cdef Py_UCS4 first
    for marker in <tuple>markers:
        if not PyUnicode_CheckExact(marker):
            raise _wrong_type("a marker", "str", marker)
        length = PyUnicode_GET_LENGTH(marker)
        if length - 1 <= best:
            continue
        marker_kind, marker_data = PyUnicode_KIND(marker), PyUnicode_DATA(marker)
        first = PyUnicode_READ(marker_kind, marker_data, 0)
        # Only what is longer than the best so far counts.
        at = size - length + 1 if size >= length else 0
        while at < size - best:
            if PyUnicode_READ(kind, data, at) == first:
                k = 1
                while at + k < size and PyUnicode_READ(kind, data, at + k) == PyUnicode_READ(
                    marker_kind, marker_data, k
                ):
                    k += 1
                if at + k == size:
                    best = k
                    break
            at += 1
    return best


cdef Py_ssize_t _find(
    const uint8_t *table, const uint8_t *chars, int count, const char_t *d, Py_ssize_t i, Py_ssize_t n
) noexcept nogil:
    """Return the index of the first of d[i:n] that is in `table`, or -1; `chars` are the same, or the first eight."""
    cdef uint64_t word, hits, one = _ones(d)
    cdef int k
    if sizeof(char_t) < 4 and count <= 8:
        while n - i >= <Py_ssize_t>(8 // sizeof(char_t)):
            memcpy(&word, d + i, 8)
            hits = 0
            for k in range(count):
                hits |= _below(word ^ one * chars[k], one)
            if hits & _tops(d):
                break
            i += 8 // sizeof(char_t)
    while i < n:
        if d[i] < 128 and table[d[i]]:
            return i
        i += 1
    return -1


@cython.final
cdef class StartFinder:
    """Find the first of some characters. Immutable, may be shared.

    Args:
        chars: the characters looked for, ASCII, exactly `str`; their order says nothing.

    Raises:
        TypeError: `chars` is of another type.
        ValueError: a character is not ASCII.
    """

    cdef uint8_t table[128]
    cdef uint8_t few[8]
    cdef int count

    def __cinit__(self, chars):
        if not PyUnicode_CheckExact(chars):
            raise _wrong_type("chars", "str", chars)
        if not PyUnicode_IS_ASCII(chars):
            raise ValueError("chars must be ASCII")
        cdef const uint8_t *data = <const uint8_t *>PyUnicode_DATA(chars)
        cdef Py_ssize_t i
        for i in range(PyUnicode_GET_LENGTH(chars)):
            if not self.table[data[i]]:
                self.table[data[i]] = 1
                if self.count < 8:
                    self.few[self.count] = data[i]
                self.count += 1

    def __reduce__(self):
        """Refuse to be copied or pickled."""
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")

    def find(self, text, start=0):
        """Find the first character of text[start:] that is looked for.

        Args:
            text: exactly `str`.
            start: index into `text`, 0 to len(text).

        Returns:
            Its index in `text`, or -1.

        Raises:
            TypeError: an argument is of another type.
            ValueError: `start` is outside the text.
        """
        cdef Py_ssize_t at = _range(text, start), n = PyUnicode_GET_LENGTH(text)
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *d = PyUnicode_DATA(text)
        if kind == 1:
            return _find(self.table, self.few, self.count, <const uint8_t *>d, at, n)
        if kind == 2:
            return _find(self.table, self.few, self.count, <const uint16_t *>d, at, n)
        return _find(self.table, self.few, self.count, <const uint32_t *>d, at, n)


@cython.final
cdef class JsonScanner:
    """Follow one JSON value over the pieces of a text; every character is looked at once.

    Not for two threads at a time.

    Args:
        max_depth: how deep objects and arrays may nest, 0 or more; deeper is a break.
        members: whether to stop at the keys and values of the top object too.

    Raises:
        TypeError: `max_depth` is no integer.
        ValueError: `max_depth` is negative.
    """

    cdef Scan s
    cdef bint members

    def __cinit__(self, max_depth=128, bint members=False):
        cdef Py_ssize_t limit = PyNumber_AsSsize_t(max_depth, NULL)  # NULL: a huge one is cut to size
        if limit < 0:
            raise ValueError(f"max_depth must be 0 or more, not {int(index(max_depth))}")
        self.s.max_depth = limit
        self.s.levels = self.s.first
        self.s.room = 8 * sizeof(self.s.first)
        self.members = members
        self.start()

    def __dealloc__(self):
        if self.s.levels != self.s.first:
            PyMem_RawFree(self.s.levels)

    def __reduce__(self):
        """Refuse to be copied or pickled."""
        raise TypeError(f"cannot pickle {type(self).__name__!r} object")

    cdef void start(self) noexcept:
        self.s.state = IN_ANY
        self.s.status = C_NEED
        self.s.kind = 0
        self.s.depth = 0
        self.s.in_name = self.s.too_deep = False
        self.s.watch = self.members

    @property
    def status(self):
        """What the last feed came to: NEED, CLOSED, BROKEN, KEY, VALUE or END."""
        return self.s.status

    @property
    def depth(self):
        """Objects and arrays that are open, 0 at the top."""
        return self.s.depth

    @property
    def in_string(self):
        """Whether the next character is one of a string, a key included, or its closing quote."""
        return self.s.state <= IN_HEX

    @property
    def in_key(self):
        """Whether that string is an object's key, at any depth."""
        return bool(self.s.in_name and self.s.state <= IN_HEX)

    @property
    def too_deep(self):
        """Whether it broke because `max_depth` was passed."""
        return bool(self.s.too_deep)

    @property
    def kind(self):
        """The first character of the top value, "" before it came."""
        return chr(self.s.kind) if self.s.kind else ""

    @cython.critical_section
    def reset(self):
        """Go back to the start, for another value."""
        self.start()

    @cython.critical_section
    def finish(self):
        """Say that no more text comes: a whole number at the top is closed by that.

        Returns:
            The status.
        """
        if _whole_number(self.s.state) and self.s.depth == 0:
            self.s.state = IN_DONE
            self.s.status = C_CLOSED
        return self.s.status

    @cython.critical_section
    def feed(self, text, start=0):
        """Read text[start:] until something is to be said, and say it in `status`.

        - NEED: all of it was read, and the value goes on.
        - CLOSED: the value is complete, and the blanks behind it, if fed, are read. A number at the top closes at the
          first character that no number has, which is not read, or by `finish`.
        - BROKEN: the character at the index breaks the grammar, for good; it is not read.

        Only with `members`, in an object at the top, for its own members:

        - KEY: the closing quote of a key was just read.
        - VALUE: the character at the index is the first of a value; it is not read.
        - END: a value has just ended; behind a number the index is that of the delimiter, which is not read.

        Args:
            text: the next piece, exactly `str`, or the same one again.
            start: index into `text`, 0 to len(text).

        Returns:
            The index in `text` just past the last character read; feed from there to go on.

        Raises:
            TypeError: an argument is of another type.
            ValueError: `start` is outside the text.
        """
        cdef Py_ssize_t at = _range(text, start), n = PyUnicode_GET_LENGTH(text)
        cdef int kind = PyUnicode_KIND(text)
        cdef const void *d = PyUnicode_DATA(text)
        if kind == 1:
            at = _run(&self.s, <const uint8_t *>d, at, n)
        elif kind == 2:
            at = _run(&self.s, <const uint16_t *>d, at, n)
        else:
            at = _run(&self.s, <const uint32_t *>d, at, n)
        if at < 0:
            raise MemoryError
        return at
