"""Registry of job types.

Apps such as `corpus` and `review` register one function per job type in their `tasks` module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import IntegerChoices
from django.utils.functional import Promise

LONGEST: Final = timedelta(hours=6)
"""The default maximum run time of a job; even the largest project needs only a small part of it."""

Report = Callable[..., None]
"""A function that saves a job's progress, `report(step, done=0, total=0)`; both counts are of this step."""

Page = Callable[[str, int, Mapping[str, Any]], str]
"""A function that returns the URL of a job's result: `page(project_slug, subject, title_parameters)`."""

Run = Callable[[int, Report], Mapping[str, Any] | None]
"""A function that does a job's work, `run(subject, report)`, and returns the result to store in the job."""

OnFault = Callable[[int], object]
"""A function that marks the job's subject, a row given by its id, as failed after a fault in Parable."""


class Stopped(Exception):
    """Raised by a job's function if the job cannot continue for a reason other than a fault in Parable.

    `code` is a reason code of `jobs.errors`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class JobType:
    """A registered job type.

    `title` is formatted with the job's `title_about`. The first of `steps` means that the job has not begun.
    With `asks_models`, the function `run` only saves calls, and the job ends with the last of these calls. A
    job whose function runs longer than `longest` is considered hung.
    """

    name: str
    title: Promise | str
    run: Run
    steps: type[IntegerChoices] | None = None
    on_fault: OnFault | None = None
    asks_models: bool = False
    page: Page | None = None
    longest: timedelta = LONGEST


_job_types: Final[dict[str, JobType]] = {}


def job_type(
    name: str,
    *,
    title: Promise | str,
    steps: type[IntegerChoices] | None = None,
    on_fault: OnFault | None = None,
    asks_models: bool = False,
    page: Page | None = None,
    longest: timedelta = LONGEST,
) -> Callable[[Run], Run]:
    """Return a decorator that registers a function as the implementation of the job type `name`."""

    def register(run: Run) -> Run:
        _job_types[name] = JobType(name, title, run, steps, on_fault, asks_models, page, longest)
        return run

    return register


def job_types() -> dict[str, JobType]:
    """Return all registered job types by name."""
    return dict(_job_types)


def job_type_of(name: str) -> JobType | None:
    """Return the job type with this name, or None if it is not registered."""
    return _job_types.get(name)


@dataclass(frozen=True, slots=True)
class JobEnd:
    """The end of a job, for apps above: its state is done, failed or cancelled.

    `is_at_desk`: it was a small job of somebody who writes, with its result on the same page.
    """

    job_id: int
    project_id: int
    kind: str
    state: str
    is_at_desk: bool


Follower = Callable[[JobEnd], object]
_followers: Final[list[Follower]] = []


def follow_ends(follower: Follower) -> None:
    """Register `follower`, which is called in the transaction in which a job ends. Twice has no effect."""
    if follower not in _followers:
        _followers.append(follower)


def notify_followers(end: JobEnd) -> None:
    """Call the followers of ends of jobs, in the order of their registration."""
    for follower in _followers:
        follower(end)


def quiet(_step: int, _done: int = 0, _total: int = 0) -> None:
    """Ignore a progress report. Pass this function as `report` to run a job's function outside a job."""
