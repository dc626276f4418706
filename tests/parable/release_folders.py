"""Release folders for tests, made with the writers that make real ones."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from parable.formats.parable_jsonl import write_items_jsonl
from parable.formats.records import ItemRecord, ReleaseRecord


def item(name: str, task: str = "commonsense", split: str = "test", **changes: Any) -> ItemRecord:
    """An item with four options whose key is the second."""
    made = ItemRecord(
        id=name,
        task=task,
        story_id=name.split("-", maxsplit=1)[0],
        title="The crow",
        story=f"A crow, {name}, was thirsty.",
        question="What sinks?",
        choices=("a leaf", "a pebble", "a cork", "a feather"),
        answer=1,
        types=("physical",) if task == "commonsense" else (),
        language="en",
        split=split,
    )
    return replace(made, **changes)


def write_release(folder: Path, items: Iterable[ItemRecord], *, withheld: bool = False) -> Path:
    """Write the files of a release that reading needs; test answers are kept back where asked."""
    placed: dict[tuple[str, str], list[ReleaseRecord]] = {}
    for one in items:
        split = one.split or "test"
        record = ReleaseRecord(one, split, "canary", withheld=withheld and split == "test")
        placed.setdefault((split, one.task), []).append(record)
    for (split, task), records in placed.items():
        (folder / split).mkdir(parents=True, exist_ok=True)
        (folder / split / f"{task}.jsonl").write_bytes(write_items_jsonl(records))
    manifest = {"name": "fables", "title": "Fables", "version": "1.2.0", "canary": "canary", "files": {}}
    (folder / "MANIFEST.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder
