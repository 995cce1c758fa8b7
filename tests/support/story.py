"""A golden match, told message by message: `clients/PROTOCOL.md` shows it, and a test compares.

    python tests/support/story.py    writes the exchanges into clients/PROTOCOL.md anew

Everything is real but the socket: messages go through the edge, in and out, into a house on a fake clock.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import trio
import trio.testing
from google.protobuf.message import Message

from lictor.engine.chance import derive_secret
from lictor.server.edge.convert import codec_for
from lictor.server.edge.stream import Encoder, decode
from lictor.server.matches.clocks import Clock
from lictor.server.matches.house import House
from lictor.server.matches.messages import Introduction, Response
from lictor.server.matches.session import Session
from lictor.server.matches.settings import Settings
from lictor.v1 import play_service_pb2 as pb

DOCUMENT = Path(__file__).parents[2] / "clients" / "PROTOCOL.md"
CHAPTERS = ("hello", "seek", "start", "card", "moves", "battle", "drop", "refusal", "end")
SETTINGS = Settings(clock=Clock(base_ms=300_000, increment_ms=30_000, per_decision_ms=60_000))
THINK_S = 0.25
SEED = 5
WIDTH = 110
LONG = 16


class Shelf:
    """A store that forgets everything: here nothing crashes."""

    healthy = True

    def open_matches(self) -> list[Any]:
        return []

    def commit_seconds(self) -> list[float]:
        return []

    def note(self, *_: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        def write(*arguments: Any, done: Callable[[], None] | None = None, **_: Any) -> None:
            (done or arguments[-1])()

        return write


class Wire:
    """One bot's end of a stream without a socket; it keeps what was said in both directions."""

    def __init__(self, bot: str) -> None:
        self.bot = bot
        self.log: list[tuple[str, Message]] = []
        self.unread: list[pb.PlayResponse] = []
        self.encoder = Encoder(SETTINGS, "lictor", {"julius_caesar": 1})
        self.session: Session | None = None

    def offer(self, message: Response, handed: Callable[[float], None] | None = None) -> None:
        response = pb.PlayResponse.FromString(self.encoder.encode(message))
        self.log.append(("<-", response))
        self.unread.append(response)
        if handed is not None:
            handed(trio.current_time())

    def close(self, status: str, text: str) -> None:
        pass

    def connect(self, house: House) -> None:
        hello = pb.Hello(bot=self.bot, protocol_min=1, protocol_max=1, client="by hand", max_matches=1)
        self.log.append(("->", pb.PlayRequest(request_id=1, hello=hello)))
        self.session = house.join(Introduction(self.bot, self.bot, client="by hand"), self, 1)

    def say(self, house: House, request: pb.PlayRequest) -> None:
        assert self.session is not None
        self.log.append(("->", request))
        house.handle(self.session, decode(request, SETTINGS), request.request_id, trio.current_time())


class Story:
    """Plays the golden match, and keeps from alice's stream what the document shows."""

    def __init__(self) -> None:
        self.shown: dict[str, list[tuple[str, Message]]] = {}
        self._choose = random.Random(SEED)
        self._alice, self._bob = Wire("alice"), Wire("bob")
        self._over = False

    async def tell(self) -> Mapping[str, list[tuple[str, Message]]]:
        ids = iter(range(1, 1000))
        house = House(
            Shelf(),  # type: ignore[arg-type]
            codec_for,
            SETTINGS,
            wall=lambda: 1_700_000_000.0 + trio.current_time(),
            new_id=lambda: f"{next(ids):04x}",
            new_secret=lambda: derive_secret("story", str(SEED)),
            lot=lambda _: 0,
        )
        async with trio.open_nursery() as nursery:
            await nursery.start(house.run)
            await self._open(house)
            while not self._over:
                await self._turn(house, self._alice)
                await self._turn(house, self._bob)
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
        return self.shown

    def _keep(self, chapter: str, since: int) -> None:
        entries = [entry for entry in self._alice.log[since:] if not _is_ping(entry[1]) or chapter == "hello"]
        self.shown.setdefault(chapter, entries)

    async def _open(self, house: House) -> None:
        alice, bob = self._alice, self._bob
        alice.connect(house)
        ping = next(entry for entry in alice.unread if entry.HasField("ping"))
        await trio.sleep(0.02)
        alice.say(house, pb.PlayRequest(pong=pb.Pong(nonce=ping.ping.nonce)))
        self._keep("hello", 0)
        bob.connect(house)
        bob.say(house, pb.PlayRequest(seek=pb.Seek(game="julius_caesar", matches=1)))
        since = len(alice.log)
        alice.say(house, pb.PlayRequest(request_id=2, seek=pb.Seek(game="julius_caesar", seat="caesar", matches=1)))
        self._keep("seek", since)
        since = len(alice.log)
        started = alice.unread[-1].match_started
        alice.say(house, pb.PlayRequest(entropy=pb.Entropy(match_id=started.match_id, entropy=bytes(range(8)))))
        bob.say(house, pb.PlayRequest(entropy=pb.Entropy(match_id=started.match_id)))
        self._keep("start", since)

    async def _turn(self, house: House, wire: Wire) -> None:
        while wire.unread:
            said = wire.unread.pop(0)
            if said.HasField("ping"):
                wire.say(house, pb.PlayRequest(pong=pb.Pong(nonce=said.ping.nonce)))
            elif said.HasField("decide"):
                await trio.sleep(THINK_S)
                await self._decide(house, wire, said.decide)
            elif said.HasField("match_ended"):
                self._over = True
                if wire is self._alice:
                    self._keep("end", len(wire.log) - 1)

    async def _decide(self, house: House, wire: Wire, decide: pb.Decide) -> None:
        legal = [entry.notation for entry in decide.legal]
        verbs = {notation.split()[0] for notation in legal}
        since = _place_of(wire.log, decide)
        act = pb.Act(match_id=decide.match_id, decision_id=decide.decision_id)
        if wire is not self._alice:
            act.actions.add(index=self._choose.randrange(len(legal)))
            wire.say(house, pb.PlayRequest(act=act))
            return
        chapter = self._chapter(verbs, decide)
        if chapter == "drop":
            await self._drop(house, decide)
            self._keep("drop", since + 1)
            return  # it comes again
        if chapter == "refusal":
            wrong = pb.Act(match_id=decide.match_id, decision_id=decide.decision_id)
            wrong.actions.add(notation="move legio_7 roma")
            since = len(wire.log)
            wire.say(house, pb.PlayRequest(request_id=3, act=wrong))
            wire.unread[:] = [said for said in wire.unread if not said.HasField("refused")]
            self._keep("refusal", since)
        if chapter == "moves":
            moves = {notation.split()[1]: notation for notation in legal if notation.startswith("move ")}
            for notation in list(moves.values())[:2]:
                act.actions.add(notation=notation)
        elif chapter == "card":
            act.actions.add().action.CopyFrom(decide.legal[0].action)
        else:
            act.actions.add(index=self._choose.randrange(len(legal)))
        wire.say(house, pb.PlayRequest(request_id=4 if chapter == "moves" else 0, act=act))
        if chapter in ("card", "moves", "battle"):
            self._keep(chapter, since)

    def _chapter(self, verbs: set[str], decide: pb.Decide) -> str:
        if "card" not in self.shown and "play" in verbs:
            return "card"
        if "moves" not in self.shown and "move" in verbs and decide.observation.julius_caesar.moves_left > 1:
            return "moves"
        if "moves" in self.shown and "battle" not in self.shown and "fire" in verbs and decide.events.events:
            return "battle"
        if "battle" in self.shown and "drop" not in self.shown:
            return "drop"
        if "drop" in self.shown and "refusal" not in self.shown:
            return "refusal"
        return ""

    async def _drop(self, house: House, decide: pb.Decide) -> None:
        alice = self._alice
        assert alice.session is not None
        house.part(alice.session)
        alice.unread.clear()
        await trio.sleep(2)
        alice.connect(house)


def _place_of(log: list[tuple[str, Message]], decide: pb.Decide) -> int:
    for place in reversed(range(len(log))):
        message = log[place][1]
        if isinstance(message, pb.PlayResponse) and message.decide.decision_id == decide.decision_id:
            return place
    raise AssertionError("a Decide that was never said")


def _is_ping(message: Message) -> bool:
    return bool(message.WhichOneof("message") in ("ping", "pong"))


# --- How it is written ---


def written(entry: tuple[str, Message], whole: bool) -> str:
    """Return one message as text: its direction, and its fields as protobuf writes them, shortened."""
    arrow, message = entry
    lines = _lines(message)
    return f"{arrow} " + "\n   ".join(lines if whole else _without_position(lines))


def _without_position(lines: list[str]) -> list[str]:
    """Leave out observations, which are long."""
    kept: list[str] = []
    inside = ""
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        if inside:
            inside = "" if line == inside else inside
        elif line.endswith("observation {"):
            kept.append(f"{indent}observation {{ ... }}")
            inside = f"{indent}}}"
        else:
            kept.append(line)
    return kept


def _lines(message: Message) -> list[str]:
    lines: list[str] = []
    for field, value in message.ListFields():
        name = field.name
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            lines.append(f"{name} {{ {', '.join(f'{key}: {value[key]}' for key in sorted(value))} }}")
        elif field.is_repeated and field.message_type is not None:
            for item in list(value)[:3]:
                lines += _nested(name, item)
            if len(value) > 3:
                lines.append(f"# and {len(value) - 3} more {name}")
        elif field.is_repeated:
            items = [_scalar(field, item) for item in value]
            more = f", ... {len(items)} in all" if len(items) > LONG else ""
            lines.append(f"{name}: [{', '.join(items[:LONG])}{more}]")
        elif field.message_type is not None:
            lines += _nested(name, value)
        else:
            lines.append(f"{name}: {_scalar(field, value)}")
    return lines


def _nested(name: str, message: Message) -> list[str]:
    inner = _lines(message)
    flat = f"{name} {{ {', '.join(inner)} }}" if inner else f"{name} {{}}"
    if len(flat) <= WIDTH and "#" not in flat:
        return [flat]
    return [f"{name} {{", *[f"  {line}" for line in inner], "}"]


def _scalar(field: Any, value: Any) -> str:
    if field.enum_type is not None:
        return str(field.enum_type.values_by_number[value].name).removeprefix("JULIUS_CAESAR_")
    if isinstance(value, bytes):
        return f'"{value.hex()}"  # hex'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def exchanges() -> dict[str, str]:
    """Play the golden match, and return its chapters as text."""
    told = trio.run(Story().tell, clock=trio.testing.MockClock(autojump_threshold=0))
    return {chapter: "\n".join(written(entry, chapter == "start") for entry in told[chapter]) for chapter in CHAPTERS}


def filled(document: str, texts: Mapping[str, str]) -> str:
    """Return the document with its exchanges put in anew."""
    for chapter, text in texts.items():
        pattern = re.compile(rf"(<!-- exchange: {chapter} -->\n```\n).*?(```\n)", re.DOTALL)
        if not pattern.search(document):
            raise ValueError(f"the document has no place for the exchange {chapter!r}")
        document = pattern.sub(lambda found, text=text: f"{found[1]}{text}\n{found[2]}", document)  # type: ignore[misc]
    return document


if __name__ == "__main__":
    DOCUMENT.write_text(filled(DOCUMENT.read_text("utf-8"), exchanges()), "utf-8")
    sys.stdout.write(f"wrote {DOCUMENT}\n")
