"""Enter services into a gRPC server, so that every byte that arrives is read by us."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from lictor.server.edge.calls import refuse

log = structlog.get_logger()


def register(server: Any, service: str, methods: dict[str, Any]) -> None:
    """Enter a service with its method handlers."""
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))


def unary(handler: Callable[[Any, Any], Awaitable[Message]], request_type: type[Message]) -> Any:
    """Return a handler of a unary call that refuses what is no request."""

    async def handle(raw: bytes, context: Any) -> bytes:
        answer = await handler(await _parse(raw, request_type, context), context)
        return answer.SerializeToString()

    return grpc.unary_unary_rpc_method_handler(handle)


def server_stream(handler: Callable[[Any, Any], Awaitable[None]], request_type: type[Message]) -> Any:
    """Return a handler that writes bytes to its context; a reader that hangs up is no error."""

    async def handle(raw: bytes, context: Any) -> None:
        request = await _parse(raw, request_type, context)
        await quietly(handler(request, context), context)

    return grpc.unary_stream_rpc_method_handler(handle)


async def quietly(work: Awaitable[None], context: Any) -> None:
    """Do something on a stream; if the other side is gone, leave as if cancelled, so that no status is sent."""
    try:
        await work
    except grpc.aio.AbortError:
        raise
    except Exception as error:
        if is_gone(error, context):
            raise asyncio.CancelledError from error
        raise


def hush() -> None:
    """Keep gRPC from logging a traceback when a status cannot be sent because the other side is gone."""
    logger = logging.getLogger("grpc._cython.cygrpc")
    if _about_the_gone not in logger.filters:
        logger.addFilter(_about_the_gone)


def _about_the_gone(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("ExecuteBatchError raised in core")


def is_gone(error: Exception, context: Any) -> bool:
    """Return whether a failure only means that the other side has hung up."""
    # gRPC tells it by an exception of its own that has no public name.
    return type(error).__name__ == "ExecuteBatchError" or bool(context.cancelled() or context.done())


async def _parse(raw: bytes, request_type: type[Message], context: Any) -> Message:
    try:
        return request_type.FromString(raw)
    except DecodeError:
        text = f"these bytes are no {request_type.DESCRIPTOR.name}; see the protos"
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, text)


def service_of(edge: Any, module: Any, service: str) -> dict[str, Any]:
    """Return the unary handlers of a service: the edge's methods, by the names of the proto."""
    described = module.DESCRIPTOR.services_by_name[service]
    return {
        method.name: unary(getattr(edge, method.name), getattr(module, method.input_type.name))
        for method in described.methods
        if not method.server_streaming
    }
