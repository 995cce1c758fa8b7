"""Put the house, its store and its services together, run them, and take them down in order."""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import prometheus_client
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from lictor.server.accounts import Accounts
from lictor.server.edge.accounts import AccountEdge
from lictor.server.edge.calls import Caller
from lictor.server.edge.catalog import CatalogEdge
from lictor.server.edge.convert import codec_for
from lictor.server.edge.door import Guest, Lag
from lictor.server.edge.play import PlayEdge
from lictor.server.edge.records import RecordEdge
from lictor.server.edge.registering import hush, register, server_stream, service_of
from lictor.server.edge.watch import WatchEdge
from lictor.server.matches.frontdesk import FrontDesk
from lictor.server.matches.house import House, MakeDesk
from lictor.server.matches.settings import MESSAGE_BYTES, Settings
from lictor.server.metrics import Metrics
from lictor.server.store.sqlite import SqliteStore
from lictor.v1 import account_service_pb2, catalog_service_pb2, record_service_pb2, watch_service_pb2

log = structlog.get_logger()

SERVICES = tuple(f"lictor.v1.{name}Service" for name in ("Play", "Watch", "Catalog", "Record", "Account"))
# Measured: without the first two, many streams opened at once are refused; without the ping time-out a frozen peer is
# not noticed; with so_reuseport a second server on the port would take half of the streams.
CHANNEL_OPTIONS = (
    ("grpc.server.max_pending_requests", 20000),
    ("grpc.server.max_pending_requests_hard_limit", 20000),
    ("grpc.max_receive_message_length", MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", 20000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.ping_timeout_ms", 5000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5000),
    ("grpc.so_reuseport", 0),
)
_GRACE_S = 2.0


class CannotServe(Exception):
    """The server cannot start; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Config:
    """How to serve."""

    database: Path
    address: str = "127.0.0.1:50051"
    dev: bool = False
    metrics_address: str = ""  # host:port; empty for none
    certificate: Path | None = None
    private_key: Path | None = None
    client_ca: Path | None = None
    signing_key: Ed25519PrivateKey | None = None
    settings: Settings = field(default_factory=Settings)
    accounts: type[Accounts] = Accounts  # who is let in, and as whom
    desk: MakeDesk = FrontDesk  # who plays whom


@dataclass(slots=True)
class Running:
    """A server that runs."""

    house: House
    accounts: Accounts
    port: int
    metrics_port: int | None


@asynccontextmanager
async def serving(config: Config) -> AsyncIterator[Running]:
    """Serve while the block runs; then send everybody away, and write everything down."""
    loop = asyncio.get_running_loop()

    over = False

    def post(work: Callable[[], None]) -> None:
        # When the house is closed there is nobody left to tell, though the store still writes.
        loop.call_soon_threadsafe(lambda: None if over else work())

    _check_dev(config)
    hush()
    metrics = Metrics()
    store = SqliteStore(config.database, post, lambda text: log.error("write_refused", error=text))
    lag = Lag(metrics.lag.set)
    guest = Guest()
    try:
        accounts = config.accounts(store, dev=config.dev)
        house = House(
            store,
            codec_for,
            config.settings,
            metrics=metrics,
            key=config.signing_key,
            lag=lag.now,
            desk=config.desk,
        )
        await guest.start(house.run)
        server = grpc.aio.server(options=CHANNEL_OPTIONS)
        healthy = _register(server, house, accounts)
        port = _bind(server, config)
        page, metrics_port = _serve_metrics(config, metrics)
        await server.start()
        try:
            for service in ("", *SERVICES):
                await healthy.set(service, health_pb2.HealthCheckResponse.SERVING)
            yield Running(house, accounts, port, metrics_port)
        finally:
            await healthy.enter_graceful_shutdown()
            house.close()
            await server.stop(_GRACE_S)
            if page is not None:
                page.shutdown()
                page.server_close()
    finally:
        over = True
        guest.stop()
        await guest.ended()
        lag.close()
        await asyncio.to_thread(store.close)


def _check_dev(config: Config) -> None:
    host = config.address.rpartition(":")[0].strip("[]")
    if config.dev and host not in ("127.0.0.1", "::1", "localhost"):
        text = f"--dev lets anybody in, and so serves loopback only, not {host}: drop --dev, or bind 127.0.0.1"
        raise CannotServe(text)


def _register(server: Any, house: House, accounts: Accounts) -> health.aio.HealthServicer:
    caller = Caller(accounts)
    play = PlayEdge(house, accounts, f"lictor {importlib.metadata.version('lictor')}")
    watch = WatchEdge(house, caller)

    def revoked(token_id: str) -> None:
        house.part_token(token_id)
        watch.part_token(token_id)

    register(server, SERVICES[0], {"Play": grpc.stream_stream_rpc_method_handler(play.play)})
    watching = server_stream(watch.watch, watch_service_pb2.WatchRequest)
    register(server, SERVICES[1], {**service_of(watch, watch_service_pb2, "WatchService"), "Watch": watching})
    for service, edge, module in (
        ("CatalogService", CatalogEdge(house), catalog_service_pb2),
        ("RecordService", RecordEdge(house, caller), record_service_pb2),
        ("AccountService", AccountEdge(accounts, caller, revoked), account_service_pb2),
    ):
        register(server, f"lictor.v1.{service}", service_of(edge, module, service))
    healthy = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
    reflection.enable_server_reflection((*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
    return healthy


def _bind(server: Any, config: Config) -> int:
    try:
        if config.certificate is None or config.private_key is None:
            port = server.add_insecure_port(config.address)
        else:
            root = _pem(config.client_ca, "certificate") if config.client_ca else None
            pair = (_pem(config.private_key, "private key"), _pem(config.certificate, "certificate"))
            credentials = grpc.ssl_server_credentials([pair], root, require_client_auth=root is not None)
            port = server.add_secure_port(config.address, credentials)
    except RuntimeError as error:
        hint = "is another server running there, and are certificate and key sound?"
        raise CannotServe(f"cannot listen on {config.address}: {hint}") from error
    if not port:
        raise CannotServe(f"cannot listen on {config.address}: is another server running there?")
    return int(port)


def _pem(path: Path, what: str) -> bytes:
    content = path.read_bytes()
    if b"-----BEGIN" not in content:
        raise CannotServe(f"{path} holds no {what} in PEM form")
    return content


def _serve_metrics(config: Config, metrics: Metrics) -> tuple[Any, int | None]:
    if not config.metrics_address:
        return None, None
    host, _, port = config.metrics_address.rpartition(":")
    try:
        page, _thread = prometheus_client.start_http_server(int(port), host.strip("[]"), metrics.registry)
    except (OSError, ValueError) as error:
        raise CannotServe(f"cannot serve metrics on {config.metrics_address}: {error}") from error
    return page, page.server_port
