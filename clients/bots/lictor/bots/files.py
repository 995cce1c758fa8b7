"""A bot in a file of one's own."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from lictor.client import AsyncBot, Bot


class BadBot(Exception):
    """A bot was named that there is not; the text says in one line what to do."""


def load(name: str) -> type[Bot] | type[AsyncBot]:
    """Return the bot that `file.py:Class` names."""
    file, _, wanted = name.rpartition(":")
    if not file or not wanted:
        raise BadBot(f"say which class of the file is the bot: {name.strip(':')}:MyBot")
    module = _import(Path(file))
    found = getattr(module, wanted, None)
    if found is None:
        own = ", ".join(_bots_in(module)) or "none that derives from Bot or AsyncBot"
        raise BadBot(f"{file} has no class {wanted!r:.60}; its bots: {own}")
    if not _is_bot(found):
        raise BadBot(
            f"{wanted} in {file} does not derive from Bot or AsyncBot: class {wanted}(Bot), from lictor.client"
        )
    bot: type[Bot] | type[AsyncBot] = found
    return bot


def _is_bot(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Bot | AsyncBot) and thing not in (Bot, AsyncBot)


def _bots_in(module: ModuleType) -> list[str]:
    return [name for name, thing in vars(module).items() if _is_bot(thing) and thing.__module__ == module.__name__]


def _import(path: Path) -> ModuleType:
    if not path.is_file():
        raise BadBot(f"there is no file {path}; a bot of your own is named file.py:Class")
    # A name of its own, so that it hides no module that others import.
    name = f"_lictor_bot_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise BadBot(f"{path} is no Python file; any other program is started with lictor practice --exec")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))  # its neighbours, as if it were run by itself
    own = str(path.resolve())
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        where = path if error.filename == own else error.filename
        raise BadBot(f"{where}, line {error.lineno}: {error.msg}") from error
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own]
        place = f"{path}, line {lines[-1]}" if lines else str(path)
        raise BadBot(f"{place}: {type(error).__name__}: {' '.join(str(error).split())}") from error
    return module
