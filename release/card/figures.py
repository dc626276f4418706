"""The sections of the data card with statistics about items, people and LLMs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from parable.formats.records import HUMAN, MACHINE, released
from parable.kinds import kind_of
from parable.kinds.published import figures_of
from parable.psychometrics.agreement import FIGURES, NOT_COUNTED
from parable.sentences import translate
from parable.splits import SPLITS, TEST
from release.assembly import counts
from release.assembly.records import FrozenItem, right_places
from release.card.blocks import Block, code, heading, paragraph, table
from release.card.facts import Facts

Words = Mapping[str, str]
ROWS_BY_STYLE: Final = 2
"""The first layout in which the table of people's answers has a row for each style."""
KINDS: Final = 4
"""The first layout with statistics of answers that are not options."""
_LOADING: Final = 'from datasets import load_dataset\n\nitems = load_dataset(".", "all")'


def loading(words: Words) -> Iterator[Block]:
    """Yield the section on how to load the release in one line of code."""
    yield heading(words["loading"])
    yield paragraph(words["loading_about"])
    yield code(_LOADING)


def further_counts(items: Sequence[FrozenItem], facts: Facts, words: Words) -> Iterator[Block]:
    """Yield paragraphs on items with several types, imported items, and numbers written and released."""
    several = sum(len(one.record["types"]) > 1 for one in items)
    typed = sum(bool(one.record["types"]) for one in items)
    if typed:
        yield paragraph(words["several_types"].format(count=several, items=typed))
    came = sum(bool(one.item().source_id) for one in items)
    if came:
        yield paragraph(words["source_ids"].format(count=came, items=len(items)))
    released = Counter(one.record["task"] for one in items)
    if facts.written:
        written, kept = (by_task(counted, words) for counted in (facts.written, released))
        yield paragraph(words["written"].format(written=written, released=kept))


def by_task(counted: Mapping[str, int], words: Words) -> str:
    """Return the numbers of items by task as a text."""
    parts = (words["written_one"].format(task=words[task], count=counted[task]) for task in sorted(counted))
    return words["comma"].join(parts)


def by_story(items: Sequence[FrozenItem], words: Words) -> Iterator[Block]:
    """Yield the table with the numbers of stories and items by task and split."""
    rows = []
    for task in _tasks(items):
        for split in SPLITS:
            chosen = [one for one in items if (one.record["task"], one.split) == (task, split)]
            stories = len(counts.stories_in(chosen))
            if stories:
                mean = f"{len(chosen) / stories:.2f}"
                rows.append([words[task], words[split], stories, len(chosen), mean])
    yield heading(words["story_table"], level=3)
    columns = [words[name] for name in ("task", "split", "stories", "items", "items_a_story")]
    yield table([columns, *rows])


def lengths(items: Sequence[FrozenItem], words: Words, *, is_withheld: bool) -> Iterator[Block]:
    """Yield the table of mean text lengths by task.

    If the answers of test are withheld, test items are not counted, because lengths give clues to the key.
    """
    visible = [one for one in items if not is_withheld or one.split != TEST]
    yield heading(words["lengths_dev" if is_withheld else "lengths"], level=3)
    names = ("task", "story_length", "stem_length", "key_length", "other_length")
    yield table(
        [[words[name] for name in names], *(_lengths(task, visible, words) for task in _tasks(visible))]
    )


def _lengths(task: str, items: Iterable[FrozenItem], words: Words) -> list[str]:
    records = [one.record for one in items if one.record["task"] == task]
    keys = [record["choices"][place] for record in records for place in right_places(record)]
    others = [
        choice
        for record in records
        for place, choice in enumerate(record["choices"])
        if place not in right_places(record)
    ]
    stories = {record["story_id"]: record["story"] for record in records}.values()
    columns = (stories, [record["question"] for record in records], keys, others)
    means = (f"{sum(map(len, texts)) / len(texts):.1f}" if texts else "" for texts in columns)
    return [words[task], *means]


def key_places(items: Sequence[FrozenItem], words: Words, *, is_withheld: bool) -> Iterator[Block]:
    """Yield the table of how often each letter is the key, without test if its answers are withheld."""
    keys = counts.by_key(one for one in items if not is_withheld or one.split != TEST)
    letters = sorted({letter for splits in keys.values() for cell in splits.values() for letter in cell})
    rows = [
        [words[task], words[split], *(cell.get(letter, "") for letter in letters)]
        for task, splits in keys.items()
        for split, cell in splits.items()
    ]
    if rows:
        yield heading(words["keys"], level=3)
        yield table([[words["task"], words["split"], *letters], *rows])


def own_answers(
    items: Sequence[FrozenItem], words: Words, language: str, *, is_withheld: bool
) -> Iterator[Block]:
    """Yield statistics of answers that are not options, by task; without test if its answers are withheld."""
    visible = [one for one in items if not is_withheld or one.split != TEST]
    for task in _tasks(visible):
        published = kind_of(task).published
        if published is None or not published.figures:
            continue
        records = [released(one.item()) for one in visible if one.record["task"] == task]
        rows = [
            (
                translate(one.name, language),
                one.of,
                f"{one.value:.2f}" if isinstance(one.value, float) else str(one.value),
            )
            for one in figures_of(published, records)
        ]
        yield heading(words["answers_dev" if is_withheld else "answers_of"].format(task=words[task]), level=3)
        yield paragraph(words["own_about"])
        yield table([[words[name] for name in ("figure_name", "figure_of", "figure_value")], *rows])


def judged(facts: Facts, words: Words, *, layout: int) -> Iterator[Block]:
    """Yield the section on the accuracy of people's blind answers and the agreement of their ratings."""
    yield heading(words["measured"])
    if not any(figures["n"] for figures in facts.accuracy.values()):
        yield paragraph(words["unmeasured"])
        return
    yield paragraph(words["measured_about"])
    counted = {code for agreed in facts.agreement.values() for code in agreed}
    figures = [one for one in FIGURES if one.is_on_card and (one.code in words or one.code in counted)]
    names = [words.get(one.code) or translate(one.name, facts.language) for one in figures]
    rows: list[list[object]] = []
    for task, accuracy in sorted(facts.accuracy.items()):
        agreed = facts.agreement.get(task, {})
        missing = translate(NOT_COUNTED, facts.language) if agreed else ""
        ratings = [_interval(agreed[one.code], words) if one.code in agreed else missing for one in figures]
        name = words[task] if task else words["sum"]
        rows.append([name, accuracy["n"], _interval(accuracy, words), agreed.get("twice", 0), *ratings])
    if layout >= ROWS_BY_STYLE:
        rows += ([*row, *("" for _one in figures)] for row in _by_style(facts, words))
    yield table([[*(words[name] for name in ("task", "answers", "accuracy", "twice")), *names], *rows])


def _by_style(facts: Facts, words: Words) -> Iterator[list[object]]:
    """Yield the rows of accuracy by style. They have no agreement, which is computed by task only."""
    for task, styles in sorted(facts.styles.items()):
        for style in (HUMAN, MACHINE):
            named = words["comma"].join((words[task], words[style]))
            yield [named, styles[style]["n"], _interval(styles[style], words), ""]


def _interval(estimate: Mapping[str, Any], words: Words) -> str:
    if estimate["value"] is None:
        return ""
    value, low, high = (
        None if estimate[name] is None else f"{estimate[name]:.3f}" for name in ("value", "low", "high")
    )
    return value or "" if low is None else words["interval"].format(value=value, low=low, high=high)


LOAD: Final = ("people", "hours", "item_minutes", "review_minutes", "busiest")


def load(facts: Facts, words: Words) -> Iterator[Block]:
    """Yield the section on working time and pay; nothing if no time was recorded."""
    if not facts.load:
        return
    yield heading(words["load"])
    yield paragraph(words["load_about"])
    names = [name for name in LOAD if name in facts.load]
    cells = {name: "" if facts.load[name] is None else str(facts.load[name]) for name in names}
    if "busiest" in cells:
        cells["busiest"] = f"{100 * facts.load['busiest']:.1f} %"
    yield table([[words[f"load_{name}"] for name in names], [cells[name] for name in names]])
    rates = facts.load.get("rates", {})
    if rates:
        listed = words["comma"].join(words[name].format(rate=rate) for name, rate in rates.items())
        yield paragraph(words["load_paid"].format(currency=facts.load["currency"], rates=listed))


def sent_to_models(facts: Facts, words: Words, *, is_anonymous: bool) -> Iterator[Block]:
    """Yield the table of stories and items sent to each LLM.

    Servers are omitted if the release is anonymous.
    """
    yield heading(words["providers"])
    if not facts.sent:
        yield paragraph(words["nothing_sent"])
        return
    yield paragraph(words["sent_about"])
    columns = ("sent_stories", "sent_morals", "sent_items")
    head = [words[name] for name in ("provider", *(() if is_anonymous else ("host",)), *columns)]
    rows = ([model, *([] if is_anonymous else [host]), *counts] for model, host, *counts in facts.sent)
    yield table([head, *rows])


def _tasks(items: Iterable[FrozenItem]) -> list[str]:
    return sorted({one.record["task"] for one in items})
