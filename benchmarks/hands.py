"""Processes that a benchmark starts: the stub server and the site's workers."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 15.0


class Process:
    """A program in a process group of its own, which ends with the `with` block at the latest."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], *, reads: bool = False) -> None:
        self._program = subprocess.Popen(  # noqa: S603 - the benches' own programs
            list(command),
            cwd=ROOT,
            env=dict(env),
            stdout=subprocess.PIPE if reads else subprocess.DEVNULL,
            start_new_session=True,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._program.poll() is None:
            os.killpg(self._program.pid, signal.SIGTERM)
        try:
            self._program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
        if self._program.stdout:
            self._program.stdout.close()

    def kill(self) -> None:
        """Kill the process and its children with `kill -9`."""
        os.killpg(self._program.pid, signal.SIGKILL)
        self._program.wait(PATIENCE)

    def cpu_seconds(self) -> float:
        """Return the processor time used so far, without that of ended children."""
        fields = Path(f"/proc/{self._program.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def first_line(self) -> str:
        """Wait for the first line of output and return it."""
        assert self._program.stdout is not None
        return self._program.stdout.readline()


class Stub(Process):
    """The stub server; `rates` are shares of requests by the names of its command line (429, 500...)."""

    def __init__(self, *, latency: float, hang_seconds: float, seed: int, rates: Mapping[str, float]) -> None:
        command = [sys.executable, "-m", "parable.llm.stub", "--latency", str(latency), "--seed", str(seed)]
        for name, rate in rates.items():
            command += [f"--rate-{name}", str(rate)]
        super().__init__([*command, "--hang-seconds", str(hang_seconds)], os.environ, reads=True)
        self.base_url = self.first_line().split()[-1]

    def read(self, what: str) -> Any:
        """Return the stub's `counts`, `log` or `flight`."""
        address = self.base_url.removesuffix("/v1") + "/" + what
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310 - loopback
            return json.load(answer)


class SiteProcess(Process):
    """One process of the site (`worker`, `llm-worker`, `beat`), with settings besides the environment's."""

    def __init__(self, name: str, settings: Mapping[str, str]) -> None:
        env = os.environ | settings | {"PARABLE_ENV_FILE": os.devnull}
        super().__init__([sys.executable, "manage.py", "process", name], env)
