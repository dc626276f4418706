"""Croissant metadata of a release: the fields of its files and its provenance.

It has no date, so that a release always has the same bytes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from parable.formats.other_answers import OWN, has_one_answer, has_own_answer
from parable.splits import TRAIN

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
    """Return the fields that items of these tasks do not have."""
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
    """A JSONL file of a release, with the items of one task, as the metadata describes it.

    `has_domain`: its items say whether their story is also in the test.
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
    """Return the metadata as JSON with sorted keys.

    `responsible`: fields of the RAI vocabulary without prefix.
    """
    listed = list(files)
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
        "distribution": [_file(file) for file in listed],
        "recordSet": [_record_set(file, _described(listed)) for file in listed],
    }
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def _file(file: DataFile) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.name,
        "contentSize": f"{file.size} B",
        "encodingFormat": "application/jsonlines",
        "sha256": file.sha256,
    }


def _described(files: Iterable[DataFile]) -> Mapping[str, str]:
    has_train = any(file.name.startswith(f"{TRAIN}/") for file in files)
    return {**_FIELDS, **_WITH_TRAIN} if has_train else _FIELDS


def _record_set(file: DataFile, described: Mapping[str, str]) -> dict[str, object]:
    left_out = fields_left_out([file.task], has_domain=file.has_domain)
    return {
        "@type": "cr:RecordSet",
        "@id": file.record_set,
        "name": file.record_set,
        "key": {"@id": f"{file.record_set}/id"},
        "field": [_field(file, name, described[name]) for name in _FIELDS if name not in left_out],
    }


def _field(file: DataFile, name: str, description: str) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"{file.record_set}/{name}",
        "name": name,
        "description": description,
        "dataType": "cr:Int64" if name in _NUMBERS else "sc:Text",
        **({"isArray": True, "arrayShape": "-1"} if name in _LISTS else {}),
        "source": {"fileObject": {"@id": file.name}, "extract": {"column": name}},
    }
