"""Linear algebra stays in one thread in every process of the site and of the command."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """{first}
import numpy
from threadpoolctl import threadpool_info
print(threadpool_info()[0]["num_threads"])
"""


@pytest.mark.parametrize(
    "first",
    [
        "import config.celery",
        "from parable.threads import use_one_thread; use_one_thread()",
        "from parable.__main__ import main; main(['score', 'no-such-file', '--release', 'no-such-folder'])",
    ],
)
@pytest.mark.parametrize(("wanted", "threads"), [(None, "1"), ("2", "2")])
def test_numpy_computes_in_one_thread_unless_set_otherwise(
    first: str, wanted: str | None, threads: str
) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    if wanted:
        environment["OMP_NUM_THREADS"] = wanted
    run = [sys.executable, "-c", PROGRAM.format(first=first)]
    said = subprocess.run(run, check=True, capture_output=True, text=True, env=environment)
    assert said.stdout.split()[-1] == threads
