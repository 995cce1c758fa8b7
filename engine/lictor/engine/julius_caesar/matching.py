"""Draw who is who: a random assignment of identities to places, each place with what it may hold."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeVar

from lictor.engine.chance import Chance

T = TypeVar("T")


def shuffle(items: Sequence[T], chance: Chance) -> list[T]:
    """Return the items in random order."""
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        other = chance.draw(last + 1)
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed


def assign(places: Sequence[Set[int]], chance: Chance) -> list[int] | None:
    """Give each place one of the identities it may hold, no identity twice; `None` if that cannot be.

    A first assignment is found by augmenting paths in random order, then stirred by random exchanges.
    """
    holder: dict[int, int] = {}
    choices = [shuffle(sorted(allowed), chance) for allowed in places]

    def settle(place: int, tried: set[int]) -> bool:
        for identity in choices[place]:
            if identity not in tried:
                tried.add(identity)
                if identity not in holder or settle(holder[identity], tried):
                    holder[identity] = place
                    return True
        return False

    for place in shuffle(range(len(places)), chance):
        if not settle(place, set()):
            return None
    held = [0] * len(places)
    for identity, place in holder.items():
        held[place] = identity
    for _ in range(4 * len(places)):
        one, other = chance.draw(len(places)), chance.draw(len(places))
        if held[one] in places[other] and held[other] in places[one]:
            held[one], held[other] = held[other], held[one]
    return held
