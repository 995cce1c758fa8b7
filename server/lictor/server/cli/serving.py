"""`serve`: run the server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lictor.server import keys, logs
from lictor.server.cli.bots import command_of, house_token, running_bots
from lictor.server.cli.common import notes, read_data
from lictor.server.edge.serving import CannotServe, Config, Running, serving
from lictor.server.matches.clocks import BadClock, Clock
from lictor.server.matches.settings import Settings
from lictor.server.store import StoreError
from lictor.server.tuning import tune

DEFAULT_HOME = Path("lictor-data")
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def parse_clock(text: str) -> Clock:
    """Read a time control: base+increment/limit in seconds, such as 300+30/60."""
    try:
        rest, _, limit = text.partition("/")
        base, _, increment = rest.partition("+")
        seconds = [int(float(part or 0) * 1000) for part in (base, increment, limit)]
        return Clock(*seconds)
    except (ValueError, BadClock) as error:
        hint = "give base+increment/limit in seconds, such as 300+30/60"
        raise click.BadParameter(f"{text!r}: {error}; {hint}", param_hint="--clock") from error


@click.command()
@click.option("--address", default="127.0.0.1:50051", show_default=True, help="Where to listen, HOST:PORT.")
@click.option("--dev", is_flag=True, help="No accounts: a bot's name is enough. Loopback only.")
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT_HOME,
    show_default=True,
    help="Where matches, records and accounts are kept.",
)
@click.option("--clock", default="300+30/60", show_default=True, help="The default time control, in seconds.")
@click.option("--metrics", default="127.0.0.1:9464", show_default=True, help="Where Prometheus looks; empty: nowhere.")
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="Start a house bot that plays whoever seeks.")
@click.option("--data", "data_sets", multiple=True, metavar="NAME=FILE", help="Install a data set that seeks may name.")
@click.option("--tls-cert", type=FILE, help="Certificate chain, PEM.")
@click.option("--tls-key", type=FILE, help="Its private key, PEM.")
@click.option("--tls-client-ca", type=FILE, help="Insist on client certificates signed by this CA, PEM.")
def serve(
    address: str,
    dev: bool,
    home: Path,
    clock: str,
    metrics: str,
    bots: tuple[str, ...],
    data_sets: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
) -> None:
    """Run the server until Ctrl-C. Open matches go on when it is started again, also after kill -9."""
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    installed = {}
    for entry in data_sets:
        name, equals, path = entry.partition("=")
        if not equals:
            raise click.BadParameter(f"{entry!r} is not NAME=FILE", param_hint="--data")
        installed[name] = read_data(Path(path))
    logs.configure(json=not sys.stderr.isatty())
    tune()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    config = Config(
        database=home / "lictor.db",
        address=address,
        dev=dev,
        metrics_address=metrics,
        certificate=tls_cert,
        private_key=tls_key,
        client_ca=tls_client_ca,
        signing_key=_signing_key(home / "signing.key"),
        settings=Settings(clock=parse_clock(clock), data_sets=installed),
    )
    try:
        asyncio.run(_serve(config, home, bots))
    except (CannotServe, StoreError) as error:
        raise click.ClickException(str(error)) from error


def _signing_key(path: Path) -> Ed25519PrivateKey:
    try:
        return keys.load_or_make(path)
    except keys.BadKey as error:
        raise click.ClickException(str(error)) from error


async def _serve(config: Config, home: Path, bots: tuple[str, ...]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    async with serving(config) as running:
        await asyncio.to_thread(_hand_over_token, config, home, running)
        host = config.address.rpartition(":")[0]
        where = f"{host}:{running.port}"
        mode = ", dev mode: no token needed" if config.dev else ""
        notes.print(f"[bold]lictor[/] serves {where}{mode}. Ctrl-C stops it; open matches are kept in {home}.")
        if running.metrics_port:
            notes.print(f"Metrics: http://{config.metrics_address.rpartition(':')[0]}:{running.metrics_port}/metrics")
        commands = []
        for name in bots:
            token = await asyncio.to_thread(house_token, running.accounts, name)
            commands.append((command_of(name, where, "--name", name, "--max-matches", "8"), token))
        async with running_bots(commands):
            await stop.wait()
    notes.print("Stopped. Open matches go on when the server is started again.")


def _hand_over_token(config: Config, home: Path, running: Running) -> None:
    """At the first start, write the operator's token where only the operator can read it."""
    path = home / "operator.token"

    def hand_over(secret: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secret + "\n")

    if running.accounts.make_operator(hand_over):
        notes.print(f"The operator's token is in {path} (mode 600).")
