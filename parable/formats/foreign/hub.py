"""A data set as the Hugging Face Hub stores it: files of data beside a `README.md` with a header of YAML.

The header says which files belong to which split (`configs`: `data_files`, paths or patterns, and
`data_dir`); otherwise the names of files and folders do (`train`, `validation`, `data/test-00000-of-00001`),
by the rules of `datasets`. The split of an item is the one that its row names, or else that of its file. Of
several configurations the default is read, or the one that is chosen like the sheet of a spreadsheet:
`--sheet NAME`. `ClassLabel` columns (`dataset_info`) are read as the names of their classes, exactly as
written; `datasets` reads a name `no` as False. Rows are numbered through all files. JSON, JSON lines, CSV,
TSV and Parquet are read, each like a single file of its format; other settings of a configuration, archives,
pictures and files elsewhere are not read. On the command line the folder can be named in place of a ZIP.
Needs the package `pyyaml`.

Made by `push_to_hub` of datasets, or by hand. Tried with folders that datasets 5.2.0 wrote and read, and no
Hub.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from parable.extras import require
from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, ErrorList, InputError, excerpt, listed
from parable.formats.format import Content, Format, Rows
from parable.formats.mapped_items import read_source
from parable.formats.markup import Parts
from parable.formats.source_file import SourceFile
from parable.formats.sources import CARD, card_header, is_plain_path

_READ: Final[Mapping[str, str]] = {
    ".parquet": "Parquet",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
    ".csv": "CSV",
    ".tsv": "CSV",
}
"""Kinds of data by file extension; of kinds with equally many files in a split, the first in this order is
read.
"""
_NEVER_DATA: Final = frozenset(
    {CARD, "config.json", "dataset_info.json", "dataset_infos.json", "dataset_dict.json"}
)
_LONGEST_HEADER: Final = 1024 * 1024
_WORDS: Final[Mapping[str, Sequence[str]]] = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "dev", "val"),
    "test": ("test", "testing", "eval", "evaluation"),
}
"""The words in names of files and folders by which `datasets` recognises a split."""
_SHARD: Final = re.compile(r"data/([^/]+)-[0-9]{5}-of-[0-9]{5}[^/]*\.[^/]*")
_BETWEEN: Final = "[-._ 0-9]"
_WHOLE: Final = re.compile(r"-?[0-9]{1,9}")

Settings = Mapping[str, Any]
Named = tuple[str, str]
"""A split and the path of a file."""


def _detect(file: SourceFile) -> bool:
    card = _card_in(file.parts)
    try:
        return bool(card) and card_header(Parts(file.raw).read(card)) is not None
    except InputError:
        return False


def _card_in(names: Iterable[str]) -> str:
    """Return the path of the card, at the top of an archive or in its only folder; "" if there is none."""
    tops = {name.partition("/")[0] for name in names}
    found = [CARD, *(f"{top}/{CARD}" for top in tops if len(tops) == 1)]
    return next((one for one in found if one in {*names}), "")


def _rows(file: SourceFile, errors: ErrorList, config: str = "") -> Rows:
    """Yield the rows of the named or default configuration, one file after the other."""
    parts = Parts(file.raw)
    card = _card_in([*parts])
    header = _header(parts.read(card))
    chosen = _chosen(header, config, errors)
    classes = _classes(header, chosen)
    folder = posixpath.dirname(card)
    above = f"{folder}/" if folder else ""
    names = [name.removeprefix(above) for name in parts if name.startswith(above) and is_plain_path(name)]
    last = 0
    for split, name in _files(chosen, names, errors):
        noted, first = ErrorList(errors.file), last + 1
        try:
            data = SourceFile(parts.read(posixpath.join(folder, name), limits.MAX_UNPACKED_BYTES))
            rows = read_source(data, noted, limits.ANYBODYS).rows
        except InputError as refused:
            raise InputError(refused.code, field=excerpt(name), row=first, **refused.params) from refused
        # cells of CSV are texts; `datasets` reads a column with whole numbers only as numbers
        cells = {column: [row.values.get(column) for row in rows] for column in classes}
        whole = {
            column
            for column, found in cells.items()
            if all(one in (None, "") or (isinstance(one, str) and _WHOLE.fullmatch(one)) for one in found)
        }
        for row in rows:
            last = first - 1 + row.row
            values = {"split": split, **{name: one for name, one in row.values.items() if one is not None}}
            if isinstance(letters := values.get("answer_letter"), str):  # as our own files have it
                values["answer"] = letters
            for column, labels in classes.items():
                values[column] = _labelled(values.get(column), labels, is_whole=column in whole)
            yield last, {column: value for column, value in values.items() if value is not None}
        for error in noted.in_order():
            errors.add(first - 1 + error.row, error.field, error.code, **error.params)
        errors.remark(first, excerpt(name), ErrorCode.PART_READ, first=first, last=last, split=excerpt(split))


def _header(card: bytes) -> Settings:
    """Return the header of a card, as lists, objects and texts; numbers and dates are texts, too."""
    require("yaml")
    import yaml

    text = card_header(card.decode("utf-8", "replace").encode())
    refused = InputError(ErrorCode.NOT_OF_FORMAT, field=CARD, format=FORMAT.label)
    if text is None or len(text) > _LONGEST_HEADER:
        raise refused
    try:
        # The most basic loader: it creates no objects, merges no mappings, and reads `no` as a text.
        header = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(text).get_single_data()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise refused from error
    if not isinstance(header, dict):
        raise refused
    return header


def _chosen(header: Settings, name: str, errors: ErrorList) -> Settings:
    """Return the settings of the named or default configuration; {} if the header has no configurations.

    Raise InputError if the name is unknown, or if none is given and there is no single default.
    """
    configs = {
        str(one["config_name"]): one for one in _objects(header.get("configs")) if "config_name" in one
    }
    if not configs:
        return {}
    others = listed(configs)
    if not name:
        usual = [
            one
            for one, settings in configs.items()
            if len(configs) == 1 or one == "default" or settings.get("default") == "true"
        ]
        name = usual[0] if len(usual) == 1 else ""
        if name and len(configs) > 1:
            errors.remark(1, excerpt(name), ErrorCode.CONFIG_READ, found=others)
    if name not in configs:
        raise InputError(ErrorCode.WHICH_CONFIG, field=FILE, found=others)
    return configs[name]


def _objects(value: object) -> list[Settings]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _classes(header: Settings, config: Settings) -> dict[str, list[str]]:
    """Return the class names of each column of the type ClassLabel, or list of ClassLabel."""
    infos = header.get("dataset_info")
    infos = _objects(infos if isinstance(infos, list) else [infos])
    if config:
        name = config.get("config_name")
        infos = [one for one in infos if one.get("config_name", "default") == name]
    features = config.get("features") or (infos[0].get("features") if len(infos) == 1 else None)
    found: dict[str, list[str]] = {}
    for feature in _objects(features)[: limits.MAX_COLUMNS * 4]:
        kind: object = feature
        for inner in ("list", "sequence", "dtype", "class_label", "names"):
            kind = kind.get(inner, kind) if isinstance(kind, dict) else None
        if isinstance(kind, dict) and kind is not feature and all(_WHOLE.fullmatch(str(one)) for one in kind):
            kind = [kind[one] for one in sorted(kind, key=int)]
        if isinstance(kind, list) and all(isinstance(one, str) for one in kind):
            found[str(feature.get("name"))] = kind
    return found


def _labelled(value: object, names: Sequence[str], *, is_whole: bool) -> object:
    """Return the class name of a value: a number is an index into `names`, and -1 gives None."""
    if isinstance(value, list):
        return [_labelled(one, names, is_whole=is_whole) for one in value]
    if isinstance(value, str) and _WHOLE.fullmatch(value) and (is_whole or value not in names):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return value
    return names[value] if 0 <= value < len(names) else None if value == -1 else value


def _files(config: Settings, names: Sequence[str], errors: ErrorList) -> Iterator[Named]:
    """Yield the files of a configuration as pairs of split and path; raise InputError if there are none."""
    folder = str(config.get("data_dir") or ".")
    held = config.get("data_files")
    if not held:
        found = _by_names(names, folder)
        if not found:
            raise InputError(ErrorCode.PART_MISSING, field=CARD, found=f"{excerpt(folder)}/*", place=CARD)
        endings = Counter((split, _ending(name)) for split, name in found)
        for split, name in found:
            kind = _READ[max(_READ, key=lambda ending: endings[split, ending])]  # the usual one in the split
            if _READ[_ending(name)] == kind:
                yield split, name
            else:
                errors.remark(1, excerpt(name), ErrorCode.PART_NOT_READ, kind=kind)
        return
    for split, patterns in _patterns(held):
        for pattern in patterns:
            for name in _matching(posixpath.normpath(posixpath.join(folder, pattern)), names):
                yield split, name


def _patterns(held: object) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each split of `data_files` with its paths and patterns; `train` if no split is given."""
    entries = held if isinstance(held, list) else [held]
    for entry in entries:
        split, paths = (
            (entry.get("split"), entry.get("path")) if isinstance(entry, dict) else ("train", entry)
        )
        paths = paths if isinstance(paths, list) else [paths]
        if not isinstance(split, str) or not all(isinstance(one, str) for one in paths):
            raise InputError(ErrorCode.NOT_OF_FORMAT, field=CARD, format=FORMAT.label)
        yield split, paths


def _matching(pattern: str, names: Sequence[str]) -> list[str]:
    """Return the readable files that match a pattern, sorted; raise InputError if there are none."""
    found = [name for name in sorted(names) if _matches(name, pattern) and _is_data(name, pattern)]
    read = [name for name in found if _ending(name) in _READ]
    if not found:
        raise InputError(ErrorCode.PART_MISSING, field=CARD, found=excerpt(pattern), place=CARD)
    if not read:
        raise InputError(
            ErrorCode.OTHER_FILE, field=excerpt(found[0]), kind=excerpt(_ending(found[0]) or "?")
        )
    return read


def _matches(name: str, pattern: str) -> bool:
    """Return whether a path matches a pattern; `*` matches within a name, `**` any number of folders.

    At the end of a pattern, `**` matches all files below a folder.
    """
    parts, ones = name.split("/"), pattern.split("/")
    places = {0}
    for one in ones[:-1]:
        if one == "**":
            places = {*range(min(places, default=len(parts)), len(parts))}
        else:
            places = {at + 1 for at in places if at < len(parts) and fnmatchcase(parts[at], one)}
    if ones[-1] == "**":
        return min(places, default=len(parts)) < len(parts)
    return len(parts) - 1 in places and fnmatchcase(parts[-1], ones[-1])


def _is_data(name: str, pattern: str) -> bool:
    """Return whether `datasets` reads a file as data.

    It reads no card, and hidden files only if the pattern is hidden.
    """

    def hidden(path: str) -> int:
        *folders, last = path.removeprefix("./").split("/")
        return sum(one.startswith((".", "__")) for one in folders) + last.startswith(".")

    last = posixpath.basename(name)
    return (last not in _NEVER_DATA or last == posixpath.basename(pattern)) and hidden(name) == hidden(
        pattern
    )


def _ending(name: str) -> str:
    return posixpath.splitext(name)[1].lower()


def _by_names(names: Sequence[str], folder: str) -> list[Named]:
    """Return pairs of split and path.

    Splits are read from the names of shards, else of folders, else of files. If no name contains a split,
    all files belong to `train`.
    """
    inside = posixpath.normpath(folder)
    above = "" if inside == "." else f"{inside}/"
    below = {
        name.removeprefix(above): name
        for name in sorted(names)
        if name.startswith(above) and _is_data(name, f"{above}*") and _ending(name) in _READ
    }
    shards = [(shard[1], name) for path, name in below.items() if (shard := _SHARD.fullmatch(path))]
    if shards:
        usual = [*_WORDS]
        return sorted(shards, key=lambda one: (usual.index(one[0]) if one[0] in usual else len(usual), *one))
    beside = (f"{{}}{_BETWEEN}*", f"*{_BETWEEN}{{}}{_BETWEEN}*")  # patterns of names that have a word
    alone = ("{}", f"*{_BETWEEN}{{}}")
    for patterns, end in ((alone + beside, "/**"), (beside, "")):
        found = [
            (split, name)
            for split, words in _WORDS.items()
            for path, name in below.items()
            if any(
                _matches(path, f"**/{pattern.format(word)}{end}") for word in words for pattern in patterns
            )
        ]
        if found:
            return found
    return [("train", name) for name in below.values()]


FORMAT: Final = Format(
    code="hub",
    label="Hugging Face data set",
    label_zh="Hugging Face 数据集",
    contents=frozenset({Content.ARCHIVE}),
    detect=_detect,
    rows=_rows,
    sheet_rows=_rows,
)
