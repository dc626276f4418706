"""The page that imports stories: upload, preview of all rows, confirmation."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from corpus.forms import UploadForm
from corpus.services import LARGEST_UPLOAD
from corpus.upload import STORIES, ImportPage
from web.files import takes_files


@takes_files(LARGEST_UPLOAD)
@login_required
@require_http_methods(["GET", "POST"])
def import_stories(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form to upload files, or their preview; POST uploads, imports or discards files."""
    return StoriesPage.respond(request, slug)


@dataclass(frozen=True, slots=True)
class StoriesPage(ImportPage):
    """The import page for stories."""

    purpose = STORIES.purpose
    address = "corpus:import_stories"
    back = "dashboard:stories"
    ask_template = "corpus/import.html"
    preview_template = "corpus/import_preview.html"
    form = UploadForm
