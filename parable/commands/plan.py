"""`plan RELEASE_DIR`: prints the expected precision of an evaluation, and how to improve it.

The variances are estimated from earlier answers to the release if given; otherwise typical ones are used.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from parable.commands.outcome import DONE, UNUSABLE, print_json
from parable.commands.results.numbers import figure, percent
from parable.commands.score import refuse, sheets_of
from parable.formats.records import ItemRecord
from parable.formats.release_folder import read_release_folder
from parable.formats.responses import read_responses
from parable.psychometrics.plans.components import Components, components
from parable.psychometrics.plans.precision import TYPICAL, Design, design_of, stories_needed
from parable.psychometrics.plans.prospects import Prospect, prospects
from parable.psychometrics.results.outlook import askings
from parable.psychometrics.results.sheets import Items, item_fact

WORDS: Final = {
    "now": "as asked for",
    "more_repeats": "twice the repeats",
    "more_items": "twice the items a story",
    "more_stories": "twice the stories",
}


def run(options: argparse.Namespace) -> int:
    """Print the expected precision of each design; return 0, or 2 if a file cannot be used."""
    release = read_release_folder(options.release, answers=options.answers)
    if release.errors:
        return refuse(release.errors, as_json=options.as_json)
    records = release.of_split(options.split)
    if not records:
        print(f"{options.release}: there are no items in this split.", file=sys.stderr)
        return UNUSABLE
    responses = read_responses(options.responses, options={one.id: len(one.choices) for one in release.items})
    if responses.errors:
        return refuse(responses.errors, as_json=options.as_json)
    known = [one for one in records if one.answer is not None]
    found = {
        task: _plan(task, [one for one in records if one.task == task], known, responses.records, options)
        for task in dict.fromkeys(one.task for one in records)
    }
    if options.as_json:
        print_json({"tasks": found})
    return DONE


def _plan(
    task: str,
    records: Sequence[ItemRecord],
    known: Sequence[ItemRecord],
    responses: Iterable[Any],
    options: argparse.Namespace,
) -> dict[str, object]:
    sizes = Counter(one.story_id or one.story for one in records)
    design = design_of(list(sizes.values()), max(1, options.repeats))
    found, models = _variances(task, known, responses)
    of = found or TYPICAL
    by_size = prospects(of, design)
    needed = stories_needed(of, design, options.difference / 100)
    _print(task, of, models, by_size)
    said = "no number of stories" if needed is None else f"{needed} stories"
    items = None if needed is None else design.with_stories(needed).items
    print(f"To find {options.difference:g} points: {said}" + (f", {items} items" if items else "") + "\n")
    return {
        "models": models,
        "variances": of.as_json(),
        "designs": {code: {**asdict(one), "calls": one.calls} for code, one in by_size.items()},
        "difference": options.difference / 100,
        "stories_needed": needed,
        "items_needed": items,
    }


def _variances(
    task: str, known: Sequence[ItemRecord], responses: Iterable[Any]
) -> tuple[Components | None, int]:
    items = Items(item_fact(one) for one in known)
    sheets = sheets_of(items, known, responses)
    if not sheets:
        return None, 0
    names, given = askings(sheets, items, np.asarray(items.of_task(task)))
    found = components(given)
    return found, len(names) if found else 0


def _print(task: str, of: Components, models: int, by_size: dict[str, Prospect]) -> None:
    basis = f"variances of the answers of {models} models" if models else "typical variances assumed"
    print(f"{task}: {basis}")
    names = ("model", "story", "item", "model_story", "model_item", "repeat")
    values = ", ".join(
        f"{name} {figure(value, '.4f')}" for name in names if (value := getattr(of, name)) is not None
    )
    print(f"  {values}")
    for code, one in by_size.items():
        design: Design = one.design
        print(
            f"  {WORDS[code]:24} {design.stories:6} stories {design.items:6} items x {design.repeats:<3}"
            f" {one.calls:7} calls  accuracy ± {_points(one.half_width)}  finds {_points(one.least)}"
        )


def _points(share: float | None) -> str:
    return percent(share, digits=1)
