"""The rows that the machines share, each group once. A format adds groups together and writes out its odd rows.

A row is `(triggers, sources, dest, actions)`; `=` stays. Several actions run in the order written. Actions never
choose: where an outcome depends on data, a judge in the core picks the trigger first and the table decides what
that means. Source: the field's primitives (provider SDKs, checked 2026-11-30).
"""

from __future__ import annotations

__all__ = [
    "ACTIONS", "CALL_ENDS", "LEX_ACTIONS", "LEX_ROWS", "LEX_STATES", "LEX_TOKENS", "SLOT_ACTIONS", "SLOT_ENDS",
    "SLOT_FRAGMENTS", "SLOT_STATES", "SLOT_WHOLE", "TEXT_CALLS", "TRIGGERS", "TURN_ARGS", "TURN_ROWS", "TURN_STATES",
    "TURN_VALUE",
]  # fmt: skip

# One numbering for TURN and SLOT, so that the TURN action `slot` hands its trigger on as it is.
TRIGGERS = (
    "text", "reasoning", "refusal", "turn_start", "call_start", "call_id", "call_part", "call_name", "args_delta",
    "args_new", "args_set", "call_end", "call_whole", "call_broken", "opaque", "usage", "error", "finish", "finish_cut",
    "turn_end", "eof", "abort",
    # SLOT alone: what the judges of `append`, `settle`, `close` and `slot_end` picked
    "args_whole", "settle_whole", "settle_empty", "settle_part", "close_whole", "close_empty", "close_part",
    "close_cut", "end_whole", "end_empty", "end_part",
)  # fmt: skip

# --- TURN: one per stream -------------------------------------------------------------------------------------

TURN_STATES = "idle reasoning text refusal forming args finish cut done failed"
ACTIONS = frozenset(
    "part show reason refuse open slot slot_end keep note_start note_usage note_finish settle settle_cut close "
    "close_cut report end skip".split()
)

_LIVE = "idle reasoning text refusal forming args"
_OPEN = _LIVE + " finish cut"

#: Every wire: text in all its kinds, calls that open and get a name, ends.
TURN_ROWS = (
    ("text", "idle reasoning refusal forming args", "text", "part show"),
    ("text", "text", "=", "part show"),
    ("reasoning", "idle text refusal forming args reasoning", "reasoning", "part reason"),
    ("refusal", "idle reasoning text forming args refusal", "refusal", "part refuse"),
    ("call_start", _LIVE, "forming", "part open"),
    ("call_part call_name", _LIVE, "forming", "slot"),
    # Late parts: some wires say stop and go on. They are kept, and the turn stays finished or cut.
    ("text", "finish cut", "=", "part show"),
    ("reasoning", "finish cut", "=", "part reason"),
    ("refusal", "finish cut", "=", "part refuse"),
    ("call_start", "finish cut", "=", "part open"),
    ("call_part call_name", "finish cut", "=", "slot"),
    ("call_id call_whole call_broken", _OPEN, "=", "slot"),
    ("turn_start", _OPEN, "=", "note_start"),
    ("usage", _OPEN, "=", "note_usage"),
    ("opaque", _OPEN, "=", "keep"),
    ("finish", _LIVE, "finish", "note_finish settle"),
    ("finish", "finish", "=", "note_finish settle"),
    ("finish", "cut", "=", "note_finish"),
    ("finish_cut", _OPEN, "cut", "note_finish settle_cut"),
    ("error", _OPEN, "cut", "report"),
    ("turn_end", _LIVE + " finish", "done", "close end"),
    ("turn_end", "cut", "done", "close_cut end"),
    ("eof", "finish", "done", "close end"),
    ("eof", _LIVE + " cut", "done", "close_cut end"),
    ("eof turn_end", "done failed", "=", "skip"),
    ("abort", _OPEN, "failed", "report close_cut end"),
)  # fmt: skip

#: Arguments in fragments. A wire that sends them whole does not have these rows, nor the state.
TURN_ARGS = (
    ("args_delta args_new args_set", _LIVE, "args", "slot"),
    ("args_delta args_new args_set", "finish cut", "=", "slot"),
)

#: Arguments as one whole value, beside the name.
TURN_VALUE = (("args_set", _OPEN, "=", "slot"),)

#: A wire that says where a call ends.
CALL_ENDS = (("call_end", _OPEN, "=", "slot_end"),)

#: What a stream with a text codec adds to its format's TURN.
TEXT_CALLS = (("args_delta", _LIVE, "args", "slot"), ("args_delta", "finish cut", "=", "slot"))

# --- SLOT: one per call ---------------------------------------------------------------------------------------

SLOT_STATES = "forming named args whole ended ready abandoned"
SLOT_ACTIONS = frozenset("set_id name announce append replace tell wait ready ready_empty abandon".split())

_CALL = "forming named args whole"

#: Arguments in fragments, and the ends that every call has.
SLOT_FRAGMENTS = (
    ("call_id", "forming", "=", "set_id"),
    ("call_id", "named args whole", "=", "set_id announce"),
    ("call_part", _CALL, "=", "name"),
    ("call_name", "forming", "named", "name announce"),
    ("call_name", "named args whole", "=", "name announce"),
    ("args_delta", "forming", "=", "append"),
    ("args_delta", "named args whole", "args", "append tell"),
    ("args_new", "forming", "=", "replace"),
    ("args_new", "named args whole", "args", "replace tell"),
    ("args_set", "forming", "=", "replace"),
    ("args_set", "named args whole", "args", "replace tell"),
    ("args_whole", "args", "whole", "wait"),
    ("args_whole", "forming whole", "=", "wait"),
    ("settle_whole close_whole call_whole", "named args whole", "ready", "ready"),
    ("settle_whole close_whole call_whole", "forming", "ready", "announce ready"),
    ("settle_empty settle_part", _CALL, "=", "wait"),
    ("close_empty", "named args whole", "ready", "ready_empty"),
    ("close_empty", "forming", "ready", "announce ready_empty"),
    ("close_part close_cut call_broken", _CALL, "abandoned", "abandon"),
)  # fmt: skip

#: A wire that closes each call. An empty one waits as `ended` until the stop reason says that it was no truncation.
SLOT_ENDS = (
    ("end_whole", "named args whole", "ready", "ready"),
    ("end_whole", "forming", "ready", "announce ready"),
    ("end_part", _CALL, "=", "wait"),
    ("end_empty", _CALL, "ended", "wait"),
    ("call_id", "ended", "=", "set_id announce"),
    ("call_part", "ended", "=", "name"),
    ("call_name", "ended", "=", "name announce"),
    ("args_delta", "ended", "args", "append tell"),
    ("args_new args_set", "ended", "args", "replace tell"),
    ("end_whole", "ended", "ready", "ready"),
    ("end_empty end_part", "ended", "=", "wait"),
    ("settle_empty close_empty", "ended", "ready", "ready_empty"),
    ("settle_whole close_whole call_whole", "ended", "ready", "ready"),
    ("settle_part", "ended", "=", "wait"),
    ("close_part close_cut call_broken", "ended", "abandoned", "abandon"),
)  # fmt: skip

#: A wire that sends a call's arguments as one value: no fragments, no `args` state.
SLOT_WHOLE = (
    ("call_id", "forming", "=", "set_id"),
    ("call_id", "named whole", "=", "set_id announce"),
    ("call_part", "forming named whole", "=", "name"),
    ("call_name", "forming", "named", "name announce"),
    ("call_name", "named whole", "=", "name announce"),
    ("args_set", "forming", "=", "replace"),
    ("args_set", "named", "=", "replace tell"),
    ("args_set", "whole", "named", "replace tell"),
    ("args_whole", "named", "whole", "wait"),
    ("args_whole", "forming whole", "=", "wait"),
    ("settle_whole close_whole call_whole end_whole", "named whole", "ready", "ready"),
    ("settle_whole close_whole call_whole end_whole", "forming", "ready", "announce ready"),
    ("settle_empty settle_part end_part", "forming named whole", "=", "wait"),
    ("close_empty end_empty", "named whole", "ready", "ready_empty"),
    ("close_empty end_empty", "forming", "ready", "announce ready_empty"),
    ("close_part close_cut call_broken", "forming named whole", "abandoned", "abandon"),
)  # fmt: skip

# --- LEX: one per stream that looks into its text ---------------------------------------------------------------

LEX_STATES = "idle text marker forming named args closing pending other fenced code reasoning ended"
LEX_TOKENS = (
    "blank", "plain", "partial", "think", "unthink", "object", "fence", "foreign", "stray", "alias", "reject",
    "owned", "arguments", "more", "whole", "whole_fenced", "whole_late", "fence_end", "crack", "crack_fenced",
    "native", "limit", "end",
)  # fmt: skip
LEX_ACTIONS = frozenset("show reason drop hold wait open append ready abandon".split())

_HELD = "marker forming named args closing pending"

#: `crack` is a break of JSON grammar, or what the judge says of a closed object that is no call.
LEX_ROWS = (
    ("blank", "idle", "=", "show"),
    ("plain", "idle text", "text", "show"),
    ("partial", "idle text reasoning", "=", "hold"),
    # A tag of reasoning counts before any other visible text, and again after a call.
    ("think", "idle", "reasoning", "drop"),
    ("unthink", "idle text", "=", "drop"),
    ("object", "idle text", "forming", "hold"),
    ("fence", "idle text", "marker", "hold"),
    ("foreign", "idle text", "code", "show"),
    # An opening marker was read: an object, another language, or just characters.
    ("object", "marker", "forming", "wait"),
    ("foreign", "marker", "code", "show"),
    ("stray", "marker", "text", "show"),
    ("plain", "code", "=", "show"),
    ("fence_end", "code", "text", "show"),
    ("alias", "forming", "=", "wait"),
    ("reject", "forming", "other", "show"),
    ("reject", "named args", "other", "abandon show"),
    # An object that may be no call where it stands is followed all the same: nothing inside it opens one.
    ("reject", "idle text", "other", "show"),
    ("owned", "forming", "named", "open"),
    ("arguments", "named", "args", "wait"),
    ("more", "args", "=", "append"),
    ("whole", "named args", "idle", "ready"),
    ("whole_fenced", "named args", "closing", "wait"),
    ("whole_late", "named args", "pending", "wait"),
    ("fence_end", "closing", "idle", "ready"),
    ("object", "closing", "forming", "ready hold"),
    ("foreign", "closing", "code", "abandon show"),
    ("stray", "closing", "text", "abandon show"),
    # bare="at_end": the call counts only if nothing visible follows it.
    ("blank", "pending", "=", "wait"),
    ("plain", "pending", "text", "abandon show"),
    ("crack", "forming", "text", "show"),
    ("crack", "named args", "text", "abandon show"),
    ("crack_fenced", "forming", "code", "show"),
    ("crack_fenced", "named args", "code", "abandon show"),
    # A rejected object is followed to its end or first break; it opens nothing inside.
    ("plain", "other", "=", "show"),
    ("whole crack", "other", "text", "show"),
    ("whole_fenced", "other", "fenced", "show"),
    ("crack_fenced", "other", "code", "show"),
    ("blank", "fenced", "=", "show"),
    ("object", "fenced", "forming", "hold"),
    ("fence_end stray", "fenced", "text", "show"),
    ("foreign", "fenced", "code", "show"),
    ("plain", "reasoning", "=", "reason"),
    ("unthink", "reasoning", "idle", "drop"),
    # A native call ends what the text had open.
    ("native", "idle text code", "=", "wait"),
    ("native", "reasoning", "idle", "reason"),
    ("native", "marker forming", "text", "show"),
    ("native", "named args closing pending", "text", "abandon show"),
    ("native", "other fenced", "text", "show"),
    # Over the limit the object is followed on, so that nothing inside it can open a call.
    ("limit", "marker", "text", "show"),
    ("limit", "forming", "other", "show"),
    ("limit", "named args", "other", "abandon show"),
    ("limit", "closing", "fenced", "abandon show"),
    ("limit", "pending", "text", "abandon show"),
    ("end", "idle text code other fenced marker forming", "ended", "show"),
    ("end", "named args", "ended", "abandon show"),
    ("end", "closing pending", "ended", "ready"),
    ("end", "reasoning", "ended", "reason"),
)  # fmt: skip
