"""Observations, written to the wire.

A message is the same as the sections it is made of, one after the other. Most sections repeat from one observation to
the next and are remembered as bytes; the two tables of blocks, which change all the time, are made of remembered rows.
"""

from __future__ import annotations

from typing import Any

from lictor.engine.julius_caesar.observation import (
    BattleView,
    Defector,
    Observation,
    OwnBlock,
    Pieces,
)
from lictor.server.edge.convert.julius_caesar.names import (
    CAME,
    COLOURS,
    MAIN,
    PHASES,
    REASONS,
    SIDES,
    VIEWERS,
    Names,
)
from lictor.server.edge.convert.wire import Memo, sized, tag, varint
from lictor.v1 import julius_caesar_observation_pb2 as view_pb2

_MOST_ROWS, _MOST_SECTIONS = 100_000, 10_000


def _fields(first: str, last: str) -> slice:
    return slice(Observation._fields.index(first), Observation._fields.index(last) + 1)


# Fields of the observation that are remembered together, as what goes together changes together.
_TURN, _CARDS = _fields("year", "levies_left"), _fields("hand", "spent")
_POOLS, _FIGHTS = _fields("pool", "points"), _fields("fights", "surprise")
_ROADS, _REST = _fields("opened", "roads"), _fields("regroup", "outcome")

_NUMBER = {name: field.number for name, field in view_pb2.JuliusCaesarObservation.DESCRIPTOR.fields_by_name.items()}
_OWN_BLOCKS, _PIECES = tag(_NUMBER["own_blocks"]), tag(_NUMBER["pieces"])
_COLUMN_1, _COLUMN_2, _COLUMN_3, _COLUMN_4, _COLUMN_5, _COLUMN_6 = map(tag, range(1, 7))


class Observations:
    """Writes the observations of one data set."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._space_bytes = {name: varint(row) for name, row in names.space.items()}
        self._own_rows: Memo[OwnBlock, bytes] = Memo(self._own_row, _MOST_ROWS)
        self._piece_rows: Memo[Pieces, bytes] = Memo(_piece_row, _MOST_ROWS)
        self._viewers = {viewer: _section(viewer=value) for viewer, value in VIEWERS.items()}
        self._turns: Memo[Any, bytes] = Memo(_turn, _MOST_SECTIONS)
        self._cards: Memo[Any, bytes] = Memo(_cards, _MOST_SECTIONS)
        self._pools: Memo[Any, bytes] = Memo(self._pool, _MOST_SECTIONS)
        self._fights: Memo[Any, bytes] = Memo(self._fight, _MOST_SECTIONS)
        self._roads: Memo[Any, bytes] = Memo(self._road, _MOST_SECTIONS)
        self._battles: Memo[BattleView | None, bytes] = Memo(self._battle, _MOST_SECTIONS)
        self._rests: Memo[Any, bytes] = Memo(self._rest, _MOST_SECTIONS)

    def write(self, seen: Observation) -> bytes:
        """Return an observation as a serialised `JuliusCaesarObservation`."""
        return b"".join(
            (
                self._viewers[seen.viewer],
                self._turns[seen[_TURN]],
                self._own_table(seen.blocks),
                self._piece_table(seen.pieces),
                self._cards[seen[_CARDS]],
                self._pools[seen[_POOLS]],
                self._fights[seen[_FIGHTS]],
                self._roads[seen[_ROADS]],
                self._battles[seen.battle],
                self._rests[seen[_REST]],
            )
        )

    def _own_table(self, blocks: tuple[OwnBlock, ...]) -> bytes:
        if not blocks:
            return sized(_OWN_BLOCKS, b"")
        memo, space_bytes = self._own_rows, self._space_bytes
        rows = b"".join([memo[row] for row in blocks])
        spaces = b"".join([space_bytes[row[1]] for row in blocks])
        count = varint(len(blocks))
        # Every value but the space is below 128 and so one byte: a column is every fourth byte of the rows.
        table = (
            _COLUMN_1, count, rows[0::4],
            _COLUMN_2, varint(len(spaces)), spaces,
            _COLUMN_3, count, rows[1::4],
            _COLUMN_4, count, rows[2::4],
            _COLUMN_5, count, rows[3::4],
        )  # fmt: skip
        return sized(_OWN_BLOCKS, b"".join(table))

    def _own_row(self, row: OwnBlock) -> bytes:
        return bytes((self._names.block[row.block], row.steps, row.moved, row.reserve))

    def _piece_table(self, pieces: tuple[Pieces, ...]) -> bytes:
        if not pieces:
            return sized(_PIECES, b"")
        memo, space_bytes = self._piece_rows, self._space_bytes
        rows = b"".join([memo[row] for row in pieces])
        spaces = b"".join([space_bytes[row[0]] for row in pieces])
        count = varint(len(pieces))
        table = (
            _COLUMN_1, varint(len(spaces)), spaces,
            _COLUMN_2, count, rows[0::5],
            _COLUMN_3, count, rows[1::5],
            _COLUMN_4, count, rows[2::5],
            _COLUMN_5, count, rows[3::5],
            _COLUMN_6, count, rows[4::5],
        )  # fmt: skip
        return sized(_PIECES, b"".join(table))

    def _pool(self, key: Any) -> bytes:
        pool, pool_sizes, dead, deserters, points = key
        block = self._names.block
        return _section(
            pool=[block[name] for name in pool],
            caesar_pool_size=pool_sizes[0],
            pompey_pool_size=pool_sizes[1],
            dead=[block[name] for name in dead],
            deserters=[block[name] for name in deserters],
            caesar_points=points[0],
            pompey_points=points[1],
        )

    def _fight(self, key: Any) -> bytes:
        fights, surprise = key
        space = self._names.space
        ways: list[tuple[int, int, view_pb2.JuliusCaesarEntranceKind.ValueType]] = []
        for fight in fights:
            here = space[fight.space]
            if fight.main is not None:
                ways.append((here, space[fight.main], MAIN))
            for kind, entered in zip(CAME, fight.entered, strict=True):
                ways += [(here, space[way], kind) for way in entered]
        return _section(
            fights=view_pb2.JuliusCaesarFights(
                space=[space[fight.space] for fight in fights], attacker=[SIDES[fight.attacker] for fight in fights]
            ),
            entrances=view_pb2.JuliusCaesarEntrances(
                space=[way[0] for way in ways], from_space=[way[1] for way in ways], kind=[way[2] for way in ways]
            ),
            surprise=None if surprise is None else space[surprise],
        )

    def _road(self, key: Any) -> bytes:
        opened, kept, roads = key
        space, edge = self._names.space, self._names.edge
        return _section(
            opened=[space[name] for name in opened],
            kept=[space[name] for name in kept],
            roads=view_pb2.JuliusCaesarRoads(
                edge=[edge[road.a, road.b] for road in roads], blocks=[road.blocks for road in roads]
            ),
        )

    def _battle(self, battle: BattleView | None) -> bytes:
        if battle is None:
            return b""
        block, face_up = self._names.block, battle.face_up
        return _section(
            battle=view_pb2.JuliusCaesarBattle(
                space=self._names.space[battle.space],
                round=battle.round,
                attacker=SIDES[battle.attacker],
                side=SIDES[battle.side],
                ready=[block[name] for name in battle.ready],
                hits=battle.hits,
                face_up=view_pb2.JuliusCaesarFaceUp(
                    block=[block[row.block] for row in face_up],
                    side=[SIDES[row.seat] for row in face_up],
                    steps=[row.steps for row in face_up],
                    moved=[row.moved for row in face_up],
                    acted=[row.acted for row in face_up],
                ),
                caesar_sailed=battle.sailed[0],
                pompey_sailed=battle.sailed[1],
            )
        )

    def _rest(self, key: Any) -> bytes:
        regroup, defector, swaps, outcome = key
        return _section(
            regroup=None if regroup is None else self._names.space[regroup],
            defector=None if defector is None else self._defector(defector),
            swaps=swaps,
            outcome=None
            if outcome is None
            else view_pb2.JuliusCaesarOutcome(
                winner=None if outcome[0] is None else SIDES[outcome[0]], reason=REASONS[outcome[1]]
            ),
        )

    def _defector(self, defector: Defector) -> view_pb2.JuliusCaesarDefector:
        return view_pb2.JuliusCaesarDefector(
            space=self._names.space[defector.space],
            colour=COLOURS[defector.colour],
            moved=defector.moved,
            reserve=defector.reserve,
            block=None if defector.block is None else self._names.block[defector.block],
            steps=defector.steps,
        )


def _section(**fields: Any) -> bytes:
    return view_pb2.JuliusCaesarObservation(**fields).SerializeToString(deterministic=True)


def _piece_row(row: Pieces) -> bytes:
    return bytes((SIDES[row.seat], COLOURS[row.colour], row.moved, row.reserve, row.number))


def _turn(key: Any) -> bytes:
    year, turn, phase, to_act, player1, moves_left, levies_left = key
    return _section(
        year=year,
        turn=turn,
        phase=PHASES[phase],
        to_act=[SIDES[seat] for seat in to_act],
        player1=None if player1 is None else SIDES[player1],
        moves_left=moves_left,
        levies_left=levies_left,
    )


def _cards(key: Any) -> bytes:
    hand, hand_sizes, discard, chosen, played, last_played, spent = key
    return _section(
        hand=hand,
        caesar_hand_size=hand_sizes[0],
        pompey_hand_size=hand_sizes[1],
        caesar_played=played[0],
        pompey_played=played[1],
        caesar_last_played=last_played[0],
        pompey_last_played=last_played[1],
        caesar_spent=spent[0],
        pompey_spent=spent[1],
        discard=discard,
        chosen=chosen,
    )
