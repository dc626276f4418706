"""Evaluates a scripted model on a release with EvalScope, and prints what it saw as one JSON object.

Run with the Python of .venv-harnesses/evalscope: load_evalscope.py FOLDER CACHE [SPLIT]

The model is behind an address on this machine, as one that is served would be. With a split, the error that
EvalScope ends with is printed instead.
"""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from threading import Thread

from scripted import KNOWN, said


class Handler(BaseHTTPRequestHandler):
    numbers = count()

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = KNOWN[asked["messages"][-1]["content"]] if KNOWN else said(next(self.numbers))
        message = {"role": "assistant", "content": answer}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        used = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted"}
        body = json.dumps({**reply, "choices": [choice], "usage": used}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_what):
        pass


def main(folder: str, cache: str, split: str = "") -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    [program] = Path(folder).glob("harness/evalscope/*.py")
    command = [sys.executable, program, "--eval-type", "openai_api", "--model", "scripted"]
    command += ["--api-url", f"http://127.0.0.1:{server.server_port}/v1", "--eval-batch-size", "1"]
    command += ["--work-dir", cache, "--no-timestamp"]
    if split:
        arguments = {f"{program.stem}_{task}": {"eval_split": split} for task in ("commonsense", "moral")}
        command += ["--dataset-args", json.dumps(arguments)]
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=not split,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
    )
    if split:
        print(json.dumps({"code": done.returncode, "error": done.stderr.strip().splitlines()[-1]}))
        return
    if KNOWN:
        reports = {
            path.stem: json.loads(path.read_text("utf-8")) for path in Path(cache).glob("reports/*/*.json")
        }
        print(
            json.dumps(
                {
                    name: {one["identity"]["name"]: one["score"] for one in found["metrics"]}
                    for name, found in reports.items()
                }
            )
        )
        return
    print(json.dumps({path.stem: report(path) for path in Path(cache).glob("reports/scripted/*.json")}))


def report(path: Path) -> dict:
    """Return what EvalScope wrote of a task."""
    [metric] = json.loads(path.read_text(encoding="utf-8"))["metrics"]
    folder = path.parents[2] / "predictions" / path.parent.name
    log = (folder / f"{path.stem}_default.jsonl").read_text(encoding="utf-8")
    rows = {row["metadata"]["id"]: row for row in map(json.loads, log.splitlines())}
    return {
        "accuracy": metric["score"],
        "prompts": {name: row["messages"][0]["content"] for name, row in rows.items()},
        "said": {name: row["messages"][-1]["content"] for name, row in rows.items()},
        "turns": sorted({len(row["messages"]) for row in rows.values()}),
        "log": str(folder / f"{path.stem}_default.jsonl"),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
