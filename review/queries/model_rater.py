"""Items that language models may judge, and their judgements. Reads only."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import MD5, Cast

from annotation.check import view_content
from annotation.models import Item, Revision
from annotation.queries.item import revision_content
from corpus.queries import story_unit
from jobs.models import Call, CallState, Endpoint, Job
from jobs.pricing import most_it_may_cost
from parable.kinds import KINDS
from parable.llm.tokens import estimate_prompt_tokens
from parable.quality.item import CHECKS, RULES, judge
from parable.quality.judge.prompt import Judged, JudgePrompt
from projects.models import Project
from review.judge_figures import Judgement
from review.models import ModelJudgement, Review, Stage

JUDGE: Final = "judge_items"
"""The kind of the jobs that ask a model to judge items."""
JUDGEABLE: Final = [code for code, kind in KINDS.items() if kind.has_options and not kind.scale]
"""The tasks that models can judge: those with options that are rated on the project's scale."""
LOOKED_AT: Final = 50
"""The maximum number of prompts from which a cost is estimated."""
_RULE_CHECKS: Final = [check for check in CHECKS.values() if check.rule]


def _judged(project: Project) -> QuerySet[Review]:
    return Review.objects.filter(
        project=project, stage=Stage.CROSS_CHECK, judged_at__isnull=False, rating__isnull=False
    )


def rated_revisions(project: Project) -> QuerySet[Revision]:
    """Return the revisions that people have rated, beginning with those with two raters.

    Each part is in random order.
    """
    judged = _judged(project).filter(revision=OuterRef("pk"))
    others = judged.exclude(reviewer=OuterRef("first"))
    return (
        Revision.objects.filter(item__project=project, item__task__in=JUDGEABLE)
        .annotate(first=Subquery(judged.order_by("pk").values("reviewer")[:1]))
        .filter(first__isnull=False)
        .order_by(Exists(others).desc(), MD5(Cast("pk", TextField())))
    )


def to_judge(project: Project, endpoint: Endpoint, most: int) -> list[Revision]:
    """Return at most `most` rated revisions that the endpoint's model has not judged."""
    asked = ModelJudgement.objects.filter(revision=OuterRef("pk"), endpoint=endpoint, model=endpoint.model)
    found = rated_revisions(project).exclude(Exists(asked))
    return list(
        found.select_related("item__story", "story_revision").prefetch_related("options", "types")[:most]
    )


def question_of(revision: Revision, prompt: JudgePrompt) -> str:
    """Return the text of the prompt that asks a model to judge this revision."""
    options = sorted(revision.options.all(), key=lambda option: option.position)
    keys = [index for index, option in enumerate(options) if option.is_key]
    judged = Judged(revision.stem, [option.text for option in options], keys, revision.story_revision.text)
    ((_rule, text),) = prompt.questions(judged, revision.item.story.language)
    return text


def prompt_of(project: Project) -> JudgePrompt:
    """Return the prompt for the project's model judges: all rules in one call, the project's rating scale."""
    return JudgePrompt(highest=project.max_rating)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated size of an order of judgements: the number of calls, and the maximum cost."""

    endpoint: Endpoint
    calls: int
    tokens_in: int
    cost: Decimal


def estimate(project: Project, endpoint: Endpoint, most: int) -> Estimate:
    """Return the estimated cost of judging at most `most` items, from a sample of their prompts.

    Nothing is written.
    """
    found = to_judge(project, endpoint, most)
    prompts = [question_of(one, prompt_of(project)) for one in found[:LOOKED_AT]]
    costs = [
        most_it_may_cost(text, endpoint.parameters, price_in=endpoint.price_in, price_out=endpoint.price_out)
        for text in prompts
    ]
    n = max(len(prompts), 1)
    tokens = sum(map(estimate_prompt_tokens, prompts))
    return Estimate(endpoint, len(found), tokens * len(found) // n, sum(costs, Decimal(0)) * len(found) / n)


@dataclass(frozen=True, slots=True)
class JudgeRows:
    """One model with its judgements; `lost` counts the replies that are missing or unreadable."""

    endpoint: int
    name: str
    judged: tuple[Judgement, ...]
    lost: int


def judge_rows(project: Project) -> list[JudgeRows]:
    """Return each model that judged items of the project, with its newest judgement of each revision."""
    found = ModelJudgement.objects.filter(revision__item__project=project).order_by("pk")
    names = ("endpoint_id", "endpoint__name", "model", "revision_id", story_unit("revision__item__story"))
    newest: dict[tuple[int, str, str], dict[int, tuple[Judgement, str]]] = {}
    for endpoint, name, model, revision, story, broken, rating, outcome in found.values_list(
        *names, "broken", "rating", "outcome"
    ):
        rules = None if broken is None else frozenset(broken)
        said = Judgement(revision, story, rules, rating)
        newest.setdefault((endpoint, name, model), {})[revision] = (said, outcome)
    rows = []
    for (endpoint, name, model), judgements in newest.items():
        answered = tuple(one for one, outcome in judgements.values() if not outcome)
        lost = Call.objects.filter(job__kind=JUDGE, endpoint=endpoint, model=model)
        lost = lost.filter(state__in=(CallState.FAILED, CallState.REFUSED))
        missing = len(judgements) - len(answered) + lost.count()
        rows.append(JudgeRows(endpoint, judge_name(name, model), answered, missing))
    return rows


def judge_name(name: str, model: str) -> str:
    """Return the endpoint's name, with the model's name if the two differ."""
    return name if name == model else f"{name} ({model})"


def flaws_named(project: Project, revisions: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the flaws that reviewers named, by id of the revision; an empty set if they named none."""
    found: dict[int, frozenset[str]] = {}
    rows = _judged(project).filter(revision__in=list(revisions)).values_list("revision_id", "flaws")
    for revision, flaws in rows:
        found[revision] = found.get(revision, frozenset()) | frozenset(flaws)
    return found


def rules_broken(revisions: Iterable[int]) -> dict[int, frozenset[str]]:
    """Return the rules of item writing that each revision breaks according to the checks, by revision id."""
    rows = Revision.objects.filter(pk__in=list(revisions)).select_related("item__story", "story_revision")
    broken = {}
    for row in rows.prefetch_related("options", "types").iterator(chunk_size=500):
        task = row.item.task
        view = view_content(
            revision_content(row, task),
            task=task,
            language=row.item.story.language,
            story=row.story_revision.text,
        )
        broken[row.pk] = frozenset(RULES[finding.check] for finding in judge(view, _RULE_CHECKS))
    return broken


def judgements_of(revision: Revision) -> QuerySet[ModelJudgement]:
    """Return the models' judgements of a revision, oldest first. The caller must check access to the key."""
    return ModelJudgement.objects.filter(revision=revision, outcome="").select_related("endpoint")


def judges_that_saw(items: Iterable[Item]) -> dict[int, set[tuple[str, str]]]:
    """Return the models that were sent an item with its key, as (model, server's address), by item id."""
    wanted = [item.pk for item in items]
    found: dict[int, set[tuple[str, str]]] = {}
    sent = Call.objects.filter(job__kind=JUDGE, attempts__gt=0, subject__item__in=wanted)
    for item, model, url in sent.values_list("subject__item", "model", "endpoint__base_url").distinct():
        found.setdefault(item, set()).add((model, url))
    return found


def judge_jobs(project: Project) -> QuerySet[Job]:
    """Return the project's jobs in which models judge items, newest first."""
    return Job.objects.filter(project=project, kind=JUDGE).order_by("-pk")
