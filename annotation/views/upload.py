"""Pages of the import of items: upload, preview, confirm."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.forms import ReadingForm, UploadForm
from annotation.importer import ITEMS
from corpus.services import LARGEST_UPLOAD
from corpus.upload import ImportPage
from web.files import takes_files


@takes_files(LARGEST_UPLOAD)
@login_required
@require_http_methods(["GET", "POST"])
def import_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload files, preview the result for each row, and confirm or discard the import."""
    return ItemsPage.respond(request, slug)


@dataclass(frozen=True, slots=True)
class ItemsPage(ImportPage):
    """The import page for files of items."""

    purpose = ITEMS.purpose
    address = "annotation:import_items"
    back = "dashboard:items"
    ask_template = "annotation/import.html"
    preview_template = "annotation/import_preview.html"
    form = UploadForm
    reading_form = ReadingForm
