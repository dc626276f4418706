"""Pages and files that compare results with a paper's published figures."""

from collections.abc import Sequence

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from core.errors import Unusable
from evaluation import services
from evaluation.forms import PublishedForm
from evaluation.models import ResultTables
from evaluation.page import figures_template, published_file, reader_language
from evaluation.queries.replication import comparison, items_of_cells, published_beside
from evaluation.queries.run import get_results
from evaluation.views.result import NAMES, TableView, items_address, table_view
from parable.psychometrics.results.papers import PAPERS
from parable.psychometrics.results.replication import Compared, folded, replication_table
from projects.models import Project
from projects.page import project_page
from projects.permissions import Permission
from web.files import takes_files
from web.forms import put_errors
from web.requests import MemberRequest


@takes_files(services.LARGEST_FIGURES)
@project_page(Permission.SEE_RESULTS, change=Permission.CHANGE_RESULTS)
@require_http_methods(["GET", "POST"])
def show(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Show the published figures beside our results; POST uploads published figures."""
    results = _results(request, project, pk)
    is_sent = request.method == "POST"
    if is_sent and "paper" in request.POST:
        services.keep_paper(actor=request.user, results=results, paper=request.POST["paper"])
        return redirect("evaluation:replication", project.slug, pk)
    published = published_beside(results)
    first = {"source": published.source} if published else None
    form = PublishedForm(request.POST if is_sent else None, request.FILES if is_sent else None, initial=first)
    if is_sent and form.is_valid():
        try:
            sent = form.cleaned_data["file"]
            services.keep_figures(
                actor=request.user,
                results=results,
                name=sent.name,
                data=sent.read(),
                source=form.cleaned_data["source"],
            )
        except Unusable as error:
            put_errors(form, error)
        else:
            return redirect("evaluation:replication", project.slug, pk)
    compared = comparison(results, published) if published else []
    language = reader_language()
    context = {
        "project": results.release.project,
        "section": "evaluation",
        "results": results,
        "form": form,
        "papers": PAPERS.values(),
        "published": published,
        "table": _shown(results, compared, language) if compared else None,
        "endings": [(ending, NAMES[ending]) for ending in NAMES],
        "language": language,
    }
    return render(request, "evaluation/replication.html", context, status=400 if is_sent else 200)


def _shown(results: ResultTables, compared: Sequence[Compared], language: str) -> TableView:
    """Return the comparison as a table view in which our figures link to the items behind them."""
    table = replication_table(compared)
    view, ours = table_view(table, language), table.column("ours")
    behind = {folded(key): cell for key, cell in items_of_cells(results).items()}
    for row, one in zip(view.rows, compared, strict=True):
        cell = behind.get(folded(one.published.key))
        if cell is not None:
            row[ours] = row[ours][0], items_address(results, cell)
    return view


def _results(request: MemberRequest, project: Project, pk: int) -> ResultTables:
    return get_results(user=request.user, project=project, pk=pk)


@project_page(Permission.SEE_RESULTS)
@require_GET
def template(request: MemberRequest, project: Project, pk: int) -> HttpResponse:
    """Return a CSV template with a row for each cell of these results, for published figures."""
    return figures_template(_results(request, project, pk))


@project_page(Permission.SEE_RESULTS)
@require_GET
def download(request: MemberRequest, project: Project, pk: int, ending: str) -> HttpResponse:
    """Return the comparison as a file in the current language."""
    return published_file(_results(request, project, pk), ending)
