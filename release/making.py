"""How the items of a project came to be, as a card tells it: written, answered, seen by models."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Count

from annotation.models import Item
from generation.trying import providers_that_saw
from projects.models import Project
from review.figures import review_figures
from review.queries.statistics import rated_rows, solved_rows

Told = dict[str, Mapping[str, Any]]


def written(project: Project) -> dict[str, int]:
    """How many items were ever handed in, by task."""
    items = Item.objects.filter(project=project, current__isnull=False).order_by("task")
    return dict(items.values_list("task").annotate(count=Count("pk")))


def people_figures(project: Project) -> tuple[Told, Told]:
    """Accuracy of blind answers and agreement of ratings by task, "" being all; empty where nobody reviewed.

    Values and bounds are rounded to six digits: what is frozen is the same on every machine.
    """
    rated, solved = list(rated_rows(project)), list(solved_rows(project))
    if not rated and not solved:
        return {}, {}
    figures = review_figures(rated, solved, (), categories=project.max_rating + 1)
    agreement: Told = {
        task: {
            "twice": told["rated_twice"],
            **{name: _estimate(told[name]) for name in ("alpha", "ac2")},
        }
        for task, told in figures["agreement"].items()
    }
    return {task: _estimate(told) for task, told in figures["accuracy"].items()}, agreement


def _estimate(told: Mapping[str, Any]) -> dict[str, Any]:
    bounds = {name: told[name] for name in ("value", "low", "high")}
    rounded = {name: None if value is None else round(float(value), 6) for name, value in bounds.items()}
    return {**rounded, "n": told["n"]}


def providers(items: Iterable[Item]) -> tuple[tuple[str, str, int], ...]:
    """The models that were sent items, with their servers, and how many of these items each was sent."""
    seen = Counter(provider for named in providers_that_saw(items).values() for provider in named)
    return tuple(sorted((provider.model, provider.host, count) for provider, count in seen.items()))
