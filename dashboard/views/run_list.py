"""Page of the list of runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from accounts.models import User
from annotation.services import record_table_taken_out
from dashboard.models import Verb
from dashboard.queries.run_list import RUNS, runs_able, runs_asked, runs_listing
from dashboard.views.list_page import EXPORT, ListPage
from evaluation.models import ExamineeKind, ReadingKind, Run
from evaluation.queries.run import Tally, measurable_releases, runs, tallies
from evaluation.resources import RunResource
from jobs.models import JobState
from projects.models import Project
from projects.permissions import Permission
from web.long_list import Action, Asked, Page, marked

TONES: Final = {JobState.DONE: "good", JobState.FAILED: "wrong", JobState.PAUSED: "careful"}
VERBS: Final = (Verb.PAUSE, Verb.RESUME, Verb.RETRY, Verb.CANCEL)
ACTIONS: Final = (
    Action(
        Verb.RETRY,
        gettext_lazy("Retry failed calls"),
        title=ngettext_lazy("Retry failed calls of %(n)d run", "Retry failed calls of %(n)d runs", "n"),
        note=gettext_lazy("The calls are sent again and paid from each run's budget. You cannot undo this."),
        left_out=ngettext_lazy(
            "%(n)s selected run is left out: it has no failed calls.",
            "%(n)s selected runs are left out: they have no failed calls.",
            "n",
        ),
        done=ngettext_lazy(
            "Failed calls of %(n)s run are sent again.", "Failed calls of %(n)s runs are sent again.", "n"
        ),
        key="r",
        is_final=True,
    ),
    Action(
        EXPORT,
        gettext_lazy("Export"),
        title=ngettext_lazy("Export %(n)d run", "Export %(n)d runs", "n"),
        note=gettext_lazy("Settings and counts of each run. Its answers are on its own page."),
        for_all=True,
    ),
    Action(
        Verb.PAUSE,
        gettext_lazy("Pause"),
        done=ngettext_lazy("%(n)s run paused.", "%(n)s runs paused.", "n"),
        at_once=True,
    ),
    Action(
        Verb.RESUME,
        gettext_lazy("Resume"),
        done=ngettext_lazy("%(n)s run resumed.", "%(n)s runs resumed.", "n"),
        at_once=True,
    ),
    Action(
        Verb.CANCEL,
        gettext_lazy("Cancel"),
        title=ngettext_lazy("Cancel %(n)d run", "Cancel %(n)d runs", "n"),
        note=gettext_lazy("Answers that have arrived are kept. You cannot undo this."),
        left_out=ngettext_lazy(
            "%(n)s selected run is left out: it has ended.",
            "%(n)s selected runs are left out: they have ended.",
            "n",
        ),
        done=ngettext_lazy("%(n)s run cancelled.", "%(n)s runs cancelled.", "n"),
        is_final=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One run in the list: its state, and the number of received and of correct responses."""

    run: Run
    name: SafeString
    route: str
    tally: Tally
    state: str
    tone: str
    can: str

    @property
    def came(self) -> int:
        """The number of responses that have been received."""
        return self.tally.asked - self.tally.waiting - self.tally.readings[ReadingKind.FAILED]

    @property
    def percent(self) -> float | None:
        """The accuracy in percent, or None while responses are missing."""
        return None if self.tally.accuracy is None else 100 * self.tally.accuracy


def _context(_request: HttpRequest, project: Project, asked: Asked, page: Page) -> dict[str, object]:
    found = runs(project).in_bulk(page.pks)
    here = [found[pk] for pk in page.pks if pk in found]
    counted = tallies(here)
    able = {
        verb: set(runs_able(project, verb).filter(pk__in=page.pks).values_list("pk", flat=True))
        for verb in VERBS
    }
    rows = [
        Row(
            run=run,
            name=marked(run.examinee.name, asked.terms),
            route="evaluation:panel" if run.examinee.kind == ExamineeKind.PANEL else "evaluation:run",
            tally=counted[run.pk],
            state=run.job.get_state_display() if run.job else run.examinee.get_kind_display(),
            tone=TONES.get(JobState(run.job.state), "") if run.job else "",
            can=" ".join(verb for verb, those in able.items() if run.pk in those),
        )
        for run in here
    ]
    return {"rows": rows, "has_release": measurable_releases(project).exists()}


def _tabs(_held: Permission) -> list[tuple[str, str]]:
    return [
        (_("All"), ""),
        (_("Running"), "state=pending&state=running&state=paused"),
        (_("Failed"), "state=failed"),
        (_("Panels"), "kind=panel"),
    ]


def _record(*, actor: User, project: Project, kind: str, rows: Sequence[int]) -> None:
    record_table_taken_out(actor=actor, project=project, table=RUNS, kind=kind)


RUN_LIST: Final = ListPage(
    RUNS,
    listing=lambda _user, project: runs_listing(project),
    asked=runs_asked,
    context=_context,
    tabs=_tabs,
    actions=ACTIONS,
    resource=RunResource,
    label=gettext_lazy("Runs"),
    record=_record,
    permission=Permission.SEE_RESULTS,
)
