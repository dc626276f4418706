"""How the items of a project came to be, as a card tells it: written, answered, seen by models."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, Final

from django.db import connection
from django.db.models import Count, QuerySet

from annotation.models import Item, ItemDraft
from generation.queries.trial import Provider, provider_of, providers_that_saw, stories_sent
from projects.models import Project
from review.figures import review_figures
from review.models import Review
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


FEWEST_PEOPLE: Final = 5
"""Where fewer people worked, each could work out the hours and pay of the others."""

RATES: Final = ("rate_item", "rate_verified", "rate_review", "rate_hour")


def work_load(project: Project) -> dict[str, Any]:
    """How many people worked how long in Parable, and at which rates; empty where no time was recorded.

    Of the whole project, by active time at the desk and in review, practice included: `people`, `hours`,
    `busiest` (share of the time of the one who worked most), median minutes an item and a review (null where
    there is none), and the rates that are not zero, by name, with the `currency`. Nobody is named. Only
    `people` where fewer than `FEWEST_PEOPLE` worked.
    """
    typed = ItemDraft.objects.filter(project=project, active_seconds__gt=0)
    judged = Review.everything.filter(request__project=project, judged_at__isnull=False, active_seconds__gt=0)
    seconds, items = Counter[int](), Counter[int]()
    for person, item, spent in typed.values_list("writer", "submitted_as__item", "active_seconds"):
        seconds[person] += spent
        if item is not None:
            items[item] += spent
    reviews = list(judged.values_list("reviewer", "active_seconds"))
    for person, spent in reviews:
        seconds[person] += spent
    if not seconds:
        return {}
    if len(seconds) < FEWEST_PEOPLE:
        return {"people": len(seconds)}
    rates = {name: f"{getattr(project, name):f}" for name in RATES if getattr(project, name)}
    return {
        "people": len(seconds),
        "hours": round(seconds.total() / 3600, 1),
        "busiest": round(max(seconds.values()) / seconds.total(), 3),
        "item_minutes": _median_minutes(items.values()),
        "review_minutes": _median_minutes(spent for _person, spent in reviews),
        **({"rates": rates, "currency": project.currency} if rates else {}),
    }


def _median_minutes(seconds: Iterable[int]) -> float | None:
    found = list(seconds)
    return round(median(found) / 60, 1) if found else None


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
