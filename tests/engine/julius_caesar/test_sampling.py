"""Samples fit what was seen: where a search bot begins."""

from collections import Counter

from lictor.engine import julius_caesar as game
from lictor.engine.chance import SeededChance
from lictor.engine.game import seen_events
from lictor.engine.julius_caesar.matching import assign
from lictor.engine.julius_caesar.sampling import sample
from lictor.engine.julius_caesar.state import State
from support.position import at, play, position, roll, steps


class Watcher:
    """Plays a game from its start and keeps what one viewer saw."""

    def __init__(self, viewer: str, seed: int = 3, **options: object) -> None:
        self.viewer = viewer
        self.state = game.new_game(options, SeededChance(seed))
        self.events: list[object] = []

    def play(self, seat: str, *orders: str) -> None:
        for order in orders:
            events = game.apply(self.state, seat, game.parse_action(order))
            self.events += seen_events(events, self.viewer)

    def worlds(self, count: int = 60) -> list[State]:
        seen = game.observation(self.state, self.viewer)
        return [sample(seen, self.events, SeededChance(seed)) for seed in range(count)]  # type: ignore[arg-type]

    def begin_turn(self, caesar: str, pompey: str) -> None:
        """Discard something, then play the named kinds of card, whatever the deal."""
        for seat, card in (("caesar", caesar), ("pompey", pompey)):
            hand = list(self.state.hands)
            wanted = next(c.id for c in self.state.facts.cards if c.name == card and c.id not in hand[0] + hand[1])
            index = game.SEATS.index(seat)
            swapped = hand[index][0]
            self.state.hands[index] = tuple(sorted((*hand[index][1:], wanted)))
            self.state.deck = tuple(sorted(swapped if c == wanted else c for c in self.state.deck))
            self.state.known_legal = None
            discards = [a for a in game.legal_actions(self.state, seat) if str(a) != f"discard {wanted}"]
            self.play(seat, str(discards[0]))
            setattr(self, seat, wanted)
        self.play("caesar", f"play {self.caesar}")  # type: ignore[attr-defined]
        self.play("pompey", f"play {self.pompey}")  # type: ignore[attr-defined]


def test_the_historical_deployment_is_known_to_all() -> None:
    watcher = Watcher("caesar")
    for world in watcher.worlds(10):
        assert at(world, "pompey") == "neapolis"
        assert steps(world, "legio_2") == 4
        assert at(world, "brutus") == "pool"


def test_a_free_deployment_keeps_the_pool_but_hides_who_stands_where() -> None:
    watcher = Watcher("caesar", deployment="free")
    watcher.play("caesar", "end_deployment")
    watcher.play("pompey", "swap legio_2 scipio", "end_deployment")
    places = Counter(at(world, "scipio") for world in watcher.worlds())
    assert len(places) > 3
    assert "pool" not in places
    assert all(at(world, "brutus") == "pool" for world in watcher.worlds(10))


def test_a_piece_that_left_a_group_may_be_any_of_those_that_could() -> None:
    """Of Pompey, Legio 1 and Navis 1 in Neapolis, one goes to Rome by road: the Navis it was not."""
    watcher = Watcher("caesar")
    watcher.begin_turn("2/1", "2/2")
    watcher.play("caesar", "end_moves", "end_levies")
    watcher.play("pompey", "move legio_1 rome")
    worlds = watcher.worlds()
    in_rome = Counter(next(b for b in ("pompey", "legio_1", "p_navis_1") if at(w, b) == "rome") for w in worlds)
    assert set(in_rome) == {"pompey", "legio_1"}
    assert min(in_rome.values()) > 10
    assert all(at(world, "p_navis_1") == "neapolis" for world in worlds)


def test_a_piece_that_put_to_sea_is_the_navis() -> None:
    watcher = Watcher("spectator")
    watcher.begin_turn("2/1", "2/2")
    watcher.play("caesar", "end_moves", "end_levies")
    watcher.play("pompey", "move p_navis_1 mare_tyrrhenum")
    for world in watcher.worlds(20):
        assert at(world, "p_navis_1") == "mare_tyrrhenum"
        assert {at(world, "pompey"), at(world, "legio_1")} == {"neapolis"}


def test_a_new_levy_has_one_step_and_can_be_raised_where_it_stands() -> None:
    watcher = Watcher("caesar")
    watcher.begin_turn("2/1", "2/2")
    watcher.play("caesar", "end_moves", "end_levies")
    watcher.play("pompey", "end_moves", "levy p_auxilia_1 syracuse")
    worlds = watcher.worlds()
    raised = Counter(
        b for w in worlds for b, e in game.snapshot(w)["blocks"].items() if e["at"] == "syracuse" and e["steps"] == 1
    )
    # Legio 37 stands there; only auxilia, ballista and Navis can be new in Syracuse.
    assert set(raised) <= {f"p_auxilia_{n}" for n in (1, 2, 3, 4)} | {"p_ballista", "p_navis_4", "p_navis_5"}
    assert len(raised) > 4
    assert all(at(world, "legio_37") == "syracuse" and steps(world, "legio_37") == 3 for world in worlds)


def test_what_was_seen_in_battle_stays_known_until_it_mingles() -> None:
    watcher = Watcher("caesar")
    watcher.begin_turn("3/1", "2/2")
    watcher.play("caesar", "move legio_7 tarraco", "end_moves", "end_levies")
    watcher.play("pompey", "end_moves", "end_levies")
    state = watcher.state
    while game.to_act(state) and game.snapshot(state)["phase"] in ("battle", "hits"):
        seat = game.to_act(state)[0]
        actions = [str(a) for a in game.legal_actions(state, seat)]
        watcher.play(seat, next((a for a in actions if a.startswith("pass")), actions[0]))
    truth = {b: steps(state, b) for b in ("legio_5", "legio_6", "p_equitatus_1")}
    for world in watcher.worlds(20):
        assert {b: steps(world, b) for b in truth} == truth
        assert {at(world, b) for b in truth} == {"tarraco"}


def test_cards_that_were_seen_are_in_nobodys_hand() -> None:
    watcher = Watcher("caesar")
    watcher.begin_turn("2/1", "2/2")
    for world in watcher.worlds(20):
        hand, own = world.hands[1], watcher.state.hands[0]
        assert not set(hand) & {*own, watcher.state.discards[0], *watcher.state.spent[0], *watcher.state.spent[1]}
        assert len(hand) == 4


def test_a_sampled_state_plays_on_to_the_end() -> None:
    for seed in range(6):
        watcher = Watcher("pompey", seed)
        choose = SeededChance(seed)
        for _ in range(40 * seed):
            seat = game.to_act(watcher.state)[0]
            actions = game.legal_actions(watcher.state, seat)
            watcher.play(seat, str(actions[choose.draw(len(actions))]))
        for world in watcher.worlds(2):
            while seats := game.to_act(world):
                actions = game.legal_actions(world, seats[0])
                game.apply(world, seats[0], actions[choose.draw(len(actions))])
            assert game.outcome(world) is not None


def test_a_sample_without_the_history_fits_the_observation_alone() -> None:
    state = position("rome pompey: legio_1/3 legio_2/2\nravenna caesar: legio_13 legio_14")
    seen = game.observation(state, "caesar")
    found: Counter[str] = Counter()
    for seed in range(40):
        world = sample(seen, [], SeededChance(seed))
        assert game.observation(world, "caesar") == seen
        found += Counter(b for b, e in game.snapshot(world)["blocks"].items() if e["at"] == "rome")
    assert len(found) > 10


def test_the_luck_of_a_fight_does_not_change_what_is_asked_of_a_sample() -> None:
    state = position("rome pompey: legio_1 legio_2\ngenua caesar: legio_13 legio_14")
    play(state, "caesar", "move legio_13 rome", "end_moves", "end_levies")
    play(state, "pompey", "end_moves", "end_levies")
    roll(state, 1, 1, 1, 1)
    play(state, "pompey", "fire legio_1")
    seen = game.observation(state, "caesar")
    assert game.observation(sample(seen, [], SeededChance(1)), "caesar") == seen


def test_assignments_are_perfect_or_none() -> None:
    assert assign([{1, 2}, {1}], SeededChance(1)) == [2, 1]
    assert assign([{1}, {1}], SeededChance(1)) is None
    drawn = Counter(tuple(assign([{1, 2, 3}] * 3, SeededChance(seed)) or ()) for seed in range(600))
    assert len(drawn) == 6
    assert min(drawn.values()) > 60
