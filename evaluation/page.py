"""Files and texts of results and responses, for their pages and for the programming interface."""

import json
from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Hidden
from evaluation.models import ResponseFile, ResultTables, Run
from evaluation.queries.replication import cells, comparison, published_beside
from evaluation.queries.response import response_lines
from evaluation.queries.result_item import runs_of
from evaluation.queries.run import has_models, items_in
from parable.commands.results.files import ENDINGS, TYPES, one_file
from parable.formats.errors import FILE, SENTENCES
from parable.formats.published_figures import write_figures
from parable.formats.zip_parts import zip_parts
from parable.psychometrics.results.replication import replication_table
from parable.psychometrics.results.tables import Table
from parable.sentences import LANGUAGES
from release.services import record_released_key_exposures
from web.charts import svg_response


def reader_language() -> str:
    """Return the language for result tables: "zh" or "en"."""
    return "zh" if (get_language() or "").startswith("zh") else "en"


def stored_table(results: ResultTables, code: str) -> Table:
    """Return one of the computed tables. Raise `Hidden` if there is none with this code."""
    stored = next((kept for kept in results.tables if kept["code"] == code), None)
    if stored is None:
        raise Hidden(_("Results not found."))
    return Table.from_json(stored)


def table_file(
    results: ResultTables, code: str, ending: str, *, language: str = "", is_download: bool = True
) -> HttpResponse:
    """Return one table as a file, in this language or else in the current one.

    Raise `Hidden` for an unknown table or format.
    """
    table = stored_table(results, code)
    if ending not in ENDINGS:
        raise Hidden(_("Results not found."))
    content = one_file(table, ending, language if language in LANGUAGES else reader_language())
    response = svg_response(content) if ending == "svg" else HttpResponse(content, content_type=TYPES[ending])
    if is_download:
        name = f"{results.release.project.slug}-{results.release.version}-{code}.{ending}"
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def records_file(actor: User, results: ResultTables) -> StreamingHttpResponse:
    """Return the models' responses as a ZIP archive of Every Eval Ever records, streamed.

    The records contain keys, which the actor has then seen. Raise `Hidden` if nothing is computed, or if no
    model was evaluated.
    """
    # NumPy and SciPy take seconds to load, and few pages need them.
    from evaluation.queries.result import records_of

    runs = list(runs_of(results))
    if results.counted_at is None or not has_models(runs):
        raise Hidden(_("Results not found."))
    files = records_of(results, runs)
    record_released_key_exposures(actor=actor, released=items_in(results.release, results.split))
    response = StreamingHttpResponse(zip_parts(files), content_type="application/zip")
    name = f"{results.release.project.slug}-{results.release.version}-every-eval-ever.zip"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def published_file(results: ResultTables, ending: str) -> HttpResponse:
    """Return the comparison with published figures as a file in the current language.

    Raise `Hidden` for an unknown format, or if there are no published figures.
    """
    table = replication_table(comparison(results, published_beside(results)))
    if ending not in ENDINGS:
        raise Hidden
    return _attached(one_file(table, ending, reader_language()), results, "published", ending)


def figures_template(results: ResultTables) -> HttpResponse:
    """Return a CSV template with a row for each cell of these results, for published figures."""
    return _attached(write_figures(cells(results)), results, "figures", "csv")


def _attached(content: bytes, results: ResultTables, what: str, ending: str) -> HttpResponse:
    name = f"{results.release.project.slug}-{results.release.version}-{what}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=TYPES[ending], headers=headers)


def responses_file(run: Run) -> StreamingHttpResponse:
    """Return the responses of a run as JSON lines, streamed, without keys."""
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in response_lines(run))
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8")
    name = f"responses-{run.release.project.slug}-{run.release.version}-{run.pk}.jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def file_problems(file: ResponseFile) -> Iterator[dict[str, object]]:
    """Yield the errors in a refused file: row, or None for the whole file, field and message."""
    for one in file.problems:
        yield {
            "row": None if one["field"] == FILE else one["row"],
            "field": one["field"],
            "message": _(SENTENCES[one["code"]]) % one["params"],
        }
