"""The command line: one module a family of commands."""

from __future__ import annotations

from typing import Any

import click

from lictor.engine.chance import ChanceError
from lictor.engine.game import GameError
from lictor.server.cli import (
    bots,
    checkbot,
    demo,
    notes,
    playing,
    practice,
    proofs,
    records,
    rehearsals,
    remote,
    reviews,
    serving,
)


class House(click.Group):
    """The commands; an error of the games is told in one line, never as a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (GameError, ChanceError) as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            raise click.ClickException(f"{error.filename or 'output'}: {error.strerror}") from error


@click.group(cls=House, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="lictor")
def main() -> None:
    """Referee Roman civil-war board games: play, record, verify, and prove that nothing leaks."""


records.record_group.add_command(remote.fetch)
records.record_group.add_command(notes.notes)
records.record_group.add_command(rehearsals.decide_again)
records.record_group.add_command(reviews.review)
for command in (
    serving.serve, bots.bot, remote.matches, remote.watch, remote.account, demo.demo, playing.selfplay,
    practice.practice, records.record_group, proofs.leakcheck, proofs.bench, checkbot.checkbot,
):  # fmt: skip
    main.add_command(command)
