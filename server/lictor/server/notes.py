"""What a bot's notes were worth: its win chances beside the result, its beliefs beside the truth of that moment.

Only a finished match can be scored: the truth is in its record, and its record is written when it ends. Beside the loss
of each belief stands what the game's own `sample` would have lost: the share of worlds, drawn to fit all that the seat
had seen, in which the claim holds. Where all those worlds agree there was nothing to guess; the skill leaves such
claims out, or a bot could collect it by saying what everybody knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lictor.engine import registry
from lictor.engine.chance import Chance, SeededChance, derive_secret
from lictor.engine.game import AnyGame, BadNotation, Seat, seen_events, smoothed
from lictor.engine.record import Record, replay
from lictor.engine.search import sample_worlds
from lictor.server.transcripts import Note, TranscriptError, read_notes

WORLDS = 100
SMALLEST = 1e-6  # of a probability, or being wrong once would outweigh everything


@dataclass(slots=True)
class Beliefs:
    """How beliefs did; losses in nats."""

    claims: int = 0
    open: int = 0  # those on which the sampled worlds do not agree
    lost: float = 0.0
    sampled_lost: float = 0.0  # by the sampled worlds, on the same claims
    open_lost: float = 0.0
    open_sampled_lost: float = 0.0

    def add(self, lost: float, sampled_lost: float, is_open: bool) -> None:
        """Count one claim."""
        self.claims += 1
        self.lost += lost
        self.sampled_lost += sampled_lost
        if is_open:
            self.open += 1
            self.open_lost += lost
            self.open_sampled_lost += sampled_lost

    @property
    def skill(self) -> float | None:
        """1 for the truth, 0 for no better than the sampled worlds, below for worse; over the open claims."""
        return 1 - self.open_lost / self.open_sampled_lost if self.open else None

    def figures(self) -> dict[str, int | float | None]:
        """Return the numbers of claims, the mean losses and the skill."""
        count = self.claims
        loss, baseline = (self.lost / count, self.sampled_lost / count) if count else (None, None)
        return {"claims": count, "open": self.open, "loss": loss, "baseline": baseline, "skill": self.skill}


@dataclass(slots=True)
class Score:
    """What a seat's notes were worth."""

    match: str
    seat: Seat
    result: float | None  # 1 won, 0 lost, a half for a draw; None if the server broke the match off
    worlds: int
    notes: int = 0
    win_chances: int = 0
    brier: float | None = None
    log_loss: float | None = None
    beliefs: Beliefs = field(default_factory=Beliefs)
    kinds: dict[str, Beliefs] = field(default_factory=dict)
    not_understood: int = 0
    complaint: str = ""  # about the first claim that was not understood

    def figures(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            **{name: getattr(self, name) for name in ("match", "seat", "result", "worlds", "notes")},
            "win_chance": {"notes": self.win_chances, "brier": self.brier, "log_loss": self.log_loss},
            "beliefs": {
                **self.beliefs.figures(),
                "not_understood": self.not_understood,
                "complaint": self.complaint,
                "kinds": {kind: found.figures() for kind, found in sorted(self.kinds.items())},
            },
        }


def log_loss(probability: float, truth: float) -> float:
    """Return what a probability costs, in nats, when the truth is 1, 0 or, for a draw, a half."""
    likely = min(max(probability, SMALLEST), 1 - SMALLEST)
    return -(truth * math.log(likely) + (1 - truth) * math.log(1 - likely))


def score(
    played: Record,
    transcript: bytes,
    seat: Seat,
    data: Mapping[str, Any] | None = None,
    worlds: int = WORLDS,
    tell: Callable[[int], None] = lambda _: None,
) -> Score:
    """Score the notes in a seat's transcript by the match's record; `tell` hears how many actions were replayed."""
    game = registry.get(played.header["game"])
    if seat not in game.SEATS:
        raise TranscriptError(f"there is no seat {seat!r:.40}; there are {' and '.join(game.SEATS)}")
    notes = read_notes(transcript, played, seat)
    found = Score(played.header["match"], seat, _result(played, seat), worlds, len(notes))
    _judge_chances(found, notes)
    wanted = {decision for decision, note in notes.items() if note.beliefs}
    for moment in _moments(game, played, seat, data, wanted, tell):
        _judge_beliefs(found, game, notes[moment.decision], moment)
    return found


def _result(played: Record, seat: Seat) -> float | None:
    if played.footer["termination"]["kind"] == "server_abort":
        return None
    winner = played.footer["outcome"]["winner"]
    return 0.5 if winner is None else float(winner == seat)


def _judge_chances(found: Score, notes: Mapping[int, Note]) -> None:
    chances, result = [note.win_chance for note in notes.values() if note.win_chance is not None], found.result
    found.win_chances = len(chances)
    if chances and result is not None:
        found.brier = sum((chance - result) ** 2 for chance in chances) / len(chances)
        found.log_loss = sum(log_loss(chance, result) for chance in chances) / len(chances)


@dataclass(frozen=True, slots=True)
class _Moment:
    """A decision as it was put: what the seat saw and had seen, and what was true."""

    decision: int
    observation: Any
    events: list[Any]
    truth: Any


def _moments(
    game: AnyGame,
    played: Record,
    seat: Seat,
    data: Mapping[str, Any] | None,
    wanted: set[int],
    tell: Callable[[int], None],
) -> Iterator[_Moment]:
    asked, answered, seen = 0, 0, list[Any]()
    for n, (state, events) in enumerate(replay(played, game, data)):
        tell(n)
        seen += seen_events(events, seat)
        if n and played.actions[n - 1]["seat"] == seat:
            answered += 1
        if asked == answered and seat in game.to_act(state):
            asked += 1
            if asked in wanted:
                truth = _with_answers(game, played, seat, state, n)
                yield _Moment(asked, game.observation(state, seat), list(seen), truth)


def _with_answers(game: AnyGame, played: Record, seat: Seat, state: Any, n: int) -> Any:
    """Return the state when a decision was put, and with it what the others answered in secret at the same time."""
    truth = game.copy(state)
    for other in game.to_act(state):
        answer = next((line["action"] for line in played.actions[n:] if line["seat"] == other), None)
        if other != seat and answer is not None:
            game.apply(truth, other, game.parse_action(answer))
    return truth


def _judge_beliefs(found: Score, game: AnyGame, note: Note, moment: _Moment) -> None:
    claims = []
    for text, probability in note.beliefs.items():
        try:
            claim = game.parse_claim(text)
            claims.append((claim, probability, game.holds(moment.truth, claim)))
        except BadNotation as error:
            found.not_understood += 1
            found.complaint = found.complaint or str(error)
    if not claims:
        return
    worlds = _worlds(game, moment, found)
    for claim, probability, truth in claims:
        number = sum(game.holds(world, claim) for world in worlds)
        sampled_lost = log_loss(smoothed(number, len(worlds)), truth)
        for beliefs in (found.beliefs, found.kinds.setdefault(claim.kind, Beliefs())):
            beliefs.add(log_loss(probability, truth), sampled_lost, 0 < number < len(worlds))


def _worlds(game: AnyGame, moment: _Moment, found: Score) -> list[Any]:
    """Draw worlds that fit what the seat had seen, the same every time; what others choose in secret is any of it."""
    seed = derive_secret("notes", found.match, found.seat, str(moment.decision))
    chance: Chance = SeededChance(int.from_bytes(seed[:8], "big"))
    worlds = sample_worlds(game, moment.observation, moment.events, found.worlds, chance)
    for world in worlds:
        for other in game.to_act(world):
            if other != found.seat:
                actions = game.legal_actions(world, other)
                game.apply(world, other, actions[chance.draw(len(actions))])
    return worlds
