"""An import in the browser: upload, look at every row, then confirm."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, ClassVar, Final, TypeAlias

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Conflict, Unusable
from corpus.outcome import FATES, ImportResult, Preview, preview_of
from corpus.services import (
    LARGEST_UPLOAD,
    Upload,
    choose_columns,
    drop_upload,
    find_preview,
    find_upload,
    keep_preview,
    keep_upload,
)
from corpus.upload.columns import ColumnsForm
from projects.models import Project
from projects.page import managed_project
from web.requests import signed_in

ROWS_ON_A_PAGE: Final = 50
_READING: Final = Lock()
Tables: TypeAlias = Mapping[str, ColumnsForm]
"""By the number of a file, the choice of columns where it is a table."""


@contextmanager
def _alone(upload: Upload) -> Iterator[None]:
    """Read a large upload while this process reads no other; raises `Conflict` where it does."""
    if not upload.is_large:
        yield
        return
    if not _READING.acquire(blocking=False):
        raise Conflict(_("Another large file is being read. Your upload is kept; try again in a minute."))
    try:
        yield
    finally:
        _READING.release()


class UploadForm(forms.Form):
    """Files, and what else is said with them; each kind of import has its own."""

    def files_sent(self) -> list[tuple[str, Any]]:
        """The files that were sent, by name."""
        raise NotImplementedError

    def options(self) -> Mapping[str, str]:
        """What else was said."""
        return {}


@dataclass(frozen=True, slots=True)
class ImportPage(ABC):
    """One visit to an import's page. Subclasses say what is imported, and read the files."""

    request: HttpRequest
    user: User
    project: Project

    purpose: ClassVar[str]
    """Which uploads are meant, and the part of the site that the page belongs to: stories, items."""
    address: ClassVar[str]
    """The name of the page's own address; `back` is that of the list it leads to."""
    back: ClassVar[str]
    ask_template: ClassVar[str]
    preview_template: ClassVar[str]
    form: ClassVar[type[UploadForm]]

    @classmethod
    def respond(cls, request: HttpRequest, slug: str) -> HttpResponse:
        """Upload; look at what would become of each row; confirm or forget it. For managers."""
        page = cls(request, signed_in(request), managed_project(request, slug))
        if request.method == "POST":
            if "columns" in request.POST:
                return page._choose(request.POST.get("upload", ""))
            return page._finish(request.POST["upload"]) if "upload" in request.POST else page._keep()
        return page._preview(request.GET["upload"]) if "upload" in request.GET else page._ask(cls.form())

    @abstractmethod
    def run(self, upload: Upload, *, dry_run: bool) -> ImportResult:
        """Import the upload, or find out what would become of it."""

    @abstractmethod
    def tables(self, upload: Upload, data: QueryDict | None = None) -> Tables:
        """A choice of columns for each file that is a table."""

    def remarks(self, upload: Upload) -> Mapping[str, Any]:
        """What else the preview says of the upload."""
        return {}

    def imported(self) -> None:  # noqa: B027 - for most imports nothing follows
        """What is to follow an import."""

    def _own_address(self, token: str = "") -> str:
        address = reverse(self.address, args=[self.project.slug])
        return f"{address}?upload={token}" if token else address

    def _ask(self, form: UploadForm) -> HttpResponse:
        context = {
            "project": self.project,
            "section": self.purpose,
            "form": form,
            "megabytes": LARGEST_UPLOAD // 2**20,
        }
        return render(self.request, self.ask_template, context, status=400 if form.errors else 200)

    def _keep(self) -> HttpResponse:
        form = self.form(self.request.POST, self.request.FILES)
        if not form.is_valid():
            return self._ask(form)
        try:
            token = keep_upload(
                actor=self.user,
                project=self.project,
                purpose=self.purpose,
                files=form.files_sent(),
                options=form.options(),
            )
        except Unusable as refused:
            form.add_error("file", str(refused))
            return self._ask(form)
        return redirect(self._own_address(token))

    def _find(self, token: str) -> Upload:
        return find_upload(actor=self.user, project=self.project, purpose=self.purpose, token=token)

    def _drop(self, token: str) -> None:
        drop_upload(actor=self.user, project=self.project, purpose=self.purpose, token=token)

    def _choose(self, token: str) -> HttpResponse:
        upload = self._find(token)
        tables = self.tables(upload, self.request.POST)
        if any(form.errors for form in tables.values()):
            return self._show(upload, tables)
        columns = {number: form.chosen() for number, form in tables.items()}
        choose_columns(actor=self.user, project=self.project, upload=upload, columns=columns)
        return redirect(self._own_address(token))

    def _preview(self, token: str) -> HttpResponse:
        upload = self._find(token)
        return self._show(upload, self.tables(upload))

    def _rows(self, upload: Upload) -> Preview:
        """Found out afresh on the first page, and kept for the others."""
        kept = find_preview(upload) if {"page", "fate"} & self.request.GET.keys() else None
        if kept is None:
            with _alone(upload):
                kept = preview_of(self.run(upload, dry_run=True))
            keep_preview(upload=upload, preview=kept)
        return kept

    def _show(self, upload: Upload, tables: Tables) -> HttpResponse:
        result, asked = self._rows(upload), self.request.GET
        fate = asked.get("fate", "")
        fate = fate if fate in FATES else ""
        context = {
            "project": self.project,
            "section": self.purpose,
            "import_url": self._own_address(),
            "result": result,
            "counts": result.counts,
            "fate": fate,
            "hidden": result.hidden(fate),
            "token": upload.token,
            "columns": list(tables.values()),
            "page_obj": Paginator(result.rows_of(fate), ROWS_ON_A_PAGE).get_page(asked.get("page")),
            **self.remarks(upload),
        }
        status = 400 if any(form.errors for form in tables.values()) else 200
        return render(self.request, self.preview_template, context, status=status)

    def _finish(self, token: str) -> HttpResponse:
        if "forget" in self.request.POST:
            self._drop(token)
            messages.info(self.request, _("The upload is forgotten; nothing was imported."))
            return redirect(self._own_address())
        upload = self._find(token)
        with _alone(upload):
            result = self.run(upload, dry_run=False)
        if result.is_broken:
            messages.error(self.request, _("Nothing was imported: something has changed since you looked."))
            return redirect(self._own_address(token))
        self._drop(token)
        self.imported()
        messages.success(self.request, _("Imported: %(created)d new, %(changed)d changed.") % result.counts())
        return redirect(self.back, self.project.slug)
