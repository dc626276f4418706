"""A project shaped like the published original: as many stories, items, types and styles, in plain values."""

from __future__ import annotations

from random import Random

from parable.formats import COMMONSENSE, HUMAN, MACHINE, MORAL, ItemRecord
from release.assembly import AssemblyItem
from release.card.facts import Facts

STORIES = 436
COMMONSENSE_ITEMS = 2092
MORAL_ITEMS = 3 * STORIES
TAGS = {"social": 1048, "biological": 426, "temporal": 308, "spatial": 259, "physical": 178}
TYPES = (
    ("social", "社会常识", "social"),
    ("biological", "生物常识", "biological"),
    ("temporal", "时间常识", "temporal"),
    ("spatial", "空间常识", "spatial"),
    ("physical", "物理常识", "physical"),
)
SHARE = "0.1927"


def facts() -> Facts:
    """What a release of it would know of the project."""
    return Facts(slug="fables", name="Fables", language="en", types=TYPES)


def sources(seed: int = 11) -> list[AssemblyItem]:
    """Three moral items a story, one of them human style; commonsense items unevenly, as people write."""
    chance = Random(seed)  # noqa: S311 - a made-up project
    made = [_moral(story, number) for story in range(STORIES) for number in range(3)]
    made += [
        _plain(story, number, types)
        for number, (story, types) in enumerate(zip(_stories(chance), _types(chance), strict=True))
    ]
    return [AssemblyItem(handle, item, positions=(0, 1, 2, 3)) for handle, item in enumerate(made)]


def _stories(chance: Random) -> list[int]:
    """The story of each commonsense item: one at least a story, some with three times as many as others."""
    keenness = [chance.choice([2, 3, 4, 4, 5, 5, 6, 9]) for _story in range(STORIES)]
    more = chance.choices(range(STORIES), keenness, k=COMMONSENSE_ITEMS - STORIES)
    return [*range(STORIES), *more]


def _types(chance: Random) -> list[tuple[str, ...]]:
    """The types of each item, so that the tags come to the published counts: 127 items carry two."""
    twice = sum(TAGS.values()) - COMMONSENSE_ITEMS
    tags = [code for code, count in TAGS.items() for _one in range(count)]
    chance.shuffle(tags)
    firsts, seconds = tags[:COMMONSENSE_ITEMS], tags[COMMONSENSE_ITEMS:]
    found: list[tuple[str, ...]] = [(first,) for first in firsts]
    for second in seconds:
        place = next(at for at, kinds in enumerate(found) if len(kinds) == 1 and kinds != (second,))
        found[place] = (*found[place], second)
    assert sum(len(kinds) == 2 for kinds in found) == twice
    chance.shuffle(found)
    return found


def _moral(story: int, number: int) -> ItemRecord:
    return _record(story, f"m{story}-{number}", MORAL, (), HUMAN if number == 0 else MACHINE)


def _plain(story: int, number: int, types: tuple[str, ...]) -> ItemRecord:
    return _record(story, f"c{number}", COMMONSENSE, types, HUMAN)


def _record(story: int, name: str, task: str, types: tuple[str, ...], style: str) -> ItemRecord:
    return ItemRecord(
        id=name,
        task=task,
        story_id=f"s{story}",
        title=f"Fable {story}",
        story=f"Once upon a time there was a fox of number {story}.",
        question=f"What of {name}?" if task == COMMONSENSE else "Which moral fits?",
        choices=tuple(f"{letter} of {name}" for letter in "pqrs"),
        answer=0,
        types=types,
        style=style,
        language="en",
    )
