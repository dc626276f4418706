"""The YAML front matter of the card, in which dataset libraries read files, fields and licence."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from parable.formats.other_answers import has_own_answer
from release.files.croissant import DOMAIN, fields_left_out

ALL: Final = "all"
"""The configuration of all tasks with equal fields, which is loaded by default."""

_LICENCES: Final[Mapping[str, str]] = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-nd-4.0": "https://creativecommons.org/licenses/by-nd/4.0/",
    "cc-by-nc-sa-4.0": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
    "cc-by-nc-nd-4.0": "https://creativecommons.org/licenses/by-nc-nd/4.0/",
    "mit": "https://spdx.org/licenses/MIT",
    "apache-2.0": "https://spdx.org/licenses/Apache-2.0",
}
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_SEQUENCES: Final = {"list": "string", "int64 list": "int64"}
_FEATURES: Final = (
    *(
        (name, "string")
        for name in ("id", "source_id", "task", "split", DOMAIN, "story_id", "title", "story", "question")
    ),
    ("choices", "list"),
    ("answer", "int64"),
    ("answer_letter", "string"),
    ("answers", "int64 list"),
    ("answer_letters", "string"),
    ("types", "list"),
    ("style", "string"),
    ("generators", "list"),
    *((name, "string") for name in ("explanation", "language", "canary")),
)


def licence_code(licence: str) -> str:
    """Return the SPDX identifier of a well-known licence, in whatever spelling it was typed, or ""."""
    code = "-".join(licence.lower().replace("-", " ").split())
    code = {"cc0": "cc0-1.0", "apache-license-2.0": "apache-2.0", "mit-license": "mit"}.get(code, code)
    return code if code in _LICENCES else ""


def licence_address(licence: str) -> str:
    """Return the URL of a well-known licence; any other licence is returned as typed."""
    return _LICENCES.get(licence_code(licence), licence)


def size_category(items: int) -> str:
    """Return the size category of a data set in the notation of dataset hubs."""
    return next((name for limit, name in _SIZES if items < limit), "n>1M")


def front_matter(
    *,
    title: str,
    language: str,
    licence: str,
    items: int,
    files: Sequence[tuple[str, str, str]],
    has_domain: bool,
) -> str:
    """Return the front matter as YAML between its two lines.

    `files`: (task, split, name) of each JSONL file.

    `has_domain`: dev items say whether their story is also in the test.
    """
    code = licence_code(licence)
    tasks = sorted({task for task, _split, _name in files})
    alike = _alike(tasks)
    described = [task for task in tasks if not has_own_answer(task)]
    lines = [
        f"pretty_name: {_quoted(title)}",
        f"language:\n- {language}",
        f"license: {code or ('other' if licence else 'unknown')}",
        *([f"license_name: {_quoted(licence)}"] if licence and not code else []),
        f"size_categories:\n- {size_category(items)}",
        "task_categories:\n- multiple-choice\n- question-answering",
        "tags:\n- story understanding\n- benchmark",
        "configs:",
        *_config(ALL, [one for one in files if one[0] in alike], is_default=True),
        *(line for task in tasks for line in _config(task, [one for one in files if one[0] == task])),
        *(["dataset_info:", *_features(ALL, described, has_domain=has_domain)] if described else []),
        *(line for task in described for line in _features(task, [task], has_domain=has_domain)),
    ]
    return "\n".join(["---", *lines, "---", ""])


def _alike(tasks: Sequence[str]) -> frozenset[str]:
    """Return the tasks that can be loaded as one data set: those with options, or else the first task."""
    return frozenset([task for task in tasks if not has_own_answer(task)] or tasks[:1])


def _config(name: str, files: Iterable[tuple[str, str, str]], *, is_default: bool = False) -> Iterable[str]:
    by_split: dict[str, list[str]] = {}
    for _task, split, path in files:
        by_split.setdefault(split, []).append(path)
    yield f"- config_name: {name}"
    if is_default:
        yield "  default: true"
    yield "  data_files:"
    for split, paths in by_split.items():
        yield f"  - split: {split}\n    path:"
        yield from (f"    - {path}" for path in paths)


def _features(name: str, tasks: Sequence[str], *, has_domain: bool) -> Iterable[str]:
    left_out = fields_left_out(tasks, has_domain=has_domain)
    yield f"- config_name: {name}\n  features:"
    for field, kind in _FEATURES:
        if field in left_out:
            continue
        yield f"  - name: {field}"
        yield f"    sequence: {_SEQUENCES[kind]}" if kind in _SEQUENCES else f"    dtype: {kind}"


def _quoted(text: str) -> str:
    """Return a text quoted for both YAML and JSON."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
