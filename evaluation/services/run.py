"""Services that order runs and save their questions as calls."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from core.errors import Unusable, require
from core.invariants import present
from evaluation.models import Examinee, ExamineeKind, OptionOrder, PartialInput, Portion, Run
from evaluation.permissions import may_change_results
from evaluation.queries.run import (
    MEASURE,
    Asking,
    asked_items,
    items_in,
    others_of,
    places_of,
    prompt_of,
)
from evaluation.services.exposure import exposure_of
from jobs import services as jobs
from jobs.models import OPEN, Call, Endpoint, EndpointKind, Job
from jobs.titles import MEASURED
from parable.kinds import kind_of
from parable.reading.question import missing_variables
from projects.models import Project
from release.models import ReleaseState

MOST_REPEATS: Final = 50
LONGEST_PROMPT: Final = 20_000
LONGEST_SEED: Final = 64
WANTED_IN_PROMPT: Final = ("{question}", "{options}")


@transaction.atomic
def start_runs(
    *, actor: User, asking: Asking, endpoints: Sequence[Endpoint], budget: Decimal | None = None
) -> list[Run]:
    """Order a run for each endpoint and return the runs. `budget` is the limit of each run.

    The caller must dispatch the jobs that prepare the runs. Raise `Unusable` with the invalid fields.
    """
    require(may_change_results(actor, asking.release.project))
    problems = problems_of(asking)
    if not endpoints:
        problems["endpoints"] = _("Select at least one.")
    elif any(
        one.kind == EndpointKind.MANUAL
        or one.retired_at is not None
        or one.project_id != asking.release.project_id
        for one in endpoints
    ):
        problems["endpoints"] = _("One of these endpoints is used by hand and cannot be asked by a worker.")
    if problems:
        raise Unusable(problems)
    return [_order(actor, asking, endpoint, budget) for endpoint in endpoints]


def problems_of(asking: Asking) -> dict[str, str]:
    """Return the error messages for the settings of a run, by field."""
    problems = _problems_of_release(asking) | _problems_of_wording(asking)
    return problems or _check_partial_input(asking)


def _problems_of_release(asking: Asking) -> dict[str, str]:
    if asking.release.state != ReleaseState.READY:
        return {"release": _("Only a finished release can be evaluated.")}
    if asking.split not in Portion.values or not items_in(asking.release, asking.split).exists():
        return {"split": _("This release has no items in this split.")}
    return {}


def _problems_of_wording(asking: Asking) -> dict[str, str]:
    problems = {}
    if missing_variables(asking.prompt, WANTED_IN_PROMPT) or len(asking.prompt) > LONGEST_PROMPT:
        problems["prompt"] = _("A prompt must contain {question} and {options}.")
    for task, prompt in asking.prompts.items():
        wanted = kind_of(task).question.wanted
        if missing_variables(prompt, wanted) or len(prompt) > LONGEST_PROMPT:
            problems[f"prompt-{task}"] = _("A prompt must contain %(names)s.") % {"names": ", ".join(wanted)}
    if not 1 <= asking.repeats <= MOST_REPEATS:
        problems["repeats"] = _("Each item can be asked 1 to %(most)d times.") % {"most": MOST_REPEATS}
    if asking.order not in OptionOrder.values:
        problems["order"] = _("Unknown order of options.")
    if not asking.seed or len(asking.seed) > LONGEST_SEED:
        problems["seed"] = _("A seed has 1 to %(most)d characters.") % {"most": LONGEST_SEED}
    if asking.sample_size is not None and asking.sample_size < 1:
        problems["sample_size"] = _("A sample has at least one item.")
    return problems


def _check_partial_input(asking: Asking) -> dict[str, str]:
    if asking.probe not in PartialInput.values:
        return {"probe": _("Unknown probe.")}
    is_alone = asking.probe == PartialInput.OTHER_STORY and not others_of(
        asking.release, asking.probe, asking.seed
    )
    return {"probe": _("This release has one story only.")} if is_alone else {}


def examinee_at(actor: User, endpoint: Endpoint) -> Examinee:
    """Return the examinee of an endpoint's model; create it for the first run."""
    found = Examinee.objects.filter(endpoint=endpoint, model=endpoint.model).first()
    if found is not None:
        return found
    return Examinee.objects.create(
        project=endpoint.project,
        name=free_name(endpoint.project, endpoint.name, endpoint.model),
        kind=ExamineeKind.ENDPOINT,
        model=endpoint.model,
        endpoint=endpoint,
        created_by=actor,
    )


def free_name(project: Project, *wanted: str) -> str:
    """Return a name that no examinee of the project has: one of `wanted`, or else a numbered name."""
    taken = set(Examinee.objects.filter(project=project).values_list("name", flat=True))
    numbered = (f"{wanted[0][:110]} {number}" for number in range(2, len(taken) + 3))
    return next(name for name in (*(name[:120] for name in wanted), *numbered) if name and name not in taken)


def _order(actor: User, asking: Asking, endpoint: Endpoint, budget: Decimal | None) -> Run:
    examinee = examinee_at(actor, endpoint)
    run = Run.objects.create(
        release=asking.release,
        examinee=examinee,
        split=asking.split,
        prompt=asking.prompt,
        prompts=dict(asking.prompts),
        repeats=asking.repeats,
        order=asking.order,
        seed=asking.seed,
        sample_size=asking.sample_size,
        probe=asking.probe,
        settings={  # a copy, as the endpoint may be edited later
            "model": endpoint.model,
            "base_url": endpoint.base_url,
            "parameters": endpoint.parameters,
            "endpoint": endpoint.name,
        },
        created_by=actor,
    )
    run.job = jobs.start_job(
        actor=actor,
        project=asking.release.project,
        kind=MEASURE,
        subject=run.pk,
        title=MEASURED,
        about={"model": examinee.name, "release": asking.release.version},
        limit=budget,
    )
    run.save(update_fields=["job"])
    return run


@transaction.atomic
def prepare_run(*, run_id: int) -> list[int]:
    """Save the questions of a run as calls, and return the ids of the calls to dispatch.

    Safe to call twice.
    """
    run = Run.objects.select_related("release", "examinee__endpoint").get(pk=run_id)
    # Locked until the calls are saved, so that a cancellation comes before all of them or after.
    job = Job.objects.select_for_update(no_key=True).get(pk=run.job_id or 0)
    if job.state in OPEN and not job.has_calls:
        items = asked_items(run)
        others = others_of(run.release, run.probe, run.seed)
        endpoint = present(run.examinee.endpoint, "a constraint of the table demands one")
        asked = [
            jobs.Asked(
                endpoint,
                prompt_of(run, place, others),
                {"run": run.pk, "item": place.item.pk, "repeat": place.repeat, "rotation": place.rotation},
            )
            for place in places_of(run, items)
        ]
        jobs.create_calls(job=job, asked=asked)
        run.asked = Call.objects.filter(job=job).count()
        run.settings |= exposure_of(run.release, items, run.settings["model"], run.examinee.name)
        run.save(update_fields=["asked", "settings"])
    return jobs.wake_calls(job_id=job.pk)


def fail_run(*, run_id: int, reason: str) -> None:
    """Close the job of a run that cannot be prepared, with this reason code."""
    run = Run.objects.select_related("job").get(pk=run_id)
    if run.job is not None:
        jobs.fail_job(job=run.job, reason=reason)
