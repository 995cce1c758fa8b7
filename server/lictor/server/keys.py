"""The key by which the house signs its records."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class BadKey(Exception):
    """A key file cannot be read; the text says what to do."""


def load_or_make(path: Path) -> Ed25519PrivateKey:
    """Return the key in a file of 64 hex digits, mode 600; at the first start, make it."""
    if not path.exists():
        made = Ed25519PrivateKey.generate()
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(made.private_bytes_raw().hex() + "\n")
        return made
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(path.read_text("ascii").strip()))
    except ValueError as error:
        raise BadKey(f"{path} holds no ed25519 key (64 hex digits); move it away and a new one is made") from error


def public_hex(key: Ed25519PrivateKey) -> str:
    """Return the public key by which records are checked."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
