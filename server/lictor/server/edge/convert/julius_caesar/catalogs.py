"""The catalog on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lictor.server.edge.convert.julius_caesar.names import COLOURS, SIDES, Names, words_of
from lictor.v1 import julius_caesar_catalog_pb2 as catalog_pb2

_SPACE_KINDS = words_of(catalog_pb2.JuliusCaesarSpaceKind)
_EDGE_KINDS = words_of(catalog_pb2.JuliusCaesarEdgeKind)
_BLOCK_KINDS = words_of(catalog_pb2.JuliusCaesarBlockKind)
_CARD_KINDS = words_of(catalog_pb2.JuliusCaesarCardKind)
_INITIATIVES = words_of(catalog_pb2.JuliusCaesarInitiative)
_LEVY_RULES = words_of(catalog_pb2.JuliusCaesarLevyRule)


def catalog_message(catalog: Mapping[str, Any], names: Names) -> catalog_pb2.JuliusCaesarCatalog:
    """Return the game's catalog as a message."""
    limits = {name: catalog_pb2.JuliusCaesarRoadLimit(**row) for name, row in catalog["road_limits"].items()}
    return catalog_pb2.JuliusCaesarCatalog(
        game=catalog["game"],
        title=catalog["title"],
        notice=catalog["notice"],
        provenance=catalog["provenance"],
        data=catalog["data"],
        edition=catalog["edition"],
        deployment=catalog["deployment"],
        spaces=[_space(entry, names) for entry in catalog["spaces"]],
        edges=[
            catalog_pb2.JuliusCaesarEdge(a=names.space[a], b=names.space[b], kind=_EDGE_KINDS[kind])
            for a, b, kind in catalog["edges"]
        ],
        blocks=[_block(entry, names) for entry in catalog["blocks"]],
        cards=[_card(entry) for entry in catalog["cards"]],
        road_limits=catalog_pb2.JuliusCaesarRoadLimits(**limits),
        leaders_reserve=[
            catalog_pb2.JuliusCaesarLeaderReserve(
                leader=names.block[leader], waits_for=[names.block[other] for other in others]
            )
            for leader, others in catalog["leaders_reserve"].items()
        ],
        setup=[
            catalog_pb2.JuliusCaesarSetup(
                side=SIDES[seat], space=names.space[city], blocks=[names.block[block] for block in blocks]
            )
            for seat, cities in catalog["setup"].items()
            for city, blocks in cities.items()
        ],
        years=catalog["years"],
        turns_per_year=catalog["turns_per_year"],
        canvas_width=catalog["canvas"]["width"],
        canvas_height=catalog["canvas"]["height"],
        seats=catalog["seats"],
        colours=catalog["colours"],
        phases=catalog["phases"],
        verbs=catalog["verbs"],
    )


def _space(entry: Mapping[str, Any], names: Names) -> catalog_pb2.JuliusCaesarSpace:
    return catalog_pb2.JuliusCaesarSpace(
        id=entry["id"],
        name=str(entry["name"]),
        kind=_SPACE_KINDS[entry["type"]],
        points=entry["vp"],
        x=entry["x"],
        y=entry["y"],
        seas=[names.space[sea] for sea in entry.get("seas", ())],
        aliases=[str(alias) for alias in entry.get("alias", ())],
    )


def _block(entry: Mapping[str, Any], names: Names) -> catalog_pb2.JuliusCaesarBlock:
    initiative, levy = entry["initiative"].lower(), entry["levy"]
    return catalog_pb2.JuliusCaesarBlock(
        id=entry["id"],
        name=str(entry["name"]),
        owner=SIDES[entry["owner"]],
        colour=COLOURS[entry["colour"]],
        kind=_BLOCK_KINDS[entry["kind"]],
        initiative_defending=_INITIATIVES[initiative[0]],  # 7.42: a ballista is B/D
        initiative_attacking=_INITIATIVES[initiative[-1]],
        firepower=entry["firepower"],
        strengths=entry["strengths"],
        # The engine takes one of its words before a space of the same name.
        levy=_LEVY_RULES["city" if levy not in _LEVY_WORDS else levy],
        levy_city=None if levy in _LEVY_WORDS else names.space[levy],
    )


_LEVY_WORDS = {*_LEVY_RULES} - {"city"}


def _card(entry: Mapping[str, Any]) -> catalog_pb2.JuliusCaesarCard:
    return catalog_pb2.JuliusCaesarCard(
        number=entry["id"],
        name=str(entry["name"]),
        kind=_CARD_KINDS[entry["kind"]],
        move=entry["move"],
        levy=entry["levy"],
        effect=str(entry["effect"]) if "effect" in entry else None,
    )
