"""The fog law: what a viewer gets depends on nothing that he may not know.

For a state S and a viewer, S' is another world that he cannot tell from S. Then to_act, outcome, his observation, his
legal actions and the text of his errors are the same; after the same next action so are his events, their words and his
next observation, unless that very action lays something open to him, which only the events may do that the rules name.
Of an order given in secret the others notice nothing. A state sampled from what he saw looks to him as S does, and all
that he may know is in it: nothing is withheld. And S' is really another world: whatever is hidden gets redrawn.
"""

from lictor.engine.fog.comparing import first_difference, leaves
from lictor.engine.fog.games import MOST_LEAKS, check_games
from lictor.engine.fog.report import FogReport
from lictor.engine.fog.viewpoint import Sight, Viewpoint

__all__ = ["MOST_LEAKS", "FogReport", "Sight", "Viewpoint", "check_games", "first_difference", "leaves"]
