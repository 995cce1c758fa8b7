"""Julius Caesar by name."""

from lictor.client.games.julius_caesar.board import Block, Board, Card, Space
from lictor.client.games.julius_caesar.names import JuliusCaesarAction, JuliusCaesarNames
from lictor.client.games.julius_caesar.parts import (
    Battle,
    Defector,
    FaceUp,
    Fight,
    Outcome,
    OwnBlock,
    Pieces,
    RoadUse,
)
from lictor.client.games.julius_caesar.view import JuliusCaesarView

__all__ = [
    "Battle",
    "Block",
    "Board",
    "Card",
    "Defector",
    "FaceUp",
    "Fight",
    "JuliusCaesarAction",
    "JuliusCaesarNames",
    "JuliusCaesarView",
    "Outcome",
    "OwnBlock",
    "Pieces",
    "RoadUse",
    "Space",
]
