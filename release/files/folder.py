"""The files of a release, rendered from its frozen data only; the same data always give the same bytes."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from typing import Any, Final, NamedTuple

from parable.formats.crmus import CRMUS_TASKS, file_name, with_domains, with_source_ids, write_crmus
from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.published import (
    has_layout,
    is_one_list,
    published_name,
    with_published_ids,
    without_answer,
    write_published,
)
from parable.formats.records import ReleaseRecord
from parable.formats.release_folder import UNDECIDED
from parable.quality.gates import GATES
from parable.splits import DEV, SPLITS, TEST
from release.assembly import counts
from release.assembly.identity import published_recipe, seed_hash
from release.assembly.recipe import Recipe
from release.assembly.records import release_records
from release.card import figures as card_figures
from release.card.blocks import as_markdown
from release.card.card import Frozen, card
from release.card.changes import ERRATA, errata_lines
from release.files import metadata
from release.files.instruction import instruction_files
from release.files.metadata import CROISSANT

CARD: Final = "README.md"
SUMS: Final = "SHA256SUMS"
MANIFEST: Final = "MANIFEST.json"


PUBLISHED_IDS: Final = 8
"""The first layout whose files in published formats have the ids with which the items came."""


class Entry(NamedTuple):
    """A file's entry in the manifest. `rows` is the number of items in the file, or None."""

    name: str
    sha256: str
    bytes: int
    rows: int | None


@dataclass(frozen=True, slots=True)
class File:
    """A file of a release. `rows` is the number of items in the file, or None."""

    name: str
    content: bytes
    rows: int | None = None
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", hashlib.sha256(self.content).hexdigest())

    @property
    def entry(self) -> Entry:
        """The entry of the file in the manifest."""
        return Entry(self.name, self.sha256, len(self.content), self.rows)


def render(frozen: Frozen) -> dict[str, File]:
    """Return all files except the manifest, by name, in alphabetical order."""
    return {file.name: file for file in sorted(each_file(frozen), key=lambda file: file.name)}


def each_file(frozen: Frozen) -> Iterator[File]:
    """Yield all files except the manifest. Each file is rendered on demand to save memory."""
    records = release_records(frozen.items, recipe=frozen.recipe, marker=frozen.canary)
    data: list[Entry] = []
    for (split, task), chosen in _cells(records).items():
        file = File(f"{split}/{task}.jsonl", write_items_jsonl(chosen), len(chosen))
        data.append(file.entry)
        yield file
    entries = list(data)
    for file in chain(_further(frozen, records), _described(frozen, data)):
        entries.append(file.entry)
        yield file
    sums = "".join(f"{entry.sha256}  {entry.name}\n" for entry in sorted(entries))
    yield File(SUMS, sums.encode())


def _further(frozen: Frozen, records: Sequence[ReleaseRecord]) -> Iterator[File]:
    """Yield the item files in published formats, the errata, and the examples for fine-tuning."""
    yield from _crmus(frozen, records)
    yield from _published(frozen.recipe, records)
    yield from errata(frozen)
    yield from (File(*made) for made in instruction_files(records, frozen.layout))


def _described(frozen: Frozen, data: Sequence[Entry]) -> Iterator[File]:
    """Yield the programs that read the JSONL files, the Croissant metadata and the data card."""
    yield from (File(name, program.encode()) for name, program in metadata.programs(frozen).items())
    yield File(
        CROISSANT,
        metadata.croissant_metadata(frozen, [(entry.name, entry.sha256, entry.bytes) for entry in data]),
    )
    head = metadata.head_of_card(frozen, (entry.name for entry in data))
    yield File(CARD, (head + as_markdown(card(frozen))).encode())


def _cells(records: Iterable[ReleaseRecord]) -> dict[tuple[str, str], list[ReleaseRecord]]:
    """Return the records by (split, task), in the order of splits."""
    cells: dict[tuple[str, str], list[ReleaseRecord]] = {}
    for one in records:
        cells.setdefault((one.split, one.item.task), []).append(one)
    return dict(sorted(cells.items(), key=lambda cell: (SPLITS.index(cell[0][0]), cell[0][1])))


def _crmus(frozen: Frozen, records: Iterable[ReleaseRecord]) -> Iterator[File]:
    """Yield the files in the CRMUS layout; none if there is a train split, which the layout lacks."""
    if frozen.recipe.train_share:
        return
    cells = _cells(with_domains(with_source_ids(records)))
    if not any(task in CRMUS_TASKS for _split, task in cells) and frozen.recipe.layout >= card_figures.KINDS:
        return
    for split, task in product((DEV, TEST), CRMUS_TASKS):
        name, chosen = file_name(split, task), cells.get((split, task), [])
        written = write_crmus(chosen, labels=frozen.facts.chinese_labels)
        yield File(f"crmus/{name}", written[name], len(chosen))


def _published(recipe: Recipe, records: Iterable[ReleaseRecord]) -> Iterator[File]:
    """Yield the items of published tasks in their published format, without withheld answers."""
    listed = [one for one in records if has_layout(one.item.task)]
    if recipe.layout >= PUBLISHED_IDS:
        listed = with_published_ids(listed)
    for (split, task), chosen in _cells(listed).items():
        content = write_published(
            one.item if not one.withheld else without_answer(one.item) for one in chosen
        )
        if recipe.train_share:
            name = published_name(task, split, withheld=recipe.withhold_test and split == TEST)
        else:
            name = f"{split}/{task}.{'json' if is_one_list(task) else 'jsonl'}"
        yield File(f"published/{name}", content, len(chosen))


def errata(frozen: Frozen) -> list[File]:
    """Return the errata file, or [] for a release that extends no other."""
    if frozen.since is None:
        return []
    return [File(ERRATA, errata_lines(frozen.since, frozen.canary), len(frozen.since.errata))]


def manifest(frozen: Frozen, entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the manifest without its date.

    If test answers are withheld, the seed is replaced by its hash and the test keys are not counted.
    """
    is_withheld = frozen.recipe.withhold_test
    keys = counts.by_key(frozen.items)
    if is_withheld:
        keys = {
            task: {split: cell for split, cell in cells.items() if split != TEST}
            for task, cells in keys.items()
        }
    return {
        "name": frozen.name,
        "title": frozen.title,
        "version": frozen.version,
        "canary": frozen.canary,
        **({"seed_sha256": seed_hash(frozen.seed)} if is_withheld else {"seed": frozen.seed}),
        "recipe": published_recipe(frozen.recipe),
        **({"since": frozen.since.counts} if frozen.since else {}),
        "counts": counts.by_task(frozen.items),
        "keys": keys,
        **({UNDECIDED: frozen.facts.undecided} if frozen.facts.suspected is not None else {}),
        "gates": [published_gate(gate, is_withheld=is_withheld) for gate in frozen.gates],
        "files": {
            entry.name: {"sha256": entry.sha256, "bytes": entry.bytes, "rows": entry.rows}
            for entry in entries
        },
    }


def published_gate(gate: Mapping[str, Any], *, is_withheld: bool) -> dict[str, Any]:
    """Return the result of a gate, without item ids if these would reveal withheld keys."""
    is_telling = is_withheld and GATES[gate["id"]].reveals_keys
    return {**gate, "items": []} if is_telling else dict(gate)


def manifest_file(data: Mapping[str, Any], built_at: str) -> File:
    """Return the manifest as a file. `built_at` is the only date in a release."""
    text = json.dumps({**data, "built_at": built_at}, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    return File(MANIFEST, text.encode())
