"""The errors of mcs_fsm.

    McsFsmError
      UsageError            the caller's fault: what to do instead is in the message
        UnknownName         a format, text format, machine or sample name that is not registered
        StreamClosed        feed() or add() after close()
      DeclarationError      a machine, codec or format that is declared wrong; raised at import
      IllegalTransition     strict=True only: a trigger that the table forbids

What a provider, a model or a network sends never raises: it becomes a `StreamError` event. Any other
exception out of this library is a bug of ours.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["DeclarationError", "IllegalTransition", "McsFsmError", "StreamClosed", "UnknownName", "UsageError"]


class McsFsmError(Exception):
    """The root of the tree; `code` is stable and safe to branch on."""

    code = "mcs_fsm"


class UsageError(McsFsmError):
    """The caller used the library in a way that cannot work; the message says what to do instead."""

    code = "usage"


class UnknownName(UsageError, LookupError):
    """A name that nothing is registered under.

    Attributes: `what` (the kind of thing, "format"), `name` (as asked for), `known` (tuple of valid names).
    """

    code = "unknown_name"

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        super().__init__(what, name, self.known)

    def __str__(self) -> str:
        return f"no {self.what} is named {self.name!r}; known are {', '.join(self.known)}"


class StreamClosed(UsageError):
    """Something was fed to a stream after its close(). Attribute: `method`, the one that was called."""

    code = "stream_closed"

    def __init__(self, method: str) -> None:
        self.method = method
        super().__init__(method)

    def __str__(self) -> str:
        return f"{self.method}() after close(): one stream reads one reply, make a new one for the next"


class DeclarationError(McsFsmError):
    """A declaration that contradicts itself. Attributes: `subject` (its name), `fault` (one sentence)."""

    code = "declaration"

    def __init__(self, subject: str, fault: str) -> None:
        self.subject, self.fault = subject, fault
        super().__init__(subject, fault)

    def __str__(self) -> str:
        return f"{self.subject}: {self.fault}"


class IllegalTransition(McsFsmError):
    """A trigger that the table forbids. Attributes: `machine`, `state`, `trigger`, all names."""

    code = "illegal_transition"

    def __init__(self, machine: str, state: str, trigger: str) -> None:
        self.machine, self.state, self.trigger = machine, state, trigger
        super().__init__(machine, state, trigger)

    def __str__(self) -> str:
        return f"{self.machine}: no row for {self.trigger!r} in state {self.state!r}"
