"""Draws by agreement."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lictor.server.matches import endings
from lictor.server.matches.chair import Chair
from lictor.server.matches.messages import Done, DrawDeclined, DrawOffered, Reason, Refused

if TYPE_CHECKING:
    from lictor.server.matches.match import Match

PAUSE = 10  # decisions between a refused offer and the next


def offer(match: Match, chair: Chair, request: int) -> None:
    """Offer a draw; if all others have offered one, it is agreed."""
    others = [other for other in match.chairs.values() if other is not chair]
    if all(other.offer == "open" for other in others):
        match.finish(endings.DRAW_AGREED)
        match.reply_when_over(chair, request)
        return
    wait = int(chair.offer) + PAUSE - len(chair.played) if chair.offer.isdigit() else 0
    if chair.offer == "open" or wait > 0:
        text = "an offer stands already" if chair.offer == "open" else f"offer again after {wait} more decisions"
        match.refuse(chair, Refused(Reason.NO_DRAW, text, match=match.id), request)
        return
    chair.offer = "open"
    match.mark()
    match.reply(chair, Done(), request)
    for other in others:
        match.outbox.after(other.seat, partial(match.send, other, DrawOffered(match.id, chair.seat)))


def answer(match: Match, chair: Chair, accept: bool, request: int) -> None:
    """Answer the offer of another seat."""
    offers = [other for other in match.chairs.values() if other is not chair and other.offer == "open"]
    if not offers:
        match.refuse(chair, Refused(Reason.NO_DRAW, "no draw is on offer", match=match.id), request)
    elif accept:
        match.finish(endings.DRAW_AGREED)
        match.reply_when_over(chair, request)
    else:
        for other in offers:
            other.offer = str(len(other.played))
        match.mark()
        for other in offers:
            match.outbox.after(other.seat, partial(match.send, other, DrawDeclined(match.id)))
        match.reply(chair, Done(), request)
