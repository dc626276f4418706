"""Queries of templates, batches, candidates and adoptions. Reads only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from django.db.models import Count, Exists, F, Func, IntegerField, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from accounts.models import User
from annotation.models import Item, ItemDraft, Option, State, Style
from core.errors import Hidden
from core.invariants import present
from core.numbers import whole_number
from corpus.models import Story
from generation.models import Adoption, Batch, Candidate, PromptTemplate, Purpose
from generation.prompt import fill_prompt, needs_moral
from generation.similarity import CLOSE_TO_MORAL, Finding, Fold, folds, length_flag, overlap
from jobs.models import Call, CallState, Endpoint
from jobs.pricing import most_it_may_cost
from jobs.queries import fingerprint_of, states_of
from parable.kinds import codes, first_code
from parable.llm.tokens import estimate_prompt_tokens
from projects.models import Project

GENERATE = "generate"
"""The kind of the jobs that ask models for candidates."""
PASTED = "paste"
"""The kind of the jobs that store an answer pasted by a user."""
SAMPLE: Final = 50
"""The number of stories whose prompts are filled to estimate the cost of a batch."""


def templates(project: Project) -> QuerySet[PromptTemplate]:
    """Return the newest version of each prompt template of the project, sorted by name."""
    newest = PromptTemplate.objects.filter(project=project, name=OuterRef("name")).order_by("-version")
    current = PromptTemplate.objects.filter(project=project, pk=Subquery(newest.values("pk")[:1]))
    return current.order_by("name")


def story_templates(project: Project) -> QuerySet[PromptTemplate]:
    """Return the newest version of each template for prompts about a story instead of a stem."""
    return templates(project).exclude(purpose=Purpose.WRONG_OPTIONS)


def all_templates(project: Project) -> QuerySet[PromptTemplate]:
    """Return all versions of the project's prompt templates."""
    return PromptTemplate.objects.filter(project=project)


def newest_among(chosen: Sequence[PromptTemplate]) -> set[int]:
    """Return the ids of those of these templates that have no later version."""
    later = PromptTemplate.objects.filter(
        project=OuterRef("project"), name=OuterRef("name"), version__gt=OuterRef("version")
    )
    found = PromptTemplate.objects.filter(~Exists(later), pk__in=[one.pk for one in chosen]).order_by()
    return set(found.values_list("pk", flat=True))


def batches_of(project: Project) -> QuerySet[Batch]:
    """Return the project's batches with their jobs, budgets, templates and endpoints, newest first.

    `story_count` is the number of their stories, whose ids are not loaded.
    """
    count = Func("stories", function="jsonb_array_length", output_field=IntegerField())
    found = Batch.objects.filter(project=project).annotate(story_count=count).defer("stories")
    found = found.select_related("job__budget", "job__created_by")
    return found.prefetch_related(
        Prefetch("templates", PromptTemplate.objects.only("pk").order_by("pk")),
        Prefetch("endpoints", Endpoint.objects.only("pk").order_by("pk")),
    )


def get_batch(*, project: Project, pk: int) -> Batch:
    """Return a batch of the project. Raise `Hidden` if there is none."""
    batch = batches_of(project).filter(pk=pk).first()
    if batch is None:
        raise Hidden(_("Batch not found."))
    return batch


def candidates_with(
    project: Project,
    *,
    story: int | None = None,
    batch: int | None = None,
    prompt: int | None = None,
    endpoint: int | None = None,
    purpose: str = "",
    used: bool | None = None,
) -> QuerySet[Candidate]:
    """Return the project's candidates with these properties. Not filtered by permission."""
    paths = {
        "story": story, "call__job__batch": batch, "template": prompt, "endpoint": endpoint,
        "template__purpose": purpose or None,
    }  # fmt: skip
    found = Candidate.objects.filter(project=project).select_related("template")
    found = found.defer("normalised", "template__text")
    found = found.filter(**{path: value for path, value in paths.items() if value is not None})
    if used is None:
        return found
    is_adopted = Exists(Adoption.objects.filter(candidate=OuterRef("pk")))
    return found.filter(is_adopted if used else ~is_adopted)


def get_template(*, project: Project, pk: int) -> PromptTemplate:
    """Return a version of a prompt template of the project. Raise `Hidden` if there is none."""
    template = PromptTemplate.objects.filter(project=project, pk=pk).first()
    if template is None:
        raise Hidden(_("Prompt template not found."))
    return template


def _counted(project: Project) -> QuerySet[Story]:
    about_story = Candidate.objects.exclude(template__purpose=Purpose.WRONG_OPTIONS)
    candidates = about_story.filter(story=OuterRef("pk")).order_by().values("story")
    made = (
        Item.objects.filter(story=OuterRef("pk"), style=Style.MACHINE, task__in=codes("has_machine_style"))
        .exclude(state__in=[State.WITHDRAWN, State.REJECTED])
        .order_by()
        .values("story")
    )
    return (
        Story.objects.filter(project=project)
        .select_related("current")
        .annotate(
            candidate_count=Coalesce(Subquery(candidates.annotate(n=Count("pk")).values("n")), 0),
            machine_count=Coalesce(Subquery(made.annotate(n=Count("pk")).values("n")), 0),
        )
        .order_by("pk")
    )


def stories_with_candidates(project: Project) -> QuerySet[Story]:
    """Return the stories with their numbers of candidates and of machine-style items.

    Their morals and texts are deferred.
    """
    return _counted(project).defer("current__moral", "current__text")


NONE_YET, WAITING = "none", "waiting"


def narrowed_stories(project: Project, show: str = "", search: str = "") -> QuerySet[Story]:
    """Return the project's stories, filtered by progress and by a part of the title or id.

    `show`: `none` for stories without candidates; `waiting` for stories with candidates but too few items; a
    number for stories with exactly so many items or, if it is the required number, at least so many. Any
    other value means all stories.
    """
    found, wanted = stories_with_candidates(project), project.machine_items_per_story
    if search:
        found = found.filter(Q(current__title__icontains=search) | Q(ref__icontains=search))
    if show == NONE_YET:
        return found.filter(Q(candidate_count=0))
    if show == WAITING:
        return found.filter(Q(candidate_count__gt=0) & Q(machine_count__lt=wanted))
    made = whole_number(show)
    if made is None or made > wanted:
        return found
    return found.filter(Q(machine_count__gte=wanted) if made == wanted else Q(machine_count=made))


def beside(stories: QuerySet[Story], story: Story) -> tuple[Story | None, Story | None]:
    """Return (previous story, next story) of `stories` by id; `story` need not be among them.

    None stands for a story that does not exist.
    """
    return stories.filter(pk__lt=story.pk).last(), stories.filter(pk__gt=story.pk).first()


def stories_in(project: Project, scope: str, ticked: Sequence[int] = ()) -> QuerySet[Story]:
    """Return the stories of a batch by scope: `all`, `without` candidates, `lacking` items, or `chosen`.

    `ticked` has the ids of the chosen stories.
    """
    found = _counted(project).select_related("current", "project")
    narrowed = {
        "chosen": Q(pk__in=ticked),
        "without": Q(candidate_count=0),
        "lacking": Q(machine_count__lt=project.machine_items_per_story),
    }
    return found.filter(narrowed.get(scope, Q()))


def machine_items(story: Story) -> int:
    """Return the story's number of machine-style moral items, without withdrawn and rejected ones."""
    living = Item.objects.filter(story=story, style=Style.MACHINE, task__in=codes("has_machine_style"))
    return living.exclude(state__in=[State.WITHDRAWN, State.REJECTED]).count()


@dataclass(frozen=True, slots=True)
class TakenKey:
    """The key of a moral item that exists for the story."""

    item: int
    text: str
    normalised: str


def taken_keys(story: Story) -> list[TakenKey]:
    """Return the keys of the story's moral items that are in use, oldest item first."""
    keys = Option.objects.filter(
        is_key=True, revision__item__story=story, revision__item__task=first_code("has_machine_style")
    ).filter(revision=F("revision__item__current"))
    living = keys.exclude(revision__item__state__in=[State.WITHDRAWN, State.REJECTED, State.RETIRED])
    rows = living.order_by("revision__item").values_list("revision__item", "text", "normalised")
    return [TakenKey(*row) for row in rows]


def prompt_for(template: PromptTemplate, story: Story) -> str:
    """Return the prompt of a template about the story's current wording, exactly as it is sent."""
    current = present(story.current, "every story has a first revision")
    return fill_prompt(
        template.text,
        title=current.title,
        story=current.text,
        moral=current.moral,
        wanted=template.wanted,
    )


@dataclass(frozen=True, slots=True)
class Question:
    """A call to make: a story, a template, an endpoint, and the filled prompt."""

    story: Story
    template: PromptTemplate
    endpoint: Endpoint
    prompt: str

    @property
    def subject(self) -> dict[str, int]:
        """Return the ids of the story, its current revision and the template."""
        return {
            "story": self.story.pk,
            "story_revision": present(self.story.current_id, "every story has a first revision"),
            "template": self.template.pk,
        }


def questions(
    stories: Iterable[Story], chosen: Sequence[PromptTemplate], endpoints: Sequence[Endpoint]
) -> list[Question]:
    """Return a call for each story, template and endpoint.

    A template that needs the moral is left out for stories without a moral.
    """
    found = []
    for story in stories:
        for template in chosen:
            if needs_moral(template.text) and not (story.current and story.current.moral):
                continue
            prompt = prompt_for(template, story)
            found += [Question(story, template, endpoint, prompt) for endpoint in endpoints]
    return found


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimate of a batch: calls to make, calls made before, prompt tokens, and maximum cost.

    The numbers are extrapolated from `sampled` of the `stories`.
    """

    calls: int
    already_asked: int
    tokens_in: int
    cost: Decimal
    stories: int
    sampled: int


def estimate(
    stories: Sequence[int], chosen: Sequence[PromptTemplate], endpoints: Sequence[Endpoint]
) -> Estimate:
    """Return the estimated calls and cost of a batch about the stories with these ids. Nothing is written.

    The prompts of at most `SAMPLE` stories, evenly spaced in the list, are filled, and the sums extrapolated.
    """
    whole, part = len(stories), min(len(stories), SAMPLE)
    sample = [stories[index * whole // part] for index in range(part)]
    found = Story.objects.filter(pk__in=sample).select_related("current")
    asked = questions(found, chosen, endpoints)
    prints = {fingerprint_of(one.endpoint, one.prompt, one.subject): one for one in asked}
    dead = (CallState.FAILED, CallState.CANCELLED)
    live = {name for name, state in states_of(prints).items() if state not in dead}
    fresh = [one for name, one in prints.items() if name not in live]
    tokens = sum(estimate_prompt_tokens(one.prompt) for one in fresh)
    cost = Decimal(0)
    for one in fresh:
        prices = {"price_in": one.endpoint.price_in, "price_out": one.endpoint.price_out}
        cost += most_it_may_cost(one.prompt, one.endpoint.parameters, **prices)
    return Estimate(
        calls=len(fresh) * whole // max(1, part),
        already_asked=len(live) * whole // max(1, part),
        tokens_in=tokens * whole // max(1, part),
        cost=cost * whole / max(1, part),
        stories=whole,
        sampled=part,
    )


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate as the page displays it, with hints and with the similar candidates folded under it.

    `likeness`: the overlap of its wording with the moral or the key, from 0 to 1. `fold`: the earlier
    candidate under which it is folded, and their similarity.
    """

    candidate: Candidate
    flags: tuple[Finding, ...]
    is_adopted: bool
    likeness: float = 0.0
    fold: Fold | None = None
    alike: tuple["Proposal", ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """The candidates of one endpoint and template, and the calls that brought no candidates.

    `elsewhere` counts the candidates that are folded under a candidate of another cell.
    """

    proposals: tuple[Proposal, ...]
    calls: tuple[Call, ...]
    elsewhere: int = 0


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """A table of all candidates of a story: a row for each template, a column for each endpoint."""

    endpoints: tuple[Endpoint, ...]
    rows: tuple[tuple[PromptTemplate, tuple[Cell, ...]], ...]

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """The candidates of all cells, row by row, each followed by the candidates folded under it."""
        heads = (p for _template, cells in self.rows for cell in cells for p in cell.proposals)
        return tuple(one for head in heads for one in (head, *head.alike))


def open_draft(user: User, story: Story) -> ItemDraft | None:
    """Return this user's newest unsubmitted draft of a machine-style item for the story, or None."""
    mine = ItemDraft.objects.filter(
        writer=user, story=story, item=None, task=first_code("has_machine_style"), style=Style.MACHINE
    )
    return mine.filter(deleted_at=None, submitted_as=None).order_by("-updated_at").first()


def candidates_of(story: Story) -> QuerySet[Candidate]:
    """Return the story's candidates, except those for stems, oldest first.

    Template and endpoint are joined.
    """
    found = Candidate.objects.filter(story=story).exclude(template__purpose=Purpose.WRONG_OPTIONS)
    return found.select_related("template", "endpoint").order_by("pk")


def sheet(story: Story, key: str = "") -> CandidateTable:
    """Return the table of the story's candidates; it also has calls that brought no candidates.

    A candidate that is similar to earlier ones is folded under the most similar of them. Candidates are
    compared with the moral, and with `key`, the key of the item that is being composed.
    """
    candidates = list(candidates_of(story))
    folded = folds([(candidate.pk, candidate.text) for candidate in candidates])
    adopted = set(Adoption.objects.filter(candidate__story=story).values_list("candidate", flat=True))
    moral = story.current.moral if story.current else ""
    proposals = [
        _proposal(
            candidate,
            fold=folded.get(candidate.pk),
            is_adopted=candidate.pk in adopted,
            moral=moral,
            key=key,
        )
        for candidate in candidates
    ]
    calls = Call.objects.filter(subject__story=story.pk, candidates__isnull=True)
    wanted = calls.filter(job__project=story.project_id).exclude(state=CallState.CANCELLED)
    silent = list(wanted.select_related("endpoint").order_by("pk"))
    found = PromptTemplate.objects.filter(
        pk__in={c.template_id for c in candidates} | {call.subject["template"] for call in silent}
    )
    columns = {c.endpoint_id: c.endpoint for c in candidates} | {c.endpoint_id: c.endpoint for c in silent}
    endpoints = tuple(sorted(columns.values(), key=lambda endpoint: endpoint.name))
    rows = tuple(
        (template, tuple(_cell(template, endpoint, proposals, silent) for endpoint in endpoints))
        for template in found.order_by("name", "-version")
    )
    return CandidateTable(endpoints, rows)


STORED_FLAGS = frozenset({"copied", "foreign"})
"""The codes of hints that are stored with a candidate, as they do not depend on the key."""


def _proposal(candidate: Candidate, *, fold: Fold | None, is_adopted: bool, moral: str, key: str) -> Proposal:
    likeness = max(overlap(candidate.text, right) for right in (moral, key))
    found = []
    if likeness >= CLOSE_TO_MORAL and candidate.template.purpose != Purpose.MORAL_WORDINGS:
        found.append(Finding("close_to_moral"))
    if length := length_flag(candidate.text, key.strip() or moral):
        found.append(length)
    found += [Finding(flag["code"]) for flag in candidate.flags if flag["code"] in STORED_FLAGS]
    return Proposal(candidate, tuple(found), is_adopted, likeness, fold)


def _cell(
    template: PromptTemplate, endpoint: Endpoint, proposals: Sequence[Proposal], silent: Sequence[Call]
) -> Cell:
    here = (template.pk, endpoint.pk)
    own = [p for p in proposals if (p.candidate.template_id, p.candidate.endpoint_id) == here]
    heads = [
        replace(head, alike=tuple(p for p in proposals if p.fold and p.fold.head == head.candidate.pk))
        for head in own
        if head.fold is None
    ]
    inside = {one.candidate.pk for head in heads for one in head.alike}
    return Cell(
        tuple(heads),
        tuple(call for call in silent if (call.subject["template"], call.endpoint_id) == here),
        sum(p.fold is not None and p.candidate.pk not in inside for p in own),
    )


def generators_of(items: QuerySet[Item]) -> dict[int, tuple[str, ...]]:
    """Return the names of the models whose candidates became options of each item, by item id.

    Names are sorted. All revisions of an item count, as options of an edited revision may not refer to
    candidates. An imported item has the names that its file gives.
    """
    found = {pk: set(names) for pk, names in items.order_by().values_list("pk", "generators")}
    taken = Adoption.objects.filter(option__revision__item__in=items.order_by().values("pk"))
    pairs = taken.values_list("option__revision__item", "candidate__generator").distinct()
    for item_id, generator in pairs:
        found[item_id].add(generator)
    return {item_id: tuple(sorted(names)) for item_id, names in found.items()}
