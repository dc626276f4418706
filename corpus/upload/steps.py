"""The pages of an import in the browser: uploading files, previewing all rows, and confirming.

A worker reads and imports the files.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable
from core.numbers import whole_number
from corpus import services
from corpus.models import SavedMapping, Upload, UploadState
from corpus.outcome import OUTCOMES, Preview
from corpus.queries import get_mapping, last_search, saved_mappings, suggestions
from corpus.upload.columns import SAVE_AS, ColumnsForm
from jobs.hooks import dispatch
from jobs.queries import job_of
from parable.quality.kinds.names import check_name
from projects.models import Project
from projects.page import managed_project
from web.requests import signed_in

ROWS_ON_A_PAGE: Final = 50


def sheet_field() -> forms.CharField:
    """Return a form field for the sheet of a spreadsheet or the configuration of a data set."""
    return forms.CharField(
        label=gettext_lazy("Sheet or configuration"),
        max_length=100,
        required=False,
        help_text=gettext_lazy(
            "For a spreadsheet, or a data set of the Hugging Face Hub. If empty, the first sheet with known"
            " columns or the default configuration is read; the preview names it."
        ),
    )


class UploadForm(forms.Form):
    """Base class of forms to upload files, with options for reading them."""

    sheet = sheet_field()

    def files_sent(self) -> list[tuple[str, Any]]:
        """Return the posted files as pairs (name, file)."""
        return [(file.name, file) for file in self.cleaned_data["file"]]

    def options(self) -> Mapping[str, str]:
        """Return the options for reading the files, by name."""
        return {"sheet": sheet} if (sheet := self.cleaned_data["sheet"]) else {}


@dataclass(frozen=True, slots=True)
class ImportPage:
    """Base class of import pages; an instance handles one request. Subclasses define what is imported."""

    request: HttpRequest
    user: User
    project: Project

    purpose: ClassVar[str]
    """The purpose of uploads, "stories" or "items"; also the section of the site."""
    address: ClassVar[str]
    """The route name of the page; `back` is the route name of the list it returns to."""
    back: ClassVar[str]
    ask_template: ClassVar[str]
    preview_template: ClassVar[str]
    form: ClassVar[type[UploadForm]]
    reading_form: ClassVar[type[forms.Form] | None] = None
    """The form of reading options that can be changed after the files have been read."""

    @classmethod
    def respond(cls, request: HttpRequest, slug: str) -> HttpResponse:
        """Show the form to upload files or the preview of an upload; POST uploads, imports or discards files.

        Only managers may.
        """
        page = cls(request, signed_in(request), managed_project(request, slug))
        if request.method == "POST":
            return page._act(page._find(request.POST["upload"])) if "upload" in request.POST else page._keep()
        return page._look(page._find(request.GET["upload"])) if "upload" in request.GET else page._ask()

    def _find(self, token: str) -> Upload:
        return services.find_upload(actor=self.user, project=self.project, purpose=self.purpose, token=token)

    def _own_address(self, upload: Upload | None = None) -> str:
        address = reverse(self.address, args=[self.project.slug])
        return f"{address}?upload={upload.token}" if upload else address

    def _render(self, template: str, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
        about = {
            "project": self.project,
            "section": self.purpose,
            "import_url": self._own_address(),
            "back_url": reverse(self.back, args=[self.project.slug]),
        }
        return render(self.request, template, {**about, **context}, status=status)

    def _ask(self, form: UploadForm | None = None) -> HttpResponse:
        megabytes = services.LARGEST_UPLOAD // 2**20
        language = "zh" if (get_language() or "").startswith("zh") else "en"
        example = f"example/{self.purpose}.{language}.csv"
        context = {"form": form or self.form(), "megabytes": megabytes, "example": example}
        return self._render(self.ask_template, context, status=400 if form else 200)

    def _keep(self) -> HttpResponse:
        form = self.form(self.request.POST, self.request.FILES)
        if not form.is_valid():
            return self._ask(form)
        try:
            upload = services.keep_upload(
                actor=self.user,
                project=self.project,
                purpose=self.purpose,
                files=form.files_sent(),
                options=form.options(),
            )
        except Unusable as refused:
            form.add_error("file", str(refused))
            return self._ask(form)
        dispatch(services.previewing(self.purpose), upload.pk)
        return redirect(self._own_address(upload))

    def _act(self, upload: Upload) -> HttpResponse:
        """Perform the posted action on an upload: discard, choose columns, retry, show keys or import."""
        asked = self.request.POST
        if "forget" in asked:
            services.drop_upload(actor=self.user, upload=upload)
            return redirect(self._own_address())
        if "columns" in asked and upload.state == UploadState.READY:
            return self._choose(upload)
        if "mapping" in asked and upload.state == UploadState.READY:
            return self._use_saved(upload)
        if "delete_mapping" in asked:
            services.delete_mapping(actor=self.user, mapping=self._saved(asked["delete_mapping"]))
            messages.success(self.request, _("The saved mapping is deleted."))
        if "again" in asked:
            services.retry_upload(actor=self.user, upload=upload)
            dispatch(services.previewing(self.purpose), upload.pk)
        elif "keys" in asked:
            services.show_keys(actor=self.user, upload=upload)
        elif upload.state == UploadState.READY and services.find_preview(upload).changes_anything:
            services.order_import(actor=self.user, upload=upload)
            dispatch(services.importing(self.purpose), upload.pk)
        return redirect(self._own_address(upload))

    def _choose(self, upload: Upload) -> HttpResponse:
        preview = services.find_preview(upload)
        tables = _tables(upload, preview, self.request.POST)
        reading = self._reading_form(upload, self.request.POST)
        if not all(form.is_valid() for form in (*tables.values(), *([reading] if reading else []))):
            return self._show(upload, preview, tables)
        self._save_named(tables)
        columns = {number: form.chosen() for number, form in tables.items()}
        options = reading.cleaned_data if reading else {}
        if options.get("sheet", "") != upload.options.get("sheet", ""):
            columns = {}  # the posted columns are those of the sheet that was read before
        services.choose_columns(actor=self.user, upload=upload, columns=columns, options=options)
        dispatch(services.previewing(self.purpose), upload.pk)
        return redirect(self._own_address(upload))

    def _use_saved(self, upload: Upload) -> HttpResponse:
        """Order a new preview that reads one file by a saved mapping, and the other files as before."""
        number, _sign, pk = self.request.POST["mapping"].partition(":")
        columns = {**upload.columns, number: self._saved(pk).columns}
        if number in services.find_preview(upload).about["tables"]:
            services.choose_columns(actor=self.user, upload=upload, columns=columns)
            dispatch(services.previewing(self.purpose), upload.pk)
        return redirect(self._own_address(upload))

    def _saved(self, pk: str) -> SavedMapping:
        return get_mapping(project=self.project, purpose=self.purpose, pk=whole_number(pk))

    def _save_named(self, tables: Mapping[str, ColumnsForm]) -> None:
        """Save the mapping of each file for which the user entered a name."""
        for form in tables.values():
            if name := form.cleaned_data[SAVE_AS].strip():
                services.save_mapping(
                    actor=self.user,
                    project=self.project,
                    purpose=self.purpose,
                    name=name,
                    columns=form.chosen(),
                )
                messages.success(self.request, _("The columns are saved as “%(name)s”.") % {"name": name})

    def _reading_form(self, upload: Upload, data: QueryDict | None = None) -> forms.Form | None:
        return None if self.reading_form is None else self.reading_form(data, initial=upload.options)

    def _look(self, upload: Upload) -> HttpResponse:
        if upload.state == UploadState.READY:
            preview = services.find_preview(upload)
            response = self._show(upload, preview, _tables(upload, preview))
        else:
            kinds = services.previewing(self.purpose), services.importing(self.purpose)
            works = filter(None, (job_of(kind, upload.pk) for kind in kinds))
            context: dict[str, object] = {
                "upload": upload,
                "work": max(works, key=lambda work: work.pk, default=None),
            }
            if upload.state == UploadState.DONE:
                context["search"] = last_search(self.project)
                context["suggested"] = len(suggestions(self.project))
            response = self._render("corpus/import_state.html", context)
        if self.request.headers.get("HX-Request") and not upload.is_at_work:
            response.headers["HX-Refresh"] = "true"
        return response

    def _show(self, upload: Upload, preview: Preview, tables: Mapping[str, ColumnsForm]) -> HttpResponse:
        asked = self.request.GET
        outcome = asked.get("outcome", "")
        outcome = outcome if outcome in OUTCOMES else ""
        saved = list(saved_mappings(self.project, self.purpose)) if tables else []
        for form in tables.values():  # the saved mappings whose columns the file all has
            form.saved = [one for one in saved if one.fits([column.name for column in form.columns])]
        context = {
            "upload": upload,
            "result": preview,
            "counts": preview.counts,
            "outcome": outcome,
            "hidden": preview.hidden(outcome),
            "columns": list(tables.values()),
            "reading": self._reading_form(upload),
            "has_all_columns": not any(form.missing for form in tables.values()),
            "checks": [(_(check_name(check)), items) for check, items in preview.checks.items()],
            "page_obj": Paginator(preview.rows_of(outcome), ROWS_ON_A_PAGE).get_page(asked.get("page")),
        }
        is_wrong = any(form.errors for form in tables.values())
        return self._render(self.preview_template, context, status=400 if is_wrong else 200)


def _tables(upload: Upload, preview: Preview, data: QueryDict | None = None) -> dict[str, ColumnsForm]:
    """Return the form for the columns of each file by the number of the file."""
    return {
        number: ColumnsForm(data, number=number, table=table, chosen=upload.columns.get(number))
        for number, table in preview.about["tables"].items()
    }
