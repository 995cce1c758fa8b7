"""Accounts own bots; tokens speak for them. Only hashes of tokens are kept."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lictor.server.store import BotRow, Store, StoreError, TokenRow

SCOPES = ("play", "watch", "operate", "referee")
NAME = re.compile(r"[A-Za-z0-9._-]{1,40}")
NAME_RULE = "1 to 40 of the letters a-z A-Z 0-9 and . _ -"
OPERATOR = "operator"
_VERSION_LENGTH, _HASH = 60, re.compile(r"[0-9a-fA-F]{0,64}")


class NotAllowed(Exception):
    """The caller may not do this; the text says what is needed."""


class Unauthenticated(NotAllowed):
    """The caller's token is missing, unknown, expired or revoked."""


class BadRequest(Exception):
    """Something asked for cannot be made; the text says why, and `field` where."""

    def __init__(self, text: str, field: str = "") -> None:
        super().__init__(text)
        self.field = field


class NotThere(BadRequest):
    """Something asked for does not exist."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a token speaks for."""

    account: str
    bot: str  # "" for the account itself
    scopes: frozenset[str]
    token_id: str
    expires_at: float | None = None

    def need(self, scope: str) -> None:
        """Insist on a scope."""
        if scope not in self.scopes:
            has = ", ".join(sorted(self.scopes)) or "none"
            raise NotAllowed(f"this needs a token with the scope {scope!r}; yours has {has}")


EVERYBODY = Identity("", "", frozenset({"play", "watch"}), "")


class Accounts:
    """Who may do what. Its methods read and write the store: call them from a worker thread."""

    def __init__(self, store: Store, *, dev: bool = False, wall: Callable[[], float] = time.time) -> None:
        self._store, self._wall = store, wall
        self.dev = dev

    def identify(self, secret: str) -> Identity:
        """Return whom a token speaks for. In dev mode nobody needs one."""
        if not secret:
            if self.dev:
                return EVERYBODY
            raise Unauthenticated("a token is needed; an operator makes one with `lictor account token`")
        row = self._store.token_by_hash(hash_of(secret))
        if row is None or row.revoked:
            raise Unauthenticated("the token is unknown or was revoked")
        if row.expires_at is not None and row.expires_at <= self._wall():
            raise Unauthenticated("the token has expired")
        return Identity(row.account, row.bot, frozenset(row.scopes), row.id, row.expires_at)

    def admit(self, secret: str, bot: str, version: str, content_hash: str) -> Identity:
        """Return who plays: the bot a token is for, or in dev mode the bot that is named, made on the spot."""
        who = self.identify(secret)
        who.need("play")
        name = who.bot or bot
        if not NAME.fullmatch(name):
            raise BadRequest(f"a bot needs a name of {NAME_RULE}; {name!r:.60} is none", "bot")
        if bot not in ("", name):
            raise NotAllowed(f"the token is for the bot {name!r}, not for {bot!r:.60}")
        owner = self._store.bot(name)
        if who is EVERYBODY:
            self._settle_in(name, owner)
            who = Identity(name, name, who.scopes, "")
        elif owner is None or owner.account != who.account:
            raise NotAllowed(f"the account {who.account!r} has no bot {name!r:.60}; make it with `lictor account bot`")
        else:
            who = Identity(who.account, name, who.scopes, who.token_id)
        if version:
            self._check_version(name, version, content_hash)
        return who

    def _settle_in(self, name: str, owner: BotRow | None) -> None:
        if owner is None:
            # Two first streams of one bot may both come here: what one has made, the other finds.
            with contextlib.suppress(StoreError):
                self._store.create_account(name)
            with contextlib.suppress(StoreError):
                self._store.create_bot(BotRow(name, name))
        elif owner.account != name:
            raise NotAllowed(f"the bot {name!r} belongs to the account {owner.account!r}: its token is needed")

    def _check_version(self, bot: str, version: str, content_hash: str) -> None:
        if len(version) > _VERSION_LENGTH or not version.isprintable():
            raise BadRequest(f"a version label has at most {_VERSION_LENGTH} printable characters", "version")
        if not _HASH.fullmatch(content_hash):
            raise BadRequest("a content hash has at most 64 hex digits", "content_hash")
        known = self._store.claim_version(bot, version, content_hash.lower())
        if known != content_hash.lower():
            raise VersionChanged(
                f"version {version!r} of {bot} has the content hash {known or 'none'!r}: take a new label"
            )

    # --- What operators and owners do ---

    def create_account(self, who: Identity, name: str) -> None:
        """Make an account."""
        who.need("operate")
        _check_name(name)
        self._make(lambda: self._store.create_account(name))

    def accounts(self, who: Identity, limit: int, after: str) -> list[str]:
        """Return accounts by name."""
        who.need("operate")
        return self._store.accounts(limit=limit, after=after)

    def bots_of(self, account: str) -> list[str]:
        """Return the bots of an account."""
        return self._store.bots_of(account)

    def create_bot(self, who: Identity, account: str, bot: str) -> str:
        """Make a bot, and return its account."""
        account = self._may_manage(who, account)
        _check_name(bot)
        self._make(lambda: self._store.create_bot(BotRow(bot, account)))
        return account

    def create_token(
        self, who: Identity, account: str, bot: str, scopes: Sequence[str], expires_after_s: int
    ) -> tuple[TokenRow, str]:
        """Make a token; return it with its secret, which is kept nowhere."""
        account = self._may_manage(who, account)
        if not scopes:
            raise BadRequest(f"a token needs a scope: {', '.join(SCOPES)}")
        wide = [scope for scope in scopes if scope not in who.scopes]
        if wide:
            raise NotAllowed(f"no token can be made with a scope its maker does not have: {', '.join(wide)}")
        owner = self._store.bot(bot) if bot else None
        if bot and (owner is None or owner.account != account):
            raise NotThere(f"the account {account!r:.60} has no bot {bot!r:.60}")
        if who.expires_at is not None:
            # No token outlives the one it was made with.
            left = max(1, int(who.expires_at - self._wall()))
            expires_after_s = min(expires_after_s or left, left)
        return self.issue(account, bot, scopes, expires_after_s)

    def issue(
        self, account: str, bot: str, scopes: Sequence[str], expires_after_s: int, secret: str = ""
    ) -> tuple[TokenRow, str]:
        """Make a token without asking who wants it: for the house itself."""
        secret, now = secret or _new_secret(), self._wall()
        expires = now + expires_after_s if expires_after_s else None
        row = TokenRow(
            secrets.token_hex(6), hash_of(secret), account, bot, tuple(dict.fromkeys(scopes)), expires, False, now
        )
        self._make(lambda: self._store.create_token(row))
        return row, secret

    def tokens_of(self, who: Identity, account: str) -> list[TokenRow]:
        """Return the tokens of an account."""
        return self._store.tokens_of(self._may_manage(who, account))

    def revoke(self, who: Identity, token_id: str) -> TokenRow:
        """Make a token worthless."""
        row = self._store.token(token_id)
        if row is None or ("operate" not in who.scopes and (row.account != who.account or who.bot)):
            raise NotThere(f"you have no token {token_id!r:.60}")
        self._store.revoke_token(token_id)
        found = self._store.token(token_id)
        assert found is not None
        return found

    def token(self, token_id: str) -> TokenRow | None:
        """Return a token."""
        return self._store.token(token_id)

    def make_operator(self, hand_over: Callable[[str], None]) -> bool:
        """Make the operator's account and token if there is none yet; `hand_over` gets the secret before it counts.

        A crash in between leaves a secret that opens nothing, and the next start makes another.
        """
        if self._store.has_account(OPERATOR):
            return False
        secret = _new_secret()
        hand_over(secret)
        self._store.create_account(OPERATOR)
        self.issue(OPERATOR, "", SCOPES, 0, secret)
        return True

    def is_revoked(self, token_id: str) -> bool:
        """Return whether a token is worthless by now."""
        row = self._store.token(token_id)
        return row is None or row.revoked

    def house_token(self, account: str, bot: str) -> str:
        """Make the house's own account and bot if they are missing, and return a token that lasts a year."""
        if not self._store.has_account(account):
            self._store.create_account(account)
        owner = self._store.bot(bot)
        if owner is None:
            self._store.create_bot(BotRow(bot, account))
        elif owner.account != account:
            raise BadRequest(f"the bot {bot!r} belongs to the account {owner.account!r}, not to the house")
        return self.issue(account, bot, ("play",), 86400 * 365)[1]

    def _may_manage(self, who: Identity, account: str) -> str:
        account = account or who.account
        own = account == who.account and not who.bot and bool(who.account)
        if not own and "operate" not in who.scopes:
            raise NotAllowed("this needs the scope 'operate', or a token of the account itself that is for no bot")
        if not self._store.has_account(account):
            raise NotThere(f"there is no account {account!r:.60}")
        return account

    def _make(self, write: Callable[[], None]) -> None:
        try:
            write()
        except StoreError as error:
            raise BadRequest(str(error)) from error


class VersionChanged(BadRequest):
    """A version's label belongs to something else."""


def _new_secret() -> str:
    return f"lictor_{secrets.token_urlsafe(32)}"


def hash_of(secret: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadRequest(f"a name has {NAME_RULE}; {name!r:.60} is none")
