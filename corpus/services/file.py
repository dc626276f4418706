"""Files that wait between an import's preview and its confirmation: for one person, for a day at most."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden, Unusable, require
from corpus.outcome import Preview
from parable.formats.sources import is_spreadsheet
from projects.models import Project
from projects.permissions import may_manage

LARGEST_UPLOAD: Final = 16 * 1024 * 1024
"""Bytes of one import in the browser, which is read in a request; the commands read larger files."""
LARGE: Final = 1024 * 1024
"""Bytes from which on a process reads one upload at a time, since reading takes many times its size."""
MOST_FILES: Final = 20
KEPT_FOR: Final = timedelta(days=1)
ROOT: Final = "uploads"
MANIFEST: Final = "upload.json"
PREVIEW: Final = "preview.json"
COLUMNS: Final = "columns"


@dataclass(frozen=True, slots=True)
class Upload:
    """Files kept under a token, by the names they came with, and what was chosen beside them."""

    token: str
    folder: str
    names: tuple[str, ...]
    options: Mapping[str, str]

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """By the number of a file, from a field to the column that a person chose for it."""
        chosen: dict[str, dict[str, str]] = json.loads(self.options.get(COLUMNS, "{}"))
        return chosen

    @property
    def is_large(self) -> bool:
        """Whether reading it takes so much memory that it should be read alone."""
        files = [f"{self.folder}/{number}" for number in range(len(self.names))]
        return sum(map(default_storage.size, files)) > LARGE or any(map(_is_packed, files))

    def read(self) -> list[tuple[str, bytes]]:
        """The files, each with its name."""
        return [(name, _read(f"{self.folder}/{number}")) for number, name in enumerate(self.names)]


def keep_upload(
    *,
    actor: User,
    project: Project,
    purpose: str,
    files: Sequence[tuple[str, "File[bytes]"]],
    options: Mapping[str, str] | None = None,
) -> str:
    """Keep files until the actor confirms or forgets them; answers the token that finds them.

    An earlier upload of the actor's for the same purpose is dropped, and everybody's of yesterday.
    Raises `Unusable` where the files are too many or together too large.
    """
    require(may_manage(actor, project))
    if len(files) > MOST_FILES or sum(file.size for _name, file in files) > LARGEST_UPLOAD:
        message = _("At most %(files)d files and %(megabytes)d MB at once.") % {
            "files": MOST_FILES,
            "megabytes": LARGEST_UPLOAD // 2**20,
        }
        raise Unusable(message, {"files": message})
    _forget_old_ones()
    _forget_all(_place(actor, project, purpose))
    token = secrets.token_urlsafe(24)
    folder = f"{_place(actor, project, purpose)}/{token}"
    for number, (_name, file) in enumerate(files):
        default_storage.save(f"{folder}/{number}", file)
    _write_manifest(folder, [name for name, _file in files], options or {})
    return token


def choose_columns(
    *, actor: User, project: Project, upload: Upload, columns: Mapping[str, Mapping[str, str]]
) -> None:
    """Remember which column fills which field of which file; what was previewed before is forgotten."""
    require(may_manage(actor, project))
    _drop(f"{upload.folder}/{MANIFEST}", f"{upload.folder}/{PREVIEW}")
    _write_manifest(upload.folder, upload.names, {**upload.options, COLUMNS: json.dumps(columns)})


def keep_preview(*, upload: Upload, preview: Preview) -> None:
    """Keep what an import would do beside its files, so that its other pages need not find out again."""
    _drop(f"{upload.folder}/{PREVIEW}")
    default_storage.save(f"{upload.folder}/{PREVIEW}", ContentFile(preview.to_json()))


def find_preview(upload: Upload) -> Preview | None:
    """What was kept of the upload's preview, if it was seen."""
    name = f"{upload.folder}/{PREVIEW}"
    return Preview.from_json(_read(name)) if default_storage.exists(name) else None


def find_upload(*, actor: User, project: Project, purpose: str, token: str) -> Upload:
    """The actor's upload of this token; raises `Hidden` where it is nobody's, another's or gone."""
    folder = f"{_place(actor, project, purpose)}/{token}"
    if not token.replace("-", "").replace("_", "").isalnum() or not default_storage.exists(
        f"{folder}/{MANIFEST}"
    ):
        raise Hidden(_("This upload is no longer kept. Please upload the file again."))
    manifest = json.loads(_read(f"{folder}/{MANIFEST}"))
    return Upload(token, folder, tuple(manifest["names"]), manifest["options"])


def drop_upload(*, actor: User, project: Project, purpose: str, token: str) -> None:
    """Forget an upload, its files included; one that is gone already is no error."""
    try:
        upload = find_upload(actor=actor, project=project, purpose=purpose, token=token)
    except Hidden:
        return
    _forget(upload.folder)


def _write_manifest(folder: str, names: Sequence[str], options: Mapping[str, str]) -> None:
    manifest = {"names": list(names), "options": dict(options)}
    default_storage.save(f"{folder}/{MANIFEST}", ContentFile(json.dumps(manifest).encode()))


def _drop(*names: str) -> None:
    for name in names:
        default_storage.delete(name)


def _place(actor: User, project: Project, purpose: str) -> str:
    return f"{ROOT}/{actor.pk}-{project.pk}-{purpose}"


def _read(name: str) -> bytes:
    with default_storage.open(name, "rb") as file:
        data: bytes = file.read()
    return data


def _is_packed(name: str) -> bool:
    with default_storage.open(name, "rb") as file:
        return is_spreadsheet(file.read(8))


def _folders(name: str) -> list[str]:
    if not default_storage.exists(name):
        return []
    return [f"{name}/{folder}" for folder in default_storage.listdir(name)[0]]


def _forget(folder: str) -> None:
    for file in default_storage.listdir(folder)[1]:
        default_storage.delete(f"{folder}/{file}")
    default_storage.delete(folder)


def _forget_all(place: str) -> None:
    for folder in _folders(place):
        _forget(folder)


def _forget_old_ones() -> None:
    earliest = timezone.now() - KEPT_FOR
    for place in _folders(ROOT):
        for folder in _folders(place):
            manifest = f"{folder}/{MANIFEST}"
            if default_storage.exists(manifest) and default_storage.get_modified_time(manifest) < earliest:
                _forget(folder)
