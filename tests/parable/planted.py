"""Sets of items made for the gates: clean ones, and the same with one kind of defect planted in them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parable.formats.records import ItemRecord

TYPES = ("social", "biological", "temporal", "spatial", "physical")
ITEMS_OF_A_STORY = 4
SYLLABLES = tuple(f"{one}{two}" for one in "bdfgklmnprstvz" for two in "aeiou")

Items = list[ItemRecord]


def clean(count: int, seed: int, *, chinese: bool = False) -> Items:
    """Balanced items: keys everywhere equally often, their words and lengths drawn like all others'."""
    draw = _draw(seed)
    say = _chinese if chinese else _invented
    stories = {number: say(draw, 60) for number in range(count // ITEMS_OF_A_STORY + 1)}
    answers = [number % 4 for number in range(count)]
    draw.shuffle(answers)
    return [
        ItemRecord(
            id=f"i-{number}",
            task="commonsense",
            story_id=f"s-{number // ITEMS_OF_A_STORY}",
            title=f"Story {number // ITEMS_OF_A_STORY}",
            story=stories[number // ITEMS_OF_A_STORY],
            question=f"{say(draw, 8)}?",
            choices=tuple(say(draw, draw.randint(3, 9)) for _option in range(4)),
            answer=answers[number],
            types=(TYPES[number % 5],),
            language="zh" if chinese else "en",
            split="dev" if number < count // ITEMS_OF_A_STORY // 5 * ITEMS_OF_A_STORY else "test",
        )
        for number in range(count)
    ]


def _draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - nothing secret, the same each time


def _invented(draw: random.Random, words: int) -> str:
    return " ".join("".join(draw.choices(SYLLABLES, k=draw.randint(1, 3))) for _word in range(words))


def _chinese(draw: random.Random, words: int) -> str:
    return "".join(chr(0x4E00 + int(draw.paretovariate(0.7)) % 2500) for _char in range(words * 2))


Spoil = Callable[[ItemRecord, random.Random], ItemRecord]


def reword(item: ItemRecord, place: int, text: str) -> ItemRecord:
    """The item with other words at one place."""
    choices = [*item.choices]
    choices[place] = text
    return replace(item, choices=tuple(choices))


def key_of(item: ItemRecord) -> int:
    """The key's place; the items made here have one."""
    assert item.answer is not None
    return item.answer


def _longest(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _with_key_first(item, sorted(item.choices, key=len, reverse=True))


def _shortest(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _with_key_first(item, sorted(item.choices, key=len))


def _with_key_first(item: ItemRecord, ranked: Sequence[str]) -> ItemRecord:
    """The item with its options dealt out again, the first of them to the key."""
    first, *others = ranked
    others.insert(key_of(item), first)
    return replace(item, choices=tuple(others))


def _telling_word(item: ItemRecord, draw: random.Random) -> ItemRecord:
    place = key_of(item)
    return reword(item, place, f"{item.choices[place]} perhaps")


def _telling_opening(item: ItemRecord, draw: random.Random) -> ItemRecord:
    place = key_of(item)
    return reword(item, place, f"In fact, {item.choices[place]}")


def _telling_stop(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return reword(item, key_of(item), f"{item.choices[key_of(item)]}.")


def _words_of_the_wrong(item: ItemRecord, draw: random.Random) -> ItemRecord:
    for index in range(4):
        if index != item.answer:
            item = reword(item, index, f"always {item.choices[index]}")
    return item


def _stem_in_key(item: ItemRecord, draw: random.Random) -> ItemRecord:
    place = key_of(item)
    return reword(
        item, place, " ".join([*item.question.rstrip("?").split()[:4], *item.choices[place].split()[4:]])
    )


def _first(item: ItemRecord, draw: random.Random) -> ItemRecord:
    options = [one for index, one in enumerate(item.choices) if index != item.answer]
    return replace(item, choices=(item.choices[key_of(item)], *options), answer=0)


SET_LEVEL: dict[str, tuple[str, Spoil]] = {
    "the key is the longest": ("length_artefact", _longest),
    "the key is the shortest": ("length_artefact", _shortest),
    "a word stands in keys only": ("options_only", _telling_word),
    "keys open alike": ("options_only", _telling_opening),
    "keys end with a stop": ("tells", _telling_stop),
    "a word stands in wrong options only": ("options_only", _words_of_the_wrong),
    "the key repeats its stem": ("no_story", _stem_in_key),
    "the key comes first": ("key_position", _first),
}
"""Kinds of defect that show over many items only: the gate that should find each, and how an item gets it."""


def plant_in_set(items: Items, spoil: Spoil, points: float, seed: int) -> Items:
    """Spoil so many items that who knows the trick answers so many points above chance.

    Of the spoiled items all are answered, of the others one in four.
    """
    draw = _draw(seed + 1)
    spoiled = set(draw.sample(range(len(items)), round(len(items) * points / 0.75)))
    return [spoil(item, draw) if number in spoiled else item for number, item in enumerate(items)]


@dataclass(frozen=True, slots=True)
class Planted:
    """Items of which some are spoiled, and the ids of those that must be found."""

    items: Items
    ids: frozenset[str]


def plant_in_items(items: Items, spoil: Callable[[Items, int], ItemRecord], seed: int) -> Planted:
    """Spoil one item of fifty, each of another story than the next."""
    draw = _draw(seed + 2)
    places = [draw.randrange(start + 5, start + 45) for start in range(0, len(items) - 49, 50)]
    found = list(items)
    for place in places:
        found[place] = spoil(items, place)
    return Planted(found, frozenset(items[place].id for place in places))


def _same_item(items: Items, place: int) -> ItemRecord:
    twin = items[place - 1]
    return replace(items[place], question=twin.question, choices=twin.choices[::-1])


def _same_story(items: Items, place: int) -> ItemRecord:
    other = items[(place + 8) % len(items)]
    return replace(items[place], story=other.story)


def _same_key(items: Items, place: int) -> ItemRecord:
    story = items[place].story_id
    sibling = next(one for one in items if one.story_id == story and one is not items[place])
    return reword(items[place], key_of(items[place]), sibling.choices[key_of(sibling)])


def _drifted(items: Items, place: int) -> ItemRecord:
    return replace(items[place], story=items[place].story.replace(" ", "  ", 1))


def _lettered(items: Items, place: int) -> ItemRecord:
    one, two, three, four = items[place].choices
    return replace(items[place], choices=(f"A. {one}", f"B. {two}", three, f"D. {four}"))


def _spaced(items: Items, place: int) -> ItemRecord:
    return reword(items[place], 2, f"{items[place].choices[2]} ")


def _invisible(items: Items, place: int) -> ItemRecord:
    return reword(items[place], 1, f"{items[place].choices[1]}\u200b")


def _other_script(items: Items, place: int) -> ItemRecord:
    return reword(items[place], 3, "因为下雨了")


def _wide(items: Items, place: int) -> ItemRecord:
    return reword(items[place], 0, "ｗｉｄｅ " + items[place].choices[0])


def _untyped(items: Items, place: int) -> ItemRecord:
    return replace(items[place], types=())


def _leaked_story(items: Items, place: int) -> ItemRecord:
    dev = items[place % 4]
    return replace(items[place], story=dev.story, story_id=dev.story_id, split="test")


def _leaked_stem(items: Items, place: int) -> ItemRecord:
    return replace(items[place], question=items[place % 4].question.upper(), split="test")


ITEM_LEVEL: dict[str, tuple[str, Callable[[Items, int], ItemRecord]]] = {
    "stem and options of another": ("duplicates", _same_item),
    "a story under two ids": ("duplicates", _same_story),
    "the key of a sibling": ("sibling_leak", _same_key),
    "a story with another space": ("story_drift", _drifted),
    "letters before some options": ("option_format", _lettered),
    "a space behind an option": ("option_format", _spaced),
    "an invisible mark": ("option_format", _invisible),
    "an option in another script": ("option_format", _other_script),
    "full-width letters": ("option_format", _wide),
    "no type": ("type_coverage", _untyped),
    "a story of the other split": ("split_leak", _leaked_story),
    "a stem of the other split": ("split_leak", _leaked_stem),
}
"""Kinds of defect that are in single items: the gate that must name each of them."""
