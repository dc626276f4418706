"""Downloads of the files of a release, one by one or all at once, for users who may open it."""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from django.http import FileResponse, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from core.errors import Hidden
from parable.formats.format import foreign_formats
from parable.formats.zip_parts import zip_parts
from parable.llm.conditions import find_condition
from parable.reading.question import zero_shot
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release import services
from release.models import Artifact
from release.queries.release import artifacts, count_written, get_artifact, stored_at, withheld_answers
from release.views import opened_release
from web.requests import MemberRequest

CHUNK: Final = 1 << 16
TYPES: Final = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown; charset=utf-8",
}
PLAIN: Final = "text/plain; charset=utf-8"


@project_page(Permission.SEE_RELEASES)
@require_GET
def one(request: MemberRequest, project: Project, version: str, name: str) -> HttpResponseBase:
    """Return a file of the release, with exactly the bytes that were hashed."""
    release = opened_release(request, project, version)
    artifact = get_artifact(release, name)
    services.record_download(actor=request.user, release=release, name=name)
    suffix = name[name.rfind(".") :] if "." in name else ""
    return FileResponse(
        stored_at(artifact.sha256).open("rb"),
        as_attachment=True,
        filename=name.replace("/", "-"),
        content_type=TYPES.get(suffix, PLAIN),
    )


@project_page(Permission.SEE_RELEASES)
@require_GET
def everything(request: MemberRequest, project: Project, version: str) -> StreamingHttpResponse:
    """Return all files of the release as a ZIP archive, streamed."""
    release = opened_release(request, project, version)
    get_artifact(release, "README.md")  # raises `Hidden` unless the release is ready
    services.record_download(actor=request.user, release=release, name=services.EVERYTHING)
    folder = f"{release.project.slug}-{release.version}"
    return _archive(folder, [(file.name, _stored(file)) for file in artifacts(release)])


@project_page(Permission.SEE_RELEASES)
@require_GET
def fine_tuning(request: MemberRequest, project: Project, version: str) -> StreamingHttpResponse:
    """Return a fine-tuning kit with the prompt of a published evaluation or the default prompt."""
    release = opened_release(request, project, version)
    name = request.GET.get("prompt", "")
    condition = find_condition(name)
    if name and condition is None:
        raise Hidden
    prompt = condition.prompt if condition else zero_shot(release.project.language)
    files = services.stream_training_kit(release=release, prompt=prompt)
    services.record_download(actor=request.user, release=release, name=services.FINE_TUNING)
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


@project_page(Permission.SEE_RELEASES)
@require_GET
def items(request: MemberRequest, project: Project, version: str) -> StreamingHttpResponse:
    """Return all items of the release as one JSONL file, streamed."""
    release = opened_release(request, project, version)
    get_artifact(release, "README.md")
    name = f"{release.project.slug}-{release.version}.jsonl"
    services.record_download(actor=request.user, release=release, name=name)
    response = StreamingHttpResponse(services.stream_items(release=release), content_type=TYPES[".jsonl"])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@project_page(Permission.SEE_RELEASES)
@require_GET
def converted(request: MemberRequest, project: Project, version: str, code: str) -> StreamingHttpResponse:
    """Return the items of the release in the format of another tool, streamed."""
    release = opened_release(request, project, version)
    writer = next((one.writer for one in foreign_formats() if one.code == code), None)
    if writer is None or not count_written(release, writer):
        raise Hidden
    content = services.stream_converted(release=release, writer=writer)
    name = f"{release.project.slug}-{release.version}{writer.suffix}"
    services.record_download(actor=request.user, release=release, name=name)
    response = StreamingHttpResponse(content, content_type="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@project_page(Permission.SEE_RELEASES)
@require_GET
def answers(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Return the withheld answers of the test items. No file of the release contains them."""
    release = opened_release(request, project, version)
    get_artifact(release, "README.md")
    rows = withheld_answers(release)
    if not rows:
        raise Hidden
    services.record_download(actor=request.user, release=release, name=services.WITHHELD_ANSWERS)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    name = f"{release.project.slug}-{release.version}-test-answers.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/jsonl", headers=headers)
