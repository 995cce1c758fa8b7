"""The facts of the game: map, cards, blocks and deployment, read from data and checked."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

import yaml

from lictor.engine.game import BadData, sha256_of
from lictor.engine.julius_caesar import checks
from lictor.engine.julius_caesar.actions import Fire, Hit, Levy, Move, Pass, Reinforce

NAME = "julius_caesar"
EDITIONS = ("2.0", "1.x")
RULES_EPOCH = 1
CAESAR, POMPEY = 0, 1
SEATS = ("caesar", "pompey")
APOLLO, JUPITER, MARS, MERCURY, NEPTUNE, PLUTO, VULCAN = range(1, 8)
GODS = ("Apollo", "Jupiter", "Mars", "Mercury", "Neptune", "Pluto", "Vulcan")
MAJOR, MINOR, STRAIT, SEA = range(4)
ROADS = ("major", "minor", "strait")
COLOURS = ("tan", "green", "blue")
TAN, GREEN, BLUE = range(3)
LETTERS = "ABCD"


class Road(NamedTuple):
    """A way out of a space: where it leads, which edge it is (for counting), and its class."""

    to: int
    edge: int
    kind: int


class Path:
    """A path a block may take: its last road, the spaces entered, the ways on, and the order by block."""

    __slots__ = ("edge", "entered", "further", "kind", "orders", "to")

    def __init__(self, road: Road, entered: tuple[int, ...], orders: list[Move]) -> None:
        self.to, self.edge, self.kind = road
        self.entered = entered
        self.orders = orders  # the same list for the same spaces entered; filled on first use
        self.further: tuple[Path, ...] = ()


class Card(NamedTuple):
    """A card: command cards have move and levy points, God cards an effect."""

    id: int
    name: str
    move: int
    levy: int
    god: bool


class Facts:
    """Everything about the game that never changes, indexed by small numbers."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.hash = sha256_of(data)
        checks.check_frame(data)
        self._read_spaces(checks.records(data, "spaces", ("id", "name", "type", "vp", "x", "y")))
        self._read_edges(data["edges"])
        self._read_blocks(checks.records(data, "blocks", ("id", "name", "owner", "kind", "initiative", "firepower")))
        self._read_cards(checks.records(data, "cards", ("id", "name", "kind", "move", "levy")))
        self._read_limits(data)
        self._read_deployment(data)
        self._lay_paths()
        # Rows of observations, made once each: they repeat from one observation to the next.
        self.own_rows: dict[int, Any] = {}
        self.piece_rows: dict[tuple[int, int, tuple[int, ...]], list[Any]] = {}
        self.fire = [Fire(name) for name in self.blocks]
        self.let_pass = [Pass(name) for name in self.blocks]
        self.hit = [Hit(name) for name in self.blocks]
        self.reinforce = [Reinforce(name) for name in self.blocks]
        self.levies = [[Levy(name, space) for space in self.spaces] for name in self.blocks]

    def _read_spaces(self, entries: list[Mapping[str, Any]]) -> None:
        """4.1: cities, ports and seas."""
        self.spaces: list[str] = [entry["id"] for entry in entries]
        self.space_names = [str(entry["name"]) for entry in entries]
        self.space_index = checks.index_of("spaces", self.spaces)
        for entry in entries:
            checks.need_one_of(entry, "spaces", "type", ("city", "port", "major_port", "sea"))
            checks.need_whole(entry, "spaces", "vp", 0, 9)
            checks.need_whole(entry, "spaces", "x", 0, 100_000)
            checks.need_whole(entry, "spaces", "y", 0, 100_000)
            if not isinstance(entry.get("seas", []), list):
                raise BadData(f"spaces: {entry['id']}: seas must be a list, not {entry['seas']!r:.40}")
        self.is_sea = [entry["type"] == "sea" for entry in entries]
        self.seas = [space for space, sea in enumerate(self.is_sea) if sea]
        self.is_port = [entry["type"] in ("port", "major_port") for entry in entries]
        self.is_major_port = [entry["type"] == "major_port" for entry in entries]
        self.vp = [int(entry["vp"]) for entry in entries]
        self.valued = [(space, vp) for space, vp in enumerate(self.vp) if vp]
        for name in ("rome", "alexandria"):
            if name not in self.space_index:
                raise BadData(f"spaces: {name} is missing, and the rules name it")
        self.rome, self.alexandria = self.space_index["rome"], self.space_index["alexandria"]

    def _read_edges(self, entries: object) -> None:
        """4.3: roads between cities, borders between ports and seas."""
        if not isinstance(entries, Sequence) or isinstance(entries, str):
            raise BadData("edges: must be a list")
        self.roads: list[list[Road]] = [[] for _ in self.spaces]
        self.borders: list[list[Road]] = [[] for _ in self.spaces]
        self.edges: list[tuple[int, int]] = []
        self.edge_between: dict[tuple[int, int], int] = {}
        seen: set[frozenset[int]] = set()
        for entry in entries:
            if not isinstance(entry, list) or len(entry) != 3:
                raise BadData(f"edges: {entry!r:.80} is not [space, space, class]")
            a, b = (self.space(name, f"edges: {list(entry)!r:.80}") for name in entry[:2])
            if a == b or frozenset((a, b)) in seen:
                raise BadData(f"edges: {list(entry)!r:.80} joins a space to itself or is there twice")
            seen.add(frozenset((a, b)))
            self._add_edge(a, b, entry)
        for space, entry in enumerate(self.data["spaces"]):
            listed = sorted(self.space(name, f"spaces: {entry['id']}: seas") for name in entry.get("seas", ()))
            drawn = sorted(road.to for road in self.borders[space] if not self.is_sea[space])
            if listed != drawn:
                there = [self.spaces[sea] for sea in drawn]
                raise BadData(f"spaces: {entry['id']}: seas {entry.get('seas', [])} but its edges lead to {there}")
            if self.is_port[space] and not drawn:
                raise BadData(f"spaces: {entry['id']}: a port without a sea")

    def _add_edge(self, a: int, b: int, entry: Sequence[object]) -> None:
        at_sea = self.is_sea[a] + self.is_sea[b]
        if entry[2] == "sea":
            if not at_sea or not all(self.is_sea[s] or self.is_port[s] for s in (a, b)):
                raise BadData(f"edges: {list(entry)!r:.80}: a sea border joins a sea with a port or a sea")
        elif entry[2] not in ROADS:
            raise BadData(f"edges: {list(entry)!r:.80}: the class must be one of {', '.join(ROADS)}, sea")
        elif at_sea:
            raise BadData(f"edges: {list(entry)!r:.80}: no road leads into a sea")
        kind = SEA if entry[2] == "sea" else ROADS.index(str(entry[2]))
        ways = self.borders if kind == SEA else self.roads
        edge = len(self.edges)
        self.edges.append((a, b))
        self.edge_between[a, b] = self.edge_between[b, a] = edge
        ways[a].append(Road(b, edge, kind))
        ways[b].append(Road(a, edge, kind))

    def _read_blocks(self, entries: list[Mapping[str, Any]]) -> None:
        """3.0: the blocks, in the order of the data, which chance refers to."""
        self.blocks: list[str] = [entry["id"] for entry in entries]
        self.block_names = [str(entry["name"]) for entry in entries]
        self.block_index = checks.index_of("blocks", self.blocks)
        kinds = ("leader", "legion", "auxilia", "equitatus", "elephant", "ballista", "navis", "cleopatra")
        for entry in entries:
            checks.need_one_of(entry, "blocks", "owner", SEATS)
            checks.need_one_of(entry, "blocks", "kind", kinds)
            checks.need_one_of(entry, "blocks", "initiative", (*LETTERS, "B/D"))
            checks.need_whole(entry, "blocks", "firepower", 1, 6)
            dice = entry.get("strengths")
            if (
                not isinstance(dice, Sequence)
                or not 1 <= len(dice) <= 4
                or entry.get("steps") != len(dice)
                or not all(isinstance(die, int) and 1 <= die <= 4 for die in dice)
                or list(dice) != sorted(set(dice), reverse=True)
            ):
                raise BadData(
                    f"blocks: {entry['id']}: strengths must be 1 to 4 falling numbers, one for each of its steps"
                )
        self.kinds = [str(entry["kind"]) for entry in entries]
        self.home = [SEATS.index(entry["owner"]) for entry in entries]  # the original owner
        self.colour = [BLUE if kind == "cleopatra" else self.home[b] for b, kind in enumerate(self.kinds)]
        for colour, count in ((TAN, 31), (GREEN, 31), (BLUE, 1)):
            if self.colour.count(colour) != count:
                raise BadData(f"blocks: {self.colour.count(colour)} are {COLOURS[colour]}; there must be {count} (1.3)")
        self.owned = tuple(
            [b for b, home in enumerate(self.home) if home == seat and self.colour[b] != BLUE] for seat in (0, 1)
        )
        self.is_navis = [kind == "navis" for kind in self.kinds]
        self.is_leader = [kind == "leader" for kind in self.kinds]
        self.leaders = [block for block, leads in enumerate(self.is_leader) if leads]
        self.cleopatra = self.kinds.index("cleopatra")
        self.fire_power = [int(entry["firepower"]) for entry in entries]
        # 7.42: a ballista fights at B when defending, at D when attacking.
        self.letter_defending = [LETTERS.index(entry["initiative"][0]) for entry in entries]
        self.letter_attacking = [LETTERS.index(entry["initiative"][-1]) for entry in entries]
        self.dice = [(0, *reversed(entry["strengths"])) for entry in entries]  # by steps left
        self.full = [len(entry["strengths"]) for entry in entries]
        self.levy_city = [self._levy_city(entry) for entry in entries]

    def _levy_city(self, entry: Mapping[str, Any]) -> int:
        """6.4: where a block is raised: a space, or one of the rules of `ANY_CITY` and so on."""
        where = entry.get("levy")
        if not isinstance(where, str):
            raise BadData(f"blocks: {entry['id']}: levy must be a text, not {where!r:.40}")
        rules = {"any_friendly_city": ANY_CITY, "friendly_major_port": MAJOR_PORT, "never": NEVER}
        expected = {"navis": MAJOR_PORT, "cleopatra": NEVER, "leader": ANY_CITY}.get(entry["kind"])
        place = rules[where] if where in rules else self.space(where, f"blocks: {entry['id']}: levy")
        if (expected is not None and place != expected) or (place >= 0 and self.is_sea[place]):
            raise BadData(f"blocks: {entry['id']}: a {entry['kind']} cannot be levied in {where!r:.40}")
        return place

    def _read_cards(self, entries: list[Mapping[str, Any]]) -> None:
        """2.1: 20 command cards and seven Gods."""
        ids = [entry["id"] for entry in entries]
        if ids != list(range(1, 28)) or any(type(number) is not int for number in ids):
            raise BadData("cards: ids must be 1 to 27 in order")
        for entry in entries:
            god = entry["id"] <= len(GODS)
            checks.need_one_of(entry, "cards", "kind", ("god",) if god else ("command",))
            if god and entry["name"] != GODS[entry["id"] - 1]:
                raise BadData(f"cards: {entry['id']}: must be {GODS[entry['id'] - 1]}")
            checks.need_whole(entry, "cards", "move", 0 if god else 1, 9)
            checks.need_whole(entry, "cards", "levy", 0, 9)
        self.cards = [Card(0, "", 0, 0, False)]
        self.cards += [Card(e["id"], str(e["name"]), e["move"], e["levy"], e["kind"] == "god") for e in entries]

    def _read_limits(self, data: Mapping[str, Any]) -> None:
        limits = data["road_limits"]
        names = ("move", "attack", "pluto_attack", "retreat", "regroup")
        for name in {*limits} - {*names}:
            raise BadData(f"road_limits: there is no limit called {name!r:.40}")
        for name in names:
            row = limits.get(name)
            if not isinstance(row, Mapping) or sorted(row) != sorted(ROADS):
                raise BadData(f"road_limits: {name}: must have {', '.join(ROADS)}")
            for road in ROADS:
                checks.need_whole(row, f"road_limits: {name}", road, 0, 63)
        # By class of road; the last is for sea borders, which have no limit (6.2).
        self.limit_move, self.limit_attack, self.limit_pluto, self.limit_retreat, self.limit_regroup = (
            (*(int(limits[name][road]) for road in ROADS), 99)
            for name in ("move", "attack", "pluto_attack", "retreat", "regroup")
        )
        self.third_leader: dict[int, tuple[int, ...]] = {}
        for third, others in data["leaders_reserve"].items():
            where = f"leaders_reserve: {third}"
            if not isinstance(others, list):
                raise BadData(f"{where}: must be a list of leaders, not {others!r:.40}")
            self.third_leader[self.block(third, where)] = tuple(self.block(name, where) for name in others)

        self.waits_for = {
            self.blocks[third]: tuple(self.blocks[other] for other in others)
            for third, others in self.third_leader.items()
        }

    def _read_deployment(self, data: Mapping[str, Any]) -> None:
        """5.1: the historical deployment; all other blocks wait in their pools (5.2)."""
        self.deployment: dict[int, int] = {}
        for seat, name in enumerate(SEATS):
            cities, pool = data["deployment"].get(name), data["levy_pool"].get(name)
            if not isinstance(cities, Mapping) or not isinstance(pool, list):
                raise BadData(f"deployment, levy_pool: {name} must have both")
            placed: list[int] = []
            for city, blocks in cities.items():
                where = f"deployment: {name}: {city}"
                space = self.space(city, where)
                if not isinstance(blocks, list):
                    raise BadData(f"{where}: must be a list of blocks, not {blocks!r:.40}")
                if any(self.home[block] != seat for block, place in self.deployment.items() if place == space):
                    raise BadData(f"{where}: the enemy stands there already")
                for block_name in blocks:
                    block = self.block(block_name, where)
                    if self.is_sea[space] or (self.is_navis[block] and not self.is_port[space]):
                        raise BadData(f"{where}: {block_name} cannot stand there")
                    self.deployment[block] = space
                    placed.append(block)
            placed += [self.block(block_name, f"levy_pool: {name}") for block_name in pool]
            own = [block for block, home in enumerate(self.home) if home == seat]
            if sorted(placed) != own:
                odd = sorted(
                    {self.blocks[b] for b in set(placed) ^ set(own)}
                    | {self.blocks[b] for b in placed if placed.count(b) > 1}
                )
                raise BadData(
                    f"deployment, levy_pool: {name}: each block must be in one of them, once; see {', '.join(odd)}"
                )
        if self.deployment.get(self.cleopatra) is None:
            raise BadData("deployment: cleopatra must stand on the map")

    def _lay_paths(self) -> None:
        """Lay out all paths of up to three steps once: no step leads straight back (A-B-A, ruling 38)."""
        steps: dict[tuple[int, ...], list[Move]] = {}

        def lay(ways: list[list[Road]], came: tuple[int, ...], deep: int) -> tuple[Path, ...]:
            paths = []
            for road in ways[came[-1]]:
                if len(came) > 1 and road.to == came[-2]:
                    continue
                entered = (*came[1:], road.to)
                path = Path(road, entered, steps.setdefault(entered, []))
                if deep > 1:
                    path.further = lay(ways, (*came, road.to), deep - 1)
                paths.append(path)
            return tuple(paths)

        # Land blocks use roads (6.1; three steps with Mercury), Navis only borders (6.2, ruling 39).
        self.land_paths = [lay(self.roads, (space,), 3) for space in range(len(self.spaces))]
        self.sea_paths = [lay(self.borders, (space,), 2) for space in range(len(self.spaces))]

    def orders(self, path: Path) -> list[Move]:
        """Return the orders to take `path`, by block, made when first asked for."""
        if not path.orders:
            names = tuple(self.spaces[space] for space in path.entered)
            path.orders[:] = [Move(block, names) for block in self.blocks]  # at once: other threads may look
        return path.orders

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the data alone, and come back as the facts that are there already."""
        return facts_for, (None if self.hash == standard_facts().hash else self.data,)

    def __deepcopy__(self, memo: object) -> Facts:
        return self

    def space(self, name: object, where: str) -> int:
        """Return the index of a space, or raise `BadData` that says `where` it is named."""
        if not isinstance(name, str) or name not in self.space_index:
            raise BadData(f"{where}: unknown space {name!r:.60}")
        return self.space_index[name]

    def block(self, name: object, where: str) -> int:
        """Return the index of a block, or raise `BadData` that says `where` it is named."""
        if not isinstance(name, str) or name not in self.block_index:
            raise BadData(f"{where}: unknown block {name!r:.60}")
        return self.block_index[name]


ANY_CITY, MAJOR_PORT, NEVER = -1, -2, -3


@functools.cache
def standard_facts() -> Facts:
    """Return the facts that come with the package."""
    text = resources.files(__package__).joinpath("data.yaml").read_text("utf-8")
    return Facts(checks.plain(yaml.safe_load(text), ""))


_loaded: dict[str, Facts] = {}  # data sets in use, by hash: an observation names its data by the hash
_MOST_LOADED = 64


def facts_for(data: object) -> Facts:
    """Return the facts of a parsed data mapping; `None` means the standard ones."""
    if data is None:
        return standard_facts()
    if not isinstance(data, Mapping):
        raise BadData(f"data must be a parsed mapping, not {type(data).__name__}")
    copied = checks.plain(data, "")
    key = sha256_of(copied)
    if key == standard_facts().hash:
        return standard_facts()
    facts = _loaded.pop(key, None) or Facts(copied)
    _loaded[key] = facts  # the one used last is forgotten last
    while len(_loaded) > _MOST_LOADED:
        del _loaded[next(iter(_loaded))]
    return facts


def known_facts(key: str) -> Facts:
    """Return the facts of a data set by its hash, or raise `BadData` if it is not, or no more, loaded."""
    if key == standard_facts().hash:
        return standard_facts()
    if key not in _loaded:
        raise BadData(f"the data set {key:.16} is not loaded: call catalog or new_game with it first")
    return _loaded[key]
