"""What the project promises about itself."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def need(present: bool, reason: str) -> None:
    """Skip a test loudly where something is missing; fail where everything must be there."""
    if not present:
        (pytest.fail if os.environ.get("LICTOR_REQUIRE_ALL") == "1" else pytest.skip)(reason)


@contextmanager
def server(home: Path, *options: str) -> Iterator[int]:
    """Run a server in dev mode, as the README has it, on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "lictor.server.cli", "serve", "--dev", "--address", f"127.0.0.1:{port}"]
    process = subprocess.Popen([*words, "--metrics", "", "--home", str(home), *options], stderr=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.terminate()
        assert process.wait(20) == 0


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_the_readme_is_short_and_its_bot_plays(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    assert text.count("\n") < 150
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code.strip().splitlines()) <= 12
    bot = tmp_path / "bot.py"
    with server(tmp_path / "home", "--bot", "random") as port:
        bot.write_text(code)
        where = {**os.environ, "LICTOR_TARGET": f"localhost:{port}"}
        done = subprocess.run([sys.executable, bot], env=where, capture_output=True, text=True, timeout=60, check=True)
    assert re.match(r"\[Result\(.*won", done.stdout), done.stdout


def test_the_readme_names_only_what_exists() -> None:
    text = (ROOT / "README.md").read_text()
    for name in re.findall(r"`((?:engine|tests|server|ladder|clients)/[\w./]+?)`", text):
        assert (ROOT / name).exists(), name


def test_no_file_names_a_place_of_one_machine() -> None:
    need((ROOT / ".git").exists(), "the tracked files are known to git alone, and this is no checkout")
    places = re.compile(rb"/(?:home|root|work|Users)/")
    for path in tracked():
        if path.suffix != ".gz" and path != Path(__file__):
            assert not places.search(path.read_bytes()), path
