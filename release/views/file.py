"""Downloads of the files of a release, one by one or all at once, for users who may open it."""

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET

from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from release import page
from release.views import opened_release
from web.requests import MemberRequest


@project_page(Permission.SEE_RELEASES)
@require_GET
def one(request: MemberRequest, project: Project, version: str, name: str) -> FileResponse:
    """Return a file of the release, with exactly the bytes that were hashed."""
    return page.one_file(request.user, opened_release(request, project, version), name)


@project_page(Permission.SEE_RELEASES)
@require_GET
def everything(request: MemberRequest, project: Project, version: str) -> StreamingHttpResponse:
    """Return all files of the release as a ZIP archive, streamed."""
    return page.all_files(request.user, opened_release(request, project, version))


@project_page(Permission.SEE_RELEASES)
@require_GET
def fine_tuning(request: MemberRequest, project: Project, version: str) -> StreamingHttpResponse:
    """Return a fine-tuning kit with the prompt of a published evaluation or the default prompt."""
    release = opened_release(request, project, version)
    return page.training_kit(request.user, release, request.GET.get("prompt", ""))


@project_page(Permission.SEE_RELEASES)
@require_GET
def items(request: MemberRequest, project: Project, version: str) -> StreamingHttpResponse:
    """Return all items of the release as one JSONL file, streamed."""
    return page.all_items(request.user, opened_release(request, project, version))


@project_page(Permission.SEE_RELEASES)
@require_GET
def converted(request: MemberRequest, project: Project, version: str, code: str) -> StreamingHttpResponse:
    """Return the items of the release in the format of another tool, streamed."""
    return page.converted_items(request.user, opened_release(request, project, version), code)


@project_page(Permission.SEE_RELEASES)
@require_GET
def answers(request: MemberRequest, project: Project, version: str) -> HttpResponse:
    """Return the withheld answers of the test items. No file of the release contains them."""
    return page.withheld(request.user, opened_release(request, project, version))
