from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from lictor.engine.chance import (
    ChanceError,
    LedgerChance,
    NoChance,
    ScriptedChance,
    SealedChance,
    SeededChance,
    commit,
    derive_secret,
)

SECRET = bytes(range(32))
# Above half of the 64-bit range every second value is rejected.
HUGE = 2**63 + 1
# 2^64 is two and two thirds of this: a quarter is rejected, and without rejection two thirds would be too frequent.
UNEVEN = 3 * 2**61
# The value that chi-square passes once in 10,000, by degrees of freedom.
CRITICAL = {1: 15.137, 2: 18.421, 5: 25.745, 26: 61.657}


def chi_square(hits: Iterable[int], cells: int) -> float:
    """Return how far `hits` are from falling evenly on `cells`."""
    counts = Counter(hits)
    assert set(counts) <= set(range(cells))
    expected = counts.total() / cells
    return sum((counts[cell] - expected) ** 2 / expected for cell in range(cells))


# The sealed draw again, from its description alone, down to HMAC itself (RFC 2104).


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


def with_length(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part


def described_draw(secret: bytes, match_id: str, entropies: Sequence[bytes], k: int, n: int) -> tuple[int, int]:
    """Return draw k over n, and how many values were rejected for it."""
    for j in itertools.count():
        message = (
            b"lictor-draw-1"
            + with_length(match_id.encode())
            + b"".join(with_length(entropy) for entropy in entropies)
            + k.to_bytes(8, "big")
            + j.to_bytes(4, "big")
        )
        u = int.from_bytes(hmac_sha256(secret, message)[:8], "big")
        if u < 2**64 - 2**64 % n:
            return u % n, j
    raise AssertionError


class Vector(NamedTuple):
    """A game's first draws: (n, value, rejections) for k = 0, 1, 2 and so on."""

    name: str
    secret: str
    match_id: str
    entropies: tuple[str, ...]
    draws: list[tuple[int, int, int]]

    def entropy_bytes(self) -> list[bytes]:
        return [bytes.fromhex(entropy) for entropy in self.entropies]

    def chance(self) -> SealedChance:
        return SealedChance(bytes.fromhex(self.secret), self.match_id, self.entropy_bytes())


VECTORS = [
    Vector(
        "a blank match",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "",
        ("", ""),
        [
            (2, 0, 0),
            (6, 2, 0),
            (27, 11, 0),
            (HUGE, 7907949288382752698, 0),
            (HUGE, 8404684031024727987, 0),
            (HUGE, 6880365747136472194, 0),
            (HUGE, 5036521878016180228, 0),
            (27, 23, 0),
            (6, 0, 0),
            (2, 0, 0),
        ],
    ),
    Vector(
        "no entropy",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "match-1",
        ("", ""),
        [
            (2, 1, 0),
            (6, 5, 0),
            (27, 20, 0),
            (HUGE, 1283544999932313654, 3),
            (HUGE, 2248196500907276252, 0),
            (HUGE, 5394334512272160606, 1),
            (HUGE, 8721790196927505178, 0),
            (27, 16, 0),
            (6, 0, 0),
            (2, 1, 0),
        ],
    ),
    Vector(
        "caesar adds entropy",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "match-1",
        ("63616573617227732073616c74", ""),
        [
            (2, 1, 0),
            (6, 2, 0),
            (27, 11, 0),
            (HUGE, 6096084938578977843, 0),
            (HUGE, 4053798252885027403, 1),
            (HUGE, 3141732057699344737, 0),
            (HUGE, 1995726906315338679, 0),
            (27, 15, 0),
            (6, 3, 0),
            (2, 1, 0),
        ],
    ),
    Vector(
        "pompey adds the same",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        "match-1",
        ("", "63616573617227732073616c74"),
        [
            (2, 0, 0),
            (6, 5, 0),
            (27, 11, 0),
            (HUGE, 6406932912277135769, 0),
            (HUGE, 4233699189447224888, 0),
            (HUGE, 3188928573571708324, 0),
            (HUGE, 1744279237412879942, 1),
            (27, 18, 0),
            (6, 1, 0),
            (2, 1, 0),
        ],
    ),
    Vector(
        "all is full",
        "0a14a7a773a8ab8fea83801d39bf67da7c2b7e01e354bca8ad4f662a0987352c",
        "Ides of March †",
        (
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        ),
        [
            (2, 0, 0),
            (6, 5, 0),
            (27, 20, 0),
            (HUGE, 815980828385850040, 1),
            (HUGE, 6063868391239833823, 0),
            (HUGE, 8380763338033145898, 0),
            (HUGE, 4035232504751713647, 0),
            (27, 13, 0),
            (6, 0, 0),
            (2, 0, 0),
        ],
    ),
]

# (k, n, value, rejections) with SECRET, match-1 and no entropies: k takes all of its eight bytes.
LATE_DRAWS = [
    (2**32 - 1, 27, 8, 0),
    (2**32 - 1, HUGE, 3407150992747584959, 0),
    (2**32, 27, 26, 0),
    (2**40 + 7, 6, 4, 0),
    (2**40 + 7, HUGE, 1228430436019062846, 3),
    (2**64 - 1, 2, 1, 0),
    (2**64 - 1, HUGE, 8344266399329120004, 3),
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_sealed_draws_are_those_of_the_test_vectors(vector: Vector) -> None:
    chance = vector.chance()
    assert [chance.draw(n) for n, _, _ in vector.draws] == [value for _, value, _ in vector.draws]
    assert chance.made == len(vector.draws)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_the_test_vectors_are_what_the_description_gives(vector: Vector) -> None:
    secret, entropies = bytes.fromhex(vector.secret), vector.entropy_bytes()
    assert vector.draws == [
        (n, *described_draw(secret, vector.match_id, entropies, k, n)) for k, (n, _, _) in enumerate(vector.draws)
    ]


@pytest.mark.parametrize(("k", "n", "value", "rejections"), LATE_DRAWS)
def test_late_sealed_draws_are_those_of_the_test_vectors(k: int, n: int, value: int, rejections: int) -> None:
    chance = SealedChance(SECRET, "match-1", [b"", b""])
    chance.made = k
    assert chance.draw(n) == value
    assert described_draw(SECRET, "match-1", [b"", b""], k, n) == (value, rejections)


def test_the_test_vectors_contain_several_rejections_in_one_draw() -> None:
    assert {0, 1, 3} <= {rejections for vector in VECTORS for _, _, rejections in vector.draws}


def test_sealed_draws_agree_with_the_description_for_many_sizes() -> None:
    secret = hashlib.sha256(b"many sizes").digest()
    sizes = [1, *range(2, 64), 2**32, 2**32 + 1, 2**62 + 1, HUGE, UNEVEN, 2**64 - 1, 2**64]
    chance = SealedChance(secret, "sizes", [b"one", b"two"])
    assert [chance.draw(n) for n in sizes] == [
        described_draw(secret, "sizes", [b"one", b"two"], k, n)[0] for k, n in enumerate(sizes)
    ]


@pytest.mark.parametrize("n", [2, 6, 27])
@pytest.mark.parametrize("game", ["first", "second", "third"])
def test_sealed_draws_are_uniform(n: int, game: str) -> None:
    chance = SealedChance(derive_secret("uniform", game), game, [b"", b""])
    assert chi_square((chance.draw(n) for _ in range(27_000)), n) < CRITICAL[n - 1]


def test_the_draws_of_a_deal_are_uniform_over_many_games() -> None:
    firsts = [SealedChance(derive_secret("deal", str(game)), "m", [b"", b""]).draw(27) for game in range(10_000)]
    assert chi_square(firsts, 27) < CRITICAL[26]


def test_neighbouring_sealed_draws_do_not_follow_from_one_another() -> None:
    chance = SealedChance(derive_secret("neighbours"), "m", [b"", b""])
    dice = [chance.draw(6) for _ in range(20_000)]
    assert chi_square(((one - other) % 6 for one, other in itertools.pairwise(dice)), 6) < CRITICAL[5]


def test_rejection_introduces_no_bias() -> None:
    chance = SealedChance(derive_secret("bias"), "m", [b"", b""])
    values = [chance.draw(UNEVEN) for _ in range(20_000)]
    assert chi_square((value * 3 // UNEVEN for value in values), 3) < CRITICAL[2]
    assert chi_square((value * 2 // UNEVEN for value in values), 2) < CRITICAL[1]
    assert chi_square((value % 6 for value in values), 6) < CRITICAL[5]


def test_the_check_for_bias_would_notice_that_nothing_is_rejected() -> None:
    chance = SealedChance(derive_secret("bias"), "m", [b"", b""])
    thirds = [chance.draw(2**64) % UNEVEN * 3 // UNEVEN for _ in range(20_000)]
    assert chi_square(thirds, 3) > 10 * CRITICAL[2]


def test_a_rejected_value_does_not_shift_the_later_draws() -> None:
    plain = SealedChance(SECRET, "match-1", [b"", b""])
    rejecting = SealedChance(SECRET, "match-1", [b"", b""])
    for _ in range(20):
        plain.draw(2)
        rejecting.draw(HUGE)
    assert [plain.draw(27) for _ in range(20)] == [rejecting.draw(27) for _ in range(20)]


def test_the_commitment_is_the_hash_of_the_secret() -> None:
    chance = SealedChance(SECRET, "match-1", [b"", b""])
    assert chance.commitment == commit(SECRET) == hashlib.sha256(SECRET).hexdigest()
    assert chance.commitment == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


def guesses_from(commitment: bytes, k: int) -> dict[str, int]:
    """Return what those would guess for die k who know the commitment and the rules, but not the secret."""
    tail = k.to_bytes(8, "big") + bytes(4)
    message = b"lictor-draw-1" + with_length(b"m") + with_length(b"") + with_length(b"") + tail
    digests = {
        "as key": hmac_sha256(commitment, message),
        "its hex as key": hmac_sha256(hashlib.sha256(commitment.hex().encode()).digest(), message),
        "as message": hmac_sha256(bytes(32), commitment + tail),
        "under itself": hmac_sha256(commitment, commitment + tail),
        "hashed with the counter": hashlib.sha256(commitment + tail).digest(),
        "hashed with the message": hashlib.sha256(commitment + message).digest(),
        "repeated": commitment[k % 25 :],
    }
    return {name: int.from_bytes(digest[:8], "big") % 6 for name, digest in digests.items()}


def test_the_commitment_does_not_foretell_the_draws() -> None:
    right: Counter[str] = Counter()
    games, dice = 40, 150
    for game in range(games):
        chance = SealedChance(derive_secret("foretold", str(game)), "m", [b"", b""])
        commitment = bytes.fromhex(chance.commitment)
        for k in range(dice):
            die = chance.draw(6)
            right.update(name for name, guess in guesses_from(commitment, k).items() if guess == die)
    assert len(right) == 7
    expected, deviation = games * dice / 6, (games * dice * 5 / 36) ** 0.5
    assert {name: count for name, count in right.items() if abs(count - expected) > 4 * deviation} == {}


def first_draws(secret: bytes, match_id: str, entropies: Sequence[bytes]) -> tuple[int, ...]:
    chance = SealedChance(secret, match_id, entropies)
    return tuple(chance.draw(2**64) for _ in range(4))


def with_bit_flipped(text: bytes, bit: int) -> bytes:
    return (int.from_bytes(text, "big") ^ (1 << bit)).to_bytes(len(text), "big")


def test_every_bit_of_secret_match_id_and_entropies_changes_all_draws() -> None:
    entropies = [b"caesar", b"pompey"]
    streams = [first_draws(SECRET, "match", entropies)]
    streams += [first_draws(with_bit_flipped(SECRET, bit), "match", entropies) for bit in range(256)]
    streams += [first_draws(SECRET, with_bit_flipped(b"match", bit * 8).decode(), entropies) for bit in range(5)]
    streams += [first_draws(SECRET, "match", [with_bit_flipped(b"caesar", bit), b"pompey"]) for bit in range(48)]
    streams += [first_draws(SECRET, "match", [b"caesar", with_bit_flipped(b"pompey", bit)]) for bit in range(48)]
    for draws in zip(*streams, strict=True):
        assert len(set(draws)) == len(streams)


@pytest.mark.parametrize(
    ("match_id", "entropies"),
    [
        ("match", [b"caesa", b"rpompey"]),
        ("match", [b"caesarp", b"ompey"]),
        ("match", [b"caesarpompey", b""]),
        ("match", [b"", b"caesarpompey"]),
        ("match", [b"pompey", b"caesar"]),
        ("match", [b"caesarpompey"]),
        ("match", [b"caesar", b"pompey", b""]),
        ("match", [b"caesar", b"pompey\0"]),
        ("matchc", [b"aesar", b"pompey"]),
        ("matc", [b"hcaesar", b"pompey"]),
    ],
)
def test_a_byte_moved_between_neighbours_changes_the_draws(match_id: str, entropies: list[bytes]) -> None:
    original = first_draws(SECRET, "match", [b"caesar", b"pompey"])
    assert not set(original) & set(first_draws(SECRET, match_id, entropies))


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_secret_has_32_bytes(length: int) -> None:
    with pytest.raises(ChanceError, match=f"{length} bytes.*32"):
        SealedChance(bytes(length), "m", [b"", b""])


@pytest.mark.parametrize("entropies", [[bytes(33), b""], [b"", bytes(33)], [b"", bytes(1000)]])
def test_an_entropy_has_at_most_32_bytes(entropies: list[bytes]) -> None:
    with pytest.raises(ChanceError, match="32 at most"):
        SealedChance(SECRET, "m", entropies)


def test_the_error_about_a_secret_does_not_tell_it() -> None:
    with pytest.raises(ChanceError) as caught:
        SealedChance(b"tell nobody", "m", [b"", b""])
    assert "tell nobody" not in str(caught.value)


@pytest.mark.parametrize("n", [0, -1, -6, 2**64 + 1])
def test_a_sealed_draw_needs_a_size_it_can_serve(n: int) -> None:
    chance = SealedChance(SECRET, "m", [b"", b""])
    with pytest.raises(ChanceError, match=str(n)):
        chance.draw(n)
    assert chance.made == 0


def test_derived_secrets_depend_on_all_their_parts() -> None:
    secrets = {derive_secret(*parts) for parts in ((), ("a",), ("b",), ("a", "b"), ("b", "a"), ("ab",), ("a", ""))}
    assert len(secrets) == 7
    assert {len(secret) for secret in secrets} == {32}


def test_a_script_gives_its_draws_in_order() -> None:
    chance = ScriptedChance([[6, 0], (27, 26), [6, 5]])
    assert chance.left == 3
    assert [chance.draw(6), chance.draw(27), chance.draw(6)] == [0, 26, 5]
    assert chance.left == 0


def test_a_script_can_be_extended_at_any_time() -> None:
    chance = ScriptedChance()
    assert chance.left == 0
    chance.extend([[2, 1]])
    assert chance.draw(2) == 1
    chance.extend([[6, 3], [6, 4]])
    chance.extend([])
    assert chance.left == 2
    assert [chance.draw(6), chance.draw(6)] == [3, 4]


def test_a_script_insists_on_every_size() -> None:
    chance = ScriptedChance([[6, 0], [6, 1]])
    chance.draw(6)
    with pytest.raises(ChanceError, match=r"draw 1 .*over 6.*draw\(27\)"):
        chance.draw(27)
    assert chance.left == 1
    assert chance.draw(6) == 1


def test_a_script_at_its_end_says_after_how_many_draws() -> None:
    chance = ScriptedChance([[6, 0]])
    chance.draw(6)
    with pytest.raises(ChanceError, match=r"end after 1 .*draw\(2\)"):
        chance.draw(2)


@pytest.mark.parametrize(
    "draw",
    [
        [], [6], [6, 1, 1], [6, 6], [6, 7], [6, -1], [0, 0], [-6, -7],
        ["6", "1"], [6, "1"], ["6", 1], [6, None], [None, 1], [6, 1.0], [6.0, 1], [6, [1]], [2, True], [True, 0],
        "61", 6, None, {"n": 6, "value": 1}, {6: 1, 1: 6},
    ],
    ids=repr,
)  # fmt: skip
def test_a_malformed_scripted_draw_is_an_error(draw: object) -> None:
    with pytest.raises(ChanceError, match="scripted draw") as caught:
        ScriptedChance([draw])  # type: ignore[list-item]
    assert len(str(caught.value)) < 200


def test_the_same_seed_gives_the_same_draws() -> None:
    sizes = [27, 26, 25, 6, 6, 2, 1, 2**64] * 10
    one, other = SeededChance(7), SeededChance(7)
    assert [one.draw(n) for n in sizes] == [other.draw(n) for n in sizes]


def test_other_seeds_give_other_draws() -> None:
    chances = [SeededChance(seed) for seed in range(100)]
    assert len({tuple(chance.draw(27) for _ in range(20)) for chance in chances}) == 100


@pytest.mark.parametrize("n", [2, 6, 27])
def test_seeded_draws_are_uniform(n: int) -> None:
    chance = SeededChance(2024)
    assert chi_square((chance.draw(n) for _ in range(27_000)), n) < CRITICAL[n - 1]


def test_a_draw_from_one_value_is_nought() -> None:
    assert [SeededChance(1).draw(1), SealedChance(SECRET, "m", []).draw(1)] == [0, 0]


@pytest.mark.parametrize("n", [0, -1, -6])
def test_a_seeded_draw_from_nothing_is_an_error(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would search for ever, so its patience is limited here."""

    class Impatient(random.Random):
        asked = 0

        def getrandbits(self, k: int, /) -> int:
            self.asked += 1
            assert self.asked < 1000, "draws for ever"
            return super().getrandbits(k)

    monkeypatch.setattr("lictor.engine.chance.random", SimpleNamespace(Random=Impatient))
    with pytest.raises(ChanceError, match=str(n)):
        SeededChance(1).draw(n)


def test_a_copy_without_chance_cannot_draw() -> None:
    with pytest.raises(ChanceError, match="copy"):
        NoChance().draw(6)


def test_a_ledger_keeps_account_of_the_draws_since_it_was_last_asked() -> None:
    ledger = LedgerChance(ScriptedChance([[6, 3], [27, 9], [2, 1]]))
    assert ledger.take() == []
    assert [ledger.draw(6), ledger.draw(27)] == [3, 9]
    assert ledger.take() == [[6, 3], [27, 9]]
    assert ledger.draw(2) == 1
    assert ledger.take() == [[2, 1]]
    assert ledger.take() == []


def test_a_ledger_does_not_count_a_draw_that_failed() -> None:
    ledger = LedgerChance(ScriptedChance([[6, 3]]))
    ledger.draw(6)
    with pytest.raises(ChanceError):
        ledger.draw(6)
    assert ledger.take() == [[6, 3]]


def test_what_a_ledger_wrote_down_replays() -> None:
    ledger = LedgerChance(SealedChance(SECRET, "m", [b"", b""]))
    drawn = [ledger.draw(n) for n in (27, 26, 25, 6, 6)]
    script = ScriptedChance(ledger.take())
    assert [script.draw(n) for n in (27, 26, 25, 6, 6)] == drawn
    assert script.left == 0
