"""What the command line asks of a server that runs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc

from lictor.server.edge.accounts import SCOPES
from lictor.v1 import account_service_pb2 as accounts
from lictor.v1 import account_service_pb2_grpc as accounts_rpc
from lictor.v1 import match_pb2
from lictor.v1 import record_service_pb2 as records
from lictor.v1 import record_service_pb2_grpc as records_rpc
from lictor.v1 import watch_service_pb2 as watching
from lictor.v1 import watch_service_pb2_grpc as watching_rpc

_TIMEOUT_S = 10.0
_NUMBERS = {name: number for number, name in SCOPES.items()}


class RemoteError(Exception):
    """The server did not do what was asked; the text is its own."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A match in a list."""

    match: str
    game: str
    state: str
    seats: dict[str, str]
    actions: int
    ended: str


class Remote:
    """A server, as one token sees it."""

    def __init__(self, target: str, token: str, ca: bytes | None = None) -> None:
        self._target = target
        options = (("grpc.max_receive_message_length", 1 << 26),)
        if ca is None:
            self._channel = grpc.insecure_channel(target, options)
        else:
            self._channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(ca), options)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def close(self) -> None:
        """Hang up."""
        self._channel.close()

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            code = error.code()
            if code is grpc.StatusCode.UNAVAILABLE:
                text = f"no server at {self._target}: start one with `lictor serve`, or name it with --server"
                raise RemoteError(text) from error
            raise RemoteError(error.details()) from error

    def _call(self, method: Any, request: Any) -> Any:
        with self._asking():
            return method(request, timeout=_TIMEOUT_S, metadata=self._metadata)

    # --- Accounts ---

    def whoami(self) -> dict[str, Any]:
        """Return whom the token speaks for."""
        answer = self._call(accounts_rpc.AccountServiceStub(self._channel).GetAccount, accounts.GetAccountRequest())
        return {"account": answer.account.name, "bots": list(answer.account.bots), "token": _token(answer.token)}

    def create_account(self, name: str) -> None:
        """Make an account."""
        stub = accounts_rpc.AccountServiceStub(self._channel)
        self._call(stub.CreateAccount, accounts.CreateAccountRequest(name=name))

    def list_accounts(self) -> list[dict[str, Any]]:
        """Return all accounts with their bots."""
        stub, page, found = accounts_rpc.AccountServiceStub(self._channel), "", list[dict[str, Any]]()
        while True:
            answer = self._call(stub.ListAccounts, accounts.ListAccountsRequest(page_size=200, page=page))
            found += [{"account": entry.name, "bots": list(entry.bots)} for entry in answer.accounts]
            page = answer.next_page
            if not page:
                return found

    def create_bot(self, account: str, bot: str) -> None:
        """Add a bot to an account."""
        stub = accounts_rpc.AccountServiceStub(self._channel)
        self._call(stub.CreateBot, accounts.CreateBotRequest(account=account, bot=bot))

    def create_token(self, account: str, bot: str, scopes: Sequence[str], expires_after_s: int) -> dict[str, Any]:
        """Make a token, and return it with its secret."""
        request = accounts.CreateTokenRequest(account=account, bot=bot, expires_after_s=expires_after_s)
        request.scopes.extend([_NUMBERS[scope] for scope in scopes])
        answer = self._call(accounts_rpc.AccountServiceStub(self._channel).CreateToken, request)
        return {**_token(answer.token), "secret": answer.secret}

    def list_tokens(self, account: str) -> list[dict[str, Any]]:
        """Return the tokens of an account."""
        stub = accounts_rpc.AccountServiceStub(self._channel)
        answer = self._call(stub.ListTokens, accounts.ListTokensRequest(account=account))
        return [_token(token) for token in answer.tokens]

    def revoke_token(self, token_id: str) -> None:
        """Make a token worthless."""
        stub = accounts_rpc.AccountServiceStub(self._channel)
        self._call(stub.RevokeToken, accounts.RevokeTokenRequest(token_id=token_id))

    # --- Matches ---

    def list_matches(self, *, game: str = "", bot: str = "", limit: int = 20) -> list[Listed]:
        """Return matches, the open ones first."""
        stub = watching_rpc.WatchServiceStub(self._channel)
        request = watching.ListMatchesRequest(game=game, bot=bot, page_size=limit)
        return [_listed(entry) for entry in self._call(stub.ListMatches, request).matches]

    def record(self, match: str) -> bytes:
        """Return the record of a finished match."""
        stub = records_rpc.RecordServiceStub(self._channel)
        record: bytes = self._call(stub.GetRecord, records.GetRecordRequest(match_id=match)).record
        return record

    def transcript(self, match: str, seat: str) -> bytes:
        """Return what the server noted about a seat."""
        stub = records_rpc.RecordServiceStub(self._channel)
        request = records.GetTranscriptRequest(match_id=match, seat=seat)
        transcript: bytes = self._call(stub.GetTranscript, request).transcript
        return transcript

    def watch(self, match: str) -> Iterator[str]:
        """Yield a match in words, as a spectator sees it, from its first event to its end."""
        stub = watching_rpc.WatchServiceStub(self._channel)
        with self._asking():
            feed = stub.Watch(watching.WatchRequest(match_id=match, resume=True), metadata=self._metadata)
            for message in feed:
                match message.WhichOneof("message"):
                    case "events":
                        yield from message.events.words
                    case "ended":
                        yield f"The match is over: {message.ended.termination.text}."


def _token(token: accounts.Token) -> dict[str, Any]:
    return {
        "id": token.token_id,
        "account": token.account,
        "bot": token.bot,
        "scopes": [SCOPES[scope] for scope in token.scopes],
        "expires_unix_ms": token.expires_unix_ms if token.HasField("expires_unix_ms") else None,
        "revoked": token.revoked,
    }


def _listed(entry: match_pb2.MatchSummary) -> Listed:
    state = match_pb2.MatchState.Name(entry.state).removeprefix("MATCH_STATE_").lower()
    ended = entry.termination.text if entry.HasField("termination") else ""
    seats = {holder.seat: holder.bot for holder in entry.seats}
    return Listed(entry.match_id, entry.game, state, seats, entry.public_actions, ended)
