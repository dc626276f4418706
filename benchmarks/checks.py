"""How often each single-item check fires on published items, and how long the checks take."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

from benchmarks.lines import Line, line, skipped
from parable.formats.items import read_items
from parable.formats.records import ItemRecord
from parable.kinds import codes
from parable.quality.item import CHECKS, ERROR, ItemView, OptionView, SiblingView, judge
from parable.quality.item.from_records import view_items
from parable.quality.item.sets import judge_set

BENCH = "checks"
FILES = ("dev_CRMUS_CR.json", "dev_CRMUS_MU.json")
PUBLISHED = Path(__file__).resolve().parents[2] / "shared" / "data" / "crmus" / "published_format"
MOST_ERRORS = 0.01
"""The maximum share of published items on which an error may fire, unless docs/checks.md gives the reason."""
DEFENDED = ("explanation_missing",)
"""Errors that may fire more often, as the published files leave explanations out."""
MOST_MILLISECONDS = 5.0
WINDOWS, ROUNDS = 5, 60
SET = 500

CHINESE = "秋天到了松鼠把果子一颗颗搬进树洞喜鹊在枝头笑它太傻冬天来时大雪盖住了整个林子"
ENGLISH = (
    "when autumn came the squirrel carried every cone into a hollow tree while the magpie laughed at her "
)


def measure() -> Iterator[Line]:
    """Yield the rates, then the times."""
    yield from measure_rates()
    yield from measure_times()
    yield from measure_sets()


def measure_rates() -> Iterator[Line]:
    """Yield the share of all items, and of the items of each task, on which each check fires."""
    if not all((PUBLISHED / name).is_file() for name in FILES):
        yield skipped(BENCH, "rates", "the published items are not beside this repository (../shared/data)")
        return
    items = published_items()
    fired = [(item.task, {finding.check for finding in judge(item, CHECKS.values())}) for item in items]
    for check in CHECKS.values():
        limit = MOST_ERRORS if check.severity == ERROR and check.id not in DEFENDED else None
        judged = [task for task in dict.fromkeys(item.task for item in items) if check.applies_to(task)]
        for name, tasks in (("all", codes()), *((task, (task,)) for task in judged)):
            found = [check.id in checks for task, checks in fired if task in tasks]
            share = round(sum(found) / len(found), 4) if found else 0.0
            yield line(BENCH, check.id, f"rate_{name}", share, "share", most=limit)


def published_items() -> tuple[ItemView, ...]:
    """Return the keyed items of the published development files, each with the others of its story."""
    records: list[ItemRecord] = []
    for name in FILES:
        records += [
            record for record in read_items(PUBLISHED / name, name=name).records if record.answer is not None
        ]
    standard = next(record.question for record in records if record.task == "moral")
    return view_items(records, language="zh", standard_stem=standard)


def measure_times() -> Iterator[Line]:
    """Yield the time for one item with twenty siblings on a story of 3,000 characters.

    Either each item has new words, or one letter is typed into the same item.
    """
    for language, words in (("zh", CHINESE), ("en", ENGLISH)):
        for case, items in (("new", _all_new), ("typing", _one_typed)):
            windows = [_window(items, language, words, window) for window in range(WINDOWS)]
            for metric, values in (("median", 0), ("p95", 1)):
                value = median(window[values] for window in windows)
                yield line(BENCH, f"{case}_{language}", metric, round(value, 3), "ms", most=MOST_MILLISECONDS)


def measure_sets() -> Iterator[Line]:
    """Yield the time per item of all checks on a set whose items all have new words."""
    for language, words in (("zh", CHINESE), ("en", ENGLISH)):
        windows = []
        for window in range(WINDOWS):
            records = [_record(language, words, window * SET + number) for number in range(SET)]
            start = time.process_time()
            judge_set(records)
            windows.append((time.process_time() - start) / SET * 1e6)
        yield line(BENCH, f"set_{language}", "median", round(median(windows), 1), "us an item")


def _record(language: str, words: str, number: int) -> ItemRecord:
    item = _all_new(language, words, number)
    return ItemRecord(
        id=str(number),
        task=item.task,
        story_id=f"s{number // 4}",
        title="",
        story="",
        question=item.stem,
        choices=tuple(one.text for one in item.options),
        answer=number % 4,
        types=item.types,
        explanation=item.explanation,
        language=language,
    )


def _window(make: Callable[..., ItemView], language: str, words: str, window: int) -> tuple[float, float]:
    """Return median and 95th percentile of one window, in milliseconds of processor time."""
    times = []
    for number in range(window * ROUNDS, (window + 1) * ROUNDS):
        item = make(language, words, number)
        start = time.process_time()
        judge(item)
        times.append((time.process_time() - start) * 1000)
    return median(times), quantiles(times, n=20)[-1]


def _all_new(language: str, words: str, number: int) -> ItemView:
    """Return an item that has no words in common with earlier items."""
    text = words * (3000 // len(words) + 1)

    def take(start: int, length: int) -> str:
        begin = (start * 7 + number) % len(words)
        return f"{text[begin : begin + length]}{number}"

    return ItemView(
        task="commonsense",
        language=language,
        stem=take(1, 40) + "?",
        options=tuple(OptionView(take(index, 25 + index), index == 0) for index in range(4)),
        types=("social",),
        explanation=take(5, 120),
        story=text[:3000] + str(number),
        siblings=tuple(
            SiblingView(take(other, 40) + "?", tuple(take(other + index, 25) for index in range(4)))
            for other in range(20)
        ),
    )


def _one_typed(language: str, words: str, number: int) -> ItemView:
    """Return the same item with one more letter in its stem."""
    return replace(_all_new(language, words, 0), stem=words[:30] + "一" * (number % 40) + f"{number}?")
