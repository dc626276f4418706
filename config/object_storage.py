"""A file storage in an object store that speaks S3, for sites of more than one machine.

This module is imported only where the settings name a bucket.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus
from typing import IO, Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from django.core.files.base import File
from django.utils.crypto import get_random_string
from storages.backends.s3 import S3Storage

from config.plain_errors import sentence
from core.files import StoreRefused, StoreUnavailable
from web.file_store import file_store

ATTEMPTS: Final = 3
"""How often a request is sent, and a broken download resumed, before the store counts as unavailable."""
CONNECT_SECONDS: Final = 5
CONNECTIONS: Final = 32
LARGEST: Final = 5 * 1024**3
"""The most bytes of one file: what S3 accepts in one request, which stores a file whole or not at all."""
GONE: Final = ("404", "NoSuchKey", "NotFound")
PAUSE_SECONDS: Final = 0.2


class ObjectStorage(S3Storage):  # type: ignore[misc]  # the package ships no annotations
    """Stores each file by one request, whole or not at all, and never over a file that exists.

    Every file is private to the owner of the bucket and has no public address. Errors of the store are
    `StoreUnavailable`, a missing file is FileNotFoundError, as with files on a disk. Its requests are signed
    with the SHA-256 of the content, which the store compares.
    """

    def __init__(self, *, seconds: int, **options: Any) -> None:
        super().__init__(
            **options,
            file_overwrite=False,
            default_acl=None,  # private; buckets without access lists refuse any other word
            security_token=None,
            client_config=_config(seconds, options["addressing_style"]),
        )

    @property
    def client(self) -> Any:
        """The client of this process: forked processes must not share its connections."""
        return _client(
            os.getpid(),
            self.endpoint_url,
            self.region_name,
            self.access_key,
            self.secret_key,
            self.client_config,
        )

    def key(self, name: str) -> str:
        """Return the name of a file's object. Raise SuspiciousOperation if it is outside of this storage."""
        return str(self._normalize_name(name.replace("\\", "/")))

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError("stored files are only read")
        body = _Body(self, self.key(name))
        file = File(io.BufferedReader(body, 1 << 20), name=name)
        file.size = body.size
        return file

    def _save(self, name: str, content: File[bytes]) -> str:
        """Store a file, and return its name: another one if an object has the requested name."""
        condition = {"IfNoneMatch": "*"}
        for _attempt in range(10):
            try:
                self._put(name, content, **condition)
            except StoreUnavailable as error:
                refused = _status(error.__cause__)
                if refused == HTTPStatus.PRECONDITION_FAILED:
                    name = self.get_available_name(name)
                elif refused == HTTPStatus.CONFLICT:  # another request stores this name at the moment
                    time.sleep(PAUSE_SECONDS)
                elif refused == HTTPStatus.NOT_IMPLEMENTED and condition:
                    # a store without conditions: a name that nobody else chooses
                    condition = {}
                    name = self.get_alternative_name(name, "")
                else:
                    raise
            else:
                return name
        raise StoreUnavailable("The store of files takes no new name.")

    def replace(self, name: str, content: File[bytes]) -> None:
        """Store a file under exactly this name, also if there is one; readers get the one or the other."""
        self._put(name, content)

    def _put(self, name: str, content: File[bytes], **condition: str) -> None:
        if content.size > LARGEST:
            raise OSError(f"a file may have at most {LARGEST} bytes")
        content.seek(0)
        with translate_errors():
            self.client.put_object(
                Bucket=self.bucket_name,
                Key=self.key(name),
                Body=_Unclosed(content),
                ContentLength=content.size,
                ContentType="application/octet-stream",
                **self.object_parameters,
                **condition,
            )

    def delete(self, name: str) -> None:
        """Delete a file; do nothing if there is none."""
        with translate_errors():
            self.client.delete_object(Bucket=self.bucket_name, Key=self.key(name))

    def exists(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        try:
            self.size(name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        """Return the number of bytes of a file."""
        with translate_errors():
            found = self.client.head_object(Bucket=self.bucket_name, Key=self.key(name))
        return int(found["ContentLength"])

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of the folders and files in a folder; nothing if there is no such folder."""
        prefix = f"{self.key(path)}/"
        folders: list[str] = []
        files: list[str] = []
        with translate_errors():
            for page in self._pages(prefix, Delimiter="/"):
                folders += [one["Prefix"][len(prefix) : -1] for one in page.get("CommonPrefixes", ())]
                files += [one["Key"][len(prefix) :] for one in page.get("Contents", ())]
        return folders, files

    def names(self) -> Iterator[str]:
        """Yield the names of all files, sorted."""
        prefix = f"{self.location.rstrip('/')}/"
        with translate_errors():
            for page in self._pages(prefix):
                for one in page.get("Contents", ()):
                    yield one["Key"][len(prefix) :]

    def _pages(self, prefix: str, **more: str) -> Iterator[dict[str, Any]]:
        pages = self.client.get_paginator("list_objects_v2")
        found: Iterator[dict[str, Any]] = pages.paginate(Bucket=self.bucket_name, Prefix=prefix, **more)
        return found

    def url(self, name: str, *_arguments: Any, **_options: Any) -> str:
        """Refuse: files are served by views that check who asks."""
        raise ValueError("files have no public address")

    def require(self) -> None:
        """Raise `StoreUnavailable` unless the bucket exists, and may be read, written and emptied."""
        name = f".part-check-{get_random_string(20)}"  # a name that backups omit
        try:
            with translate_errors():
                self.client.head_bucket(Bucket=self.bucket_name)
        except FileNotFoundError:
            raise StoreRefused(f"There is no bucket {self.bucket_name} in the store of files.") from None
        self.replace(name, File(io.BytesIO(b"check"), name))
        try:
            with self.open(name) as file:
                is_kept = file.read() == b"check"
        finally:
            self.delete(name)
        if not is_kept:
            raise StoreUnavailable("The store of files gives back something else than was stored.")


class _Body(io.RawIOBase):
    """The content of an object, read once from its beginning; a broken connection is resumed."""

    def __init__(self, storage: ObjectStorage, key: str) -> None:
        self._storage, self._key = storage, key
        self._position, self._losses = 0, 0
        answer = self._ask()
        self.size, self._etag = int(answer["ContentLength"]), answer["ETag"]

    def _ask(self, **more: str) -> Any:
        with translate_errors():
            answer = self._storage.client.get_object(Bucket=self._storage.bucket_name, Key=self._key, **more)
        self._stream: IO[bytes] = answer["Body"]
        return answer

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the stubs want a wider type
        while self._position < self.size:
            try:
                part = self._stream.read(min(len(buffer), self.size - self._position))
                if not part:
                    raise ConnectionError("the store ended a download before its end")
            except (BotoCoreError, HTTPClientError, OSError) as error:
                self._resume(error)
            else:
                self._position += len(part)
                buffer[: len(part)] = part
                return len(part)
        return 0

    def _resume(self, error: Exception) -> None:
        self._losses += 1
        if self._losses >= ATTEMPTS:
            raise StoreUnavailable(_unavailable(error)) from error
        self._stream.close()
        self._ask(Range=f"bytes={self._position}-", IfMatch=self._etag)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


class _Unclosed:
    """A file for one request, which the client may not close: the request may be sent again."""

    def __init__(self, file: File[bytes]) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


@cache
def _config(seconds: int, addressing: str) -> Config:
    return Config(
        connect_timeout=min(CONNECT_SECONDS, seconds),
        read_timeout=seconds,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        max_pool_connections=CONNECTIONS,
        signature_version="s3v4",
        s3={"addressing_style": addressing, "payload_signing_enabled": True},
        # other stores than Amazon's do not know the newer check sums
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )


@cache
def _client(_pid: int, url: str | None, region: str, key: str, secret: str, config: Config) -> Any:
    session = boto3.Session(aws_access_key_id=key, aws_secret_access_key=secret, region_name=region)
    return session.client("s3", endpoint_url=url, config=config)


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Turn errors of the client into `StoreUnavailable`, and a missing file's into FileNotFoundError."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in GONE:
            raise FileNotFoundError("there is no such file in the store") from error
        # the store's own message may quote keys, so it is left out
        said = f"The store of files refuses a request ({code})."
        is_ours = _status(error) < HTTPStatus.INTERNAL_SERVER_ERROR
        raise (StoreRefused if is_ours else StoreUnavailable)(said) from error
    except BotoCoreError as error:
        raise StoreUnavailable(_unavailable(error)) from error


def _status(error: BaseException | None) -> int:
    answer = error.response if isinstance(error, ClientError) else {}
    return int(answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _unavailable(error: Exception) -> str:
    return f"The store of files does not respond ({type(error).__name__})."


def main() -> int:
    """Say in a sentence why the store of the settings cannot be used; return 2 if it refuses this site."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        file_store("default").require()
    except StoreUnavailable as error:
        print(sentence(error), file=sys.stderr)
        return 2 if isinstance(error, StoreRefused) else 0  # a store that is away may come back
    return 0


if __name__ == "__main__":
    sys.exit(main())
