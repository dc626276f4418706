"""Tasks for five evaluation harnesses. They read the JSONL files of the release offline.

The tasks import `score.py` from the release folder, which writes prompts and parses answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from parable.kinds import codes_among, kind_of

TEMPLATES: Final = Path(__file__).parent / "harness"
"""The folder of the templates. They have placeholders for values of the release, such as `@TITLE@`."""
FIVE_HARNESSES: Final = 7
"""The first layout whose releases have tasks for EvalScope and lighteval."""


@dataclass(frozen=True, slots=True)
class HarnessConfig:
    """The settings of the harness tasks: short name, title, version, language and canary.

    `splits`: the evaluated split of each task. `layout`: the layout of the release, which decides on its
    harnesses. `few_shot`: the tasks whose dev items may precede a question as examples.
    """

    name: str
    title: str
    version: str
    language: str
    canary: str
    splits: Mapping[str, str]
    layout: int
    few_shot: Sequence[str] = ()

    @property
    def tag(self) -> str:
        """The short name in characters that are valid in a Python name."""
        bare = self.name.replace("-", "_")
        return bare if bare[:1].isalpha() else f"set_{bare}"


def harness_files(config: HarnessConfig) -> Iterator[tuple[str, str]]:
    """Yield the harness tasks as (file name, content)."""
    yield "harness/lm_eval/items.py", _filled("lm_eval/items.py", config)
    for task in config.splits:
        if kind_of(task).question.is_one_option:  # letters have likelihoods, other answers are written
            yield f"harness/lm_eval/{config.tag}_{task}.yaml", _filled("lm_eval/task.yaml", config, task)
        yield f"harness/lm_eval/{config.tag}_{task}_gen.yaml", _filled("lm_eval/task_gen.yaml", config, task)
    inspect = "".join(_filled("inspect_ai/task.py", config, task) for task in config.splits)
    yield f"harness/inspect_ai/{config.tag}.py", _filled("inspect_ai/tasks.py", config) + inspect
    yield f"harness/opencompass/{config.tag}_items.py", _filled("opencompass/items.py", config)
    yield f"harness/opencompass/{config.tag}.py", _filled("opencompass/datasets.py", config)
    if config.layout >= FIVE_HARNESSES:
        yield f"harness/evalscope/{config.tag}.py", _filled("evalscope/benchmarks.py", config)
        yield f"harness/lighteval/{config.tag}.py", _filled("lighteval/tasks.py", config)


@cache
def _template(name: str) -> str:
    return (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")


def _filled(name: str, config: HarnessConfig, task: str = "") -> str:
    # Without `fewshot_split`, lm-eval may choose the question itself as an example. With it, the question is
    # excluded, even if the examples are from the evaluated split.
    few_shot = "fewshot_split: dev\n" if task in config.few_shot else "num_fewshot: 0\n"
    pairs = tuple(config.splits.items())
    first = next(iter(config.splits), "")
    written = "_gen" if first and not kind_of(first).question.is_one_option else ""
    measure = kind_of(task).measure if task else ""
    mean = f"  - metric: {measure}\n    aggregation: mean\n    higher_is_better: true\n" if measure else ""
    values = {
        "PROGRAM": _template("program.py"),
        "TAG": config.tag,
        "CLASS": "".join(word.capitalize() for word in config.tag.split("_")),
        # without characters that could end a comment or docstring
        "TITLE": " ".join(config.title.replace("\\", " ").replace('"', "'").replace("@", " ").split()),
        "VERSION": config.version,
        "CANARY": config.canary,
        "DELIMITER": "" if config.language == "zh" else " ",
        "TASK": task,
        "SPLIT": config.splits.get(task, ""),
        "FEWSHOT": few_shot,
        "FEWSHOTS": repr(tuple(config.few_shot)),
        "EXAMPLE": f"{config.tag}_{first}{written}",
        "MEAN": mean,
        "TASKS": repr(pairs),
        "LOADERS": "\n\n\n".join(
            f'def {code}(**_):\n    return _items("{code}")' for code in codes_among(config.splits)
        ),
    }
    text = _template(name)
    for place, value in values.items():
        text = text.replace(f"@{place}@", value)
    return text
