"""Acts: what a seat answers, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lictor.engine.game import GameError
from lictor.server.matches import endings
from lictor.server.matches.chair import Chair, Played
from lictor.server.matches.messages import Accepted, Act, Choice, Reason, Refused, Stop
from lictor.server.matches.table import Unreadable
from lictor.server.store import ActionRow

if TYPE_CHECKING:
    from lictor.server.matches.match import Match


def act(match: Match, chair: Chair, act: Act, request: int, stamp: float) -> None:
    """Take an Act that came at `stamp`."""
    if 1 <= act.decision <= len(chair.played):
        _repeat(match, chair, act, request)
        return
    if match.over:
        _refuse_late(match, chair, act, request, stamp)
        return
    pending = chair.pending
    if pending is None or pending.due is None or act.decision != pending.decision:
        asked = len(chair.played) + match.owes(chair.seat)
        text = f"decision {act.decision} has not been asked; the last one asked is {asked}"
        _refuse(match, chair, act, Reason.NOT_ASKED, text, request, field="act.decision_id")
        return
    think_ms = max(0.0, (stamp - pending.started) * 1000) if pending.started is not None else 0.0
    charged = match.clock.charge(think_ms)
    if charged > pending.limit_ms:
        match.time_out(chair)
        _refuse_late(match, chair, act, request, stamp)
        return
    try:
        actions = [match.table.read(chair, i, choice) for i, choice in enumerate(act.choices)]
    except Unreadable as error:
        _strike(match, chair, act, str(error), request, error.field)
        return
    index = act.choices[0].index
    if index is None:
        index = _index_of(match.table.legal(chair), actions[0])
    if index < 0:
        text = f"{chair.seat} may not {actions[0]!s:.80}: it is not among the legal actions of this decision"
        _strike(match, chair, act, text, request, "act.actions[0]")
        return
    # Before anything is carried out: nothing may go wrong between that and the disk.
    note = _marked(match, act.note) if act.note else None
    chair.acknowledged = pending.events
    chair.bank_ms = match.clock.spend(chair.bank_ms, charged)
    chair.charge(think_ms, charged)
    before = match.table.lengths()
    rows, stopped = _carry_out(match, chair, act, actions, index)
    lines = [match.line(chair, "note", note)] if note else []
    over = not match.game.to_act(match.table.state)
    concerned = None if over else match.table.concerned(chair, before)
    match.house.store.append(match.id, rows, lines, match.outbox.queue(concerned))
    match.publish(chair, Accepted(match.id, act.decision, len(rows), stopped, request), stamp)
    match.go_on(stamp)
    match.house.decided(match, think_ms, chair.wire_ms)


def _carry_out(match: Match, chair: Chair, act: Act, actions: list[Any], index: int) -> tuple[list[ActionRow], Stop]:
    """Carry out the first action, which is legal, and the others as far as they go."""
    table, rows, stopped, news = match.table, list[ActionRow](), Stop.NOT, False
    for i, action in enumerate(actions):
        if i:
            stopped = table.stops(chair.seat, action, news)
            if stopped:
                break
        think_ms = 0 if i else int(chair.think_ms)
        news = table.play(chair, action, think_ms)
        played = Played(str(action), -1 if i else index, act.decision, Stop.NOT)
        chair.played.append(played)
        rows.append(_row(match, chair, played, think_ms))
        # One by one, as if each had come by itself: a batch may run on into a decision that others take in secret.
        chair.pending = None
        table.open_decisions()
    if stopped:
        chair.played[-1].stopped = stopped
        rows[-1] = rows[-1]._replace(stopped=int(stopped))
    return rows, stopped


def _row(match: Match, chair: Chair, played: Played, think_ms: int) -> ActionRow:
    recorder = match.table.recorder
    assert recorder is not None
    return ActionRow(
        len(recorder),
        chair.seat,
        len(chair.played),
        played.action,
        think_ms,
        int(chair.wire_ms),
        int(chair.server_ms),
        json.dumps(recorder.draws) if recorder.draws else "[]",
        tuple([other.bank_ms for other in match.table.chairs.values()]),
        played.batch,
        int(played.stopped),
        match.house.wall(),
        played.index,
    )


def _marked(match: Match, note: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a note as it is kept: claims that are none of this game's cost nothing, but are named."""
    odd = [claim for claim in note.get("beliefs", ()) if not _is_claim(match, claim)]
    return {**note, "not_understood": odd} if odd else note


def _is_claim(match: Match, text: str) -> bool:
    try:
        match.game.parse_claim(text)
    except GameError:
        return False
    return True


def _index_of(legal: Any, action: Any) -> int:
    try:
        return int(legal.index(action))
    except ValueError:
        return -1


# --- Acts that are not carried out ---


def _repeat(match: Match, chair: Chair, act: Act, request: int) -> None:
    """Answer an Act for a decision that was answered: the same reply to the same Act, and to no other."""
    batch = []
    for played in chair.played[act.decision - 1 :]:
        if played.batch != chair.played[act.decision - 1].batch:
            break
        batch.append(played)
    for i, (choice, played) in enumerate(zip(act.choices, batch, strict=False)):
        if not _same(match, i, choice, played):
            text = f"decision {act.decision + i} was answered before, with {played.action!r}"
            where = f"act.actions[{i}]"
            _refuse(match, chair, act, Reason.ALREADY_ANSWERED, text, request, field=where, played=played.action)
            return
    applied = min(len(act.choices), len(batch))
    stopped = batch[-1].stopped if applied == len(batch) else Stop.NOT
    if applied < len(act.choices) and not stopped:
        stopped = Stop.NEWS  # more than was sent then: the rest has not been carried out
    match.reply(chair, Accepted(match.id, act.decision, applied, stopped), request)


def _same(match: Match, i: int, choice: Choice, played: Played) -> bool:
    if choice.index is not None:
        return i == 0 and choice.index == played.index
    try:
        if choice.notation is not None:
            return str(match.game.parse_action(choice.notation)) == played.action
        return choice.typed is not None and str(match.table.codec.read_action(choice.typed)) == played.action
    except GameError:
        return False


def _strike(match: Match, chair: Chair, act: Act, text: str, request: int, where: str) -> None:
    chair.strikes += 1
    left = match.house.illegal_actions - chair.strikes
    match.mark([chair.seat])
    _refuse(match, chair, act, Reason.ILLEGAL_ACTION, text, request, field=where, left=max(0, left))
    if left < 0:
        match.finish(endings.by_a_seat("illegal_action", chair.seat, match.game))


def _refuse_late(match: Match, chair: Chair, act: Act, request: int, stamp: float) -> None:
    text, pending = "the match is over", chair.pending
    if pending is not None and pending.started is not None and match.lost_on_time(chair.seat):
        took, limit = (stamp - pending.started) * 1000, pending.limit_ms + match.clock.lag_allowance_ms
        text = f"too late: the answer came after {took:.0f} ms, the limit was {limit} ms with the lag allowance"
    _refuse(match, chair, act, Reason.MATCH_OVER, text, request)


def _refuse(
    match: Match,
    chair: Chair,
    act: Act,
    reason: Reason,
    text: str,
    request: int,
    *,
    field: str = "",
    played: str = "",
    left: int | None = None,
) -> None:
    match.refuse(chair, Refused(reason, text, field, match.id, act.decision, played=played, left=left), request)
