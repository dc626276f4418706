"""An object store that speaks S3, in a process of its own, and the settings of a site that uses it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from config.environment import Environment, file_storage, object_store
from tests.config.programs import free_port, wait_until

if TYPE_CHECKING:
    from config.object_storage import ObjectStorage

KEY, SECRET = "tests", "a secret that opens nothing"


@contextlib.contextmanager
def object_server(host: str = "127.0.0.1", within: tuple[str, ...] = ()) -> Iterator[str]:
    """Run the server until the end of the context; yield its address. `within`: a command that starts it."""
    port = free_port()
    command = [*within, sys.executable, "-m", "moto.server", "-H", host, "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: answers(f"http://{host}:{port}/"), 180)
            yield f"http://{host}:{port}"
        finally:
            process.terminate()


def answers(url: str) -> bool:
    """Return whether a server answers here, whatever it says."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def store_settings(url: str, bucket: str, **more: str) -> dict[str, str]:
    """Return the environment of a site whose files are in this bucket."""
    return {
        "PARABLE_S3_URL": url,
        "PARABLE_S3_BUCKET": bucket,
        "PARABLE_S3_KEY": KEY,
        "PARABLE_S3_SECRET": SECRET,
    } | more


def storage_in(url: str, bucket: str, folder: str, **more: str) -> ObjectStorage:
    """Return the storage that a site with these settings would use."""
    from config.object_storage import ObjectStorage  # noqa: PLC0415 - takes a second to import

    return ObjectStorage(**options_in(url, bucket, folder, **more)["OPTIONS"])


def options_in(url: str, bucket: str, folder: str, **more: str) -> dict[str, Any]:
    """Return the entry of STORAGES of a site with these settings."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in store_settings(url, bucket, **more).items():
            patch.setenv(name, value)
        return file_storage(Path(folder), object_store(Environment()))


def make_bucket(url: str, bucket: str) -> None:
    """Create a bucket."""
    storage_in(url, bucket, "files").client.create_bucket(Bucket=bucket)
