"""A project with verified items of every kind that has a form of its own, as an import brings them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from parable.formats.records import ItemRecord
from parable.kinds import kind_of
from tests.factories import Cast, make_project
from tests.kinds.samples import SAMPLES, Sample
from tests.release.made import bring

OWN: Final[dict[str, Sample]] = {task: sample for task, sample in SAMPLES.items() if not sample.has_options}
ENDS: Final = ("其一在此，无人知晓。", "次日天晴了，他们又来。")


def record_of(sample: Sample, number: int, **changes: Any) -> ItemRecord:
    """The sample as a file has it; with another number it is about another text."""
    options = sample.words.options
    keys = [place for place, option in enumerate(options) if option.is_key]
    order = sorted(range(len(options)), key=lambda place: options[place].rank or 0)
    form = kind_of(sample.task).answer if options else ""
    values: dict[str, Any] = {
        "id": f"{sample.task}-{number}",
        "task": sample.task,
        "story_id": f"text-{sample.task}-{number}",
        "title": "",
        "story": f"{sample.text}{ENDS[number % 2]}{number}",
        "question": sample.words.stem,
        "choices": tuple(option.text for option in options),
        "answer": keys[0] if form == "one" else None,
        "answers": tuple(order if form == "order" else keys if form == "several" else ()),
        "types": sample.words.types,
        "explanation": sample.words.explanation or None,
        "language": sample.language if options else "zh",
        "own": sample.words.own,
    }
    return ItemRecord(**(values | changes))


def released_project(count: int = 2, kinds: Iterable[str] = tuple(OWN)) -> Cast:
    """Items of these kinds, verified."""
    samples = [OWN[task] for task in kinds]
    cast = make_project("zh", tasks=[sample.task for sample in samples])
    bring(cast, [record_of(sample, number) for sample in samples for number in range(count)])
    cast.project.stories.update(rights="CC BY 4.0")
    return cast
