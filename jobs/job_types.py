"""Registry of job types.

Apps such as `corpus` and `review` register a function per type in their `tasks` module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db.models import IntegerChoices
from django.utils.functional import Promise

LONGEST: Final = timedelta(hours=6)
"""The default maximum run time of a job: many times what the largest project needs."""

Report = Callable[..., None]
"""Records progress: `report(step, done=0, total=0)`, where `done` and `total` count within the step."""

Page = Callable[[str, int, Mapping[str, Any]], str]
"""Returns the URL of the job's result, given the project's slug, the row's id and the title's parameters."""

Run = Callable[[int, Report], Mapping[str, Any] | None]
"""Runs the job about the row with this id, and returns the result that the job stores."""

OnFault = Callable[[int], object]
"""Marks the row with this id, which the job is about, as failed after a fault in Parable."""


class Stopped(Exception):
    """Raised if a job cannot continue for a reason other than a fault in Parable.

    `code`: see `jobs.errors`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class JobType:
    """A registered job type.

    `title` is filled in from the job's `title_about`. The first of `steps` means that the job has not begun.
    With `asks_models`, the function only saves calls, and the job ends with the last of these. A function
    that runs longer than `longest` is considered hung.
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
    """Return a decorator that registers a function as the implementation of this job type."""

    def register(run: Run) -> Run:
        _job_types[name] = JobType(name, title, run, steps, on_fault, asks_models, page, longest)
        return run

    return register


def job_types() -> dict[str, JobType]:
    """Return all registered job types by name."""
    return dict(_job_types)


def job_type_of(name: str) -> JobType | None:
    """Return the job type with this name, or None if none is registered."""
    return _job_types.get(name)


def quiet(_step: int, _done: int = 0, _total: int = 0) -> None:
    """Discard a progress report; used if work is done outside a job."""
