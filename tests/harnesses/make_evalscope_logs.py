"""Evaluates a model on items of a release with EvalScope, and leaves its predictions and reviews.

Run with the Python of an environment that has evalscope: make_evalscope_logs.py FOLDER OUT URL MODEL, where
URL is that of `python -m parable.llm.stub`. Three of the items of a task are asked, two times each.
"""

import json
import sys
from pathlib import Path

from evalscope import TaskConfig, run_task


def main(folder: str, out: str, url: str, model: str) -> None:
    items = [
        json.loads(line)
        for path in sorted(Path(folder).glob("test/commonsense.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ][:3]
    rows = [
        {
            "id": item["id"],
            "question": f"{item['story']}\n{item['question']}",
            **dict(zip("ABCD", item["choices"], strict=False)),
            "answer": "ABCD"[item["answer"]],
        }
        for item in items
    ]
    place = Path(out) / "fables"
    place.mkdir(parents=True, exist_ok=True)
    (place / "fables_val.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run_task(
        TaskConfig(
            model=model,
            api_url=url,
            api_key="none",
            eval_type="openai_api",
            datasets=["general_mcq"],
            dataset_args={"general_mcq": {"local_path": str(place), "subset_list": ["fables"]}},
            repeats=2,
            eval_batch_size=1,
            generation_config={"max_tokens": 50, "stream": False},
            work_dir=str(Path(out) / "work"),
            no_timestamp=True,
            ignore_errors=True,
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
