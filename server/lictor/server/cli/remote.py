"""Commands that talk to a running server: `account`, `watch`, `matches`, and what `record` fetches."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Column, Table

from lictor.server.accounts import SCOPES
from lictor.server.cli.common import json_option, out
from lictor.server.edge.remote import Remote, RemoteError

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_TARGET = "127.0.0.1:50051"


def remote_options(command: F) -> F:
    """Add the options that say which server, and who asks."""
    ca = click.Path(exists=True, dir_okay=False, path_type=Path)
    for option in (
        click.option("--tls-ca", type=ca, help="The server's CA certificate, PEM. Default: no encryption."),
        click.option("--token-file", type=ca, help="A file with the token. Default: the environment's LICTOR_TOKEN."),
        click.option(
            "--server",
            default=DEFAULT_TARGET,
            show_default=True,
            envvar="LICTOR_TARGET",
            help="Which server, HOST:PORT.",
        ),
    ):
        command = option(command)
    return command


@contextmanager
def connected(server: str, token_file: Path | None, tls_ca: Path | None) -> Iterator[Remote]:
    """Talk to a server; its refusals are told in one line."""
    token = token_file.read_text("utf-8").strip() if token_file else os.environ.get("LICTOR_TOKEN", "")
    remote = Remote(server, token, tls_ca.read_bytes() if tls_ca else None)
    try:
        yield remote
    except RemoteError as error:
        raise click.ClickException(str(error)) from error
    finally:
        remote.close()


@click.group()
def account() -> None:
    """Accounts, bots and tokens of a running server.

    The operator's token is in the server's home, in operator.token: give it with --token-file.
    """


@account.command("create")
@click.argument("name")
@remote_options
def create_account(name: str, server: str, token_file: Path | None, tls_ca: Path | None) -> None:
    """Make an account. Needs the scope operate."""
    with connected(server, token_file, tls_ca) as remote:
        remote.create_account(name)
    out.print(f"Made the account {name}. Next: lictor account bot {name} BOTNAME")


@account.command("list")
@remote_options
@json_option
def list_accounts(server: str, token_file: Path | None, tls_ca: Path | None, as_json: bool) -> None:
    """List accounts with their bots. Needs the scope operate."""
    with connected(server, token_file, tls_ca) as remote:
        found = remote.list_accounts()
    if as_json:
        click.echo(json.dumps(found))
        return
    table = Table("account", "bots")
    for entry in found:
        table.add_row(entry["account"], ", ".join(entry["bots"]))
    out.print(table)


@account.command("bot")
@click.argument("account_name", metavar="ACCOUNT")
@click.argument("bot")
@remote_options
def create_bot(account_name: str, bot: str, server: str, token_file: Path | None, tls_ca: Path | None) -> None:
    """Add a bot to an account."""
    with connected(server, token_file, tls_ca) as remote:
        remote.create_bot(account_name, bot)
    out.print(f"Made the bot {bot}. Next: lictor account token {account_name} --bot {bot}")


@account.command("token")
@click.argument("account_name", metavar="ACCOUNT")
@click.option("--bot", default="", help="The only bot it speaks for. Default: all of the account's.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), default=("play", "watch"), show_default=True
)
@click.option("--days", default=0, help="After how many days it expires. Default: never.")
@remote_options
@json_option
def create_token(
    account_name: str,
    bot: str,
    scopes: tuple[str, ...],
    days: int,
    server: str,
    token_file: Path | None,
    tls_ca: Path | None,
    as_json: bool,
) -> None:
    """Make a token and print it: it is shown this once."""
    with connected(server, token_file, tls_ca) as remote:
        made = remote.create_token(account_name, bot, scopes, days * 86400)
    click.echo(json.dumps(made) if as_json else made["secret"])


@account.command("tokens")
@click.argument("account_name", metavar="ACCOUNT", default="")
@remote_options
@json_option
def list_tokens(account_name: str, server: str, token_file: Path | None, tls_ca: Path | None, as_json: bool) -> None:
    """List the tokens of an account."""
    with connected(server, token_file, tls_ca) as remote:
        found = remote.list_tokens(account_name)
    if as_json:
        click.echo(json.dumps(found))
        return
    table = Table("id", "bot", "scopes", "revoked")
    for token in found:
        table.add_row(token["id"], token["bot"] or "all", ", ".join(token["scopes"]), "yes" if token["revoked"] else "")
    out.print(table)


@account.command("revoke")
@click.argument("token_id")
@remote_options
def revoke_token(token_id: str, server: str, token_file: Path | None, tls_ca: Path | None) -> None:
    """Make a token worthless at once."""
    with connected(server, token_file, tls_ca) as remote:
        remote.revoke_token(token_id)
    out.print(f"Revoked {token_id}.")


@account.command("whoami")
@remote_options
def whoami(server: str, token_file: Path | None, tls_ca: Path | None) -> None:
    """Tell whom the token speaks for."""
    with connected(server, token_file, tls_ca) as remote:
        click.echo(json.dumps(remote.whoami()))


@click.command()
@click.option("--bot", default="", help="Only matches of this bot.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 200))
@remote_options
@json_option
def matches(bot: str, limit: int, server: str, token_file: Path | None, tls_ca: Path | None, as_json: bool) -> None:
    """List the matches of a server, the open ones first."""
    with connected(server, token_file, tls_ca) as remote:
        found = remote.list_matches(bot=bot, limit=limit)
    if as_json:
        click.echo(json.dumps([{name: getattr(entry, name) for name in entry.__slots__} for entry in found]))
        return
    table = Table(Column("match", no_wrap=True), "game", "state", "seats", "actions", "ended")
    for entry in found:
        seats = ", ".join(f"{seat}: {name}" for seat, name in entry.seats.items())
        table.add_row(entry.match, entry.game, entry.state, seats, str(entry.actions), entry.ended)
    out.print(table)


@click.command()
@click.argument("match", default="")
@remote_options
def watch(match: str, server: str, token_file: Path | None, tls_ca: Path | None) -> None:
    """Follow a match in words, as a spectator sees it. Default: the newest open one."""
    with connected(server, token_file, tls_ca) as remote:
        if not match:
            running = [entry for entry in remote.list_matches() if entry.state == "running"]
            if not running:
                raise click.ClickException("no match is running; `lictor matches` lists those there are")
            match = running[0].match
        for words in remote.watch(match):
            if words:
                out.print(words, markup=False)


@click.command("fetch")
@click.argument("match")
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Default: MATCH.jsonl.")
@click.option("--transcript", metavar="SEAT", help="Instead of the record: what the server noted about this seat.")
@remote_options
def fetch(
    match: str,
    output: Path | None,
    transcript: str | None,
    server: str,
    token_file: Path | None,
    tls_ca: Path | None,
) -> None:
    """Fetch the record of a finished match from a server, or the transcript of one of its seats."""
    with connected(server, token_file, tls_ca) as remote:
        content = remote.transcript(match, transcript) if transcript else remote.record(match)
    path = output or Path(f"{match}.{transcript}.jsonl" if transcript else f"{match}.jsonl")
    path.write_bytes(content)
    hint = f" Check it: lictor record verify {path}"
    if transcript:
        hint = f" Score its notes: lictor record notes {match}.jsonl {path} --seat {transcript}"
    out.print(f"Wrote {path}.{hint}")
