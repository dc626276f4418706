"""The import of stories: upload, look at every row, then confirm."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_http_methods

from corpus import services
from corpus.forms import UploadForm
from corpus.outcome import ImportResult
from corpus.queries import SEARCH
from corpus.services import LARGEST_UPLOAD, Upload
from corpus.upload import ColumnsForm, ImportPage, Tables
from jobs.hooks import dispatch
from parable.formats import STORY_FIELDS, read_stories, story_columns
from web.files import takes_files


@takes_files(LARGEST_UPLOAD)
@login_required
@require_http_methods(["GET", "POST"])
def import_stories(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload a file; look at what would become of each row; confirm or forget it."""
    return StoriesPage.respond(request, slug)


@dataclass(frozen=True, slots=True)
class StoriesPage(ImportPage):
    """The page of one file of stories."""

    purpose = "stories"
    address = "corpus:import_stories"
    back = "corpus:stories"
    ask_template = "corpus/import.html"
    preview_template = "corpus/import_preview.html"
    form = UploadForm

    def run(self, upload: Upload, *, dry_run: bool) -> ImportResult:
        """Read the one file as stories."""
        ((name, data),) = upload.read()
        reading = read_stories(data, name=name, columns=upload.columns.get("0"))
        return services.import_stories(
            actor=self.user, project=self.project, reading=reading, dry_run=dry_run
        )

    def tables(self, upload: Upload, data: QueryDict | None = None) -> Tables:
        """The columns of the one file, where it is a table."""
        ((name, file),) = upload.read()
        columns, chosen = story_columns(file), upload.columns.get("0")
        if not columns:
            return {}
        form = ColumnsForm(data, name=name, number=0, columns=columns, fields=STORY_FIELDS, chosen=chosen)
        return {"0": form}

    def imported(self) -> None:
        """Look for stories that are nearly the same."""
        dispatch(SEARCH, self.project.pk)  # which the import has ordered
