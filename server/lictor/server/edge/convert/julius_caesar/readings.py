"""Observations, read from the wire."""

from __future__ import annotations

from lictor.engine.julius_caesar.observation import (
    BattleView,
    Defector,
    FaceUp,
    FightView,
    Observation,
    OwnBlock,
    Pieces,
    RoadUse,
)
from lictor.server.edge.convert.julius_caesar.names import (
    CAME,
    COLOUR_NAMES,
    MAIN,
    PHASE_NAMES,
    REASON_NAMES,
    SIDE_NAMES,
    VIEWER_NAMES,
    Names,
)
from lictor.v1 import julius_caesar_observation_pb2 as view_pb2


class Readings:
    """Reads the observations of one data set."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def read(self, message: view_pb2.JuliusCaesarObservation) -> Observation:
        """Return the observation of a message."""
        names = self._names
        spaces, blocks, edges = names.spaces, names.blocks, names.edges
        own, pieces, roads = message.own_blocks, message.pieces, message.roads
        return Observation(
            viewer=VIEWER_NAMES[message.viewer],
            edition=names.edition,
            deployment=names.deployment,
            data=names.data,
            year=message.year,
            turn=message.turn,
            phase=PHASE_NAMES[message.phase],
            to_act=tuple([SIDE_NAMES[side] for side in message.to_act]),
            player1=SIDE_NAMES[message.player1] if message.HasField("player1") else None,
            moves_left=message.moves_left,
            levies_left=message.levies_left,
            hand=tuple(message.hand),
            hand_sizes=(message.caesar_hand_size, message.pompey_hand_size),
            discard=message.discard if message.HasField("discard") else None,
            chosen=message.chosen if message.HasField("chosen") else None,
            played=(
                message.caesar_played if message.HasField("caesar_played") else None,
                message.pompey_played if message.HasField("pompey_played") else None,
            ),
            last_played=(
                message.caesar_last_played if message.HasField("caesar_last_played") else None,
                message.pompey_last_played if message.HasField("pompey_last_played") else None,
            ),
            spent=(tuple(message.caesar_spent), tuple(message.pompey_spent)),
            blocks=tuple(
                [
                    OwnBlock(blocks[block], spaces[space], steps, moved, reserve)
                    for block, space, steps, moved, reserve in zip(
                        own.block, own.space, own.steps, own.moved, own.reserve, strict=True
                    )
                ]
            ),
            pieces=tuple(
                [
                    Pieces(spaces[space], SIDE_NAMES[side], COLOUR_NAMES[colour], moved, reserve, number)
                    for space, side, colour, moved, reserve, number in zip(
                        pieces.space, pieces.side, pieces.colour, pieces.moved, pieces.reserve, pieces.number,
                        strict=True,
                    )
                ]
            ),
            pool=tuple([blocks[row] for row in message.pool]),
            pool_sizes=(message.caesar_pool_size, message.pompey_pool_size),
            dead=tuple([blocks[row] for row in message.dead]),
            deserters=tuple([blocks[row] for row in message.deserters]),
            points=(message.caesar_points, message.pompey_points),
            fights=self._read_fights(message),
            surprise=spaces[message.surprise] if message.HasField("surprise") else None,
            opened=tuple([spaces[row] for row in message.opened]),
            kept=tuple([spaces[row] for row in message.kept]),
            roads=tuple([RoadUse(*edges[edge], count) for edge, count in zip(roads.edge, roads.blocks, strict=True)]),
            battle=self._read_battle(message.battle) if message.HasField("battle") else None,
            regroup=spaces[message.regroup] if message.HasField("regroup") else None,
            defector=self._read_defector(message.defector) if message.HasField("defector") else None,
            swaps=message.swaps if message.HasField("swaps") else None,
            outcome=_read_outcome(message.outcome) if message.HasField("outcome") else None,
        )  # fmt: skip

    def _read_fights(self, message: view_pb2.JuliusCaesarObservation) -> tuple[FightView, ...]:
        fights, entrances, spaces = message.fights, message.entrances, self._names.spaces
        ways: dict[tuple[int, int], list[str]] = {}
        for space, came, kind in zip(entrances.space, entrances.from_space, entrances.kind, strict=True):
            ways.setdefault((space, kind), []).append(spaces[came])
        return tuple(
            [
                FightView(
                    spaces[space],
                    SIDE_NAMES[attacker],
                    next(iter(ways.get((space, MAIN), ())), None),
                    (tuple(ways.get((space, CAME[0]), ())), tuple(ways.get((space, CAME[1]), ()))),
                )
                for space, attacker in zip(fights.space, fights.attacker, strict=True)
            ]
        )

    def _read_battle(self, battle: view_pb2.JuliusCaesarBattle) -> BattleView:
        blocks, up = self._names.blocks, battle.face_up
        columns = zip(up.block, up.side, up.steps, up.moved, up.acted, strict=True)
        return BattleView(
            self._names.spaces[battle.space],
            battle.round,
            SIDE_NAMES[battle.attacker],
            SIDE_NAMES[battle.side],
            tuple([blocks[row] for row in battle.ready]),
            battle.hits,
            tuple(
                [
                    FaceUp(blocks[row], SIDE_NAMES[side], steps, moved, acted)
                    for row, side, steps, moved, acted in columns
                ]
            ),
            (battle.caesar_sailed, battle.pompey_sailed),
        )

    def _read_defector(self, defector: view_pb2.JuliusCaesarDefector) -> Defector:
        return Defector(
            self._names.spaces[defector.space],
            COLOUR_NAMES[defector.colour],
            defector.moved,
            defector.reserve,
            self._names.blocks[defector.block] if defector.HasField("block") else None,
            defector.steps if defector.HasField("steps") else None,
        )


def _read_outcome(outcome: view_pb2.JuliusCaesarOutcome) -> tuple[str | None, str]:
    winner = SIDE_NAMES[outcome.winner] if outcome.HasField("winner") else None
    return winner, REASON_NAMES[outcome.reason]
