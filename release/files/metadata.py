"""Metadata and programs of a release: front matter of the card, Croissant metadata, and programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from parable import reading
from parable.formats.other_answers import OWN, has_one_answer, has_own_answer
from parable.kinds import codes, first_code, kind_of, score_weights
from parable.splits import DEV, TEST, TRAIN
from release.assembly import counts
from release.card.card import Frozen, limits
from release.card.figures import judged
from release.files.harnesses import HarnessConfig, harness_files
from release.files.kind_programs import KINDS, kind_modules, kind_settings, kinds_copied

# --- Croissant metadata of a release: the fields of its files and its provenance ---

DOMAIN: Final = "domain"
_WITH_TRAIN: Final[Mapping[str, str]] = {
    "split": "train, dev or test.",
    DOMAIN: "out: the story is in this split alone; in: some of its items are in another one.",
}
"""The descriptions of fields if there is a train split."""
CROISSANT: Final = "croissant.json"
_CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "containedIn": "cr:containedIn",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_CONFORMS: Final = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

_FIELDS: Final[Mapping[str, str]] = {
    "id": "The id that the item carries for good.",
    "source_id": "The id with which the item came from a file; empty where it was written here.",
    "task": "commonsense or moral.",
    "split": "dev or test.",
    DOMAIN: "out: the story is in dev alone; in: some of its items are in the test.",
    "story_id": "Items of one story share it.",
    "title": "The title of the story.",
    "story": "The story.",
    "question": "The stem.",
    "choices": "The options in their order.",
    "answer": "The position of the key among the options, counted from 0; -1 where it is withheld.",
    "answer_letter": "The key's letter; null where it is withheld.",
    "answers": "The positions of the options that are right, or of all in their right order, counted from 0;"
    " none where they are withheld.",
    "answer_letters": "Their letters; null where they are withheld.",
    "own": "Of tasks without options: what is shown with the story, and the answer unless it is withheld.",
    "types": "The types of commonsense; none for moral items.",
    "style": "Who worded the options: human, or machine where language models proposed them.",
    "generators": "The models that proposed options.",
    "explanation": "Why the key is the key; null where it is withheld or was not written.",
    "language": "The language of the story.",
    "canary": "The marker of this release.",
}
_LISTS: Final = frozenset({"choices", "types", "generators", "answers"})
_NUMBERS: Final = frozenset({"answer", "answers"})
_OF_ONE: Final = frozenset({"answer", "answer_letter"})
_OF_SEVERAL: Final = frozenset({"answers", "answer_letters"})


def fields_left_out(tasks: Iterable[str], *, has_domain: bool) -> frozenset[str]:
    """Return the names of the fields that items of these tasks do not have."""
    listed = list(tasks)
    are_own = {has_own_answer(task) for task in listed}
    are_one = {has_one_answer(task) for task in listed if not has_own_answer(task)}
    return (
        (frozenset() if has_domain else frozenset({DOMAIN}))
        | (frozenset() if True in are_one else _OF_ONE)
        | (frozenset() if False in are_one else _OF_SEVERAL)
        | (frozenset() if True in are_own else frozenset({OWN}))
    )


@dataclass(frozen=True, slots=True)
class DataFile:
    """A JSONL file of a release with the items of one task, as input of the metadata.

    `has_domain`: whether the items state if their story is also in another split.
    """

    name: str
    sha256: str
    size: int
    record_set: str
    task: str
    has_domain: bool = False


def croissant(
    *,
    name: str,
    title: str,
    description: str,
    version: str,
    licence: str,
    language: str,
    canary: str,
    files: Iterable[DataFile],
    responsible: Mapping[str, Any],
) -> bytes:
    """Return the Croissant metadata as JSON.

    `responsible`: fields of the RAI vocabulary, without prefix.
    """
    listed = list(files)
    has_train = any(file.name.startswith(f"{TRAIN}/") for file in listed)
    described = {**_FIELDS, **_WITH_TRAIN} if has_train else _FIELDS
    data: dict[str, object] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(_CONFORMS),
        "name": name,
        "alternateName": f"{title} {version}",
        "description": description,
        "version": version,
        "citeAs": f"{title} (version {version}). Canary GUID: {canary}",
        "inLanguage": language,
        "isLiveDataset": False,
        "keywords": ["multiple choice", "story understanding", "benchmark", f"canary GUID {canary}"],
        **({"license": licence} if licence else {}),
        **{f"rai:{field}": value for field, value in responsible.items() if value},
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.name,
                "name": file.name,
                "contentUrl": file.name,
                "contentSize": f"{file.size} B",
                "encodingFormat": "application/jsonlines",
                "sha256": file.sha256,
            }
            for file in listed
        ],
        "recordSet": [_record_set(file, described) for file in listed],
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def _record_set(file: DataFile, described: Mapping[str, str]) -> dict[str, object]:
    left_out = fields_left_out([file.task], has_domain=file.has_domain)
    return {
        "@type": "cr:RecordSet",
        "@id": file.record_set,
        "name": file.record_set,
        "key": {"@id": f"{file.record_set}/id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{file.record_set}/{name}",
                "name": name,
                "description": described[name],
                "dataType": "cr:Int64" if name in _NUMBERS else "sc:Text",
                **({"isArray": True, "arrayShape": "-1"} if name in _LISTS else {}),
                "source": {"fileObject": {"@id": file.name}, "extract": {"column": name}},
            }
            for name in _FIELDS
            if name not in left_out
        ],
    }


# --- Front matter of the card (YAML): files, fields and licence, as dataset libraries expect them ---

ALL: Final = "all"
"""The default configuration: all tasks whose items have the same fields."""

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
    """Return the identifier of a well-known licence, however it was typed, or ""."""
    code = "-".join(licence.lower().replace("-", " ").split())
    code = {"cc0": "cc0-1.0", "apache-license-2.0": "apache-2.0", "mit-license": "mit"}.get(code, code)
    return code if code in _LICENCES else ""


def licence_address(licence: str) -> str:
    """Return the URL of a well-known licence. Any other licence is returned as typed."""
    return _LICENCES.get(licence_code(licence), licence)


def size_category(items: int) -> str:
    """Return the size category of a data set with this number of items, in the notation of dataset hubs."""
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
    """Return the front matter as YAML, including its two `---` lines.

    `files`: (task, split, name) of each JSONL file. `has_domain`: whether items state if their story is also
    in another split.
    """
    code = licence_code(licence)
    tasks = sorted({task for task, _split, _name in files})
    # the tasks that can be loaded as one data set: those with options, or else the first task
    alike = frozenset([task for task in tasks if not has_own_answer(task)] or tasks[:1])
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
    """Return a text with quotes that are valid in both YAML and JSON."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


# --- Programs that read the files ---

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
    """Return whether a release file is a program. Programs are stored, not rendered again."""
    return name.startswith((SCORE, READING, KINDS, HARNESS))


def programs(frozen: Frozen) -> dict[str, str]:
    """Return the programs of a release by file name: the stored programs or, if none, the current ones."""
    if frozen.programs:
        return dict(frozen.programs)
    mark = f"\n# {frozen.canary}: benchmark data should never stand in training data\n"
    kinds = kinds_copied(counts.by_task(frozen.items))
    modules = {name: text + mark for name, text in {**_readers(), **kind_modules(kinds)}.items()}
    # the answer form of each task that is not answered by one option
    forms = {code: form for code in codes() if (form := kind_of(code).answer) in {"several", "order"}}
    score = _SCORE.read_text(encoding="utf-8")
    score = score.replace('{"@TASK@": 0.0}', json.dumps(score_weights()))
    score = score.replace('{"@ANSWER@": "several"}', json.dumps(forms))
    score = score.replace('{"@KIND@": {}}', repr(kind_settings(kinds)))
    score = score.replace("@STYLED@", first_code("has_machine_style"))
    score = score.replace("@CANARY@", frozen.canary)
    return {SCORE: score, **modules, **dict(harness_files(_harness_config(frozen)))}


@cache
def _readers() -> Mapping[str, str]:
    """Return the source code of the modules that parse answers, by their file names in a release."""
    folder = Path(reading.__path__[0])
    return {f"{READING}{name}.py": (folder / f"{name}.py").read_text(encoding="utf-8") for name in _READERS}


def _harness_config(frozen: Frozen) -> HarnessConfig:
    """Return the harness settings. Tasks evaluate test, or dev if test is empty or withheld."""
    split_counts = counts.by_task(frozen.items)
    wanted = [DEV] if frozen.recipe.withhold_test else [TEST, DEV]
    splits = {
        task: split
        for task, found in split_counts.items()
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
        layout=frozen.recipe.layout,
        few_shot=[task for task in splits if split_counts[task][DEV]],
    )


def head_of_card(frozen: Frozen, names: Iterable[str]) -> str:
    """Return the front matter of the card. `names` are the names of the JSONL files."""
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
    """Return the Croissant metadata. `files` has (name, SHA-256, bytes) of each JSONL file."""
    data_files = []
    for name, sha256, size in files:
        split, task = _parts(name)
        has_domain = frozen.has_domain and split != TEST
        data_files.append(DataFile(name, sha256, size, f"{split}_{task}", task, has_domain=has_domain))
    return croissant(
        name=frozen.name,
        title=frozen.title,
        description=f"{frozen.description} Canary GUID: {frozen.canary}",
        version=frozen.version,
        licence=licence_address(frozen.facts.licence.strip()),
        language=frozen.facts.language,
        canary=frozen.canary,
        files=data_files,
        responsible=_responsible(frozen),
    )


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
