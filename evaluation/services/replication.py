"""Services that store published figures for comparison with result tables."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable, require
from evaluation.models import PublishedFigures, ResultTables
from evaluation.permissions import may_change_results
from parable.formats.errors import FILE, SENTENCES, RowError
from parable.formats.published_figures import read_figures
from parable.psychometrics.results.papers import PAPERS
from parable.psychometrics.results.replication import Published

LARGEST_FIGURES: Final = 1_000_000
"""The maximum size of a file of published figures, in bytes."""
SHOWN: Final = 5
"""The maximum number of errors in a file that are reported."""


@transaction.atomic
def keep_figures(
    *, actor: User, results: ResultTables, name: str, data: bytes, source: str = ""
) -> PublishedFigures:
    """Store the figures of a CSV file, replacing any earlier figures. Managers only.

    Raise `Unusable` if the file cannot be read or has no figures.
    """
    require(may_change_results(actor, results.release.project))
    figures, errors = read_figures(data, name)
    if errors:
        raise Unusable(" ".join(map(_sentence, errors[:SHOWN])), "file")
    if not figures:
        raise Unusable(_("The column “published” is empty."), "file")
    return _keep(actor, results, name=name, source=source, figures=figures)


@transaction.atomic
def keep_paper(*, actor: User, results: ResultTables, paper: str) -> PublishedFigures:
    """Store the figures of a bundled paper, replacing any earlier figures. Managers only.

    Raise `Unusable` if there is no such paper.
    """
    require(may_change_results(actor, results.release.project))
    if paper not in PAPERS:
        raise Unusable(_("No figures of this paper are known."))
    known = PAPERS[paper]
    return _keep(actor, results, name=known.name, source=known.source, figures=known.figures)


def _keep(
    actor: User, results: ResultTables, *, name: str, source: str, figures: Iterable[Published]
) -> PublishedFigures:
    values = {
        "name": name[:255],
        "source": source[:300],
        "figures": [asdict(one) for one in figures],
        "made_by": actor,
    }
    return PublishedFigures.objects.update_or_create(results=results, defaults=values)[0]


def _sentence(error: RowError) -> str:
    message = _(SENTENCES[error.code]) % error.params
    if error.field == FILE:
        return message
    return _("Row %(row)d, %(field)s: %(error)s") % {"row": error.row, "field": error.field, "error": message}
