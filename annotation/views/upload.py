"""The import of items: upload, look at every row, then confirm."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_http_methods

from annotation.forms import UploadForm
from annotation.queries.item import type_codes
from annotation.services import import_items_as
from corpus.outcome import ImportResult
from corpus.services import LARGEST_UPLOAD, Upload
from corpus.upload import ColumnsForm, ImportPage, Tables
from parable.formats import AUTO, ITEM_TABLE_FIELDS, TABLE, item_columns, read_items, story_columns
from parable.formats.tables import Column
from web.files import takes_files


@takes_files(LARGEST_UPLOAD)
@login_required
@require_http_methods(["GET", "POST"])
def import_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Upload files; look at what would become of each row; confirm or forget them."""
    return ItemsPage.respond(request, slug)


@dataclass(frozen=True, slots=True)
class ItemsPage(ImportPage):
    """The page of a few files of items."""

    purpose = "items"
    address = "annotation:import_items"
    back = "annotation:items"
    ask_template = "annotation/import.html"
    preview_template = "annotation/import_preview.html"
    form = UploadForm

    def run(self, upload: Upload, *, dry_run: bool) -> ImportResult:
        """Read the files as items, as was chosen with them."""
        codes, chosen, said = type_codes(self.project), upload.columns, upload.options
        return import_items_as(
            actor=self.user,
            project=self.project,
            readings=[
                read_items(
                    data, name=name, format=said["format"], types=codes, columns=chosen.get(str(number))
                )
                for number, (name, data) in enumerate(upload.read())
            ],
            state=said["state"],
            writer_name=said["writer"],
            dry_run=dry_run,
        )

    def tables(self, upload: Upload, data: QueryDict | None = None) -> Tables:
        """The columns of each file that is a table."""
        if upload.options["format"] not in {AUTO, TABLE}:
            return {}
        forms = {}
        for number, (name, file) in enumerate(upload.read()):
            if columns := item_columns(file):
                chosen = upload.columns.get(str(number))
                forms[str(number)] = ColumnsForm(
                    data, name=name, number=number, columns=columns, fields=ITEM_TABLE_FIELDS, chosen=chosen
                )
        return forms

    def remarks(self, upload: Upload) -> Mapping[str, bool]:
        """Stories brought as items are told where they belong."""
        return {"are_stories": _looks_like_stories(upload)}


def _looks_like_stories(upload: Upload) -> bool:
    """Whether each file is a table with the text of stories and without a stem."""

    def filled(columns: tuple[Column, ...]) -> set[str]:
        return {column.field for column in columns}

    return all(
        "text" in filled(story_columns(data)) and "question" not in filled(item_columns(data))
        for _name, data in upload.read()
    )
