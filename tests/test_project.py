"""What the project promises about itself."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_the_readme_is_short_and_its_bot_plays(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text()
    assert text.count("\n") < 150
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code.strip().splitlines()) <= 12
    bot = tmp_path / "bot.py"
    bot.write_text(code)
    done = subprocess.run([sys.executable, bot], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("Outcome(winner=")


def test_the_readme_names_only_what_exists() -> None:
    text = (ROOT / "README.md").read_text()
    for name in re.findall(r"`((?:engine|tests|server|ladder|clients)/[\w./]+?)`", text):
        assert (ROOT / name).exists(), name


def test_no_file_names_a_place_of_one_machine() -> None:
    if not (ROOT / ".git").exists():
        return
    places = re.compile(rb"/(?:home|root|work|Users)/")
    for path in tracked():
        if path.suffix != ".gz" and path != Path(__file__):
            assert not places.search(path.read_bytes()), path
