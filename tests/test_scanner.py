"""The scanner, on both twins, against references that are written another way."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from types import ModuleType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from naive import BROKEN, CLOSED, END, KEY, NEED, VALUE, Naive, Trace, naive_overlap

# --- running a scanner ---------------------------------------------------------------------------------------


def cut(text: str, places: list[int]) -> list[str]:
    """Cut `text` at the given places, taken modulo its length; a place given twice makes an empty piece."""
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[a:b] for a, b in zip(edges, edges[1:], strict=False)]


def trace(module: ModuleType, pieces: list[str], max_depth: int = 128, members: bool = False) -> Trace:
    """Return all stops as (status, index in the whole text), and the status after `finish` at the end."""
    scan = module.JsonScanner(max_depth, members)
    stops: Trace = []
    base = 0
    for piece in pieces:
        at = 0
        while True:
            before = scan.status
            at = scan.feed(piece, at)
            assert 0 <= at <= len(piece)
            if scan.status == NEED:
                assert len(piece) == at
                break
            if scan.status == BROKEN or not before == scan.status == CLOSED:
                stops.append((scan.status, base + at))
            if scan.status == BROKEN:
                assert (at, BROKEN) == (scan.feed(piece, at), scan.finish())
                return stops
            if scan.status == CLOSED and at == len(piece):
                break
        base += len(piece)
    return [*stops, (scan.finish(), base)]


# --- texts ---------------------------------------------------------------------------------------------------

strings = st.text(max_size=12) | st.text('ab"\\/\n\u00e9\u2019\U0001f600\ud83d', max_size=40)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | strings,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(strings, inner, max_size=5),
    max_leaves=20,
)
blanks = st.sampled_from(["", "", " ", "\n\t", " \r\n  "])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """JSON texts of every spelling."""
    comma, colon, around = draw(blanks), draw(blanks), draw(blanks)
    text = json.dumps(
        draw(values), ensure_ascii=draw(st.booleans()), separators=(f"{comma},{comma}", f"{colon}:{comma}"),
        indent=draw(st.sampled_from([None, 1])),
    )  # fmt: skip
    return draw(blanks) + text + around


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """JSON texts with something taken out, put in or cut off."""
    text = draw(documents())
    for _ in range(draw(st.integers(0, 3))):
        a, size = draw(st.integers(0, len(text))), draw(st.integers(0, 2))
        put = draw(st.text('{}[]",:\\utrnfalse0123.eE+- \n\x00\x1fx\u0130\U00010022', max_size=2))
        text = text[:a] + put + text[a + size :]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text


near_json = st.text('{}[]",: 01.e-ntrufals\\"', max_size=30)
texts = documents() | mutants() | near_json | st.text(max_size=20)
places = st.lists(st.integers(0, 10_000), max_size=8)
depths = st.sampled_from([0, 1, 2, 3, 128])

MANY = '{"a": "x\\u00e9\\n", "b": [1, -0.5e+3, {"c": null}, []], "d": 12 , "e": true, "f": {}}'
ODD = [
    "01", "1.", "-", "1e", "1 2", "tru", "truex", "nul l", "[1,]", '{"a":1,}', '{"a" 1}', "[}", "{]", '"\x1f"',
    '"\\x"', '"\\u12g4"', "[01]", "[1.e5]", '{"a":1x}', '{"a":1]}', '{"a":}', "NaN", "-Infinity", "\ufeff1",
    "\u00a01", "+1", ".5", "", " ", "{,}", "[,]", "{1:2}", '{"a"::1}', "'a'", "/**/1", "1e+", "1e5.", "1.5.2", "-01",
    "--1", "[-]", '"\x7f\x80"', '"\\', "\x0c1", "[1\x00]", '"\\U0041"', '"\\u00\uff11 1"', "[\uff11]", "1-", "[1+1]",
    '{"a":1e}', '"\\u123g"', '"\\u123"', '"\\u00\u01300"', "[01,2]", '[{"a":01,"b":2}]', '"\\v"', '"\\a"', '"\\\'"',
    '"\\0"', "1e+e5", "1.e1", "1e1E", "01E", "0e0", "-0.0", "1E+2 ", "[1e1,2E-2,3.0]", '["\\u00e9","\\/"]', "[nul,1]",
    '[{"a":1,}]', '[{"a":1,"b"}]', "[1 1,2]",
]  # fmt: skip


# --- JsonScanner ---------------------------------------------------------------------------------------------


@given(text=texts, places=places, max_depth=depths, members=st.booleans())
@example(text=MANY, places=[], max_depth=128, members=True)
@example(text=MANY, places=list(range(len(MANY))), max_depth=128, members=True)
@example(text=MANY, places=[], max_depth=2, members=True)
@example(text="[" * 300 + "{", places=[], max_depth=300, members=False)
@example(text='[{"a":' * 200 + "1" + "}]" * 200, places=[7, 1000], max_depth=400, members=False)
def test_any_text_under_any_cutting_stops_where_the_grammar_says(scanner, text, places, max_depth, members):
    assert Naive(text, max_depth, members).run() == trace(scanner, cut(text, places), max_depth, members)


@pytest.mark.parametrize("members", [False, True])
@pytest.mark.parametrize("text", [MANY, *ODD])
def test_odd_texts_stop_where_the_grammar_says_whole_and_by_the_character(scanner, text, members):
    expected = Naive(text, 128, members).run()
    assert expected == trace(scanner, [text], 128, members)
    assert expected == trace(scanner, list(text), 128, members)


@given(text=texts, places=places, max_depth=depths, members=st.booleans())
def test_the_twins_agree_after_every_call_in_everything_that_can_be_seen(twins, text, places, max_depth, members):
    scans = [module.JsonScanner(max_depth, members) for module in twins]
    for piece in cut(text, places):
        at = 0
        for _ in range(2 * len(piece) + 2):
            seen = [
                (scan.feed(piece, at), scan.status, scan.depth, scan.in_string, scan.in_key, scan.too_deep, scan.kind)
                for scan in scans
            ]
            assert [repr(seen[0])] * len(seen) == [repr(each) for each in seen]
            at = seen[0][0]
    assert len({(scan.finish(), scan.status) for scan in scans}) == 1


@given(text=documents(), places=places)
def test_a_document_closes_just_where_the_standard_library_ends_it(scanner, text, places):
    lead = len(text) - len(text.lstrip())
    _, end = json.JSONDecoder().raw_decode(text, lead)
    stops = trace(scanner, cut(text, places))
    assert (CLOSED, end) == stops[0]
    assert (CLOSED, len(text)) == stops[-1]


@given(text=texts)
def test_what_closes_is_what_the_standard_library_takes(scanner, text):
    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=refuse)
        valid = True
    except ValueError:
        valid = False
    assert valid == (trace(scanner, [text])[-1][0] == CLOSED)


def test_the_members_of_the_top_object_are_said_one_by_one(scanner):
    text = ' {"name": "f", "n":12, "o" : {"k":[1]},"l":null}'
    expected = [
        (KEY, text.index('"name"') + 6), (VALUE, text.index('"f"')), (END, text.index('"f"') + 3),
        (KEY, text.index('"n"') + 3), (VALUE, text.index("12")), (END, text.index("12") + 2),
        (KEY, text.index('"o"') + 3), (VALUE, text.index('{"k"')), (END, text.index("]}") + 2),
        (KEY, text.index('"l"') + 3), (VALUE, text.index("null")), (END, text.index("null") + 4),
        (CLOSED, len(text)), (CLOSED, len(text)),
    ]  # fmt: skip
    assert expected == trace(scanner, [text], members=True)
    assert expected == trace(scanner, list(text), members=True)
    assert [(CLOSED, 9), (CLOSED, 9)] == trace(scanner, ['[{"a":1}]'], members=True)


@pytest.mark.parametrize(
    ("text", "depth", "in_string", "in_key", "kind"),
    [
        ("", 0, False, False, ""), (" ", 0, False, False, ""), ("12", 0, False, False, "1"), ("x", 0, False, False, ""),
        ('"a', 0, True, False, '"'), ('"a"', 0, False, False, '"'), ('"\\', 0, True, False, '"'),
        ('"\\u00', 0, True, False, '"'), ("{", 1, False, False, "{"), ('{"', 1, True, True, "{"),
        ('{"a\\', 1, True, True, "{"), ('{"a"', 1, False, False, "{"), ('{"a":"', 1, True, False, "{"),
        ('[{"a":[', 3, False, False, "["), ('[{"', 2, True, True, "["), ('[{"a":1}', 1, False, False, "["),
        ("[1]", 0, False, False, "["), ('{"a\n', 1, False, False, "{"), ("tr", 0, False, False, "t"),
        ("-", 0, False, False, "-"), ("[[1}", 2, False, False, "["),
    ],
)  # fmt: skip
def test_the_attributes_say_where_it_is(scanner, text, depth, in_string, in_key, kind):
    for pieces in [text], list(text):
        scan = scanner.JsonScanner()
        for piece in pieces:
            scan.feed(piece)
        assert (depth, in_string, in_key, kind) == (scan.depth, scan.in_string, scan.in_key, scan.kind)


def test_nesting_beyond_the_limit_is_a_break_and_says_so(scanner):
    for limit in 0, 1, 2, 127, 128, 129, 1000, 5000:
        scan = scanner.JsonScanner(limit)
        assert limit == scan.feed("[" * limit)
        assert (NEED, limit, False) == (scan.status, scan.depth, scan.too_deep)
        assert 1 == scan.feed(" {")
        assert (BROKEN, limit, True) == (scan.status, scan.depth, scan.too_deep)
        scan.reset()
        assert not scan.too_deep
        assert limit == scan.feed("[" * limit) and scan.feed("]" * limit) == limit
        assert (CLOSED if limit else NEED) == scan.status
    scan = scanner.JsonScanner(1)
    scan.feed("[}")
    assert not scan.too_deep


def test_a_number_at_the_top_is_closed_by_the_end_or_by_what_follows(scanner):
    scan = scanner.JsonScanner()
    assert (2, NEED) == (scan.feed("12"), scan.status)
    assert (CLOSED, CLOSED) == (scan.finish(), scan.status)
    assert (1, CLOSED) == (scan.feed(" "), scan.status)
    assert (0, BROKEN) == (scan.feed("3"), scan.status)
    scan.reset()
    assert (2, CLOSED) == (scan.feed("12,"), scan.status)
    assert (2, BROKEN) == (scan.feed("12,", 2), scan.status)
    scan.reset()
    scan.feed("1.")
    assert (NEED, NEED) == (scan.finish(), scan.status)
    assert (1, NEED) == (scan.feed("5"), scan.status)
    assert CLOSED == scan.finish()


def test_broken_is_for_good_until_reset(scanner):
    scan = scanner.JsonScanner(members=True)
    assert (0, BROKEN) == (scan.feed("x"), scan.status)
    assert (3, BROKEN, BROKEN) == (scan.feed("{} {}", 3), scan.finish(), scan.status)
    scan.reset()
    assert (NEED, 0, "", False) == (scan.status, scan.depth, scan.kind, scan.in_string)
    assert (4, KEY) == (scan.feed('{"a"'), scan.status)
    assert (0, NEED) == (scan.feed(""), scan.status)
    scan.reset()
    assert (3, CLOSED) == (scan.feed("[1]"), scan.status)
    scan.reset()
    assert (4, KEY) == (scan.feed('{"a"'), scan.status)


def test_a_long_piece_is_read_in_linear_time_whatever_it_holds(scanner):
    for text in "[" * 200_000, '{"a":' * 100_000, '"' + "\\u0041" * 50_000, "[" + '"x",' * 50_000, "1" * 200_000:
        scan = scanner.JsonScanner(1_000_000)
        assert (len(text), NEED) == (scan.feed(text), scan.status)


def test_every_character_counts_in_a_string_wherever_it_stands(scanner):
    for code in [*range(0x180), 0x2022, 0x205C, 0x2019, 0xD83D, 0xFFFF, 0x10022, 0x1F600]:
        for place in range(20):
            for wide in "", "\u2019", "\U0001f600":
                text = '["' + "a" * place + chr(code) + "b" * 9 + '"]' + wide
                scan = scanner.JsonScanner()
                at = scan.feed(text)
                if code == 0x22 or code == 0x5C:  # the string ends, and a letter follows; \\b is an escape
                    expected = (place + 3, BROKEN) if code == 0x22 else (place + 14, CLOSED)
                else:
                    expected = (place + 2, BROKEN) if code < 0x20 else (place + 14, CLOSED)
                assert expected == (at, scan.status), (code, place, wide)


# --- StartFinder and partial_overlap -------------------------------------------------------------------------


@given(
    chars=st.text(st.characters(max_codepoint=127), max_size=12),
    text=st.text(max_size=40) | st.text("ab<{`[~ \u00ff\u20ac\U0001f600", max_size=60),
    start=st.integers(0, 60),
)
@example(chars="", text="abc", start=0)
@example(chars="<{", text="x" * 100 + "{", start=3)
@example(chars="\x00^]-\\", text="abc-", start=0)
@example(chars="<", text="\u013c\u043c\U0001003c<", start=0)
def test_the_first_start_character_is_found(scanner, chars, text, start):
    start = min(start, len(text))
    expected = next((i for i in range(start, len(text)) if text[i] in chars), -1)
    assert expected == scanner.StartFinder(chars).find(text, start)


def test_every_place_in_a_long_text_is_found(scanner):
    finders = [scanner.StartFinder(chars) for chars in ("<", "<{`~[", "0123456<", "01234567<")]
    for wide in "", "\u20ac", "\U0001f600":
        for place in range(40):
            text = "a" * place + "<" + "\u00e9" * 9 + "<<" + wide
            for finder in finders:
                assert [place, place + 10, place + 11] == [finder.find(text, at) for at in (0, place + 1, place + 11)]
                assert -1 == finder.find(text[:place] + wide)


@given(
    text=st.text("ab<", max_size=8) | st.text(max_size=5),
    markers=st.lists(st.text("ab<", max_size=6) | st.text(max_size=3), max_size=4).map(tuple),
)
@example(text="abab", markers=("ababx", "abx"))
@example(text="x<\u20ac", markers=("<\u20ac>", "<"))
def test_the_longest_overlap_is_measured(scanner, text, markers):
    assert naive_overlap(text, markers) == scanner.partial_overlap(text, markers)


@pytest.mark.parametrize(
    ("text", "markers", "expected"),
    [
        ("", ("<a>",), 0), ("x<", ("<a>",), 1), ("x<a", ("<a>",), 2), ("<a>", ("<a>",), 0), ("<<", ("<<tool",), 2),
        ("x<<", ("<tool",), 1), ("<a", ("<a", "<a>"), 2), ("aa", ("aa",), 1), ("x", (), 0), ("x", ("", "y"), 0),
    ],
)  # fmt: skip
def test_overlaps_worth_a_row(scanner, text, markers, expected):
    assert expected == scanner.partial_overlap(text, markers)


# --- the rules of both ---------------------------------------------------------------------------------------


class Text(str):
    """A subclass, which is refused."""


class Markers(tuple[str, ...]):
    """Another."""


@pytest.mark.parametrize("wrong", [b"a", bytearray(b"a"), None, 1, Text("a"), ["a"]])
def test_text_is_exactly_str(scanner, wrong):
    calls = [
        lambda: scanner.JsonScanner().feed(wrong), lambda: scanner.StartFinder("a").find(wrong),
        lambda: scanner.StartFinder(wrong), lambda: scanner.partial_overlap(wrong, ("a",)),
        lambda: scanner.partial_overlap("a", (wrong,)),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(TypeError, match=f"must be exactly str, not {type(wrong).__name__}$"):
            call()
    for markers in ["ab"], Markers(["ab"]):
        with pytest.raises(TypeError, match=f"markers must be exactly tuple, not {type(markers).__name__}$"):
            scanner.partial_overlap("a", markers)


@pytest.mark.parametrize("start", [-1, 4, 2**31, 2**64, -(2**70)])
def test_an_index_outside_the_text_is_refused(scanner, start):
    scan = scanner.JsonScanner()
    for method in scan.feed, scanner.StartFinder("a").find:
        with pytest.raises(ValueError, match=f"start must be 0 to 3, not {start}$"):
            method("abc", start)
    assert (0, NEED) == (scan.feed(""), scan.status)


@pytest.mark.parametrize("wrong", [0.0, None, "0", ""])
def test_an_index_is_an_integer(scanner, wrong):
    for method in scanner.JsonScanner().feed, scanner.StartFinder("a").find:
        with pytest.raises(TypeError, match="cannot be interpreted as an integer$"):
            method("abc", wrong)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer$"):
        scanner.JsonScanner(wrong)


def test_arguments_out_of_range_are_refused_and_keywords_are_taken(scanner):
    with pytest.raises(ValueError, match="max_depth must be 0 or more, not -1$"):
        scanner.JsonScanner(-1)
    with pytest.raises(ValueError, match="chars must be ASCII$"):
        scanner.StartFinder("a\u00e9")
    scan = scanner.JsonScanner(max_depth=2**70, members=True)
    assert 2 == scan.feed(text="[[", start=True)
    assert 1 == scanner.StartFinder(chars="b").find(text="abc", start=0)
    assert 1 == scanner.partial_overlap(text="a", markers=("ab",))


def test_objects_are_not_copied_pickled_derived_from_or_written_to(scanner):
    for made in scanner.JsonScanner(), scanner.StartFinder("a"):
        name = type(made).__name__
        for way in [copy.copy, copy.deepcopy, *(lambda x, p=p: pickle.dumps(x, p) for p in range(6))]:
            with pytest.raises(TypeError, match=f"cannot pickle '{name}' object"):
                way(made)
        with pytest.raises(TypeError, match=f"type '{type(made).__module__}.{name}' is not an acceptable base type"):
            type("Derived", (type(made),), {})
        with pytest.raises(AttributeError):
            made.other = 1
    scan = scanner.JsonScanner()
    for attribute in "status", "depth", "in_string", "in_key", "too_deep", "kind":
        with pytest.raises(AttributeError):
            setattr(scan, attribute, 1)
        with pytest.raises(AttributeError):
            delattr(scan, attribute)


def test_the_twins_say_the_same_of_themselves(twins):
    def surface(module: ModuleType) -> dict[str, Any]:
        said: dict[str, Any] = {"": sorted(module.__all__)}
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, int):
                said[name] = thing
                continue
            said[name] = inspect.getdoc(thing)
            for part in [name] if not isinstance(thing, type) else [p for p in dir(thing) if p[:1] != "_"]:
                each = getattr(thing, part, thing)
                said[f"{name}.{part}"] = inspect.getdoc(each)
                if callable(each):
                    parameters = inspect.signature(each).parameters.values()
                    said[f"{name}.{part}()"] = [(p.name, p.default) for p in parameters]
        return said

    assert [surface(twins[0])] * len(twins) == [surface(module) for module in twins]
    assert {"NEED": 0, "CLOSED": 1, "BROKEN": 2, "KEY": 3, "VALUE": 4, "END": 5}.items() <= surface(twins[0]).items()
