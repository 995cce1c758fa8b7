"""Write the Python stubs of all protos beside them, or into another folder."""

from __future__ import annotations

import argparse
import sys
import sysconfig
from importlib import resources
from pathlib import Path

from grpc_tools import protoc  # type: ignore[import-untyped]

HERE = Path(__file__).resolve().parent


def generate(out: Path) -> None:
    """Write the stubs of every proto below `out`, or exit with the compiler's status."""
    protos = sorted(HERE.glob("lictor/v1/*.proto"))
    services = [path for path in protos if path.stem.endswith("_service")]
    _compile(protos, out, {"python": "", "mypy": "quiet:"})
    if services:
        _compile(services, out, {"grpc_python": "", "mypy_grpc": "quiet:"})


def _compile(protos: list[Path], out: Path, outputs: dict[str, str]) -> None:
    scripts = Path(sysconfig.get_path("scripts"))
    suffix = sysconfig.get_config_var("EXE") or ""
    status = protoc.main(
        [
            "protoc",
            f"--proto_path={HERE}",
            f"--proto_path={resources.files('grpc_tools') / '_proto'}",
            *(f"--plugin=protoc-gen-{name}={scripts / f'protoc-gen-{name}{suffix}'}" for name in ("mypy", "mypy_grpc")),
            *(f"--{output}_out={option}{out}" for output, option in outputs.items()),
            *map(str, protos),
        ]
    )
    if status:
        sys.exit(status)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE, help="the folder that stands for proto/")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    generate(out)


if __name__ == "__main__":
    main()
