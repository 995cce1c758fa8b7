"""BOT_IN_FIVE_MINUTES.md does what it says, from an empty folder."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

from lictor.client import JuliusCaesarView

from .processes import WAIT_S, Server

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "clients" / "BOT_IN_FIVE_MINUTES.md").read_text()
SHELL = [block.strip() for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)]
(BOT,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
_, INSTALL, SERVE, RUN = SHELL


def wheel(project: Path, where: Path) -> Path:
    """Build a wheel from the tree as it is, with the build back end that is installed, or else a fetched one."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", str(project), "--no-deps", "-q"]
    if importlib.util.find_spec("hatchling") is not None:
        command.append("--no-build-isolation")
    subprocess.run([*command, "-w", str(where)], check=True, timeout=WAIT_S)
    (built,) = where.glob("*.whl")
    return built


def shell(script: str, folder: Path, **environment: str) -> str:
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_true(tmp_path: Path) -> None:
    # The commands as they stand, but for three things that keep the test quick and to itself: the wheel comes ready
    # built and without its dependencies, which are borrowed from the interpreter that runs the tests; the server has
    # a port and a home of its own; and where it is comes from the environment.
    built = wheel(ROOT, tmp_path / "wheels")
    install = INSTALL.replace("python3 -m venv .venv", f"{sys.executable} -m venv --without-pip .venv")
    pip = f"{sys.executable} -m pip --python .venv/bin/python --disable-pip-version-check install -q --no-deps"
    install = install.replace('pip install "$LICTOR"', f'{pip} "{built}"')
    assert install.count(pip) == 1
    shell(install, tmp_path)
    folder = tmp_path / "my-bot"
    packages = next((folder / ".venv").glob("lib/python*/site-packages"))
    # A plain path: the .pth file of the tree that lies there is not read, and so it is the wheel that runs.
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (folder / "my_bot.py").write_text(BOT)
    assert SERVE == "lictor serve --dev --bot random"
    server = Server(folder / "home", "--bot", "random", program=(str(folder / ".venv/bin/lictor"),))
    server.start()
    try:
        said = shell(f". .venv/bin/activate\n{RUN}", folder, LICTOR_TARGET=server.target)
        where = shell(". .venv/bin/activate\npython -c 'import lictor.client as c; print(c.__file__)'", folder)
    finally:
        server.stop()
    assert re.findall(r"^[0-9a-f]{16} as (?:caesar|pompey): \S.* \(.*\)$", said, re.MULTILINE) == said.splitlines()
    assert len(said.splitlines()) == 3
    assert str(folder) in where


def test_the_bot_is_short() -> None:
    assert len([line for line in BOT.splitlines() if line.strip()]) <= 10


def test_the_table_names_what_there_is() -> None:
    rows = re.findall(r"^\| (`.*?) \|", TEXT, re.MULTILINE)
    fields = {re.match(r"\w+", name)[0] for row in rows for name in re.findall(r"`(.*?)`", row)}  # type: ignore[index]
    own = {"seat", "players", "options", "match_id", "events", "history", "opening", "clock", "batch", "raw"}
    for name in fields - own:
        assert hasattr(JuliusCaesarView, name), name
    public = {name for name in vars(JuliusCaesarView) if not name.startswith("_")}
    assert public - fields == set()


def test_the_client_alone_is_a_wheel_of_its_own(tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel(ROOT / "clients" / "python", tmp_path)) as built:
        names = {name for name in built.namelist() if ".dist-info/" not in name}
    folders = {name.split("/")[1] for name in names}
    assert folders == {"client", "v1"}
    assert {"lictor/client/games/julius_caesar/view.py", "lictor/client/py.typed"} <= names
    assert {"lictor/v1/play_service_pb2.py", "lictor/v1/play_service_pb2_grpc.py", "lictor/v1/py.typed"} <= names


def test_both_distributions_have_the_same_version_and_bounds() -> None:
    whole, client = (
        tomllib.loads((ROOT / path).read_text())["project"]
        for path in ("pyproject.toml", "clients/python/pyproject.toml")
    )
    assert client["version"] == whole["version"]
    assert set(client["dependencies"]) <= set(whole["dependencies"])
