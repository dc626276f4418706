"""The output of a command that builds a release: a folder that is written completely or not at all."""

import json
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _

from core.errors import Unusable
from release.files.folder import MANIFEST, File

LARGEST_MANIFEST: Final = 50_000_000


def check_folder(folder: Path, *, project: str, version: str) -> None:
    """Raise `Unusable` unless the folder is new, is empty, or contains this version of the release."""
    try:
        if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
            return
        if folder.is_dir() and _holds(folder, project, version):
            return
    except OSError as error:
        raise Unusable(_unwritable(folder, error)) from error
    message = _("%(folder)s already exists and is not empty. Choose a new folder.")
    raise Unusable(message % {"folder": folder}, "out")


def _holds(folder: Path, project: str, version: str) -> bool:
    listing = folder / MANIFEST
    if not listing.is_file() or listing.stat().st_size > LARGEST_MANIFEST:
        return False
    try:
        data = json.loads(listing.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and (data.get("name"), data.get("version")) == (project, version)


def write_folder(folder: Path, files: Iterable[File]) -> None:
    """Write the files to a temporary folder, then rename it, so that no incomplete folder is visible."""
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        for file in files:
            place = part / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.content)
        if folder.exists():
            shutil.rmtree(folder)
        part.rename(folder)
    except OSError as error:
        raise Unusable(_unwritable(folder, error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_answers(file: Path | None, folder: Path, *, is_withheld: bool) -> None:
    """Raise `Unusable` unless the withheld answers may be written to `file`.

    The file must be outside the release folder. If no answers are withheld, `file` must be None.
    """
    if file is None:
        return
    if not is_withheld:
        message = _("--answers requires --withhold-test.")
        raise Unusable(message, "answers")
    if file.resolve().is_relative_to(folder):
        message = _("The withheld answers must not be in the release folder.")
        raise Unusable(message, "answers")
    if file.exists() and not file.is_file():
        message = _("%(file)s already exists and is not a file.") % {"file": file}
        raise Unusable(message, "answers")


def write_answers(file: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the withheld answers to a file that only its owner can read."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    try:
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(_unwritable(file, error)) from error


def _unwritable(folder: Path, error: OSError) -> str:
    words = _("Cannot write %(folder)s: %(reason)s.")
    return words % {"folder": folder, "reason": error.strerror or error}
