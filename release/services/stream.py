"""All items of a frozen release as one stream of lines: however many there are, few are held at a time."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final

import orjson
from django.db.models import TextField
from django.db.models.functions import Cast

from parable.formats.parable_jsonl import item_line
from parable.formats.records import ReleaseRecord
from release.assembly.files import MANIFEST
from release.assembly.pieces import TEST
from release.assembly.records import FrozenItem
from release.models import Release, ReleaseItem
from release.queries.release import get_artifact, stored_at

AT_ONCE: Final = 2000


def stream_items(*, release: Release) -> Iterator[bytes]:
    """The items as JSON lines in the order of their numbers, each as it stands in the release's own files.

    Answers of the test are withheld where the files withhold them. Rows come by a server-side cursor; the
    release must be ready, else `Hidden`.
    """
    marker = json.loads(stored_at(get_artifact(release, MANIFEST).sha256).read_bytes())["canary"]
    is_withheld = release.recipe["withhold_test"]
    lines = (
        item_line(ReleaseRecord(one.item(), one.split, marker, withheld=is_withheld and one.split == TEST))
        for one in _frozen(release)
    )
    while some := "".join(islice(lines, AT_ONCE)):
        yield some.encode()


def _frozen(release: Release) -> Iterator[FrozenItem]:
    rows = ReleaseItem.objects.filter(release=release).order_by("number")
    # The JSON comes as text and is read here: twice as fast as the field does it.
    told = rows.values_list("number", "public_id", "split", Cast("record", TextField()))
    for number, public_id, split, text in told.iterator(chunk_size=AT_ONCE):
        yield FrozenItem(number, public_id, split, orjson.loads(text))
