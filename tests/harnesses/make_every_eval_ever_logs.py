"""Evaluates a model on items of a release with Inspect, and converts the log to records of Every Eval Ever.

Run with the Python (3.12) of an environment that has every_eval_ever and inspect-ai:
make_every_eval_ever_logs.py FOLDER OUT URL MODEL, where URL is that of `python -m parable.llm.stub`. Three of
the items are asked, two times each.
"""

import os
import subprocess
import sys
from pathlib import Path

import inspect_ai


def main(folder: str, out: str, url: str, model: str) -> None:
    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    place = Path(out).resolve()
    [tasks] = Path(folder).resolve().glob("harness/inspect_ai/*.py")
    os.chdir(tasks.parents[2])
    inspect_ai.eval(
        f"{tasks.relative_to(tasks.parents[2])}@{tasks.stem}_commonsense",
        model=f"openai/{model}",
        log_dir=str(place / "logs"),
        log_format="json",
        display="none",
        limit=3,
        epochs=2,
    )
    [log] = (place / "logs").glob("*.json")
    command = Path(sys.executable).with_name("every_eval_ever")
    subprocess.run(
        [command, "convert", "inspect", "--log_path", log, "--output_dir", place / "records"], check=True
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
