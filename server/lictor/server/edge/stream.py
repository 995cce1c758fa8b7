"""The stream's messages as bytes. Only here do the wire's types and the house's meet.

What is sent at every decision is put together from bytes by hand: messages concatenate, and a field is its tag, its
length and its bytes. Building the same from nested message objects costs several times as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lictor.engine.game import CLAIM_LENGTH, MOST_CLAIMS
from lictor.server.edge.convert.wire import Memo, sized, tag, varint
from lictor.server.matches import messages as say
from lictor.server.matches.clocks import BadClock, Clock
from lictor.server.matches.settings import Settings
from lictor.server.store import Ending
from lictor.v1 import match_pb2
from lictor.v1 import play_service_pb2 as pb

KINDS = {
    "victory": match_pb2.TERMINATION_KIND_VICTORY,
    "draw": match_pb2.TERMINATION_KIND_DRAW,
    "draw_agreed": match_pb2.TERMINATION_KIND_DRAW_AGREED,
    "resignation": match_pb2.TERMINATION_KIND_RESIGNATION,
    "time": match_pb2.TERMINATION_KIND_TIME,
    "illegal_action": match_pb2.TERMINATION_KIND_ILLEGAL_ACTION,
    "abandonment": match_pb2.TERMINATION_KIND_ABANDONMENT,
    "adjudication": match_pb2.TERMINATION_KIND_ADJUDICATION,
    "server_abort": match_pb2.TERMINATION_KIND_SERVER_ABORT,
}


def tag_of(message: Any, field: str) -> bytes:
    """Return what goes before a field that has a length."""
    return tag(message.DESCRIPTOR.fields_by_name[field].number)


class Malformed(Exception):
    """A message that cannot be taken as it is; `refused` says why."""

    def __init__(self, text: str, field: str = "", reason: say.Reason = say.Reason.MALFORMED, limit: str = "") -> None:
        super().__init__(text)
        self.refused = say.Refused(reason, text, field, limit=limit)


# --- Bytes by hand ---

_DECIDE, _ACCEPTED, _EVENTS = (tag_of(pb.PlayResponse, name) for name in ("decide", "accepted", "events"))
_OBSERVATION, _TOLD, _LEGAL_TAG = (tag_of(pb.Decide, name) for name in ("observation", "events", "legal"))
_TYPED, _NOTATION = (tag_of(pb.LegalAction, name) for name in ("action", "notation"))
_EVENT = tag_of(pb.Events, "events")
_REQUEST_ID = varint(pb.PlayResponse.DESCRIPTOR.fields_by_name["request_id"].number << 3)
_MOST_LEGAL = 50_000
_FAULT_LENGTH = 500


def _entries(codec: say.Codec, typed: bool) -> Memo[Any, bytes]:
    """Return a memory of the entries of legal lists, tag and all: an action's entry is the same every time."""

    def write(action: Any) -> bytes:
        body = sized(_TYPED, codec.action(action)) if typed else b""
        return sized(_LEGAL_TAG, body + sized(_NOTATION, str(action).encode()))

    return Memo(write, _MOST_LEGAL)


_ENTRIES: Memo[tuple[say.Codec, bool], Memo[Any, bytes]] = Memo(lambda key: _entries(*key), 128)


def events_bytes(told: say.Told, words: bool) -> bytes:
    """Return an `Events` message."""
    head = pb.Events(match_id=told.match, first=told.first)
    if words:
        head.words.extend([told.codec.words(event, told.viewer) for event in told.events])
    parts = [head.SerializeToString()]
    for event in told.events:
        parts += (_EVENT, varint(len(event)), event)
    return b"".join(parts)


def _decide(message: say.Decide, words: bool, typed: bool) -> bytes:
    head = pb.Decide(
        match_id=message.match,
        decision_id=message.decision,
        bank_ms=message.banks,
        limit_ms=message.limit_ms,
        last_server_ms=message.server_ms,
        last_wire_ms=message.wire_ms,
        last_think_ms=message.think_ms,
        last_charged_ms=message.charged_ms,
        illegal_actions=message.strikes,
    )
    codec = message.codec
    parts = [
        head.SerializeToString(),
        sized(_OBSERVATION, codec.observation(message.observation)),
        sized(_TOLD, events_bytes(message.told, words)),
    ]
    parts += map(_ENTRIES[codec, typed].__getitem__, message.actions)
    return sized(_DECIDE, b"".join(parts))


# --- What the house says ---


class Encoder:
    """Writes what the house says to one stream, with the features that stream asked for."""

    def __init__(self, settings: Settings, server: str, epochs: Mapping[str, int]) -> None:
        self._settings, self._server, self._epochs = settings, server, epochs
        self.words = False
        self.typed = True

    def encode(self, message: say.Response) -> bytes:
        """Return a message as bytes of a `PlayResponse`."""
        match message:
            case say.Decide():
                return _decide(message, self.words, self.typed)
            case say.Accepted():
                accepted = pb.Accepted(
                    match_id=message.match,
                    decision_id=message.decision,
                    applied=message.applied,
                    stopped=int(message.stopped),  # type: ignore[arg-type]
                )
                return self._enveloped(_ACCEPTED, accepted.SerializeToString(), message.request)
            case say.Told():
                return self._enveloped(_EVENTS, events_bytes(message, self.words), message.request)
            case _:
                response = pb.PlayResponse(request_id=message.request)
                _FILL[type(message)](self, response, message)
                return response.SerializeToString()

    def _enveloped(self, field: bytes, body: bytes, request: int) -> bytes:
        envelope = sized(field, body)
        return _REQUEST_ID + varint(request) + envelope if request else envelope

    def _refused(self, response: pb.PlayResponse, message: say.Refused) -> None:
        refused = response.refused
        refused.reason = int(message.reason)  # type: ignore[assignment]
        refused.text, refused.field, refused.match_id = message.text, message.field, message.match
        refused.decision_id, refused.limit, refused.played = message.decision, message.limit, message.played
        refused.retry_after_ms = message.retry_after_ms
        if message.left is not None:
            refused.illegal_actions_left = message.left

    def _welcome(self, response: pb.PlayResponse, message: say.Welcome) -> None:
        welcome, limits = response.welcome, self._settings.limits
        welcome.protocol, welcome.bot, welcome.server = message.protocol, message.bot, self._server
        welcome.features.extend(message.features)
        welcome.max_matches = message.max_matches
        for game, epoch in self._epochs.items():
            welcome.games.add(game=game, rules_epoch=epoch)
        for name in pb.Limits.DESCRIPTOR.fields_by_name:
            setattr(welcome.limits, name, getattr(limits, name))
        for entry in message.seats:
            seat = welcome.seats.add(match_id=entry.match, seat=entry.seat, to_act=entry.to_act)
            if entry.held:
                seat.held = entry.held
        welcome.default_clock.CopyFrom(clock_message(self._settings.clock))

    def _started(self, response: pb.PlayResponse, message: say.MatchStarted) -> None:
        started = response.match_started
        started.match_id, started.game, started.data = message.match, message.game, message.data
        started.options.update(message.options)
        started.rules_epoch, started.seat = message.rules_epoch, message.seat
        for seat, bot in message.seats.items():
            started.seats.add(seat=seat, bot=bot, version=message.versions.get(seat, ""))
        started.clock.CopyFrom(clock_message(message.clock))
        started.commitment, started.entropy_wanted = message.commitment, message.entropy_wanted
        started.resumed, started.events = message.resumed, message.events
        started.origin_id = message.origin

    def _ended(self, response: pb.PlayResponse, message: say.MatchEnded) -> None:
        ended = response.match_ended
        ended.match_id, ended.secret = message.match, message.secret
        ended.termination.CopyFrom(termination_message(message.ending))
        ended.events.MergeFromString(events_bytes(message.told, self.words))
        if message.observation is not None:
            ended.observation.MergeFromString(message.codec.observation(message.observation))

    def _history(self, response: pb.PlayResponse, message: say.History) -> None:
        history = response.history
        history.events.MergeFromString(events_bytes(message.told, self.words))
        if message.opening is not None:
            history.opening.MergeFromString(message.opening)
        history.last = message.last

    def _observed(self, response: pb.PlayResponse, message: say.Observed) -> None:
        observed = response.observed
        observed.match_id, observed.events = message.match, message.events
        observed.bank_ms.extend(message.banks)
        if message.observation is not None:
            observed.observation.MergeFromString(message.codec.observation(message.observation))

    def _challenged(self, response: pb.PlayResponse, message: say.Challenged) -> None:
        asked = response.challenged
        asked.challenge_id, asked.opponent, asked.game = message.id, message.opponent, message.game
        asked.options.update(message.options)
        asked.seat = message.seat
        asked.clock.CopyFrom(clock_message(message.clock))

    def _short(self, response: pb.PlayResponse, message: Any) -> None:
        match message:
            case say.Done():
                response.done.id = message.id
                response.done.SetInParent()
            case say.ChallengeClosed():
                response.challenge_closed.challenge_id = message.id
                response.challenge_closed.reason = message.reason
            case say.DrawOffered():
                response.draw_offered.match_id, response.draw_offered.seat = message.match, message.seat
            case say.DrawDeclined():
                response.draw_declined.match_id = message.match
            case say.Superseded():
                response.superseded.text = message.text
            case say.ServerPing():
                response.ping.nonce = message.nonce
            case say.ServerPong():
                response.pong.nonce = message.nonce


_FILL: dict[type, Callable[[Encoder, pb.PlayResponse, Any], None]] = {
    say.Refused: Encoder._refused,
    say.Welcome: Encoder._welcome,
    say.MatchStarted: Encoder._started,
    say.MatchEnded: Encoder._ended,
    say.History: Encoder._history,
    say.Observed: Encoder._observed,
    say.Challenged: Encoder._challenged,
    **dict.fromkeys(
        (
            say.Done,
            say.ChallengeClosed,
            say.DrawOffered,
            say.DrawDeclined,
            say.Superseded,
            say.ServerPing,
            say.ServerPong,
        ),
        Encoder._short,
    ),
}


def clock_message(clock: Clock) -> match_pb2.ClockSettings:
    """Return a time control as the wire has it."""
    return match_pb2.ClockSettings(**clock.values())


def termination_message(ending: Ending) -> match_pb2.Termination:
    """Return an ending as the wire has it."""
    return match_pb2.Termination(
        kind=KINDS[ending.kind],
        seat=ending.seat,
        winner=ending.winner,
        reason=ending.reason,
        score=ending.score,
        text=ending.text,
    )


# --- What a bot says ---


def decode(request: pb.PlayRequest, settings: Settings) -> say.Request:
    """Return what a bot says, or raise `Malformed`."""
    kind = request.WhichOneof("message")
    reader = _READERS.get(kind or "")
    if reader is None:
        raise Malformed("the message is empty, or of a kind that this server does not know", "message")
    message = getattr(request, kind or "")
    try:
        return reader(message, settings)
    except Malformed as error:
        error.refused.match = getattr(message, "match_id", "")[:100]
        error.refused.decision = getattr(message, "decision_id", 0)
        raise


def _act(act: pb.Act, settings: Settings) -> say.Act:
    most = settings.limits.batch
    if not act.actions:
        raise Malformed("an Act has at least one action", "act.actions")
    if len(act.actions) > most:
        text = f"an Act has at most {most} actions, not {len(act.actions)}"
        raise Malformed(text, "act.actions", say.Reason.LIMIT, "batch")
    choices = []
    for choice in act.actions:
        form = choice.WhichOneof("form")
        if form == "index":
            choices.append(say.Choice(index=choice.index))
        elif form == "notation":
            choices.append(say.Choice(notation=choice.notation))
        elif form == "action":
            choices.append(say.Choice(typed=choice.action))
        else:
            choices.append(say.Choice())
    note = _note(act.note, act.decision_id) if act.HasField("note") else None
    return say.Act(act.match_id, act.decision_id, choices, note)


def _note(note: pb.Note, decision: int) -> dict[str, Any]:
    noted: dict[str, Any] = {"text": note.text[:2000], "decision": decision}
    if note.HasField("win_chance"):
        if not 0 <= note.win_chance <= 1:
            raise Malformed("a win chance lies between 0 and 1", "act.note.win_chance")
        noted["win_chance"] = round(note.win_chance, 6)
    if len(note.beliefs) > MOST_CLAIMS:
        raise Malformed(f"a note has at most {MOST_CLAIMS} beliefs, not {len(note.beliefs)}", "act.note.beliefs")
    if note.beliefs:
        noted["beliefs"] = _beliefs(note.beliefs)
    return noted


def _beliefs(given: Iterable[pb.Belief]) -> dict[str, float]:
    beliefs: dict[str, float] = {}
    for i, belief in enumerate(given):
        where, claim = f"act.note.beliefs[{i}]", belief.claim
        if not 0 < len(claim) <= CLAIM_LENGTH or not claim.isascii() or not claim.isprintable():
            raise Malformed(f"a claim has 1 to {CLAIM_LENGTH} printable ASCII characters", f"{where}.claim")
        if claim in beliefs:
            raise Malformed("the same claim is made twice", f"{where}.claim")
        if not belief.HasField("probability") or not 0 <= belief.probability <= 1:
            raise Malformed("a belief needs a probability between 0 and 1", f"{where}.probability")
        beliefs[claim] = round(belief.probability, 6)
    return beliefs


def _clock(message: pb.Seek | pb.Challenge, settings: Settings, where: str) -> Clock | None:
    if not message.HasField("clock"):
        return None
    given = message.clock
    try:
        return Clock(
            given.base_ms,
            given.increment_ms,
            given.per_decision_ms,
            given.start_grace_ms if given.HasField("start_grace_ms") else settings.clock.start_grace_ms,
            settings.clock.lag_allowance_ms,
            given.reconnect_grace_ms if given.HasField("reconnect_grace_ms") else settings.clock.reconnect_grace_ms,
        )
    except BadClock as error:
        raise Malformed(str(error), f"{where}.clock", say.Reason.BAD_OPTION) from error


def _seek(seek: pb.Seek, settings: Settings) -> say.Seek:
    return say.Seek(seek.game, dict(seek.options), seek.seat, _clock(seek, settings, "seek"), seek.matches)


def _challenge(asked: pb.Challenge, settings: Settings) -> say.Challenge:
    clock = _clock(asked, settings, "challenge")
    return say.Challenge(asked.opponent, asked.game, dict(asked.options), asked.seat, clock)


_READERS: dict[str, Callable[[Any, Settings], say.Request]] = {
    "act": _act,
    "entropy": lambda message, _: say.Entropy(message.match_id, message.entropy),
    "seek": _seek,
    "challenge": _challenge,
    "answer_challenge": lambda message, _: say.AnswerChallenge(message.challenge_id, message.accept),
    "cancel": lambda message, _: say.Cancel(message.id),
    "leave": lambda _message, _settings: say.Leave(),
    "resign": lambda message, _: say.Resign(message.match_id, message.fault[:_FAULT_LENGTH]),
    "offer_draw": lambda message, _: say.OfferDraw(message.match_id),
    "answer_draw": lambda message, _: say.AnswerDraw(message.match_id, message.accept),
    "get_history": lambda message, _: say.GetHistory(message.match_id, message.first),
    "observe": lambda message, _: say.Observe(message.match_id),
    "ping": lambda message, _: say.Ping(message.nonce),
    "pong": lambda message, _: say.Pong(message.nonce),
}


def join_features(features: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """Return the features that are on, or raise `Malformed` for one that cannot be had."""
    there, on = set(known), set()
    for feature in features:
        name, optional = feature.removesuffix("?"), feature.endswith("?")
        if name in there:
            on.add(name)
        elif not optional:
            text = f"no feature {name!r:.40}; there are {', '.join(sorted(there))}"
            raise Malformed(text, "hello.features", say.Reason.UNSUPPORTED_FEATURE)
    return frozenset(on)
