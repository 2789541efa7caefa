"""The public names are those in `__all__`, and each is there."""

from __future__ import annotations

import mcs_fsm


def test_all_is_sorted_and_honest() -> None:
    assert sorted(mcs_fsm.__all__) == mcs_fsm.__all__
    assert len(set(mcs_fsm.__all__)) == len(mcs_fsm.__all__)
    for name in mcs_fsm.__all__:
        assert hasattr(mcs_fsm, name), name


def test_what_is_public_has_a_docstring() -> None:
    for name in mcs_fsm.__all__:
        value = getattr(mcs_fsm, name)
        if callable(value):
            assert value.__doc__ and value.__doc__.strip()[0].isupper() or value.__doc__.startswith("`"), name


def test_every_event_is_public() -> None:
    from mcs_fsm import Event

    assert {each.__name__ for each in Event.__subclasses__()} <= set(mcs_fsm.__all__)
