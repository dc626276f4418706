"""The bundle and the image on a machine that has nothing: no network, no packages, a root of their own.

No engine runs here. The image's steps are those of the Dockerfile, followed in an empty root; its processes
have the user, the mounts and the rights that docker-compose.yml gives them.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings as site
from django.test import Client

from jobs.queries import worker_seen
from release.models import Release, ReleaseState
from release.services import order_release
from tests.architecture import BASE
from tests.config.programs import free_port, may_confine, wait_until
from tests.drills import image
from tests.drills.proxy import Proxy
from tests.drills.site import Browser, database_address, redis_address, settings_through
from tests.factories import make_project, make_story
from tests.release.made import ALLOWED, bring, records

NEEDED: Final = ("unshare", "setpriv", "chroot")
MISSING: Final = [name for name in NEEDED if not shutil.which(name)]
pytestmark = [
    pytest.mark.drill,
    pytest.mark.skipif(
        bool(MISSING) or os.geteuid() != 0 or not image.python_of_system() or not may_confine(),
        reason=f"needs root, namespaces, a Python of the system with venv, and {NEEDED}; missing: {MISSING}",
    ),
]
RUNNING: Final = ("web", "worker", "llm-worker", "beat")
PATIENCE: Final = 240.0
KEPT_FROM: Final = ("/", "/app", "/app/config", "/opt/parable", "/srv/static", "/usr/local", "/etc")
WRITABLE: Final = ("/data", "/tmp")  # noqa: S108 - a file system of the container's own
STATUS: Final = ("Uid", "Gid", "CapEff", "CapPrm", "CapBnd", "NoNewPrivs")
WRITES: Final = f"""
import json, os, pathlib
lines = pathlib.Path("/proc/self/status").read_text().splitlines()
status = dict(line.split(":\\t", 1) for line in lines if ":\\t" in line)
said = dict((name, status[name].split()[0]) for name in {STATUS!r})
for folder in {(*KEPT_FROM, *WRITABLE)!r}:
    try:
        pathlib.Path(folder, "made").touch()
        said[folder] = "written"
    except OSError as error:
        said[folder] = os.strerror(error.errno)
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Yield a folder that every account can reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="parable-root-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def unpacked(place: Path) -> Path:
    """Return the folder of a bundle, unpacked after its hash was compared."""
    command = [sys.executable, str(BASE / "scripts" / "bundle.py"), str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    archive = Path(done.stdout.splitlines()[-1])
    subprocess.run(["sha256sum", "--check", "--quiet", f"{archive.name}.sha256"], cwd=place, check=True)
    (place / "unpacked").mkdir()
    subprocess.run(["tar", "--extract", "--file", str(archive)], cwd=place / "unpacked", check=True)
    archive.unlink()
    (folder,) = (place / "unpacked").iterdir()
    return folder


@pytest.fixture(scope="module")
def built(place: Path, unpacked: Path) -> image.Image:
    """Return the image."""
    (place / "image").mkdir()
    return image.build(place / "image", source=unpacked)


def test_a_bundle_installs_without_network(place: Path, unpacked: Path) -> None:
    assert not (unpacked / "tests").exists()
    alone = ["unshare", "--net", "env", "-i", "PATH=/usr/bin:/bin", f"HOME={place}"]
    for command in (
        [sys.executable, "scripts/install.py", "serving"],
        [".venv/bin/python", "manage.py", "check"],
    ):
        done = subprocess.run(
            [*alone, *command], cwd=unpacked, capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-3000:])


class Containers:
    """The site's services of docker-compose.yml, each as a process in the image's root."""

    def __init__(self, built: image.Image, place: Path, settings: Mapping[str, str]) -> None:
        self._image, self._settings = built, settings
        self.port = int(settings["PARABLE_PORT"])
        self._volume = place / "volume"
        self._volume.mkdir()
        self._logs = place / "logs"
        self._logs.mkdir()
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def command(self, name: str, run: list[str] | None = None) -> list[str]:
        """Return what runs a service, with those settings that the file gives it."""
        service = image.services()[name]
        named = {key: self._settings[key] for key in service["environment"] if key in self._settings}
        if name == "beat":  # it never connects, whatever the address says
            named["DATABASE_URL"] = "postgres://parable_app@127.0.0.1:1/parable"
        changed = self._image if run is None else image.Image(**vars(self._image) | {"entry": run})
        service = service if run is None else {**service, "command": ""}
        return image.container(changed, service, self._volume, named)

    def finish(self, name: str, run: list[str] | None = None) -> str:
        """Run a service, or another program in its container, to its end; return what it printed."""
        done = subprocess.run(
            self.command(name, run), capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-3000:])
        return done.stdout

    def start(self, name: str) -> None:
        """Start a service."""
        with (self._logs / name).open("wb") as log:
            self._started[name] = subprocess.Popen(
                self.command(name), stdout=log, stderr=log, env={"PATH": os.environ["PATH"]}
            )

    def said(self, name: str) -> str:
        """Return what a service printed."""
        return (self._logs / name).read_text(encoding="utf-8", errors="replace")

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition while all services run."""

        def holds() -> bool:
            for name, process in self._started.items():
                assert process.poll() is None, (name, self.said(name)[-3000:])
            return condition()

        try:
            wait_until(holds, PATIENCE)
        except AssertionError:
            for name in self._started:
                print(name, self.said(name)[-3000:])
            raise

    def stop(self, name: str) -> int:
        """Stop a service as an engine does, by SIGTERM to its first process; return its exit code."""
        process = self._started.pop(name)
        children = (
            Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8").split()
        )
        os.kill(int(children[0]), signal.SIGTERM)
        return process.wait(60)

    def kill(self) -> None:
        """End what still runs."""
        for process in self._started.values():
            process.kill()
            process.wait(30)


@pytest.fixture
def containers(built: image.Image, place: Path) -> Iterator[Containers]:
    """Yield containers that reach the servers of the test."""
    with Proxy(database_address()) as database, Proxy(redis_address()[0]) as redis:
        named = {name: value for name, value in os.environ.items() if name.startswith("PARABLE_")}
        named |= settings_through(database.port, redis.port)
        named |= dict.fromkeys(("PARABLE_HASHED_STATIC", "PARABLE_LOG_LEVEL"), "")
        named |= {
            "PARABLE_HOME": "/data",
            "PARABLE_STATIC_ROOT": "/srv/static",
            "PARABLE_LOCAL_SERVERS": "False",
        }
        named |= {"PARABLE_BIND": "127.0.0.1", "PARABLE_PORT": str(free_port())}
        made = Containers(built, place, named)
        try:
            yield made
        finally:
            made.kill()


@pytest.mark.django_db(transaction=True)
def test_the_image_runs_read_only_without_rights(containers: Containers) -> None:
    cast = make_project()
    story = make_story(cast)
    bring(cast, records(3))
    containers.finish("migrate")
    for name in RUNNING:
        containers.start(name)
    browser = Browser(containers.port, cast, story)
    containers.wait(lambda: _status(containers.port, "/readyz") == 200)
    containers.wait(lambda: all(worker_seen(queue) for queue in ("default", "llm")))
    assert browser.look() == 200
    assert browser.type()
    assert not browser.lost()
    release = order_release(
        actor=cast.manager, project=cast.project, version="1.0.0", seed="7", recipe=ALLOWED
    )
    containers.wait(lambda: Release.objects.get(pk=release.pk).state == ReleaseState.READY)
    client = Client()
    client.force_login(cast.manager)
    cookie = f"{site.SESSION_COOKIE_NAME}={client.cookies[site.SESSION_COOKIE_NAME].value}"
    path = f"/p/{cast.project.slug}/releases/1.0.0/all.zip"
    assert _status(containers.port, path, Cookie=cookie) == 200
    assert _writes(containers) == {
        "Uid": "10001", "Gid": "10001", "NoNewPrivs": "1",
        **dict.fromkeys(("CapEff", "CapPrm", "CapBnd"), "0000000000000000"),
        **dict.fromkeys(KEPT_FROM, "Read-only file system"),
        **dict.fromkeys(WRITABLE, "written"),
    }  # fmt: skip
    for name in RUNNING:
        assert containers.stop(name) == 0, containers.said(name)[-3000:]
        assert "Traceback" not in containers.said(name), containers.said(name)[-3000:]


def _status(port: int, path: str, **headers: str) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()
        return int(answer.status)
    return 0


def _writes(containers: Containers) -> dict[str, str]:
    """Return which folders a process of the image can write to, and its rights."""
    said = containers.finish("worker", ["/opt/parable/bin/python", "-c", WRITES])
    return dict(json.loads(said))
