"""What the commands share: options, files, progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import yaml
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from lictor.engine import registry

out = Console(highlight=False, soft_wrap=True)
notes = Console(stderr=True, highlight=False)  # progress and complaints: never part of the output

game_option = click.option("--game", default="julius_caesar", show_default=True, help="Which game.")
options_option = click.option(
    "--option", "-o", "options", multiple=True, metavar="NAME=VALUE", help="A game option, such as -o edition=1.x."
)
data_option = click.option(
    "--data",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A data file (YAML) in place of the game's.",
)
seed_option = click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="The same seed, the same result."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program to read.")
file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


def read_options(game: str, given: tuple[str, ...], data: Path | None) -> dict[str, object]:
    """Return the options as the game takes them; what it does not know is refused before anything starts."""
    options: dict[str, object] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--option")
        if name == "data":
            raise click.BadParameter("a data file is given with --data", param_hint="--option")
        options[name] = value
    if data is not None:
        options["data"] = read_data(data)
    registry.get(game).catalog(options)
    return options


def read_data(path: Path) -> Mapping[str, Any]:
    """Return the mapping in a YAML file."""
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise click.BadParameter(f"{path} is not YAML: {error!s:.200}", param_hint="--data") from error
    if not isinstance(data, dict):
        raise click.BadParameter(f"{path} holds no mapping", param_hint="--data")
    return data


@contextmanager
def progress(label: str, total: int) -> Iterator[Any]:
    """Show a bar on a terminal, and nothing where nobody looks."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


def given_data(path: Path | None) -> Mapping[str, Any] | None:
    """Return the data set in a file, or `None` without one."""
    return None if path is None else read_data(path)
