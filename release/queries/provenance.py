"""The provenance of a project's items for the card: items written, people's answers, and use by LLMs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import Count, QuerySet

from annotation.models import Item, ItemDraft
from corpus.queries import group_names
from generation.queries.trial import Provider, provider_of, providers_that_saw, stories_sent
from parable.psychometrics.agreement import FIGURES, Estimate
from projects.models import Project
from review.figures import review_figures
from review.models import Review
from review.queries.model_rater import judges_that_saw
from review.queries.statistics import rated_rows, solved_rows

Figures = dict[str, Mapping[str, Any]]


def written(project: Project) -> dict[str, int]:
    """Return the number of items ever submitted, by task."""
    items = Item.objects.filter(project=project, current__isnull=False).order_by("task")
    return dict(items.values_list("task").annotate(count=Count("pk")))


class PeopleFigures(NamedTuple):
    """Accuracy of blind answers by task and style, and agreement of ratings by task. Task "" is all tasks."""

    accuracy: Figures
    agreement: Figures
    styles: dict[str, Figures]


def people_figures(project: Project) -> PeopleFigures:
    """Return the statistics of people's answers and ratings; empty if there are no reviews.

    Values are rounded to six decimals, so that frozen figures are the same on every machine.
    """
    rated, solved = list(rated_rows(project)), list(solved_rows(project))
    if not rated and not solved:
        return PeopleFigures({}, {}, {})
    figures = review_figures(rated, solved, (), categories=project.max_rating + 1)
    agreement: Figures = {
        task: {
            "twice": figure.rated_twice,
            **{one.code: _estimate(figure.figures[one.code]) for one in FIGURES if one.is_on_card},
        }
        for task, figure in figures.agreement.items()
    }
    accuracy: Figures = {task: _estimate(figure) for task, figure in figures.accuracy.items()}
    styles: dict[str, Figures] = {
        task: {name: _estimate(figure) for name, figure in found.items()}
        for task, found in figures.styles.items()
    }
    return PeopleFigures(accuracy, agreement, styles)


def _estimate(figure: Estimate) -> dict[str, float | None]:
    bounds = {"value": figure.value, "low": figure.low, "high": figure.high}
    rounded = {name: None if value is None else round(float(value), 6) for name, value in bounds.items()}
    return {**rounded, "n": figure.n}


FEWEST_PEOPLE: Final = 5
"""The smallest number of people for which hours and pay are published.

In a smaller group, each person could compute the figures of the others.
"""

RATES: Final = ("rate_item", "rate_verified", "rate_review", "rate_hour")


def work_load(project: Project) -> dict[str, object]:
    """Return the number of people, their working time and their pay, or {} if no time was recorded.

    This covers the active time of writing and reviewing in the whole project, including practice: `people`,
    `hours`, `busiest` (the share of the person with most time), median minutes per item and per review (None
    if there are none), and the non-zero rates by name, with the `currency`. If fewer than `FEWEST_PEOPLE`
    worked, only `people` is returned.
    """
    typed = ItemDraft.objects.filter(project=project, active_seconds__gt=0)
    judged = Review.everything.filter(project=project, judged_at__isnull=False, active_seconds__gt=0)
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

# The calls of runs refer to released items; those of earlier releases with the same items also count.
_MEASURED: Final = """
SELECT DISTINCT call.model, endpoint.base_url, released.item_id, item.story_id
FROM jobs_call AS call JOIN jobs_work AS job ON job.id = call.job_id AND job.kind = 'evaluate'
JOIN jobs_endpoint AS endpoint ON endpoint.id = call.endpoint_id
JOIN release_releaseitem AS released ON released.id = (call.subject ->> 'item')::bigint
JOIN annotation_item AS item ON item.id = released.item_id
WHERE job.project_id = %s AND call.attempts > 0
"""


def sent_to_models(project: Project, items: QuerySet[Item]) -> tuple[Sent, ...]:
    """Return (model, server, stories, morals, items) of each LLM: how many of them it was sent.

    Only these items, and their stories and morals, are counted. LLMs that were sent none of them are omitted.
    """
    story_of = dict(items.values_list("pk", "story"))
    unit_of = group_names(project)
    texts, morals, whole = (defaultdict[Provider, set[int]](set) for _ in range(3))
    for sent in stories_sent(project):
        if sent.text:
            texts[sent.provider].add(sent.story)
        if sent.moral:
            morals[sent.provider].add(sent.story)
    for item, named in providers_that_saw(items.only("pk")).items():
        for provider in named:
            whole[provider].add(item)
    for item, judges in judges_that_saw(items.only("pk")).items():
        for model, url in judges:
            whole[provider_of(model, url)].add(item)
    for provider, item, story in _measured(project):
        texts[provider].add(story)
        whole[provider].add(item)
    released = set(story_of.values())
    groups = {unit_of.get(story) for story in released}
    released |= {pk for pk, name in unit_of.items() if name in groups}

    def counts(sent: set[int]) -> int:
        return len({unit_of.get(story, story) for story in sent & released})

    counted = (
        (one.model, one.host, counts(texts[one]), counts(morals[one]),
         len(whole[one] & story_of.keys()))
        for one in sorted(texts.keys() | morals.keys() | whole.keys())
    )  # fmt: skip
    return tuple(row for row in counted if any(row[2:]))


def _measured(project: Project) -> list[tuple[Provider, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_MEASURED, [project.pk])
        return [(provider_of(model, url), item, story) for model, url, item, story in cursor.fetchall()]
