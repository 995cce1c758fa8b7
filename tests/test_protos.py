"""The protos keep their promises, and the stubs beside them are those of the protos."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "proto" / "lictor" / "v1"
PROTOS = sorted(path.stem for path in FOLDER.glob("*.proto"))
GAMES = {"julius_caesar": "JuliusCaesar"}


def stubs(folder: Path) -> dict[str, str]:
    return {
        path.name: path.read_text("utf-8") for pattern in ("*.py", "*.pyi") for path in folder.glob(f"*_pb2{pattern}")
    }


def messages(descriptor: Any) -> Iterator[Any]:
    for message in descriptor.message_types_by_name.values():
        yield message
        yield from message.nested_types


def test_buf_finds_nothing() -> None:
    buf = Path(sysconfig.get_path("scripts")) / "buf"
    done = subprocess.run([buf, "lint"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def breaking(against: str) -> subprocess.CompletedProcess[str]:
    buf = Path(sysconfig.get_path("scripts")) / "buf"
    words = [str(buf), "breaking", "--against", against]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_nothing_that_a_release_promised_is_broken() -> None:
    tags = subprocess.run(
        ["git", "tag", "--list", "v*", "--sort=-v:refname"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for tag in tags.stdout.split()[:1]:
        done = breaking(f".git#tag={tag}")
        assert (done.returncode, done.stdout) == (0, ""), tag


def test_a_broken_promise_would_be_found(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    shutil.copy(ROOT / "buf.yaml", tmp_path)
    before = tmp_path / "proto" / "lictor" / "v1" / "play_service.proto"
    before.write_text(before.read_text("utf-8").replace("string match_id = 1;", "bytes match_id = 1;"), "utf-8")
    done = breaking(str(tmp_path))
    assert done.returncode != 0
    assert "match_id" in done.stdout


def test_the_stubs_are_those_of_the_protos(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "proto" / "generate.py", "--out", tmp_path], cwd=tmp_path, check=True)
    fresh, kept = stubs(tmp_path / "lictor" / "v1"), stubs(FOLDER)
    assert {f"{name}_pb2{kind}" for name in PROTOS for kind in (".py", ".pyi")} <= {*fresh}
    assert sorted(fresh) == sorted(kept), "run proto/generate.py"
    assert [name for name in fresh if fresh[name] != kept[name]] == [], "run proto/generate.py"


@pytest.mark.parametrize("name", PROTOS)
def test_fields_are_of_types_that_every_language_can_hold(name: str) -> None:
    for message in messages(importlib.import_module(f"lictor.v1.{name}_pb2").DESCRIPTOR):
        for field in message.fields:
            assert field.cpp_type not in (field.CPPTYPE_INT64, field.CPPTYPE_UINT64), field.full_name
            inner = field.message_type
            assert inner is None or inner.full_name != "google.protobuf.Any", field.full_name
            if inner is not None and inner.GetOptions().map_entry:
                assert inner.fields_by_name["value"].message_type is None, field.full_name


@pytest.mark.parametrize("name", PROTOS)
def test_what_belongs_to_a_game_begins_with_its_name(name: str) -> None:
    descriptor = importlib.import_module(f"lictor.v1.{name}_pb2").DESCRIPTOR
    prefixes = [prefix for game, prefix in GAMES.items() if name.startswith(game)]
    for declared in (*descriptor.message_types_by_name, *descriptor.enum_types_by_name):
        owners = [prefix for prefix in GAMES.values() if declared.startswith(prefix)]
        assert owners == prefixes, declared
