"""Downloads of the files of a release, for its pages and for the programming interface.

Every download is recorded, and so are the keys that its reader has seen by it. The caller must check that the
user may open the release.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from accounts.models import User
from core.errors import Hidden
from parable.formats.format import foreign_formats
from parable.formats.zip_parts import zip_parts
from parable.llm.conditions import find_condition
from parable.reading.question import zero_shot
from release import services
from release.models import Artifact, Release
from release.queries.file import stored_at
from release.queries.release import artifacts, count_written, get_artifact, withheld_answers

CHUNK: Final = 1 << 16
TYPES: Final = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
}
PLAIN: Final = "text/plain; charset=utf-8"


def one_file(actor: User, release: Release, name: str) -> FileResponse:
    """Return a file of the release, with exactly the bytes that were hashed; its ETag is their SHA-256."""
    artifact = get_artifact(release, name)
    opened = stored_at(artifact.sha256).open()  # first, since nothing is downloaded if this fails
    services.record_download(actor=actor, release=release, name=name)
    suffix = name[name.rfind(".") :] if "." in name else ""
    return FileResponse(
        opened,
        as_attachment=True,
        filename=name.replace("/", "-"),
        content_type=TYPES.get(suffix, PLAIN),
        headers={"ETag": f'"{artifact.sha256}"', "Content-Length": str(artifact.bytes)},
    )


def all_files(actor: User, release: Release) -> StreamingHttpResponse:
    """Return all files of the release as a ZIP archive, streamed."""
    services.canary_of(release)  # fails here rather than in the middle if the release or its store is away
    services.record_download(actor=actor, release=release, name=services.EVERYTHING)
    folder = f"{release.project.slug}-{release.version}"
    return _archive(folder, [(file.name, _stored(file)) for file in artifacts(release)])


def training_kit(actor: User, release: Release, prompt_name: str) -> StreamingHttpResponse:
    """Return a fine-tuning kit with the prompt of a published evaluation, or with the default prompt if "".

    Raise `Hidden` if no published evaluation has this name.
    """
    condition = find_condition(prompt_name)
    if prompt_name and condition is None:
        raise Hidden
    prompt = condition.prompt if condition else zero_shot(release.project.language)
    files = services.stream_training_kit(release=release, prompt=prompt)
    services.record_download(actor=actor, release=release, name=services.FINE_TUNING)
    return _archive(f"{release.project.slug}-{release.version}-fine-tuning", files)


def _archive(folder: str, files: Iterable[tuple[str, Iterable[bytes]]]) -> StreamingHttpResponse:
    named = ((f"{folder}/{name}", parts) for name, parts in files)
    response = StreamingHttpResponse(zip_parts(named), content_type="application/zip")
    response.headers["Content-Disposition"] = f'attachment; filename="{folder}.zip"'
    return response


def _stored(file: Artifact) -> Iterator[bytes]:
    with stored_at(file.sha256).open("rb") as stored:
        while part := stored.read(CHUNK):
            yield part


def all_items(actor: User, release: Release) -> StreamingHttpResponse:
    """Return all items of the release as one JSONL file, streamed."""
    services.canary_of(release)
    name = f"{release.project.slug}-{release.version}.jsonl"
    services.record_download(actor=actor, release=release, name=name)
    response = StreamingHttpResponse(services.stream_items(release=release), content_type=TYPES[".jsonl"])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def converted_items(actor: User, release: Release, code: str) -> StreamingHttpResponse:
    """Return the items of the release in the format of another tool, streamed.

    Raise `Hidden` if no format has this code or if it can contain none of the items.
    """
    writer = next((one.writer for one in foreign_formats() if one.code == code), None)
    if writer is None or not count_written(release, writer):
        raise Hidden
    content = services.stream_converted(release=release, writer=writer)
    name = f"{release.project.slug}-{release.version}{writer.suffix}"
    services.record_download(actor=actor, release=release, name=name)
    response = StreamingHttpResponse(content, content_type="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def withheld(actor: User, release: Release) -> HttpResponse:
    """Return the withheld answers of the test items, which no file contains. Raise `Hidden` without any."""
    get_artifact(release, "README.md")
    rows = withheld_answers(release)
    if not rows:
        raise Hidden
    services.record_download(actor=actor, release=release, name=services.WITHHELD_ANSWERS)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    name = f"{release.project.slug}-{release.version}-test-answers.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/jsonl", headers=headers)
