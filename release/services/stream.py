"""Streams of the items of a release. Memory does not grow with the number of items."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Final

import orjson
from django.db.models import QuerySet, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from core.errors import Hidden
from parable.formats.conversion import Conversion
from parable.formats.format import Writer
from parable.formats.records import ReleaseRecord
from parable.splits import TEST
from release.assembly.records import FrozenItem
from release.files.folder import MANIFEST
from release.files.instruction import TAUGHT
from release.files.training_kit import examples, kit_files
from release.models import Release, ReleaseItem
from release.queries.file import stored_at
from release.queries.release import get_artifact, item_files, with_answers

AT_ONCE: Final = 2000


def stream_items(*, release: Release) -> Iterator[bytes]:
    """Yield the items as JSON lines in the order of their numbers, several lines at once.

    Answers are withheld if the release withholds them. Lines are copied from the item files without parsing.
    The database rows, read with a server-side cursor, tell which file has the next line. Raise `Hidden`
    unless the release is ready.
    """
    hashes = item_files(release)
    rows = ReleaseItem.objects.filter(release=release).order_by("number")
    places = rows.values_list("split", KeyTextTransform("task", "record")).iterator(chunk_size=AT_ONCE)
    with ExitStack() as opened:
        lines = {
            place: opened.enter_context(stored_at(sha256).open("rb")) for place, sha256 in hashes.items()
        }
        while some := b"".join(next(lines[place]) for place in islice(places, AT_ONCE)):
            yield some


def stream_converted(*, release: Release, writer: Writer) -> Iterator[bytes]:
    """Return the items as a file of another tool, in parts. Items with withheld answers are omitted.

    Raise `Hidden` unless the release is ready.
    """
    canary_of(release)
    return Conversion(writer).parts(one.item() for one in _frozen(with_answers(release)))


def stream_training_kit(*, release: Release, prompt: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Return the files of a fine-tuning kit with this prompt, from the train items or else the dev items.

    Each file is (name, content in parts). Raise `Hidden` unless the release is ready and has such items.
    """
    marker = canary_of(release)
    of_split = {split: ReleaseItem.objects.filter(release=release, split=split) for split in TAUGHT}
    split = next((split for split, rows in of_split.items() if rows.exists()), None)
    if split is None:
        raise Hidden(_("This release has no dev items."))
    rows = of_split[split]
    return kit_files(
        f"{split}-{release.version}", marker, lambda: examples(_records(release, rows, marker), prompt)
    )


def canary_of(release: Release) -> str:
    """Return the canary of a release. Raise `Hidden` unless the release is ready."""
    said = stored_at(get_artifact(release, MANIFEST).sha256).read_bytes()
    return str(json.loads(said)["canary"])


def _records(release: Release, rows: QuerySet[ReleaseItem], marker: str) -> Iterator[ReleaseRecord]:
    is_withheld = release.recipe["withhold_test"]
    for one in _frozen(rows):
        yield ReleaseRecord(one.item(), one.split, marker, withheld=is_withheld and one.split == TEST)


def _frozen(rows: QuerySet[ReleaseItem]) -> Iterator[FrozenItem]:
    rows = rows.order_by("number")
    # Loading the JSON as text and parsing it here is twice as fast as the field's own conversion.
    values = rows.values_list("number", "public_id", "split", Cast("record", TextField()))
    for number, public_id, split, text in values.iterator(chunk_size=AT_ONCE):
        yield FrozenItem(number, public_id, split, orjson.loads(text))
