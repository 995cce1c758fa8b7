"""The client against real servers: many matches, lost connections, killed bots, servers that come back."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import json
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from lictor.client import (
    Actions,
    AsyncBot,
    Bot,
    BotError,
    ConnectionRefusedForGood,
    Event,
    JuliusCaesarView,
    LictorError,
    RequestRefused,
    Result,
    Superseded,
    Tls,
    arun,
    run,
)
from lictor.client.settings import read_clock
from lictor.engine import julius_caesar as game
from lictor.engine import record as records
from lictor.server.edge.convert import codec_for
from lictor.v1 import account_service_pb2 as accounts_pb2
from lictor.v1 import account_service_pb2_grpc, record_service_pb2, record_service_pb2_grpc

from .processes import WAIT_S, Server, Wire, bounded, in_thread, play, serving


class First(Bot):
    """Always takes the first action."""

    def decide(self, view: Any, actions: Actions) -> Any:
        return actions[0]


class Quitter(Bot):
    """Resigns at its third decision."""

    def decide(self, view: Any, actions: Actions) -> Any:
        if view.decision_id >= 3:
            self.resign()
            return None
        return actions[-1]


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    wire = Wire(server.port)
    yield wire
    wire.close()


def record_of(target: str, match_id: str) -> Any:
    """Return the record of a match, verified."""
    with grpc.insecure_channel(target) as channel:
        stub = record_service_pb2_grpc.RecordServiceStub(channel)
        content = stub.GetRecord(record_service_pb2.GetRecordRequest(match_id=match_id)).record
    records.verify(content, lambda _: game)
    return records.read(content)


def seen_by(record: Any, seat: str) -> list[str]:
    """Return the opening and all events as one seat saw them, by replaying the record."""
    codec = codec_for("julius_caesar", {})
    seen: list[str] = []
    for state, events in records.replay(record, game):
        if not seen:
            seen.append(codec.observation(game.observation(state, seat)).hex())
        views = [event.seen_by(seat) for event in events]
        seen += [codec.event(view).hex() for view in views if view is not None]
    return seen


# --- Playing ---


def test_whole_matches_are_played_and_seen_in_full(server: Server) -> None:
    ends: list[tuple[str, str, Result]] = []

    class Watchful(First):
        def on_start(self, view: JuliusCaesarView) -> None:
            assert view.opening is not None
            self.seen: list[Event] = []

        def decide(self, view: JuliusCaesarView, actions: Actions) -> Any:
            assert list(view.history[: len(self.seen)]) == self.seen
            self.seen += view.events
            assert list(view.history) == self.seen
            assert view.clock.bank_ms[view.seat] > 0
            assert 0 < view.clock.left_ms() <= view.clock.limit_ms
            assert (view.players[view.seat], view.players[view.enemy]) == (type(self).__name__, "Other")
            assert all(event.words for event in view.events)
            self.note(f"{len(actions)} choices", win_chance=0.5)
            return actions[0]

        def on_end(self, result: Result) -> None:
            assert result.view is not None
            assert result.view.opening is not None
            raws = [result.view.opening.raw, *(event.raw for event in result.view.history)]
            ends.append((result.match_id, result.seat, result))
            seen[result.match_id] = [raw.SerializeToString(deterministic=True).hex() for raw in raws]

    seen: dict[str, list[str]] = {}
    mine, _ = play(
        server.target,
        (Watchful, {"matches": 2, "max_matches": 2, "words": True, "on_error": "raise"}),
        (First, {"matches": 2, "max_matches": 2, "name": "Other"}),
    )
    assert [end[2].termination for end in ends] == ["victory"] * 2
    for match_id, seat, result in ends:
        record = record_of(server.target, match_id)
        assert seen[match_id] == seen_by(record, seat)
        assert record.footer["secret"] == result.secret
        assert record.footer["outcome"]["winner"] == result.winner
        assert record.footer["outcome"]["score"] == result.score
        assert result.won == (result.winner == seat)
    assert {result.match_id for result in mine} == {end[0] for end in ends}
    assert all(result.view is None for result in mine)


def test_a_list_is_carried_out_as_far_as_it_goes(server: Server) -> None:
    batches = []

    class Planner(Bot):
        def decide(self, view: JuliusCaesarView, actions: Actions) -> Any:
            if view.batch is not None:
                batches.append(view.batch)
            if view.decision_id > 20:
                self.resign()
            return [actions[0], "end_moves", "end_levies"] if view.phase == "moves" else actions[0]

    play(server.target, (Planner, {"matches": 1, "on_error": "raise"}), (First, {"matches": 1}))
    assert batches
    assert all(1 <= batch.applied <= batch.sent == 3 for batch in batches)
    assert any(batch.stopped for batch in batches)


def test_four_matches_at_once_do_not_think_on_each_others_clock(server: Server) -> None:
    class Sleeper(Bot):
        def decide(self, view: JuliusCaesarView, actions: Actions) -> Any:
            if view.decision_id <= 3:
                time.sleep(0.3)  # one after another the four would take 1.2 s, and the limit is 0.9 s with the lag
            elif view.decision_id > 6:
                self.resign()
            return actions[0]

    wishes = {"matches": 4, "max_matches": 4, "clock": "60+0/0.8"}
    began = time.monotonic()
    mine, _ = play(server.target, (Sleeper, wishes), (First, wishes))
    assert [result.termination for result in mine] == ["resignation"] * 4
    assert time.monotonic() - began < 4 * 3 * 0.3


def test_coroutines_play_too(server: Server) -> None:
    class Patient(AsyncBot):
        async def decide(self, view: Any, actions: Actions) -> Any:
            await asyncio.sleep(0)
            if view.decision_id > 30:
                self.resign()
            return str(actions[0])

        async def on_end(self, result: Result) -> None:
            ended.append(result.match_id)

    async def both() -> tuple[list[Result], list[Result]]:
        wishes: Any = {"matches": 2, "max_matches": 2}
        one = arun(Patient, server.target, name="Patient1", **wishes)
        two = arun(Patient, server.target, name="Patient2", **wishes)
        return await asyncio.wait_for(asyncio.gather(one, two), WAIT_S)

    ended: list[str] = []
    one, two = asyncio.run(both())
    assert {result.match_id for result in one} == {result.match_id for result in two} == set(ended)
    assert {result.termination for result in one} == {"resignation"}


def test_events_come_as_they_happen_to_who_looks(server: Server) -> None:
    told: list[int] = []
    asked: list[int] = []

    class Looker(First):
        def on_events(self, view: JuliusCaesarView, events: Sequence[Event]) -> None:
            told.extend(event.number for event in events)
            assert view.history[-1] == events[-1]

        def decide(self, view: JuliusCaesarView, actions: Actions) -> Any:
            assert told == list(range(1, len(view.history) + 1))
            asked.append(len(view.history))
            return actions[0]

    mine, _ = play(server.target, (Looker, {"matches": 1, "on_error": "raise"}), (Quitter, {"matches": 1}))
    assert mine[0].termination == "resignation"
    assert told
    assert asked


def test_draws_are_offered_and_agreed(server: Server) -> None:
    class Offering(First):
        def decide(self, view: Any, actions: Actions) -> Any:
            if view.decision_id == 2:
                self.offer_draw()
            return actions[0]

    class Agreeing(First):
        def on_draw_offered(self, view: JuliusCaesarView) -> bool:
            return view.seat in view.players

    mine, _ = play(server.target, (Offering, {"matches": 1}), (Agreeing, {"matches": 1}))
    assert (mine[0].termination, mine[0].won) == ("draw_agreed", None)


def test_a_bot_is_challenged_by_name(server: Server) -> None:
    host = in_thread(run, Quitter, server.target, seek=None, name="Host", matches=2)
    guest = in_thread(run, First, server.target, challenge="Host", name="Guest", matches=2, seat="pompey")
    results = guest.result(WAIT_S)
    assert [result.players for result in results] == [{"caesar": "Host", "pompey": "Guest"}] * 2
    assert len(host.result(WAIT_S)) == 2


# --- What a person must look at ---


def test_a_wrong_token_is_refused_for_good(server: Server) -> None:
    with pytest.raises(ConnectionRefusedForGood, match="LICTOR_TOKEN") as error:
        run(First, server.target, token="nonsense")
    assert error.value.reason == "unauthenticated"


def test_what_can_never_be_had_is_refused_for_good(server: Server) -> None:
    with pytest.raises(RequestRefused, match="chess"):
        run(First, server.target, seek="chess")
    with pytest.raises(RequestRefused, match="9th"):
        run(First, server.target, options={"edition": "9th"})
    with pytest.raises(ConnectionRefusedForGood, match="needs a name"):
        run(First, server.target, name="no spaces please")


def test_mistakes_in_the_call_are_explained() -> None:
    with pytest.raises(TypeError, match="derived from Bot"):
        run(First(), "localhost:1")  # type: ignore[arg-type]
    with pytest.raises(LictorError, match="300\\+30/60"):
        run(First, "localhost:1", clock="five minutes")
    with pytest.raises(LictorError, match="give both"):
        run(First, "localhost:1", seek=None, challenge="Somebody")


def test_clocks_are_read() -> None:
    clock = read_clock("300+30/60")
    assert clock is not None
    assert (clock.base_ms, clock.increment_ms, clock.per_decision_ms) == (300_000, 30_000, 60_000)
    assert read_clock({"per_decision_ms": 5}) == type(clock)(per_decision_ms=5)
    assert read_clock(None) is None


class Useless(Bot):
    """Answers nothing."""

    def decide(self, view: Any, actions: Actions) -> Any:
        return None


class Failing(Bot):
    """Fails."""

    def decide(self, view: Any, actions: Actions) -> Any:
        raise ZeroDivisionError("no luck")


def test_a_bot_that_fails_resigns_that_match_and_says_why(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    mine, _ = play(server.target, (Failing, {"matches": 1}), (First, {"matches": 1}))
    assert (mine[0].termination, mine[0].won) == ("resignation", False)
    assert "Failing.decide raised ZeroDivisionError: no luck; this match is given up" in caplog.text
    assert "Traceback" in caplog.text


def test_a_bot_that_answers_nothing_can_be_made_to_stop_everything(server: Server) -> None:
    other = in_thread(run, First, server.target, matches=1)
    with pytest.raises(BotError, match=r"Useless\.decide returned None; return one of `actions`"):
        run(Useless, server.target, matches=1, on_error="raise")
    # Whoever started it can run it again, and it is in its match again.
    run(Quitter, server.target, matches=1, name="Useless")
    assert other.result(WAIT_S)[0].won


def test_an_illegal_answer_is_asked_for_once_more(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    class Clumsy(Quitter):
        slips = 0

        def decide(self, view: Any, actions: Actions) -> Any:
            if not Clumsy.slips:
                Clumsy.slips += 1
                return "move rome rome rome"
            return super().decide(view, actions)

    class Stubborn(Bot):
        def decide(self, view: Any, actions: Actions) -> Any:
            return ["play 0", "never"]

    class Garbled(Bot):
        asked = 0

        def decide(self, view: Any, actions: Actions) -> Any:
            Garbled.asked += 1
            return [actions[0], "what ever you say"]  # the server alone can tell that the second is no order

    for bot in (Clumsy, Stubborn, Garbled):
        mine, _ = play(server.target, (bot, {"matches": 1}), (First, {"matches": 1}))
        assert mine[0].termination == "resignation"
    assert "'move rome rome rome', which is not legal now" in caplog.text
    assert caplog.text.count("asking once more") == 3
    assert Garbled.asked == 2


def test_a_second_process_takes_over_and_the_first_stops(server: Server) -> None:
    seated = threading.Event()
    go = threading.Event()

    class Twin(Quitter):
        def decide(self, view: Any, actions: Actions) -> Any:
            seated.set()
            go.wait(WAIT_S)
            return super().decide(view, actions)

    other = in_thread(run, First, server.target, matches=1)
    first = in_thread(run, Twin, server.target, matches=1)
    assert seated.wait(WAIT_S)
    second = in_thread(run, Twin, server.target, matches=1)
    with pytest.raises(Superseded, match="another process"):
        first.result(WAIT_S)
    go.set()
    assert second.result(WAIT_S)[0].termination == "resignation"
    assert other.result(WAIT_S)[0].won


# --- Certificates and tokens ---


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for localhost that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(
        now + datetime.timedelta(days=1)
    )
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    pem = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(pem))
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(pem, *plain))
    return folder / "cert.pem", folder / "key.pem"


def new_token(target: str, cert: Path, key: Path, operator: str, bot: str) -> str:
    """Make an account with a bot, and a token for the bot."""
    credentials = grpc.ssl_channel_credentials(cert.read_bytes(), key.read_bytes(), cert.read_bytes())
    with grpc.secure_channel(target, credentials) as channel:
        stub = account_service_pb2_grpc.AccountServiceStub(channel)
        who = (("authorization", f"Bearer {operator}"),)
        stub.CreateAccount(accounts_pb2.CreateAccountRequest(name=bot), metadata=who)
        stub.CreateBot(accounts_pb2.CreateBotRequest(account=bot, bot=bot), metadata=who)
        request = accounts_pb2.CreateTokenRequest(account=bot, bot=bot, scopes=[accounts_pb2.SCOPE_PLAY])
        return stub.CreateToken(request, metadata=who).secret


def test_a_token_says_who_plays_and_certificates_go_both_ways(tmp_path: Path) -> None:
    cert, key = self_signed(tmp_path)
    arguments = ("--tls-cert", cert, "--tls-key", key, "--tls-client-ca", cert)
    with serving(tmp_path, *map(str, arguments), dev=False) as server:
        operator = (tmp_path / "operator.token").read_text().strip()
        tokens = [new_token(server.target, cert, key, operator, bot) for bot in ("brutus", "cassius")]
        tls = Tls(ca=cert, cert=cert, key=key)
        mine, _ = play(server.target, *((Quitter, {"matches": 1, "tls": tls, "token": token}) for token in tokens))
        assert set(mine[0].players.values()) == {"brutus", "cassius"}
        with pytest.raises(ConnectionRefusedForGood, match="the token is for the bot 'brutus'"):
            run(First, server.target, token=tokens[0], name="caesar", tls=tls)


# --- Losing the connection ---


def test_whatever_the_wire_loses_no_decision_is_asked_or_answered_twice(server: Server, wire: Wire) -> None:
    asked: list[int] = []

    class Unlucky(First):
        def on_events(self, view: Any, events: Sequence[Event]) -> None:
            told.extend(event.number for event in events)

        def decide(self, view: Any, actions: Actions) -> Any:
            asked.append(view.decision_id)
            assert told == list(range(1, len(view.history) + 1))
            if len(asked) % 5 == 0 and wire.cuts < 6:
                wire.mode = ("lose_up", "lose_down")[len(asked) // 5 % 2]
            return actions[0]

        def on_end(self, result: Result) -> None:
            assert result.view is not None
            assert result.view.opening is not None
            raws = [result.view.opening.raw, *(event.raw for event in result.view.history)]
            seen.extend(raw.SerializeToString(deterministic=True).hex() for raw in raws)

    seen: list[str] = []
    told: list[int] = []
    other = in_thread(run, First, server.target, matches=1)
    mine = in_thread(run, Unlucky, wire.target, matches=1).result(WAIT_S)
    assert wire.cuts == 6
    assert mine[0].termination == "victory"
    assert asked == list(range(1, len(asked) + 1))
    assert told == list(range(1, len(seen)))  # to the last one
    record = record_of(server.target, mine[0].match_id)
    assert seen == seen_by(record, mine[0].seat)
    assert sum(entry["seat"] == mine[0].seat for entry in record.actions) == len(asked)
    other.result(WAIT_S)


def test_a_match_that_ended_meanwhile_is_heard_of(server: Server, wire: Wire) -> None:
    gone, ended = threading.Event(), threading.Event()
    ends: list[Result] = []

    class Away(First):
        def decide(self, view: Any, actions: Actions) -> Any:
            wire.mode = "shut"
            gone.set()
            ended.wait(WAIT_S)
            return actions[0]

        def on_end(self, result: Result) -> None:
            ends.append(result)

    class Leaving(First):
        def decide(self, view: Any, actions: Actions) -> Any:
            gone.wait(WAIT_S)
            self.resign()
            return None

    away = in_thread(run, Away, wire.target, matches=1)
    play(server.target, (Leaving, {"matches": 1}))
    wire.mode = "pass"
    ended.set()
    assert away.result(WAIT_S)[0].termination == "resignation"
    assert [end.won for end in ends] == [True]


KILLED = """
import json, pathlib, sys
from lictor.client import Bot, run

home = pathlib.Path(sys.argv[2])

def told(view):
    raws = (view.opening.raw, *(event.raw for event in view.history))
    return [raw.SerializeToString(deterministic=True).hex() for raw in raws]

class Mortal(Bot):
    def on_start(self, view):
        (home / f"start-{view.decision_id}").write_text(json.dumps(told(view)))

    def decide(self, view, actions):
        if view.decision_id == 40 and not (home / "killed").exists():
            (home / "killed").write_text(json.dumps(told(view)))
            print("kill me", flush=True)
            sys.stdin.read()
        return actions[0]

    def on_end(self, result):
        (home / "end").write_text(json.dumps(told(result.view)))
        print(result.match_id, result.seat, result.termination, flush=True)

run(Mortal, sys.argv[1], matches=1, on_error="raise")
"""


def test_a_bot_that_is_killed_knows_afterwards_what_it_knew(server: Server, tmp_path: Path) -> None:
    (tmp_path / "mortal.py").write_text(KILLED)
    command = [sys.executable, str(tmp_path / "mortal.py"), server.target, str(tmp_path)]
    other = in_thread(run, First, server.target, matches=1)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bot, bounded(bot):
        assert bot.stdout is not None
        assert bot.stdout.readline() == "kill me\n"
        bot.send_signal(signal.SIGKILL)
    again = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, check=True)
    match_id, seat, termination = again.stdout.split()
    knew, knows, end = (json.loads((tmp_path / name).read_text()) for name in ("killed", "start-40", "end"))
    assert termination == "victory"
    assert knows == knew
    assert end == seen_by(record_of(server.target, match_id), seat)
    assert len(knew) > 50
    assert len(other.result(WAIT_S)) == 1


def test_a_server_that_comes_late_is_killed_and_comes_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "lictor.client")
    halfway = threading.Event()

    class Steady(First):
        def decide(self, view: Any, actions: Actions) -> Any:
            if view.decision_id == 30:
                halfway.set()
            return actions[0]

    with serving(tmp_path) as server:
        server.stop()  # its port is ours now
        bots = [in_thread(run, Steady, server.target, matches=1, name=name) for name in ("One", "Two")]
        deadline = time.monotonic() + WAIT_S
        while caplog.text.count("no server at") < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        server.start()
        assert halfway.wait(WAIT_S)
        server.stop(signal.SIGKILL)
        server.start()
        results = [bot.result(WAIT_S)[0] for bot in bots]
        assert [result.termination for result in results] == ["victory"] * 2
        record_of(server.target, results[0].match_id)
    assert f"no server at {server.target}; start one with `lictor serve --dev`" in caplog.text
    assert caplog.text.count("lost the server at") == 2
    assert caplog.text.count("connected to") == 4


def test_ctrl_c_leaves_without_a_traceback(server: Server, tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(
        "import sys\n"
        "from lictor.client import Bot, run\n"
        "class Waiting(Bot):\n"
        "    def decide(self, view, actions):\n"
        "        print('asked', flush=True)\n"
        "        sys.stdin.read()\n"
        "print('left', len(run(Waiting, sys.argv[1])), flush=True)\n"
    )
    other = in_thread(run, First, server.target, matches=1)
    command = [sys.executable, str(script), server.target]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as bot, bounded(bot):
        assert bot.stdout is not None
        assert bot.stderr is not None
        assert bot.stdout.readline() == "asked\n"
        bot.send_signal(signal.SIGINT)
        assert bot.stdout.read() == "left 0\n"
        assert bot.stderr.read() == ""
        assert bot.wait(WAIT_S) == 0
    run(Quitter, server.target, name="Waiting", matches=1)
    assert other.result(WAIT_S)[0].won
