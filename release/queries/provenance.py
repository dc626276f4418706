"""How the items of a project came to be, as a card tells it: written, answered, seen by models."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from django.db import connection
from django.db.models import Count, QuerySet

from annotation.models import Item
from generation.queries.trial import Provider, provider_of, providers_that_saw, stories_sent
from projects.models import Project
from review.figures import review_figures
from review.queries.statistics import rated_rows, solved_rows

Told = dict[str, Mapping[str, Any]]


def written(project: Project) -> dict[str, int]:
    """How many items were ever submitted, by task."""
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


Sent = tuple[str, str, int, int, int]

# A measurement asks about released items by their number; those of earlier releases saw these items too.
_MEASURED: Final = """
SELECT DISTINCT call.model, endpoint.base_url, released.item_id, item.story_id
FROM jobs_call AS call JOIN jobs_work AS job ON job.id = call.job_id AND job.kind = 'evaluate'
JOIN jobs_endpoint AS endpoint ON endpoint.id = call.endpoint_id
JOIN release_releaseitem AS released ON released.id = (call.subject ->> 'item')::bigint
JOIN annotation_item AS item ON item.id = released.item_id
WHERE job.project_id = %s AND call.attempts > 0
"""


def sent_to_models(project: Project, items: QuerySet[Item]) -> tuple[Sent, ...]:
    """By model and server, how many stories, morals and items of these it was sent."""
    story_of = dict(items.values_list("pk", "story"))
    texts, morals, whole = (defaultdict[Provider, set[int]](set) for _ in range(3))
    for sent in stories_sent(project):
        if sent.text:
            texts[sent.provider].add(sent.story)
        if sent.moral:
            morals[sent.provider].add(sent.story)
    for item, named in providers_that_saw(items).items():
        for provider in named:
            whole[provider].add(item)
    for provider, item, story in _measured(project):
        texts[provider].add(story)
        whole[provider].add(item)
    released = set(story_of.values())
    counted = (
        (one.model, one.host, len(texts[one] & released), len(morals[one] & released),
         len(whole[one] & story_of.keys()))
        for one in sorted(texts.keys() | morals.keys() | whole.keys())
    )  # fmt: skip
    return tuple(row for row in counted if any(row[2:]))


def _measured(project: Project) -> list[tuple[Provider, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_MEASURED, [project.pk])
        return [(provider_of(model, url), item, story) for model, url, item, story in cursor.fetchall()]
