"""Imports files with a number of rows into an empty project, with the code in PYTHONPATH.

`run_import.py KIND ROWS`: KIND is `stories`, or the state of items. Prints rows per second of processor time,
rows per second of elapsed time, and the peak memory of the process in MB.
"""

import json
import os
import resource
import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

ROWS_A_FILE = 40_000
"""The number of rows in one file, so that it is smaller than the limit of 64 MiB."""
TREE = os.environ["PYTHONPATH"]
sys.path[:] = [TREE, *(path for path in sys.path if path != str(Path(__file__).parent))]

from benchmarks import site  # noqa: E402 - of that tree
from benchmarks.size import made  # noqa: E402 - of that tree


def main(kind: str, rows: int) -> None:
    """Write the file, start a site, import the file, and print time and memory."""
    site.start()
    from accounts.services import system_account
    from annotation import services
    from annotation.queries.item import type_codes
    from corpus.services import import_stories
    from parable.formats import read_items, read_stories
    from parable.formats.parable_jsonl import item_line
    from parable.formats.records import ReleaseRecord
    from projects.services import create_project

    assert str(services.__file__).startswith(TREE), services.__file__
    actor = system_account()
    project = create_project(actor=actor, slug="imported", name="imported", language="zh", settings={})
    codes = type_codes(project)
    with tempfile.TemporaryDirectory() as folder:
        files, items = [], enumerate(made(rows))
        for begin in range(0, rows, ROWS_A_FILE):
            files.append(Path(folder) / f"{begin}.jsonl")
            with files[-1].open("w", encoding="utf-8") as out:
                for number, item in islice(items, ROWS_A_FILE):
                    if kind == "stories":
                        words = {"id": f"s-{number}", "title": f"{number}", "text": f"{item.story}{number}"}
                        out.write(json.dumps(words, ensure_ascii=False) + "\n")
                    else:
                        known = replace(item, types=(min(codes),))
                        out.write(item_line(ReleaseRecord(known, "", "")))
        begun, worked = time.perf_counter(), site.worked()
        if kind == "stories":
            stories = [read_stories(file, name=file.name) for file in files]
            result = import_stories(actor=actor, project=project, readings=stories)
        else:
            result = services.import_items_as(
                actor=actor,
                project=project,
                readings=[read_items(file, name=file.name, types=codes) for file in files],
                state=kind,
                writer_name="Imported",
            )
        worked, took = site.worked() - worked, time.perf_counter() - begun
    assert result.counts()["created"] == rows, (result.counts(), result.issues[:3])
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows / worked, "by_clock": rows / took, "megabytes": megabytes}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
