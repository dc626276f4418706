"""Changes since the extended release: counts, and an erratum for each changed item. Pure functions."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from parable.splits import TEST, splits_among
from release.assembly.assembly_items import count_positions
from release.assembly.records import FrozenItem
from release.card.blocks import Block, heading, paragraph, table

RETIRED: Final = "retired"
MENDED: Final = "mended"
HELD_BACK: Final = "held_back"
RETURNED: Final = "returned"
CHANGES: Final = (MENDED, RETIRED, HELD_BACK, RETURNED)

ERRATA: Final = "errata.jsonl"
LINE: Final = ("version", "id", "task", "split", "change", "fields", "note")

READ: Final = ("title", "story", "question", "choices", "types")
"""The fields that are published even if the answer of an item is withheld."""
KEYS: Final = ("answer", "answers", "explanation", "own")


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes since `version`. `kind` is the kind of step: patch, minor or major.

    `apart`: by split, the largest difference between the numbers of keys at two positions. `errata`: one
    mapping with the fields in `LINE` for each change, earlier releases first. If answers are withheld, no
    field reveals them.
    """

    version: str
    kind: str
    same: int = 0
    added: int = 0
    mended: int = 0
    retired: int = 0
    held_back: int = 0
    returned: int = 0
    apart: Mapping[str, int] = field(default_factory=dict)
    errata: tuple[Mapping[str, Any], ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the changes as JSON for storage in a release."""
        return {**asdict(self), "apart": dict(self.apart), "errata": [dict(line) for line in self.errata]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> "Changes | None":
        """Return the changes from their JSON, or None if nothing is stored."""
        return cls(**{**stored, "errata": tuple(stored["errata"])}) if stored else None

    @property
    def counts(self) -> dict[str, object]:
        """The counts that are part of the manifest."""
        return {name: value for name, value in self.as_json().items() if name != "errata"}

    @property
    def most_apart(self) -> int:
        """The largest value in `apart`, or 0 if it is empty."""
        return max(self.apart.values(), default=0)


@dataclass(frozen=True, slots=True)
class Before:
    """The extended release, with its items by handle.

    `known`: handles of the items in this release or in a release that it extends. `retired`: handles of
    permanently removed items. `notes`: notes to readers by handle. `errata`: the errata of earlier releases.
    """

    version: str
    kind: str
    items: Mapping[int, FrozenItem]
    known: frozenset[int]
    retired: frozenset[int]
    notes: Mapping[int, str]
    errata: tuple[Mapping[str, Any], ...] = ()


def find_changes(before: Before, now: Sequence[FrozenItem], *, version: str, is_withheld: bool) -> Changes:
    """Return the changes of the items `now` since the extended release."""
    lines = sorted(_changes(before, now, is_withheld=is_withheld), key=lambda line: (line[1].number, line[0]))
    counted = Counter(change for change, _item, _fields, _note in lines)
    stayed = sum(item.handle in before.items for item in now)
    splits = splits_among(item.split for item in now)
    apart = {split: 0 for split in splits if not (is_withheld and split == TEST)}
    for (_task, split, _choices), counts in count_positions(item.key_position for item in now).items():
        if split in apart:
            apart[split] = max(apart[split], max(counts) - min(counts))
    return Changes(
        version=before.version,
        kind=before.kind,
        same=stayed - counted[MENDED],
        added=sum(item.handle not in before.known for item in now),
        **{change: counted[change] for change in CHANGES},
        apart=apart,
        errata=(*before.errata, *(_line(version, *line) for line in lines)),
    )


Change = tuple[str, FrozenItem, list[str], str]


def _changes(before: Before, now: Sequence[FrozenItem], *, is_withheld: bool) -> Iterator[Change]:
    standing = set()
    for item in now:
        handle = item.handle
        standing.add(handle)
        old = before.items.get(handle)
        if old is None:
            if handle in before.known:
                yield RETURNED, item, [], before.notes.get(handle, "")
        elif any(_differs(old, item, name) for name in (*READ, *KEYS)):
            names = READ if is_withheld and item.split == TEST else (*READ, *KEYS)
            fields = [name for name in names if _differs(old, item, name)]
            yield MENDED, item, fields, before.notes.get(handle, "")
    for handle, old in before.items.items():
        if handle not in standing:
            change = RETIRED if handle in before.retired else HELD_BACK
            yield change, old, [], before.notes.get(handle, "")


def _differs(old: FrozenItem, item: FrozenItem, name: str) -> bool:
    """Return whether a field differs. A field that an older record lacks is considered empty."""
    was, now = old.record.get(name), item.record.get(name)
    return bool(was != now and (was or now))


def _line(version: str, change: str, item: FrozenItem, fields: list[str], note: str) -> dict[str, object]:
    values = (version, item.public_id, item.record["task"], item.split, change, fields, note)
    return dict(zip(LINE, values, strict=True))


def errata_lines(since: Changes, canary: str) -> bytes:
    """Return the content of the errata file as JSONL, with the canary in each line."""
    rows = ({**{name: line[name] for name in LINE}, "canary": canary} for line in since.errata)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def since_blocks(since: Changes | None, version: str, words: Mapping[str, str]) -> Iterator[Block]:
    """Yield the card's section about the changes; nothing if the release extends no other."""
    if since is None:
        return
    yield heading(words["since"].format(version=since.version))
    yield paragraph(words["since_about"].format(**since.counts))
    newest = [line for line in since.errata if line["version"] == version]
    if newest:
        rows = []
        for line in newest:
            fields = words["comma"].join(f"`{name}`" for name in line["fields"])
            rows.append([f"`{line['id']}`", words[f"change_{line['change']}"], fields, line["note"]])
        yield table(
            [
                [words[name] for name in ("erratum_id", "erratum_change", "erratum_fields", "erratum_note")],
                *rows,
            ]
        )
    yield paragraph(words["errata_about"])


def apart_in_words(since: Changes, words: Mapping[str, str]) -> str:
    """Return the difference between key counts in each split as text."""
    return words["comma"].join(f"{words[split]} {apart}" for split, apart in since.apart.items())
