"""The chance to win over a match, drawn: SVG by hand, so that it opens anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from lictor.server.review.ledger import Entry, Review

WIDTH, TOP, HEIGHT, LEFT, RIGHT = 1120, 96, 380, 64, 32
BOTTOM = TOP + HEIGHT
_SURE = 2.0  # errors that the band shows on each side
_APART = 22  # pixels between marks, and between labels of turns
_LINE, _TEXT_LENGTH = 22, 44

STYLE = """
  .page { fill: #fffdf8 } text { font-family: 'Segoe UI', system-ui, sans-serif; fill: #2b2622 }
  .title { font-size: 21px; font-weight: 600 } .subtitle { font-size: 13.5px; fill: #6b6259 }
  .axis { font-size: 12px; fill: #6b6259 } .grid { stroke: #e6dfd3; stroke-width: 1 }
  .half { stroke: #b8ad9c; stroke-width: 1; stroke-dasharray: 5 4 } .turn { stroke: #efe9df; stroke-width: 1 }
  .band { fill: #7a2e2e; fill-opacity: .14 }
  .line { fill: none; stroke: #7a2e2e; stroke-width: 2; stroke-linejoin: round }
  .drop { stroke: #d1495b; stroke-width: 3; stroke-linecap: round } .lead { stroke: #d1495b; stroke-width: 1 }
  .mark { fill: #d1495b } .faint { fill: #b8a8a0 } .end { fill: #7a2e2e } .frame { fill: none; stroke: #b8ad9c }
  .number { font-size: 11.5px; font-weight: 700; fill: #fff; text-anchor: middle } .list { font-size: 12.5px }
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above the drawing."""

    title: str
    subtitle: str


def draw(review: Review, heading: Heading) -> str:
    """Return the drawing of a review."""
    worst = review.worst()
    height = BOTTOM + 70 + _LINE * len(worst) + (16 if worst else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(heading.title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" width="{WIDTH}" height="{height}"/>',
        f'<text class="title" x="{LEFT}" y="40">{escape(heading.title)}</text>',
        f'<text class="subtitle" x="{LEFT}" y="64">{escape(heading.subtitle)}</text>',
        *_grid(),
        *_turns(review.entries),
        *_curve(review),
        *_marks(review.entries, worst),
        *_list(worst),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(place: float, count: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * place / max(1, count)


def _y(chance: float) -> float:
    return TOP + HEIGHT * (1 - min(1.0, max(0.0, chance)))


def _grid() -> Iterator[str]:
    for percent in (0, 25, 50, 75, 100):
        y, kind = _y(percent / 100), "half" if percent == 50 else "grid"
        yield f'<line class="{kind}" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text class="axis" x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>'
    middle = TOP + HEIGHT / 2
    turned = f'transform="rotate(-90 18 {middle:.0f})" text-anchor="middle"'
    yield f'<text class="axis" x="18" y="{middle:.0f}" {turned}>chance to win</text>'


def _turns(entries: Sequence[Entry]) -> Iterator[str]:
    """Mark where the game turns begin, and name as many of them as there is room for."""
    turn, free = 0, 0.0
    for place, entry in enumerate(entries):
        if entry.decision.turn == turn:
            continue
        turn, x = entry.decision.turn, _x(place, len(entries))
        yield f'<line class="turn" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{BOTTOM}"/>'
        if x >= free:
            yield f'<text class="axis" x="{x:.1f}" y="{BOTTOM + 20}" text-anchor="middle">{turn}</text>'
            free = x + _APART
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text class="axis" x="{middle:.0f}" y="{BOTTOM + 42}" text-anchor="middle">game turn</text>'


def _curve(review: Review) -> Iterator[str]:
    """Draw the chance before and after each choice, then the result; around it what is not sure."""
    entries, count = review.entries, len(review.entries)
    points = []
    for place, entry in enumerate(entries):
        judged = entry.judged
        points += [(place, judged.before), (place + 0.5, judged.after)]
    points.append((count, review.end))
    upper = [f"{_x(x, count):.1f},{_y(one.value + _SURE * one.error):.1f}" for x, one in points]
    lower = [f"{_x(x, count):.1f},{_y(one.value - _SURE * one.error):.1f}" for x, one in reversed(points)]
    line = [f"{_x(x, count):.1f},{_y(one.value):.1f}" for x, one in points]
    line.append(f"{_x(count, count):.1f},{_y(review.view.result):.1f}")
    yield f'<polygon class="band" points="{" ".join(upper + lower)}"/>'
    yield f'<polyline class="line" points="{" ".join(line)}"/>'
    yield f'<circle class="end" cx="{_x(count, count):.1f}" cy="{_y(review.view.result):.1f}" r="5"/>'
    yield f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT}"/>'


def _marks(entries: Sequence[Entry], worst: Sequence[Entry]) -> Iterator[str]:
    """Number the worst choices where they stand; marks that would cover each other are moved up, or down at the top."""
    places = {id(entry): place for place, entry in enumerate(entries)}
    taken: list[tuple[float, float]] = []
    for number, entry in enumerate(worst, 1):
        place = places[id(entry)]
        x, before, after = _x(place, len(entries)), _y(entry.judged.before.value), _y(entry.judged.after.value)
        step = -_APART if before > TOP + HEIGHT / 2 else _APART
        y = (min(before, after) if step < 0 else max(before, after)) + step
        while any(abs(x - a) < _APART and abs(y - b) < _APART for a, b in taken):
            y += step
        taken.append((x, y))
        kind = "mark" if entry.verdict == "mistake" else "mark faint"
        yield f'<line class="drop" x1="{x:.1f}" x2="{x:.1f}" y1="{before:.1f}" y2="{after:.1f}"/>'
        yield f'<line class="lead" x1="{x:.1f}" x2="{x:.1f}" y1="{before:.1f}" y2="{y:.1f}"/>'
        yield f"<g><title>{escape(tell_choice(entry))}</title>"
        yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="10"/>'
        yield f'<text class="number" x="{x:.1f}" y="{y + 4:.1f}">{number}</text></g>'


def _list(worst: Sequence[Entry]) -> Iterator[str]:
    for number, entry in enumerate(worst, 1):
        y, kind = BOTTOM + 70 + _LINE * (number - 1), "mark" if entry.verdict == "mistake" else "mark faint"
        text = tell_choice(entry)
        yield f'<circle class="{kind}" cx="{LEFT + 10}" cy="{y - 4}" r="9"/>'
        yield f'<text class="number" x="{LEFT + 10}" y="{y}">{number}</text>'
        yield f'<text class="list" x="{LEFT + 28}" y="{y}" aria-label={quoteattr(text)}>{escape(text)}</text>'


def tell_choice(entry: Entry) -> str:
    """Tell in a line what was played, what would have been better, and what it cost."""
    found, decision = entry.settled, entry.decision
    cost = f"lost {100 * found.loss.value:.1f} ± {100 * found.loss.error:.1f} points"
    where = f"turn {decision.turn}, decision {decision.number}"
    return (
        f"{where}: {decision.action!s:.{_TEXT_LENGTH}}; better {found.best:.{_TEXT_LENGTH}}; {cost} ({entry.verdict})"
    )
