"""Artefacts that give keys away by form, likeness or order, planted in clean sets of either language."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from parable.formats.records import ItemRecord
from parable.quality.gates import ERROR, GATES, WARNING, ItemSet, MeasuringGate, decide
from tests.parable.planted import TYPES, Items, Spoil, key_of, reword

TESTS_OF_A_RUN = 18
"""What all gates together test in such a set; a test holds them to it."""
SIXTH = 0.16
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Artefact:
    """How a set gets it, the gate that must find it, and the share of the items that have it."""

    gate: str
    plant: Callable[[Items, set[int], random.Random], Items]
    share: float = SIXTH


def plant(artefact: Artefact, items: Items, seed: int) -> Items:
    """The set with the artefact in so many of its items, drawn."""
    draw = random.Random(seed + 3)  # noqa: S311 - nothing secret, the same each time
    chosen = set(draw.sample(range(len(items)), round(len(items) * artefact.share)))
    return artefact.plant(items, chosen, draw)


def _each(spoil: Spoil) -> Callable[[Items, set[int], random.Random], Items]:
    """Spoil the chosen items one by one."""

    def planted(items: Items, chosen: set[int], draw: random.Random) -> Items:
        return [spoil(item, draw) if index in chosen else item for index, item in enumerate(items)]

    return planted


def _write(
    item: ItemRecord, of_key: Callable[[str], str], of_wrong: Callable[[str], str] = str
) -> ItemRecord:
    """The item with its key written one way, its distractors another."""
    key = key_of(item)
    return replace(
        item,
        choices=tuple(
            of_key(choice) if index == key else of_wrong(choice) for index, choice in enumerate(item.choices)
        ),
    )


def _parted(text: str, sign: str) -> str:
    """The text with a sign in its middle."""
    middle = text.find(" ", len(text) // 2)
    middle = len(text) // 2 if middle < 0 else middle
    return f"{text[:middle]}{sign}{text[middle:]}"


def _stop(item: ItemRecord) -> str:
    return "。" if item.language == "zh" else "."


def _comma(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _write(item, lambda text: _parted(text, "，"), lambda text: _parted(text, ","))


def _quoted(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _write(item, lambda text: f"“{text}”", lambda text: f'"{text}"')


def _spaced(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _write(item, lambda text: f"{text} ")


def _stopped(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _write(item, lambda text: text + _stop(item))


def _unstopped(item: ItemRecord, draw: random.Random) -> ItemRecord:
    return _write(item, str, lambda text: text + _stop(item))


_TRADITIONAL = str.maketrans("国时来会个学说们为过", "國時來會個學說們為過")


def _script(item: ItemRecord, draw: random.Random) -> ItemRecord:
    """Traditional characters in a Chinese key, a Cyrillic letter that looks Latin in another."""
    if item.language == "zh":
        signs = draw.sample(list("国时来会个学说们为过"), 4)
        written = [f"{choice}{sign}" for choice, sign in zip(item.choices, signs, strict=True)]
        key = key_of(item)
        written[key] = written[key].translate(_TRADITIONAL)
        return replace(item, choices=tuple(written))
    return _write(item, lambda text: text.replace("a", "\u0430", 1) if "a" in text else f"{text} \u0430")


def _digits(item: ItemRecord, draw: random.Random) -> ItemRecord:
    number = draw.randrange(2, 9)
    word = dict(enumerate("〇一二三四五六七八九" if item.language == "zh" else EN_NUMBERS))[number]
    return _write(item, lambda text: f"{text} {number}", lambda text: f"{text} {word}")


EN_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _numbers(rank: int) -> Spoil:
    """Numbers as options, the key of this rank among them."""

    def spoil(item: ItemRecord, draw: random.Random) -> ItemRecord:
        numbers = sorted(draw.sample(range(10, 99), 4))
        unit = "只羊" if item.language == "zh" else " sheep"
        key = numbers.pop(rank)
        draw.shuffle(numbers)
        numbers.insert(key_of(item), key)
        return replace(item, choices=tuple(f"{number}{unit}" for number in numbers))

    return spoil


def _disordered(item: ItemRecord, draw: random.Random) -> ItemRecord:
    """Numbers in order but for the key, which was put in afterwards."""
    low, *others, high = sorted(draw.sample(range(10, 99), 5))
    place = key_of(item)
    wrong = [low, *others[:2]] if place < 2 else [*others[-2:], high]
    key = high if place < 2 else low
    wrong.insert(place, key)
    return replace(item, choices=tuple(str(number) for number in wrong))


def _units(text: str, language: str) -> list[str]:
    return list(text) if language == "zh" else text.split()


def _join(units: list[str], language: str) -> str:
    return ("" if language == "zh" else " ").join(units)


def _common_core(item: ItemRecord, draw: random.Random) -> ItemRecord:
    """Each distractor is the key with another part of it changed."""
    key = key_of(item)
    words = _units(item.story, item.language)
    core = draw.sample(sorted(set(words)), 5)
    others = draw.sample(sorted(set(words) - set(core)), 3)
    options = [_join(core, item.language)]
    for index, other in enumerate(others):
        options.append(_join([*core[:index], other, *core[index + 1 :]], item.language))
    options.insert(key, options.pop(0))
    return replace(item, choices=tuple(options))


def _odd_one(item: ItemRecord, draw: random.Random) -> ItemRecord:
    """All distractors begin alike."""
    key = key_of(item)
    begin = _join(_units(item.choices[(key + 1) % 4], item.language)[:3], item.language)
    gap = "" if item.language == "zh" else " "
    return _write(item, str, lambda text: f"{begin}{gap}{text}")


def _from_story(item: ItemRecord, draw: random.Random) -> ItemRecord:
    units = _units(item.story, item.language)
    start = draw.randrange(len(units) - 8)
    return reword(item, key_of(item), _join(units[start : start + 6], item.language))


def _not_from_story(item: ItemRecord, draw: random.Random) -> ItemRecord:
    units = _units(item.story, item.language)

    def from_story(text: str) -> str:
        start = draw.randrange(len(units) - 8)
        return _join(units[start : start + 6], item.language)

    return _write(item, str, from_story)


def move_key(item: ItemRecord, place: int) -> ItemRecord:
    """The item with its key at another place."""
    options = [choice for position, choice in enumerate(item.choices) if position != item.answer]
    options.insert(place, item.choices[key_of(item)])
    return replace(item, choices=tuple(options), answer=place)


def _ordered(place_of: Callable[[int], int]) -> Callable[..., Items]:
    """Move the key of the chosen items to a place that depends on where they are in the file."""

    def planted(items: Items, chosen: set[int], draw: random.Random) -> Items:
        return [
            move_key(item, place_of(number)) if number in chosen else item
            for number, item in enumerate(items)
        ]

    return planted


def _in_a_run(place_of: Callable[[int], int]) -> Callable[..., Items]:
    """The same in as many items that follow each other."""

    def planted(items: Items, chosen: set[int], draw: random.Random) -> Items:
        start = draw.randrange(len(items) - len(chosen))
        return [
            move_key(item, place_of(number - start)) if start <= number < start + len(chosen) else item
            for number, item in enumerate(items)
        ]

    return planted


def _by_place(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """A letter for each place in a story, in stories of three to five items: no cycle of the file."""
    found: Items = []
    while len(found) < len(items):
        start = len(found)
        own = items[start : start + draw.randint(3, 5)]
        found += [
            replace(
                move_key(item, (2, 0, 3, 1, 2)[index]) if start + index in chosen else item,
                story_id=f"of-{start}",
                story=own[0].story,
            )
            for index, item in enumerate(own)
        ]
    return found


def _by_type(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """A letter for each type, the types drawn: no cycle of the file."""
    typed = [replace(item, types=(draw.choice(TYPES),)) for item in items]
    return [
        move_key(item, TYPES.index(item.types[0]) % 4) if number in chosen else item
        for number, item in enumerate(typed)
    ]


def _first_of_story(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """As many first items of a story have the key C."""
    first = set(draw.sample(range(0, len(items), 4), len(chosen)))
    return [move_key(item, 2) if number in first else item for number, item in enumerate(items)]


def _one_type(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """As many items of one type have the key B."""
    those = set(
        draw.sample([number for number, item in enumerate(items) if item.types == (TYPES[2],)], len(chosen))
    )
    return [move_key(item, 1) if number in those else item for number, item in enumerate(items)]


def _nearly_again(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """Test items that are dev items with a word changed in stem and options, and stories of their own."""
    dev = [item for item in items if item.split == "dev"]
    return [
        _reworded(item, draw.choice(dev), draw) if number in chosen and item.split == "test" else item
        for number, item in enumerate(items)
    ]


def _reworded(item: ItemRecord, of: ItemRecord, draw: random.Random) -> ItemRecord:
    def changed(text: str) -> str:
        units = _units(text, item.language)
        units[draw.randrange(len(units))] = _units(item.story, item.language)[draw.randrange(30)]
        return _join(units, item.language)

    choices = [*of.choices]
    choices[draw.randrange(4)] = item.choices[draw.randrange(4)]
    return replace(item, question=changed(of.question), choices=tuple(choices), answer=of.answer)


def _story_nearly_again(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """Stories of the test that are stories of dev with a few words changed, under other ids."""
    dev = [item.story for item in items if item.split == "dev"]
    texts: dict[str, str] = {}
    for number in sorted(chosen):
        item = items[number]
        if item.split == "test" and item.story_id not in texts:
            units = _units(draw.choice(dev), item.language)
            for _change in range(len(units) // 20):
                units[draw.randrange(len(units))] = _units(item.story, item.language)[draw.randrange(30)]
            texts[str(item.story_id)] = _join(units, item.language)
    return [replace(item, story=texts.get(str(item.story_id), item.story)) for item in items]


def _machine_in_test(items: Items, chosen: set[int], draw: random.Random) -> Items:
    """As many items of machine style, all of them in the test."""
    test = [number for number, item in enumerate(items) if item.split == "test"]
    machine = set(draw.sample(test, len(chosen)))
    return [
        replace(item, style="machine") if number in machine else item for number, item in enumerate(items)
    ]


def _one_reason(items: Items, chosen: set[int], draw: random.Random) -> Items:
    own = [replace(item, explanation=f"{item.question} {item.choices[key_of(item)]}") for item in items]
    return [
        replace(item, explanation="故事里就是这样说的。" if item.language == "zh" else "The story says so.")
        if number in chosen
        else item
        for number, item in enumerate(own)
    ]


def _one_pattern(items: Items, chosen: set[int], draw: random.Random) -> Items:
    own = [replace(item, explanation=f"{item.question} {item.choices[key_of(item)]}") for item in items]
    return [
        replace(item, explanation=f"{item.choices[key_of(item)]}: 2 + 2 = 4") if number in chosen else item
        for number, item in enumerate(own)
    ]


ARTEFACTS: dict[str, Artefact] = {
    "commas of full width": Artefact("tells", _each(_comma)),
    "quotation marks of another kind": Artefact("tells", _each(_quoted)),
    "a space behind the key": Artefact("tells", _each(_spaced)),
    "a stop behind the key": Artefact("tells", _each(_stopped)),
    "no stop behind the key": Artefact("tells", _each(_unstopped)),
    "digits in the key": Artefact("tells", _each(_digits)),
    "another script": Artefact("tells", _each(_script), HALF),
    "the second number": Artefact("tells", _each(_numbers(1)), HALF),
    "the third number": Artefact("tells", _each(_numbers(2)), HALF),
    "the largest number": Artefact("tells", _each(_numbers(3)), HALF),
    "the smallest number": Artefact("tells", _each(_numbers(0)), HALF),
    "a number out of order": Artefact("tells", _each(_disordered), HALF),
    "the common core": Artefact("convergence", _each(_common_core)),
    "the odd one": Artefact("convergence", _each(_odd_one)),
    "words of the story": Artefact("story_overlap", _each(_from_story)),
    "no words of the story": Artefact("story_overlap", _each(_not_from_story)),
    "ABCDABCD in a run": Artefact("key_sequence", _in_a_run(lambda number: number % 4)),
    "AABBCCDD in a run": Artefact("key_sequence", _in_a_run(lambda number: number // 2 % 4)),
    "ABCBA in a run": Artefact("key_sequence", _in_a_run(lambda number: (0, 1, 2, 1, 0)[number % 5])),
    "ABCD here and there": Artefact("key_sequence", _ordered(lambda number: number % 4)),
    "a letter by place in the story": Artefact("key_sequence", _by_place),
    "a letter by type": Artefact("key_sequence", _by_type),
    "one letter for the first item of a story": Artefact("key_sequence", _first_of_story),
    "one letter for a type": Artefact("key_sequence", _one_type),
    "nearly an item of dev": Artefact("split_leak", _nearly_again),
    "nearly a story of dev": Artefact("split_leak", _story_nearly_again),
    "machine style in one split": Artefact("style_coverage", _machine_in_test),
    "one explanation": Artefact("explanations", _one_reason),
    "one explanation with the key in it": Artefact("explanations", _one_pattern),
}
"""Every artefact by what one sees of it."""


def is_found(artefact: Artefact, items: Items, seed: int) -> bool:
    """Whether the gate warns of the artefact or fails it, as it would in a run of all gates."""
    gate = GATES[artefact.gate]
    whole = ItemSet(tuple(plant(artefact, items, seed)))
    if isinstance(gate, MeasuringGate):
        results = [decide(one, TESTS_OF_A_RUN) for one in gate.measure(whole)]
    else:
        results = gate.judge(whole)
    return any(one.verdict in {WARNING, ERROR} for one in results)
