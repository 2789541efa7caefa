"""What the tests of all decoders need: a reading of a body, and every cutting of it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Iterator

import pytest

from mcs_fsm.framing import Decoder, Fault, Frame

Make = Callable[[], Decoder]


class Reading:
    """Read bodies with new decoders."""

    @staticmethod
    def pieces(decoder: Decoder, parts: Iterable[bytes]) -> list[Frame | Fault]:
        """Feed the parts, close, and return all that came out."""
        out = [piece for part in parts for piece in decoder.feed(part)]
        return out + decoder.close()

    @staticmethod
    def cuttings(body: bytes, rounds: int = 20) -> Iterator[list[bytes]]:
        """Yield the body cut bytewise, at every byte, and at random places (the same ones each time)."""
        yield [body[i : i + 1] for i in range(len(body))]
        if len(body) < 4096:
            for i in range(1, len(body)):
                yield [body[:i], body[i:]]
        dice = random.Random(len(body))
        for _ in range(rounds):
            most = min(len(body), dice.choice((3, 30, 300)))
            places = sorted(dice.sample(range(len(body)), dice.randint(1, most))) if body else []
            yield [body[a:b] for a, b in itertools.pairwise([0, *places, len(body)])]

    def whole(self, make: Make, body: bytes) -> list[Frame | Fault]:
        """Read the body in one piece, then in every cutting; return the pieces, which must be the same each time."""
        decoder = make()
        expected = self.pieces(decoder, [body])
        comments = decoder.comments
        for parts in self.cuttings(body):
            decoder = make()
            assert expected == self.pieces(decoder, parts), parts
            assert comments == decoder.comments
        last = 0
        for piece in expected:
            assert 0 <= piece.start <= piece.end
            if isinstance(piece, Frame):
                assert piece.start >= last
                assert piece.end <= len(body)
                last = piece.start
        return expected

    def data(self, make: Make, body: bytes) -> list[tuple[str | None, bytes]]:
        """As `whole`, for a body without faults: event and payload of each frame."""
        pieces = self.whole(make, body)
        assert [] == [piece for piece in pieces if isinstance(piece, Fault)]
        return [(piece.event, piece.data) for piece in pieces if isinstance(piece, Frame)]


@pytest.fixture(scope="session")
def reading() -> Reading:
    """The readers of bodies."""
    return Reading()
