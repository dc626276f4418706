"""Imports tasks into Label Studio, on a PostgreSQL with the settings of the benchmarks.

`start_label_studio.py PYTHON KIND ROWS`: PYTHON has Label Studio installed, KIND is `stories` or `items`.
Prints the output of `run_label_studio.py`.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg

BASE = Path(__file__).parents[2]
sys.path[:] = [str(BASE), *(path for path in sys.path if path != str(Path(__file__).parent))]

from benchmarks import site  # noqa: E402 - of this tree
from benchmarks.size import made  # noqa: E402 - of this tree


def main(python: str, kind: str, rows: int) -> None:
    """Write the tasks, start PostgreSQL, and run `run_label_studio.py` in its environment."""
    site.start()
    with psycopg.connect(site.address("postgres"), autocommit=True) as server:
        server.execute("CREATE DATABASE label_studio")
    with tempfile.TemporaryDirectory() as folder:
        tasks = Path(folder) / "tasks.jsonl"
        with tasks.open("w", encoding="utf-8") as out:
            for number, item in enumerate(made(rows)):
                task = {"id": item.id, "title": item.title, "story": f"{item.story}{number}"}
                if kind == "items":
                    options = [{"value": choice} for choice in item.choices]
                    task |= {"story": item.story, "question": item.question, "options": options}
                out.write(json.dumps(task, ensure_ascii=False) + "\n")
        program = [python, str(Path(__file__).with_name("run_label_studio.py")), str(tasks), folder]
        surroundings = os.environ | {"DATABASE_URL": site.address("label_studio")}
        done = subprocess.run(program, check=False, capture_output=True, text=True, env=surroundings)  # noqa: S603 - ours
        if done.returncode:
            raise RuntimeError(done.stderr + Path(folder, "log").read_text(encoding="utf-8")[-2_000:])
        print(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
