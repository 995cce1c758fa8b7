"""`CatalogService`: what can be played, and the names behind the indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lictor.engine import registry
from lictor.server.edge.calls import attempt
from lictor.server.edge.convert import codec_for
from lictor.server.matches.house import House
from lictor.v1 import catalog_service_pb2 as pb


class CatalogEdge:
    """Answers questions about the games."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:
        """List the games."""
        return await attempt(context, self._list)

    async def GetCatalog(self, request: pb.GetCatalogRequest, context: Any) -> pb.GetCatalogResponse:
        """Return the static data of a game."""
        return await attempt(context, self._get, request.game, dict(request.options))

    def _list(self) -> pb.ListGamesResponse:
        response = pb.ListGamesResponse()
        for name in registry.names():
            game = registry.get(name)
            catalog = game.catalog({})
            info = response.games.add(
                game=name,
                title=catalog["title"],
                seats=game.SEATS,
                editions=game.EDITIONS,
                rules_epoch=game.RULES_EPOCH,
                notice=catalog["notice"],
                provenance=catalog["provenance"],
            )
            for option, about in game.OPTIONS.items():
                if option == "data":
                    installed = sorted(self._house.settings.data_sets)
                    if installed:
                        meaning = "a data set installed by the operator; without a name, the game's own"
                        info.options.add(name=option, values=["", *installed], meaning=meaning)
                    continue
                info.options.add(
                    name=option, default_value=str(about.default), values=about.values or (), meaning=about.meaning
                )
        return response

    def _get(self, game: str, options: Mapping[str, str]) -> pb.GetCatalogResponse:
        setting = self._house.settle(game, options)
        return pb.GetCatalogResponse(data=setting.data, catalog=codec_for(game, setting.engine_options).catalog())
