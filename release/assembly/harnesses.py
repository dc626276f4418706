"""Ready tasks for three evaluation harnesses, each reading the release's own JSONL, offline, from anywhere.

Prompts and the reading of answers are those of `score.py`, which the tasks take from the folder they lie in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from parable.kinds import codes

TEMPLATES: Final = Path(__file__).parent / "harness"
"""The files with what they say of a release left open: `@TITLE@`, `@TASK@`, ..."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the tasks say of a release: its short name, title, version, language and canary.

    `splits`: by task the split that is measured on; `few_shot`: the tasks whose dev items may stand before
    a question as examples.
    """

    name: str
    title: str
    version: str
    language: str
    canary: str
    splits: Mapping[str, str]
    few_shot: Sequence[str] = ()

    @property
    def tag(self) -> str:
        """The name as it may stand in programs."""
        bare = self.name.replace("-", "_")
        return bare if bare[:1].isalpha() else f"set_{bare}"


def harness_files(told: Told) -> Iterator[tuple[str, str]]:
    """The tasks by file name."""
    yield "harness/lm_eval/items.py", _filled("lm_eval/items.py", told)
    for task in told.splits:
        yield f"harness/lm_eval/{told.tag}_{task}.yaml", _filled("lm_eval/task.yaml", told, task)
        yield f"harness/lm_eval/{told.tag}_{task}_gen.yaml", _filled("lm_eval/task_gen.yaml", told, task)
    inspect = "".join(_filled("inspect_ai/task.py", told, task) for task in told.splits)
    yield f"harness/inspect_ai/{told.tag}.py", _filled("inspect_ai/tasks.py", told) + inspect
    yield f"harness/opencompass/{told.tag}_items.py", _filled("opencompass/items.py", told)
    yield f"harness/opencompass/{told.tag}.py", _filled("opencompass/datasets.py", told)


@cache
def _template(name: str) -> str:
    return (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")


def _filled(name: str, told: Told, task: str = "") -> str:
    few_shot = "fewshot_split: dev\n" if task in told.few_shot else ""
    pairs = tuple(told.splits.items())
    values = {
        "PROGRAM": _template("program.py"),
        "TAG": told.tag,
        "CLASS": "".join(word.capitalize() for word in told.tag.split("_")),
        "TITLE": _quiet(told.title),
        "VERSION": told.version,
        "CANARY": told.canary,
        "DELIMITER": "" if told.language == "zh" else " ",
        "TASK": task,
        "SPLIT": told.splits.get(task, ""),
        "FEWSHOT": few_shot,
        "TASKS": repr(pairs),
        "LOADERS": "\n\n\n".join(f'def {code}(**_):\n    return _items("{code}")' for code in codes()),
    }
    text = _template(name)
    for place, value in values.items():
        text = text.replace(f"@{place}@", value)
    return text


def _quiet(title: str) -> str:
    """A title that can end neither a comment nor a docstring."""
    return " ".join(title.replace("\\", " ").replace('"', "'").replace("@", " ").split())
