"""`demo`: a server with house bots that play each other, all in one, and a table that grows."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lictor.engine import record, registry
from lictor.server import keys, logs
from lictor.server.cli.bots import command_of, running_bots
from lictor.server.cli.common import game_option, out
from lictor.server.edge.serving import CannotServe, Config, Running, serving
from lictor.server.matches.match import Match
from lictor.server.matches.settings import Settings
from lictor.server.store import Ending, StoreError
from lictor.server.tuning import tune

LAST = 8  # results shown
CAST = ("random", "novice-40", "novice", "steady")


class Scores:
    """What the demo shows: who won how often, and the last results."""

    def __init__(self, seats: tuple[str, ...]) -> None:
        self._seats = seats
        self.played: Counter[str] = Counter()
        self.won: Counter[tuple[str, str]] = Counter()  # bot, seat
        self.sat: Counter[tuple[str, str]] = Counter()
        self.drawn: Counter[str] = Counter()
        self.last: deque[str] = deque(maxlen=LAST)
        self.ended: list[str] = []

    def add(self, match: Match, ending: Ending) -> str:
        """Count a match, and return its result in words."""
        self.ended.append(match.id)
        for seat, bot in match.row.seats.items():
            self.played[bot] += 1
            self.sat[bot, seat] += 1
            if ending.winner == seat:
                self.won[bot, seat] += 1
            elif not ending.winner:
                self.drawn[bot] += 1
        sides = " against ".join(f"{bot} ({seat})" for seat, bot in match.row.seats.items())
        decisions = len(match.recorder) if match.recorder is not None else 0
        line = f"{match.id}  {sides}: {ending.text}, {decisions} decisions"
        self.last.append(line)
        return line

    def table(self) -> Table:
        """Return the table."""
        table = Table("bot", "played", "won", "drawn", *[f"as {seat}" for seat in self._seats], title="Results so far")
        for bot in sorted(self.played, key=lambda bot: (-self._wins(bot), bot)):
            sides = [f"{self.won[bot, seat]}/{self.sat[bot, seat]}" for seat in self._seats]
            table.add_row(bot, str(self.played[bot]), str(self._wins(bot)), str(self.drawn[bot]), *sides)
        return table

    def _wins(self, bot: str) -> int:
        return sum(self.won[bot, seat] for seat in self._seats)


@click.command()
@game_option
@click.option("--bots", default=4, show_default=True, type=click.IntRange(2, 32), help="How many house bots.")
@click.option("--matches", type=click.IntRange(1), help="Stop after so many matches. Default: play until Ctrl-C.")
@click.option("--pace", default=0.02, show_default=True, help="Seconds a bot waits before each order.")
@click.option("--port", default=50051, show_default=True, help="The server's port; another if it is taken.")
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("lictor-demo"),
    show_default=True,
    help="Where matches and records are kept.",
)
def demo(game: str, bots: int, matches: int | None, pace: float, port: int, home: Path) -> None:
    """Run a server in dev mode and house bots that play each other over the wire; show the results as they come."""
    module = registry.get(game)
    logs.configure(json=not sys.stderr.isatty(), quiet=True)
    tune()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    config = Config(
        database=home / "lictor.db",
        address=f"127.0.0.1:{_free(port)}",
        dev=True,
        metrics_address=f"127.0.0.1:{_free(9464)}",
        signing_key=keys.load_or_make(home / "signing.key"),
        settings=Settings(),
    )
    scores = Scores(module.SEATS)
    try:
        asyncio.run(_demo(config, game, bots, matches, pace, scores))
    except (CannotServe, StoreError, keys.BadKey) as error:
        raise click.ClickException(str(error)) from error


def _free(port: int) -> int:
    """Return a port, or 0 for any if it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return 0
    return port


async def _demo(config: Config, game: str, bots: int, matches: int | None, pace: float, scores: Scores) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    async with serving(config) as running:
        target = f"127.0.0.1:{running.port}"
        _tell_places(target, game, running, config)
        shared = ("--game", game, "--max-matches", "2", "--pace", str(pace))
        commands = [(command_of(bot, target, "--name", name, *shared), "") for name, bot in _cast(bots)]
        with _showing(scores, running) as show:

            def ended(match: Match, ending: Ending) -> None:
                show(scores.add(match, ending))
                if matches is not None and len(scores.ended) >= matches:
                    stop.set()

            running.house.listeners.append(ended)
            async with running_bots(commands) as processes:
                watches = [asyncio.create_task(_mind(process, stop)) for process in processes]
                await stop.wait()
                for watch in watches:
                    watch.cancel()
        out.print(scores.table())
        good = await asyncio.to_thread(_verify_all, running, scores.ended)
        out.print(f"{good} of {len(scores.ended)} records verify. Open matches are kept in {config.database.parent}.")


def _cast(number: int) -> list[tuple[str, str]]:
    """Return who plays, by name: bots of different strength, again and again."""
    names = [(f"{CAST[n % len(CAST)]}-no{n // len(CAST) + 1}", CAST[n % len(CAST)]) for n in range(number)]
    return [(bot if name.endswith("-no1") else name, bot) for name, bot in names]


async def _mind(process: asyncio.subprocess.Process, stop: asyncio.Event) -> None:
    """Stop the demo when a bot ends by itself: something is wrong with it."""
    code = await process.wait()
    out.print(f"A bot ended with exit code {code}; see above.", style="red")
    stop.set()


def _tell_places(target: str, game: str, running: Running, config: Config) -> None:
    out.print(f"[bold]lictor[/] serves {target}: dev mode, no token needed. Ctrl-C stops it.")
    out.print(f'  your bot      run(MyBot, "{target}", seek="{game}")   see clients/BOT_IN_FIVE_MINUTES.md')
    out.print(f"  follow one    lictor watch --server {target}")
    out.print(f"  list all      lictor matches --server {target}")
    out.print("  get a record  lictor record fetch MATCH, then lictor record verify MATCH.jsonl")
    out.print(f"  metrics       http://127.0.0.1:{running.metrics_port}/metrics")
    out.print(f"  kept in       {config.database.parent}")


@contextmanager
def _showing(scores: Scores, running: Running) -> Iterator[Any]:
    """Show a live table on a terminal, and plain lines elsewhere."""
    if not out.is_terminal:
        yield lambda line: out.print(line, markup=False)
        return

    def picture() -> Group:
        house = running.house
        now = Text(f"{len(house.sessions)} bots here, {len(house.matches)} matches running", style="dim")
        return Group(scores.table(), *[Text(line) for line in scores.last], now)

    with Live(get_renderable=picture, console=out, refresh_per_second=4, transient=True):
        yield lambda _line: None


def _verify_all(running: Running, ended: list[str]) -> int:
    good = 0
    for match in ended:
        content = running.house.store.record(match)
        try:
            record.verify(content or b"", registry.get)
            good += 1
        except record.RecordError as error:
            out.print(f"BROKEN {match}: {error}", style="red", markup=False)
    return good
