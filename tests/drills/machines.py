"""Machines of a site on one computer: network namespaces on a bridge, each with processes of its own.

Cables can be pulled, and a machine can lose its power.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from config.processes import RECORD
from tests.drills.site import RUN, Site

NETWORK = "10.231.{}.{}"
HOST = 1


class Network:
    """A bridge with a namespace for each name; `address` says where it is reached."""

    def __init__(self, *names: str) -> None:
        self._number = os.getpid() % 250
        self._bridge = f"pb{self._number}"
        self._numbers = {name: 10 + place for place, name in enumerate(names)}

    def __enter__(self) -> Self:
        self._remove()  # what a killed run left
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("addr", "add", f"{self._at(HOST)}/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")
        for name in self._numbers:
            space, cable = self._space(name), self._cable(name)
            _ip("netns", "add", space)
            _ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("link", "set", cable, "master", self._bridge, "up")
            _ip("-n", space, "addr", "add", f"{self.address(name)}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")
            _ip("-n", space, "link", "set", "lo", "up")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        for command in (
            *(("netns", "del", self._space(name)) for name in self._numbers),
            ("link", "del", self._bridge),
        ):
            subprocess.run(["ip", *command], check=False, capture_output=True)

    def _at(self, number: int) -> str:
        return NETWORK.format(self._number, number)

    def _space(self, name: str) -> str:
        return f"parable-{self._number}-{name}"

    def _cable(self, name: str) -> str:
        return f"pv{self._number}-{name}"[:15]

    def address(self, name: str) -> str:
        """The address of a machine, which all others and this one reach."""
        return self._at(self._numbers[name])

    def within(self, name: str) -> tuple[str, ...]:
        """The beginning of a command line that runs on this machine, which has a host name of its own."""
        call_it = ("unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh")
        return ("ip", "netns", "exec", self._space(name), *call_it)

    def pull(self, name: str) -> None:
        """Pull the cable of a machine: no packet comes or goes, and nobody hears of it."""
        _ip("link", "set", self._cable(name), "down")

    def plug(self, name: str) -> None:
        """Plug it in again."""
        _ip("link", "set", self._cable(name), "up")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def why_not() -> str:
    """Why this computer cannot have such machines; "" if it can."""
    if os.geteuid() != 0 or not (shutil.which("ip") and shutil.which("unshare")):
        return "network namespaces need root and iproute2"
    try:
        with Network("try"):
            return ""
    except subprocess.CalledProcessError as refused:
        return f"network namespaces are not allowed here: {refused.stderr.strip()}"


class Machine(Site):
    """A machine with web, workers and beat, and a data folder of its own."""

    def __init__(self, network: Network, name: str, folder: Path, settings: Mapping[str, str]) -> None:
        home, address = folder / name, network.address(name)
        command = [*network.within(name), sys.executable, "-c", RUN, str(home)]
        super().__init__(
            home, {**settings, "PARABLE_BIND": address}, command, log_file=folder / f"{name}.log"
        )
        self.url = f"http://{address}:{self.port}"

    def lose_power(self) -> None:
        """Kill the supervisor and all that it started."""
        children = json.loads((self.home / RECORD).read_text(encoding="utf-8"))["children"]
        os.kill(self.process.pid, signal.SIGKILL)
        for pid in map(int, children):
            os.killpg(pid, signal.SIGKILL)
        self.process.wait(60)
