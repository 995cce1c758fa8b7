"""`AccountService`: accounts, bots and tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lictor.server.accounts import Accounts, BadRequest
from lictor.server.edge.calls import Caller, attempt, page_size
from lictor.server.store import TokenRow
from lictor.v1 import account_service_pb2 as pb

SCOPES = {
    pb.SCOPE_PLAY: "play",
    pb.SCOPE_WATCH: "watch",
    pb.SCOPE_OPERATE: "operate",
    pb.SCOPE_REFEREE: "referee",
}
_NUMBERS = {name: number for number, name in SCOPES.items()}


class AccountEdge:
    """Serves owners and operators."""

    def __init__(self, accounts: Accounts, caller: Caller, revoked: Callable[[str], None]) -> None:
        self._accounts, self._caller = accounts, caller
        self._revoked = revoked  # told the id of every token that has become worthless

    async def GetAccount(self, request: pb.GetAccountRequest, context: Any) -> pb.GetAccountResponse:
        """Tell whom the call's token speaks for."""
        who = await self._caller.identify(context)

        def find() -> pb.GetAccountResponse:
            row = self._accounts.token(who.token_id)
            if row is None:
                raise BadRequest("without a token there is no account to tell of")
            return pb.GetAccountResponse(account=self._account(who.account), token=_token(row))

        return await attempt(context, find)

    async def CreateAccount(self, request: pb.CreateAccountRequest, context: Any) -> pb.CreateAccountResponse:
        """Make an account."""
        who = await self._caller.identify(context)
        await attempt(context, self._accounts.create_account, who, request.name)
        return pb.CreateAccountResponse(account=pb.Account(name=request.name))

    async def ListAccounts(self, request: pb.ListAccountsRequest, context: Any) -> pb.ListAccountsResponse:
        """List accounts."""
        who = await self._caller.identify(context)
        size = page_size(request.page_size)

        def find() -> pb.ListAccountsResponse:
            names = self._accounts.accounts(who, size + 1, request.page)
            page = names[size - 1] if len(names) > size else ""
            return pb.ListAccountsResponse(accounts=[self._account(name) for name in names[:size]], next_page=page)

        return await attempt(context, find)

    async def CreateBot(self, request: pb.CreateBotRequest, context: Any) -> pb.CreateBotResponse:
        """Add a bot to an account."""
        who = await self._caller.identify(context)

        def make() -> pb.CreateBotResponse:
            account = self._accounts.create_bot(who, request.account, request.bot)
            return pb.CreateBotResponse(account=self._account(account))

        return await attempt(context, make)

    async def CreateToken(self, request: pb.CreateTokenRequest, context: Any) -> pb.CreateTokenResponse:
        """Make a token."""
        who = await self._caller.identify(context)

        def make() -> pb.CreateTokenResponse:
            unknown = [scope for scope in request.scopes if scope not in SCOPES]
            if unknown:
                raise BadRequest(f"there is no scope number {unknown[0]}")
            scopes = [SCOPES[scope] for scope in request.scopes]
            row, secret = self._accounts.create_token(
                who, request.account, request.bot, scopes, request.expires_after_s
            )
            return pb.CreateTokenResponse(token=_token(row), secret=secret)

        return await attempt(context, make)

    async def ListTokens(self, request: pb.ListTokensRequest, context: Any) -> pb.ListTokensResponse:
        """List the tokens of an account."""
        who = await self._caller.identify(context)
        rows = await attempt(context, self._accounts.tokens_of, who, request.account)
        return pb.ListTokensResponse(tokens=[_token(row) for row in rows])

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Any) -> pb.RevokeTokenResponse:
        """Make a token worthless, and close the streams that were opened with it."""
        who = await self._caller.identify(context)
        row = await attempt(context, self._accounts.revoke, who, request.token_id)
        self._revoked(row.id)
        return pb.RevokeTokenResponse(token=_token(row))

    def _account(self, name: str) -> pb.Account:
        return pb.Account(name=name, bots=self._accounts.bots_of(name))


def _token(row: TokenRow) -> pb.Token:
    token = pb.Token(
        token_id=row.id,
        account=row.account,
        bot=row.bot,
        scopes=[_NUMBERS[scope] for scope in row.scopes],
        revoked=row.revoked,
    )
    if row.expires_at is not None:
        token.expires_unix_ms = round(row.expires_at * 1000)
    return token
