"""The fog law over the wire: nothing that a viewer is sent depends on what he may not know.

One match is played in two houses that differ only in that: in the world behind the fog, or in whether a seat has
answered in secret yet. All that the viewer gets, and a spectator, must be equal byte for byte and at the same time.
"""

import dataclasses
import functools
import types
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from trio import current_time

from lictor.engine import julius_caesar
from lictor.engine.game import SPECTATOR
from lictor.engine.julius_caesar import events as told
from lictor.server.edge import lists, watch
from lictor.server.matches import messages as say
from lictor.server.matches.house import House
from lictor.v1 import match_pb2
from lictor.v1 import watch_service_pb2 as watch_pb
from support.worlds import LATENCY, SOUND, Lockstep, Plant, Report, Side

SEATS = julius_caesar.SEATS
VIEWERS = (*SEATS, SPECTATOR)
DEPLOYMENTS = ("historical", "free")
LONG = 10**6

SEAT_KINDS = (
    "decide", "accepted", "events", "refused", "history", "observed", "match_started", "welcome", "match_ended", "done",
    "draw_offered", "draw_declined", "superseded", "close", "ping",
)  # fmt: skip
PUBLIC_KINDS = ("keyframe", "events", "ended", "list")
REFUSALS = ("illegal_action", "not_asked", "already_answered", "no_draw", "entropy_closed", "unknown_match")


def enemy_of(viewer: str) -> str:
    return SEATS[1] if viewer == SEATS[0] else SEATS[0]


def options(seed: int, deployment: str) -> dict[str, str]:
    return {"deployment": deployment, "edition": julius_caesar.EDITIONS[seed // 3 % 2]}


def games(viewer: str, deployment: str, seeds: Iterable[int], orders: int = LONG, plant: Plant = SOUND) -> Report:
    """Play games in two worlds each, and return what was compared."""
    whole = Report()
    for seed in seeds:
        match = Lockstep(viewer, seed, options(seed, deployment), plant=plant)
        whole.add(match.run(lambda it: it.play(orders)))
        if whole.leaks:
            break
    return whole


# --- Worlds ---


def assert_compared(report: Report, viewer: str, deployment: str, games: int) -> None:
    """Make sure that something was compared: every kind of message, in worlds that really differed in everything."""
    assert report.windows >= 10 * games
    assert report.carried >= 200 * games
    assert report.not_carried <= report.carried / 20
    kinds = [f"spectator {kind}" for kind in PUBLIC_KINDS]
    if viewer != SPECTATOR:
        kinds += [f"seat {kind}" for kind in SEAT_KINDS]
        assert [reason for reason in REFUSALS if not report.refusals[reason]] == []
        assert report.messages >= 2500 * games
        assert report.kinds["seat decide"] >= 100 * games
        assert report.kinds["seat refused"] >= 500 * games
    assert [kind for kind in kinds if not report.kinds[kind]] == []
    assert report.kinds["spectator events"] >= 150 * games
    hidden = [kind for kind in julius_caesar.FOG.kinds if kind != "swaps" or deployment == "free"]
    assert [kind for kind in hidden if not report.differed[kind]] == []


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
@pytest.mark.parametrize("viewer", VIEWERS)
def test_two_worlds_that_look_alike_are_told_alike(viewer: str, deployment: str) -> None:
    report = games(viewer, deployment, (1, 3))
    print(report)
    assert report.leaks == []
    assert_compared(report, viewer, deployment, 2)


@pytest.mark.soak
@pytest.mark.parametrize("deployment", DEPLOYMENTS)
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("first", range(1000, 1040, 10))
def test_many_more_worlds_are_told_alike(viewer: str, deployment: str, first: int) -> None:
    report = games(viewer, deployment, range(first, first + 10))
    assert report.leaks == []
    assert_compared(report, viewer, deployment, 10)


# --- Whether a seat has answered in secret ---


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_restart_does_not_tell_who_has_answered(viewer: str) -> None:
    report = Lockstep(viewer, 1, {}, redeal=False, restarts=True).run(lambda it: it.play(LONG))
    assert report.leaks == []
    assert report.restarts >= 3
    assert report.windows >= 15


async def go_to_a_secret_question(it: Lockstep, number: int) -> str:
    """Play up to a question that both seats answer in secret; return the seat that is to answer unseen."""
    while it.report.windows < number or len(it.seats) == 1:
        await it.play(it.report.orders + 1)
    return enemy_of(it.viewer)


Meanwhile = Callable[[Lockstep], Awaitable[bool | None]]


def in_a_window(viewer: str, number: int, meanwhile: Meanwhile, *, redeal: bool = True) -> Report:
    """Do something while one seat has answered in secret in the first house, but not in the second."""

    async def plan(it: Lockstep) -> None:
        quiet = await go_to_a_secret_question(it, number)
        windows = it.report.windows
        await it.window(quiet, lambda: meanwhile(it))
        assert it.report.windows == windows + 1

    return Lockstep(viewer, number, {}, redeal=redeal).run(plan)


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("viewer", VIEWERS)
def test_after_a_restart_a_long_thought_does_not_show(viewer: str, number: int) -> None:
    async def restart(it: Lockstep) -> bool:
        await it.wait(2 * LATENCY)
        await it.restart()
        await it.ask_around()
        it.look()
        it.compare()
        return True

    report = in_a_window(viewer, number, restart, redeal=False)
    assert report.leaks == []
    assert report.restarts == 1


def resign(it: Lockstep, seat: str) -> None:
    it.both(seat, say.Resign(it.one.match.id))


def agree(it: Lockstep, seat: str) -> None:
    for each in (seat, enemy_of(seat)):
        it.both(each, say.OfferDraw(it.one.match.id))


def accept(it: Lockstep, seat: str) -> None:
    it.both(seat, say.OfferDraw(it.one.match.id))
    it.both(enemy_of(seat), say.AnswerDraw(it.one.match.id, accept=True))


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("who", ["viewer", "other"])
@pytest.mark.parametrize("end", [resign, agree, accept])
def test_the_end_of_a_match_does_not_tell_who_had_answered(
    end: Callable[[Lockstep, str], None], who: str, viewer: str, number: int
) -> None:
    async def ending(it: Lockstep) -> bool:
        await it.wait(2 * LATENCY)
        await it.ask_around()
        it.compare()
        end(it, it.viewer if who == "viewer" and it.viewer in SEATS else enemy_of(it.viewer))
        await it.wait_for_the_end()
        if it.viewer in SEATS:
            it.both(it.viewer, say.Observe(it.one.match.id))
        it.compare()
        return True

    report = in_a_window(viewer, number, ending)
    assert report.leaks == []
    assert report.kinds["spectator ended"] == 1
    assert report.kinds["seat match_ended"] == (2 if viewer in SEATS else 0)


def observe(it: Lockstep) -> None:
    it.both(it.viewer, say.Observe(it.one.match.id))


def history(it: Lockstep) -> None:
    it.both(it.viewer, say.GetHistory(it.one.match.id, 0))


def refusal(it: Lockstep) -> None:
    it.both(it.viewer, say.Act(it.one.match.id, LONG, [say.Choice(index=0)]))


def repeated(it: Lockstep) -> None:
    it.both(it.viewer, say.AnswerDraw(it.one.match.id, accept=False))


def new_stream(it: Lockstep) -> None:
    for side in it.sides:
        side.join(it.viewer)


def new_spectator(it: Lockstep) -> None:
    for side in it.sides:
        side.watch()


def listing(it: Lockstep) -> None:
    for side in it.sides:
        side.list_matches()


ASKING = (observe, history, refusal, repeated, new_stream, new_spectator, listing)


@pytest.mark.parametrize("ask", ASKING)
def test_an_answer_on_its_way_to_the_disk_holds_up_nobody_who_may_not_know_of_it(
    ask: Callable[[Lockstep], None],
) -> None:
    async def while_it_is_written(it: Lockstep) -> None:
        began = current_time()
        await it.wait(LATENCY / 4)
        ask(it)
        it.both(it.viewer, say.Ping(1))
        await it.wait(LATENCY / 4)
        assert current_time() - began < LATENCY
        it.compare()
        await it.wait(LATENCY)
        it.compare()

    report = in_a_window(SEATS[0], 2, while_it_is_written)
    assert report.leaks == []
    assert report.kinds["seat pong"] == 1


@pytest.mark.parametrize("viewer", VIEWERS)
def test_the_answer_to_two_secret_questions_in_one_act_shows_as_the_first(viewer: str) -> None:
    async def plan(it: Lockstep) -> None:
        assert len(it.seats) == 2
        await it.ahead(enemy_of(viewer))
        await it.play(it.report.orders + 40)

    report = Lockstep(viewer, 1, {}, redeal=False).run(plan)
    assert report.leaks == []
    assert report.orders > 40


@pytest.mark.parametrize(("here", "there"), [(3, 3), (3, 1), (2, 0)])
@pytest.mark.parametrize("viewer", VIEWERS)
def test_nobody_notices_how_often_the_enemy_swaps(viewer: str, here: int, there: int) -> None:
    async def plan(it: Lockstep) -> None:
        quiet = enemy_of(viewer)
        while it.seats != (quiet,):
            await it.order(it.seats[0])
        await it.hushed_orders(quiet, here, there)
        await it.play(it.report.orders + 40)

    report = Lockstep(viewer, 1, {"deployment": "free"}).run(plan)
    assert report.leaks == []
    assert report.orders >= 40


# --- Planted leaks ---


def hand_of(side: Side, viewer: str) -> int:
    """A number that is hidden from the viewer."""
    if side.match.recorder is None:
        return 0
    return sum(side.state.hands[SEATS.index(enemy_of(viewer))])


def changing(kinds: type | tuple[type, ...], change: Callable[[Side, str, Any], dict[str, Any]]) -> Plant:
    """Return houses whose messages of some kinds are changed."""

    def spoil(side: Side, seat: str, message: say.Response) -> say.Response:
        if not isinstance(message, kinds) or side.match.recorder is None:
            return message
        return dataclasses.replace(message, **change(side, seat, message))

    return Plant(spoil=spoil)


def events_of_all(side: Side) -> int:
    return sum(len(chair.history) for chair in side.match.chairs.values())


def live_banks() -> Plant:
    """The banks of both seats as they are."""
    return changing(
        (say.Decide, say.Observed),
        lambda side, _, __: {"banks": [chair.bank_ms for chair in side.match.chairs.values()]},
    )


def shared_event_numbers() -> Plant:
    """Events numbered over all viewers."""
    return changing(
        say.Decide,
        lambda side, _, message: {"told": dataclasses.replace(message.told, first=events_of_all(side))},
    )


def shared_last_number() -> Plant:
    """The number of the last event of anybody."""
    return changing(say.History, lambda side, _, __: {"last": events_of_all(side)})


def events_at_return() -> Plant:
    """The number of events of anybody, after a reconnect."""
    return changing(say.MatchStarted, lambda side, _, __: {"events": events_of_all(side)})


def shared_decision_numbers() -> Plant:
    """Decisions numbered over both seats."""
    return changing(say.Decide, lambda side, _, __: {"decision": len(side.match.recorder or ()) + 1})


def who_is_to_act() -> Plant:
    """Whether the other seat owes a decision, after a reconnect."""
    return changing(
        say.Welcome,
        lambda side, seat, message: {
            "seats": [dataclasses.replace(s, to_act=side.match.owes(enemy_of(seat))) for s in message.seats]
        },
    )


def refusal_by_name() -> Plant:
    """A refusal that tells the enemy's cards."""
    return changing(say.Refused, lambda side, seat, message: {"text": f"{message.text} {hand_of(side, seat)}"})


def refusal_by_field() -> Plant:
    """A refusal that counts by what is hidden, where it does not show in the text."""
    return changing(say.Refused, lambda side, seat, _: {"retry_after_ms": hand_of(side, seat) % 2})


def limit_by_hand() -> Plant:
    """A little less time against a strong hand."""
    return changing(say.Decide, lambda side, seat, message: {"limit_ms": message.limit_ms - hand_of(side, seat) % 3})


def server_time() -> Plant:
    """The server is slower with more cards in the enemy's hand."""
    return changing(say.Decide, lambda side, seat, message: {"server_ms": message.server_ms + hand_of(side, seat) / 64})


def batch_stop() -> Plant:
    """A batch stops for another reason."""
    return changing(
        say.Accepted,
        lambda side, seat, message: {"stopped": say.Stop.NEWS if hand_of(side, seat) % 2 else message.stopped},
    )


def position_of_another() -> Plant:
    """Observe is answered with what the enemy sees."""
    return changing(
        say.Observed,
        lambda side, seat, _: {"observation": julius_caesar.observation(side.state, enemy_of(seat))},
    )


def padding() -> Plant:
    """Messages that are longer by what is hidden."""
    return Plant(pad=lambda side, seat: hand_of(side, seat) % 4)


def slow_disk() -> Plant:
    """An action with a long name takes longer to write."""
    return Plant(delay=lambda row: len(row.action) / 2**14)


def planted(**changes: Any) -> Plant:
    """Return houses that play a changed game."""
    names = {name: getattr(julius_caesar, name) for name in julius_caesar.__all__}
    return Plant(game=types.SimpleNamespace(**{**names, **changes}))


def legal_order() -> Plant:
    """Legal actions in an order that depends on the enemy's blocks."""

    def legal_actions(state: Any, seat: str) -> Any:
        found = julius_caesar.legal_actions(state, seat)
        enemy = 1 - SEATS.index(seat)
        return found[::-1] if sum(state.steps[b] for stack in state.stacks[enemy] for b in stack) % 2 else found

    return planted(legal_actions=legal_actions)


class OpenMove(told.Moved):
    """A move that shows everybody the block."""

    __slots__ = ()

    def seen_by(self, _viewer: str) -> Any:
        return told.Moved(self.seat, self.block, self.colour, self.path, self.by_sea, self.attacks, self.reserve)


def named_moves() -> Plant:
    """Moves that name the block."""

    def apply(state: Any, seat: str, action: Any) -> Any:
        return [
            OpenMove(e.seat, e.block, e.colour, e.path, e.by_sea, e.attacks, e.reserve)
            if isinstance(e, told.Moved)
            else e
            for e in julius_caesar.apply(state, seat, action)
        ]

    return planted(apply=apply)


def turn_by_hand() -> Plant:
    """The clock is paid by what is hidden."""

    def turn_number(state: Any) -> int:
        return julius_caesar.turn_number(state) + 5 * int(sum(state.hands[0]) % 2)

    return planted(turn_number=turn_number)


def public_live_banks() -> Plant:
    """The spectator's banks as they are."""

    def spoil(side: Side, data: bytes) -> bytes:
        response = watch_pb.WatchResponse.FromString(data)
        if response.HasField("keyframe"):
            response.keyframe.bank_ms[:] = [chair.bank_ms for chair in side.match.chairs.values()]
        return response.SerializeToString()

    return Plant(spoil_public=spoil)


def public_size() -> Plant:
    """The spectator's events are longer by what is hidden."""
    return Plant(spoil_public=lambda side, data: data + b"\xfa\x7f" + bytes((n := hand_of(side, "") % 3, *bytes(n))))


PLANTS = {  # and a word of what must be found
    live_banks: "bank_ms",
    shared_event_numbers: "first",
    shared_last_number: "last",
    events_at_return: "match_started",
    shared_decision_numbers: "decision_id",
    who_is_to_act: "to_act",
    refusal_by_name: "text",
    refusal_by_field: "retry_after_ms",
    limit_by_hand: "limit_ms",
    server_time: "last_server_ms",
    batch_stop: "stopped",
    position_of_another: "observed",
    padding: "bytes",
    slow_disk: "it comes at",
    legal_order: "decide",
    named_moves: "block",
    turn_by_hand: "bank_ms",
    public_live_banks: "keyframe",
    public_size: "bytes",
}


def search(plant: Plant) -> list[str]:
    """Look for a leak as the test of the sound house does."""
    for seed in (1, 3):
        for viewer in VIEWERS:
            leaks = games(viewer, "historical", (seed,), 120, plant).leaks
            if leaks:
                return leaks
    return []


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_caught(plant: Callable[[], Plant]) -> None:
    leaks = search(plant())
    assert leaks, plant.__doc__
    assert PLANTS[plant] in leaks[0]


def test_a_list_that_counts_secret_answers_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = lists.open_summary

    def counting(match: Any) -> match_pb2.MatchSummary:
        summary = honest(match)
        summary.public_actions = len(match.recorder)
        return summary

    monkeypatch.setattr(watch, "open_summary", counting)
    assert "public_actions" in search(SOUND)[0]


def test_a_message_that_goes_with_a_secret_answer_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    @functools.wraps(House.decided)
    def decided(self: House, *_: Any) -> None:
        for session in self.sessions.values():
            self.ping(session)

    monkeypatch.setattr(House, "decided", decided)
    assert "ping" in search(SOUND)[0]


def test_the_same_search_finds_nothing_in_a_sound_house() -> None:
    assert search(planted()) == []
