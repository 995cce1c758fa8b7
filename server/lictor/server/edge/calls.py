"""What the unary services share: who calls, and how a refusal is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import grpc

from lictor.server.accounts import Accounts, BadRequest, Identity, NotAllowed, NotThere, Unauthenticated
from lictor.server.matches.messages import Reason
from lictor.server.matches.refusal import Refusal

T = TypeVar("T")
PAGE, MOST = 50, 200


class Caller:
    """Finds out who calls."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    async def identify(self, context: Any, scope: str | None = None) -> Identity:
        """Return whom the call's token speaks for, or end the call."""
        secret = ""
        for key, value in context.invocation_metadata() or ():
            if key == "authorization":
                kind, _, secret = str(value).partition(" ")
                if kind.lower() != "bearer" or not secret:
                    await context.abort(
                        grpc.StatusCode.UNAUTHENTICATED, "the metadata must read `authorization: Bearer TOKEN`"
                    )
        return await attempt(context, self._check, secret, scope)

    def _check(self, secret: str, scope: str | None) -> Identity:
        who = self._accounts.identify(secret)
        if scope is not None:
            who.need(scope)
        return who


async def attempt(context: Any, work: Callable[..., T], *args: Any) -> T:
    """Do blocking work in a thread; what may not or cannot be done ends the call with a status and a text."""
    try:
        return await asyncio.to_thread(work, *args)
    except Unauthenticated as error:
        await refuse(context, grpc.StatusCode.UNAUTHENTICATED, str(error))
    except NotAllowed as error:
        await refuse(context, grpc.StatusCode.PERMISSION_DENIED, str(error))
    except NotThere as error:
        await refuse(context, grpc.StatusCode.NOT_FOUND, str(error))
    except BadRequest as error:
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, str(error))
    except Refusal as refusal:
        unknown = refusal.message.reason is Reason.UNKNOWN_GAME
        status = grpc.StatusCode.NOT_FOUND if unknown else grpc.StatusCode.INVALID_ARGUMENT
        await refuse(context, status, str(refusal))


async def refuse(context: Any, status: grpc.StatusCode, text: str) -> NoReturn:
    """End a call."""
    await context.abort(status, text)
    raise AssertionError  # abort does not return


def page_size(wanted: int) -> int:
    """Return how many entries a page has."""
    return min(wanted, MOST) or PAGE
