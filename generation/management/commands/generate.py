"""The command `manage.py generate`, which orders a batch of model calls."""

import time
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import User
from core.errors import Conflict, Unusable
from corpus.models import Story
from corpus.queries import stories
from generation import services
from generation.models import Batch, Candidate
from generation.queries.batch import GENERATE, templates
from jobs import hooks
from jobs.errors import sentence
from jobs.job_types import Stopped
from jobs.models import CallState, JobState
from jobs.queries import endpoints, is_at_work, is_over, progress
from jobs.services import sweep_orphans, wake_calls
from projects.management.base import ProjectCommand
from projects.models import Project
from web.commands import ANSWER_IS_NO, DONE, Report

LONGEST_NAP: Final = 30.0
# How often to check, while workers run the last calls, whether the job is over, and whether calls are lost.
LOOK_SECONDS: Final = 0.5
SWEEP_SECONDS: Final = 5.0


class Command(ProjectCommand):
    """Orders a batch and saves its calls; with `--wait`, also runs them."""

    purpose = gettext_lazy(
        "Ask a model for candidates: a prompt template over stories. Calls already made"
        " are not repeated. Without --wait the site's workers do the work."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options for templates, endpoints, stories and budget of the batch."""
        super().add_arguments(parser)
        parser.add_argument("--template", required=True, metavar="NAME", help=_("name of a prompt template"))
        parser.add_argument("--generator", required=True, metavar="NAME", help=_("name of an endpoint"))
        parser.add_argument(
            "--stories", nargs="+", metavar="ID", help=_("story IDs; default: all stories of the project")
        )
        parser.add_argument("--budget", metavar="AMOUNT", help=_("spending limit in the project's currency"))
        parser.add_argument(
            "--wait", action="store_true", help=_("do the work in this process and report the result")
        )

    def act_on(self, project: Project, actor: User, options: Mapping[str, Any]) -> Report:
        """Create the batch with its calls, then dispatch the calls or, with `--wait`, run them here."""
        name = options["template"]
        template = templates(project).filter(name=name).first()
        if template is None:
            raise Unusable(_("There is no prompt template “%(name)s” in this project.") % {"name": name})
        chosen = _stories(project, options["stories"])
        endpoint = endpoints(project).filter(name=options["generator"]).first()
        if endpoint is None:
            text = _("There is no endpoint “%(name)s” in this project.")
            raise Unusable(text % {"name": options["generator"]})
        batch = services.order_batch(
            actor=actor,
            project=project,
            stories=[story.pk for story in chosen],
            templates=[template],
            endpoints=[endpoint],
            budget=_budget(options["budget"]),
        )
        try:
            waiting = services.prepare_batch(job_id=batch.job_id)
        except Stopped as stopped:
            raise Conflict(sentence(stopped.code)) from stopped
        if options["wait"]:
            work_off(batch.job_id, waiting)
        else:
            hooks.dispatch_calls(GENERATE, waiting)
        batch = Batch.objects.select_related("job__project").get(pk=batch.pk)
        return _report(batch, waited=options["wait"])


def _stories(project: Project, refs: Sequence[str] | None) -> list[Story]:
    found = stories(project)
    if refs is None:
        return list(found)
    known = {story.ref: story for story in found.filter(ref__in=refs)}
    missing = [ref for ref in refs if ref not in known]
    if missing:
        raise Unusable(_("There is no story “%(id)s” in this project.") % {"id": missing[0]})
    return [known[ref] for ref in dict.fromkeys(refs)]


def _budget(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount < 10**8:
        raise Unusable(_("--budget must be an amount such as 12.50, not “%(text)s”.") % {"text": text})
    return amount


def work_off(job_id: int, waiting: Sequence[int]) -> None:
    """Run the calls of a job one after the other in this process, until the job is over or paused.

    Workers may run some of the calls at the same time; this function waits for these calls, too.
    """
    due, swept = dict.fromkeys(waiting, 0.0), time.monotonic()
    while due or is_at_work(job_id):
        if not due:
            time.sleep(LOOK_SECONDS)
            if time.monotonic() - swept > SWEEP_SECONDS:
                swept = time.monotonic()
                due.update(dict.fromkeys(_found_lost(), 0.0))
            continue
        call_id = min(due, key=lambda one: due[one])
        time.sleep(min(LONGEST_NAP, max(0.0, due.pop(call_id) - time.monotonic())))
        ran = services.run_call(call_id=call_id)
        if ran.again_in is not None:
            due[call_id] = time.monotonic() + ran.again_in
        if ran.job_id is not None:
            due.update(dict.fromkeys(wake_calls(job_id=ran.job_id), 0.0))


def _found_lost() -> list[int]:
    """Return the ids of the generation calls that a worker lost. Dispatch lost calls of other kinds."""
    ours: list[int] = []
    for kind, call_ids in sweep_orphans():
        if kind == GENERATE:
            ours += call_ids
        else:
            hooks.dispatch_calls(kind, call_ids)
    return ours


def _report(batch: Batch, *, waited: bool) -> Report:
    job = batch.job
    seen = progress(job)
    candidates = Candidate.objects.filter(call__job=job).count()
    asked = ngettext("%(n)d call, %(before)d made before", "%(n)d calls, %(before)d made before", seen.total)
    lines = [asked % {"n": seen.total, "before": batch.already_asked}]
    if waited:
        came = _("%(candidates)d candidates, cost %(cost)s %(currency)s")
        currency = job.own_project.currency
        lines.append(came % {"candidates": candidates, "cost": seen.cost, "currency": currency})
    ended_well, verdict = not waited or (job.state == JobState.DONE and not seen.failed), ""
    if not ended_well:
        failed = ngettext("%(n)d call failed.", "%(n)d calls failed.", seen.failed)
        verdict = sentence(job.reason) if job.reason else failed % {"n": seen.failed}
    return Report(
        lines=tuple(lines),
        data={
            "job": job.pk,
            "state": job.state,
            "calls": seen.total,
            "already_asked": batch.already_asked,
            "by_state": {str(CallState(state)): n for state, n in seen.by_state.items()},
            "candidates": candidates,
            "cost": str(seen.cost),
            "is_over": is_over(job),
            "failures": [{"code": one.code, "count": one.count} for one in seen.failures],
        },
        problems=tuple(
            f"{failure.count} × {failure.sentence} {failure.server_says}" for failure in seen.failures
        ),
        code=DONE if ended_well else ANSWER_IS_NO,
        verdict=verdict,
    )
