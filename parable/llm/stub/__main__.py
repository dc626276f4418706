# ruff: noqa: T201 -- a command line prints
"""`python -m parable.llm.stub`: the stub as a process of its own, until it is interrupted."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from parable.llm.stub import Faults, StubServer


def main(arguments: list[str] | None = None) -> int:
    """Print the base URL, and serve until SIGINT or SIGTERM; return the exit code."""
    chosen = _read_arguments(arguments)
    rates = {"429(1)": chosen.rate_429, "500": chosen.rate_500, "garbage": chosen.rate_garbage}
    rates[f"hang({chosen.hang_seconds:g})"] = chosen.rate_hang
    try:
        faults = Faults(rates, seed=chosen.seed)
        server = StubServer(
            host=chosen.host, port=chosen.port, default=chosen.default, faults=faults, latency=chosen.latency
        )
    except (ValueError, OSError, OverflowError) as error:
        print(f"stub: {error}", file=sys.stderr)
        return 2
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    with server:
        print(f"stub: serving at {server.base_url}", flush=True)
        done.wait()
    return 0


def _read_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m parable.llm.stub", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one (default)")
    parser.add_argument("--default", default="mix", help="behaviour for models whose name says none")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before every answer")
    parser.add_argument("--seed", type=int, default=0, help="of the mix of faults")
    for name in ("429", "500", "garbage", "hang"):
        help_text = "share of requests, 0 to 1, in the mix of faults"
        parser.add_argument(f"--rate-{name}", type=float, default=0.0, help=help_text)
    parser.add_argument("--hang-seconds", type=float, default=600.0, help="how long a hanging one hangs")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
