"""Metadata and programs of a release: front matter, Croissant metadata, and programs that read the files."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from parable import reading
from parable.kinds import codes, first_code, kind_of, score_weights
from parable.splits import DEV, TEST
from release.assembly import counts
from release.card.card import Frozen, limits
from release.card.figures import judged
from release.files.croissant import DataFile, croissant
from release.files.front_matter import front_matter, licence_address
from release.files.harnesses import HarnessConfig, harness_files

SCORE: Final = "score.py"
READING: Final = "reading/"
HARNESS: Final = "harness/"
_SCORE: Final = Path(__file__).parent / "programs" / SCORE
_READERS: Final = (
    "__init__",
    "answers",
    "chatter",
    "continuation",
    "letters",
    "markers",
    "mentions",
    "option_texts",
    "ordinals",
    "question",
    "several",
)


def is_program(name: str) -> bool:
    """Return whether a release file is a program; programs are stored as released, not rendered again."""
    return name.startswith((SCORE, READING, HARNESS))


def programs(frozen: Frozen) -> dict[str, str]:
    """Return the programs of a release by file name: those released with it, or else the current ones."""
    if frozen.programs:
        return dict(frozen.programs)
    mark = f"\n# {frozen.canary}: benchmark data should never stand in training data\n"
    readers = {name: text + mark for name, text in _readers().items()}
    score = _weighed(_SCORE.read_text(encoding="utf-8")).replace("@CANARY@", frozen.canary)
    return {SCORE: score, **readers, **dict(harness_files(_harness_config(frozen)))}


@cache
def _readers() -> Mapping[str, str]:
    """Return the source of the modules that read answers, by their file names in a release."""
    folder = Path(reading.__path__[0])
    return {f"{READING}{name}.py": (folder / f"{name}.py").read_text(encoding="utf-8") for name in _READERS}


def _weighed(program: str) -> str:
    """Return the program's source with the task weights, answer forms and styled task filled in."""
    program = program.replace('{"@TASK@": 0.0}', json.dumps(score_weights()))
    program = program.replace('{"@ANSWER@": "several"}', json.dumps(_answers()))
    return program.replace("@STYLED@", first_code("has_machine_style"))


def _answers() -> dict[str, str]:
    """Return the answer form (`several` or `order`) of each task that is not answered by one option."""
    forms = {code: kind_of(code).answer for code in codes()}
    return {code: form for code, form in forms.items() if form in {"several", "order"}}


def _harness_config(frozen: Frozen) -> HarnessConfig:
    """Return the harness settings. Tasks measure on test, or on dev if test is empty or withheld."""
    split_counts = counts.by_task(frozen.items)
    wanted = [DEV] if frozen.recipe.withhold_test else [TEST, DEV]
    splits = {
        task: split
        for task, found in split_counts.items()
        if kind_of(task).question.is_one_option  # only these are measured by the harnesses
        for split in [next((split for split in wanted if found[split]), "")]
        if split
    }
    return HarnessConfig(
        name=frozen.name,
        title=frozen.title,
        version=frozen.version,
        language=frozen.facts.language,
        canary=frozen.canary,
        splits=splits,
        few_shot=[task for task in splits if split_counts[task][DEV]],
    )


def head_of_card(frozen: Frozen, names: Iterable[str]) -> str:
    """Return the front matter of the card; `names` are the JSONL files."""
    return front_matter(
        title=f"{frozen.title} {frozen.version}",
        language=frozen.facts.language,
        licence=frozen.facts.licence.strip(),
        items=len(frozen.items),
        files=[(task, split, name) for name in names for split, task in [_parts(name)]],
        has_domain=frozen.has_domain,
    )


def _parts(name: str) -> tuple[str, str]:
    split, _slash, task = name.removesuffix(".jsonl").partition("/")
    return split, task


def croissant_metadata(frozen: Frozen, files: Sequence[tuple[str, str, int]]) -> bytes:
    """Return the Croissant metadata; `files`: name, SHA-256 and bytes of each JSONL file."""
    return croissant(
        name=frozen.name,
        title=frozen.title,
        description=f"{frozen.description} Canary GUID: {frozen.canary}",
        version=frozen.version,
        licence=licence_address(frozen.facts.licence.strip()),
        language=frozen.facts.language,
        canary=frozen.canary,
        files=[_data_file(frozen, *file) for file in files],
        responsible=_responsible(frozen),
    )


def _data_file(frozen: Frozen, name: str, sha256: str, size: int) -> DataFile:
    split, task = _parts(name)
    has_domain = frozen.has_domain and split != TEST
    return DataFile(name, sha256, size, f"{split}_{task}", task, has_domain=has_domain)


def _responsible(frozen: Frozen) -> Mapping[str, Any]:
    words, facts = frozen.words, frozen.facts
    spoke = sorted({gate["id"] for gate in frozen.gates if gate["verdict"] in {"warning", "error"}})
    analysis = "; ".join(
        " | ".join(row)
        for block in judged(facts, words, layout=frozen.recipe.layout)
        for row in (block.rows or [(block.text,)])
    )
    judges = words["judged_here"].format(**facts.as_json()) if facts.judged_here else ""
    return {
        "dataCollection": words["rai_collection"],
        "dataCollectionType": ["Manual Human Curation"],
        "dataAnnotationProtocol": [words["rai_protocol"], *([judges] if judges else [])],
        "dataAnnotationPlatform": ["Parable"],
        "dataAnnotationAnalysis": [analysis],
        "annotatorDemographics": [words["rai_demographics"]],
        "machineAnnotationTools": counts.generators_in(frozen.items),
        "dataBiases": [
            words["rai_biases"].format(gates=", ".join(spoke)) if spoke else words["rai_no_biases"]
        ],
        "dataUseCases": [words["rai_uses"]],
        "dataLimitations": list(limits(frozen, words)),
        "personalSensitiveInformation": [words["rai_personal"]],
        "dataReleaseMaintenancePlan": words["rai_maintenance"],
    }
