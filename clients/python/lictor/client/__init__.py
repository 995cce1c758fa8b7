"""What a bot imports.

from lictor.client import Bot, run

class MyBot(Bot):
    def decide(self, view, actions):
        return actions[0]

run(MyBot, "localhost:50051", seek="julius_caesar")
"""

from lictor.client.actions import Action, Actions, Answer
from lictor.client.bot import AsyncBot, Bot
from lictor.client.errors import BotError, ConnectionRefusedForGood, LictorError, RequestRefused, Superseded
from lictor.client.games.julius_caesar import JuliusCaesarAction, JuliusCaesarView
from lictor.client.results import Result
from lictor.client.running import arun, run
from lictor.client.settings import Tls
from lictor.client.views import Batch, Event, History, Times, View

__all__ = [
    "Action",
    "Actions",
    "Answer",
    "AsyncBot",
    "Batch",
    "Bot",
    "BotError",
    "ConnectionRefusedForGood",
    "Event",
    "History",
    "JuliusCaesarAction",
    "JuliusCaesarView",
    "LictorError",
    "RequestRefused",
    "Result",
    "Superseded",
    "Times",
    "Tls",
    "View",
    "arun",
    "run",
]
