"""Review requests (the queue), reviews, practice items and judgements of models."""

from typing import ClassVar, Final, TypeVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import F, Func, Q, Value
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import Item, Option, Revision, Transition
from annotation.models.marks import Element, MarkedSpan, span_constraints
from annotation.places import place_name
from core.invariants import present
from corpus.models import Story, StoryRevision
from jobs.models import Call, Endpoint
from parable.kinds import kind_of
from parable.quality.item.rules import RULE_NAMES
from projects.models import Guideline, Project, task_choices


class Stage(models.TextChoices):
    """The stage of review that a request belongs to."""

    CROSS_CHECK = "cross_check", _("review")
    VERIFICATION = "verification", _("verification")
    ADJUDICATION = "adjudication", _("adjudication")


class RequestState(models.TextChoices):
    """The state of a request in the queue."""

    OPEN = "open", _("available")
    CLAIMED = "claimed", _("claimed")
    DONE = "done", _("done")
    CLOSED = "closed", _("closed without a verdict")


class Priority(models.IntegerChoices):
    """The priority of an item in the queue, set by a manager; higher values are reviewed first."""

    NORMAL = 0, _("normal")
    FIRST = 1, _("first")


class Answer(models.TextChoices):
    """The ways to answer an item blind."""

    OPTION = "option", _("one option")
    NONE_FITS = "none_fits", _("None of these")
    SEVERAL_FIT = "several_fit", _("More than one")
    SEVERAL = "several", _("several options")
    ORDER = "order", _("an order")
    OWN = "own", _("an answer of its own form")


class Flaw(models.TextChoices):
    """A named fault of an item."""

    NO_RIGHT_OPTION = "no_right_option", _("no correct option")
    TWO_RIGHT_OPTIONS = "two_right_options", _("two correct options")
    ANSWERABLE_WITHOUT_STORY = "answerable_without_story", _("answerable without the story")
    TRIVIAL_DISTRACTOR = "trivial_distractor", _("trivial distractor")
    WRONG_TYPE = "wrong_type", _("wrong type")
    UNCLEAR_STEM = "unclear_stem", _("unclear stem")
    LANGUAGE = "language", pgettext_lazy("flaw", "language")
    NOT_COMMON_SENSE = "not_common_sense", _("not common sense")
    MISSING_MARK = "missing_mark", _("something not marked")
    NEEDLESS_MARK = "needless_mark", _("needless mark")
    WRONG_BOUNDS = "wrong_bounds", _("wrong boundaries")
    WRONG_ROLE = "wrong_role", _("wrong role or label")
    SEVERAL_DIFFERENCES = "several_differences", _("more than one difference")
    WEAK_REASON = "weak_reason", _("weak reason")
    OTHER = "other", _("other")


OF_ALL: Final = (Flaw.LANGUAGE, Flaw.OTHER)
OF_MARKS: Final = (
    Flaw.MISSING_MARK, Flaw.NEEDLESS_MARK, Flaw.WRONG_BOUNDS, Flaw.WRONG_ROLE, *OF_ALL,
)  # fmt: skip
OF_JUDGEMENTS: Final = (Flaw.SEVERAL_DIFFERENCES, Flaw.WEAK_REASON, *OF_ALL)
OF_OPTIONS: Final = tuple(flaw for flaw in Flaw if flaw in OF_ALL or flaw not in {*OF_MARKS, *OF_JUDGEMENTS})


OF_COMMON_SENSE: Final = (Flaw.WRONG_TYPE, Flaw.NOT_COMMON_SENSE)
"""Flaws that only items with commonsense types can have."""


def flaws_of(task: str) -> tuple[Flaw, ...]:
    """Return the flaws that a reviewer can choose for an item of this task."""
    kind = kind_of(task)
    if kind.has_options:
        return tuple(flaw for flaw in OF_OPTIONS if kind.requires_types or flaw not in OF_COMMON_SENSE)
    return OF_MARKS if kind.has_marks else OF_JUDGEMENTS


class Disposition(models.TextChoices):
    """The decision on a revision, as proposed by a reviewer, verifier or adjudicator."""

    PASS = "pass", _("pass")
    EDIT = "edit", _("edit")
    RETURN = "return", _("return to the writer")
    REJECT = "reject", _("reject")
    SEND_ON = "send_on", _("send to verification")


def verdict_words(stage: str) -> dict[str, str]:
    """Return the labels of the dispositions, as on the buttons of the pages for this stage."""
    words = {value: str(label) for value, label in Disposition.choices}
    words |= {Disposition.RETURN: gettext("return"), Disposition.SEND_ON: gettext("send to verification")}
    if stage == Stage.VERIFICATION:
        words |= {Disposition.PASS: gettext("confirm"), Disposition.REJECT: gettext("reject")}
    if stage == Stage.ADJUDICATION:
        words |= {Disposition.PASS: gettext("uphold"), Disposition.EDIT: gettext("merge")}
    return words


class PracticeItem(models.Model):
    """A practice item: its right verdict is known. Reviewers get it among real items, and learn from it.

    To a reviewer it looks like any other request. It is never counted among the items, and never released.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="+")
    story_revision = models.ForeignKey(StoryRevision, on_delete=models.PROTECT, related_name="+")
    task = models.CharField(max_length=20, choices=task_choices)
    words = models.JSONField()  # in the format of `annotation.content`
    # the item's authors are never dealt this practice item
    made_from = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="+")
    # the expected verdict: an answer (positions count in the stored order), a rating, one of these flaws, a
    # disposition
    expected_answer = models.CharField(max_length=12, choices=Answer)
    expected_positions = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    rating_low = models.PositiveSmallIntegerField()
    rating_high = models.PositiveSmallIntegerField()
    expected_flaws = ArrayField(models.CharField(max_length=30, choices=Flaw), default=list, blank=True)
    dispositions = ArrayField(models.CharField(max_length=10, choices=Disposition))
    lesson = models.TextField(max_length=4000)
    made_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "review_golditem"
        verbose_name = _("practice item")
        verbose_name_plural = _("practice items")
        constraints = [
            models.CheckConstraint(
                condition=Q(rating_low__lte=F("rating_high")), name="review_gold_rating_range"
            )
        ]
        indexes = [models.Index(fields=["project", "retired_at"], name="review_gold_of_project")]

    def __str__(self) -> str:
        return f"{self.get_task_display()} {self.pk}"


M = TypeVar("M", bound=models.Model)


class Real(models.Manager[M]):
    """A manager that excludes practice; used where rows are counted, exported or listed.

    Code that deals, displays or scores practice items uses `everything` instead.
    """

    def get_queryset(self) -> models.QuerySet[M]:
        """Return the default queryset without rows of practice items, which have no revision."""
        return super().get_queryset().filter(revision__isnull=False)


class ReviewRequest(models.Model):
    """A request in the queue for one person's review of one revision, claimed under a lease.

    It has all columns that claiming needs, so that a claim reads no other table but the item it locks. A
    request for a practice item has the practice item instead of a revision; it is claimed by one reviewer
    when it is created, and never open to others.
    """

    # used in addresses, as ids reveal the order of creation, and a practice item's row is created when it is
    # dealt
    public_id = models.UUIDField(db_default=RandomUUID(), unique=True, editable=False)

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+")
    story = models.ForeignKey(Story, on_delete=models.PROTECT, related_name="+")
    # item, revision and opened_by are always set on rows that `objects` returns
    item: "models.ForeignKey[Item | None, Item]" = models.ForeignKey(  # type: ignore[misc]  # null of practice alone
        Item, on_delete=models.PROTECT, null=True, related_name="review_requests"
    )
    revision: "models.ForeignKey[Revision | None, Revision]" = models.ForeignKey(  # type: ignore[misc]  # null of practice alone
        Revision, on_delete=models.PROTECT, null=True, related_name="review_requests", db_index=False
    )
    gold = models.ForeignKey(
        PracticeItem, on_delete=models.PROTECT, null=True, related_name="requests", db_index=False
    )
    dealt_to = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    stage = models.CharField(max_length=12, choices=Stage)
    number = models.PositiveSmallIntegerField()
    # the transition that opened the request; the requests of one transition form a round, closed together
    opened_by: "models.ForeignKey[Transition | None, Transition]" = models.ForeignKey(  # type: ignore[misc]  # null of practice alone
        Transition, on_delete=models.PROTECT, null=True, related_name="+"
    )
    option_count = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=RequestState, default=RequestState.OPEN)
    priority = models.SmallIntegerField(default=0)
    # the task of the item: users exposed to a story's items of one task are exposed to this request
    task = models.CharField(max_length=20, choices=task_choices)
    # users who may not claim the request: authors of the item, and users who have solved or skipped it
    excluded = ArrayField(models.BigIntegerField(), default=list, blank=True)
    # equal for all requests with the same excluded users: a claim looks at one request of each such group, so
    # that a user excluded from a million requests finds the next as fast as any other
    excluded_key = models.GeneratedField(
        expression=Func(F("excluded"), Value(0), function="hash_array_extended"),
        output_field=models.BigIntegerField(),
        db_persist=True,
    )
    claimed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    # the claimant's active time; a pause between two actions counts as at most two minutes
    active_seconds = models.PositiveIntegerField(default=0, db_default=0)
    # the user whose lease ran out last, who may continue while nobody else has claimed the request
    freed_from = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    freed_order = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    # the revision's option positions in the order drawn for the claimant
    drawn_order = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = Real["ReviewRequest"]()
    everything = models.Manager["ReviewRequest"]()

    class Meta:
        verbose_name = _("review request")
        verbose_name_plural = _("review requests")
        base_manager_name = "everything"
        constraints = [
            models.CheckConstraint(
                condition=Q(item__isnull=False, revision__isnull=False, opened_by__isnull=False)
                & Q(gold=None, dealt_to=None)
                | Q(gold__isnull=False, dealt_to__isnull=False, item=None, revision=None, opened_by=None)
                & ~Q(state="open"),
                name="review_of_a_revision_or_practice",
            ),
            models.UniqueConstraint(
                fields=["dealt_to", "gold"], condition=Q(gold__isnull=False), name="review_practice_once"
            ),
            models.UniqueConstraint(fields=["revision", "stage", "number"], name="review_request_once"),
            models.UniqueConstraint(
                fields=["revision", "stage", "claimed_by"],
                condition=Q(claimed_by__isnull=False),
                name="review_one_place_per_person",
            ),
            models.CheckConstraint(
                condition=Q(state="claimed", claimed_by__isnull=False, lease_expires_at__isnull=False)
                | Q(state="done", claimed_by__isnull=False)
                | Q(state__in=["open", "closed"], claimed_by__isnull=True),
                name="review_claimed_by_somebody_until",
            ),
        ]
        indexes = [
            models.Index(
                F("project"),
                F("stage"),
                F("priority").desc(),
                F("id"),
                condition=Q(state="open"),
                name="review_open_places",
            ),
            models.Index(
                fields=["project", "stage", "priority", "excluded_key", "id"],
                condition=Q(state="open"),
                name="review_open_groups",
            ),
            models.Index(
                fields=["story", "stage", "id"], condition=Q(state="open"), name="review_open_of_story"
            ),
            models.Index(
                fields=["project", "stage", "-opened_at"], condition=Q(state="open"), name="review_opened"
            ),
            models.Index(
                fields=["project", "stage", "lease_expires_at"],
                condition=Q(state="claimed"),
                name="review_held",
            ),
            models.Index(fields=["lease_expires_at"], condition=Q(state="claimed"), name="review_leases"),
            models.Index(
                fields=["claimed_by", "project"], condition=Q(state="claimed"), name="review_claims"
            ),
            models.Index(fields=["gold"], condition=Q(gold__isnull=False), name="review_of_gold"),
        ]

    def __str__(self) -> str:
        return f"{self.stage} {self.revision_id or self.gold_id}.{self.number}"

    @property
    def source_id(self) -> int:
        """Return the id of the request's item or, for practice, of the practice item's original item."""
        source = self.gold.made_from_id if self.gold else self.item_id
        return present(source, "a check constraint demands one")

    @property
    def given_back_as(self) -> RequestState:
        """Return the state of the request after its claimant gives it back: open or, for practice, closed."""
        return RequestState.OPEN if self.gold_id is None else RequestState.CLOSED


class Review(models.Model):
    """One person's review of one revision: first the blind answer, then the verdict.

    A database trigger refuses the review if the reviewer has written any revision of the item.
    """

    # a request has several reviews if a lease ran out after the answer: the answer counts, and another user
    # took the request
    request = models.ForeignKey(ReviewRequest, on_delete=models.PROTECT, related_name="reviews")
    # the project of the request, copied so that statistics of a project need no join
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+", db_index=False)
    # item and revision are always set on rows that `objects` returns; a review of practice has neither
    item: "models.ForeignKey[Item | None, Item]" = models.ForeignKey(  # type: ignore[misc]  # null of practice alone
        Item, on_delete=models.PROTECT, null=True, related_name="reviews"
    )
    revision: "models.ForeignKey[Revision | None, Revision]" = models.ForeignKey(  # type: ignore[misc]  # null of practice alone
        Revision, on_delete=models.PROTECT, null=True, related_name="reviews"
    )
    stage = models.CharField(max_length=12, choices=Stage)
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="reviews")
    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, null=True, related_name="+")

    # the blind answer; empty if an adjudicator rules without solving
    answer = models.CharField(max_length=12, choices=Answer, blank=True)
    drawn_order = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    chosen_position = models.PositiveSmallIntegerField(null=True, blank=True)
    several_positions = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)
    chosen_option = models.ForeignKey(Option, on_delete=models.PROTECT, null=True, related_name="+")
    is_correct = models.BooleanField(null=True)
    # similarity to the item's own answer, from 0 to 1
    score = models.FloatField(null=True, blank=True)
    blind = models.BooleanField(default=True)
    misclick = models.BooleanField(default=False)
    solved_at = models.DateTimeField(null=True, blank=True)

    # the verdict
    rating = models.PositiveSmallIntegerField(null=True, blank=True)
    flaws = ArrayField(models.CharField(max_length=30, choices=Flaw), default=list, blank=True)
    comment = models.TextField(blank=True, max_length=4000)
    # the part of the revision that comment and flaws are about; empty: the whole item
    about = models.CharField(max_length=20, blank=True, default="", db_default="")
    disposition = models.CharField(max_length=10, choices=Disposition, blank=True)
    proposed_edit = models.JSONField(null=True, blank=True)
    # a verifier's finding whether each option is right, in the revision's order
    option_marks = ArrayField(models.BooleanField(), default=list, blank=True)
    # when the verdict was sent; it can be undone until the reviewer's next verdict or claim carries it out
    sent_at = models.DateTimeField(null=True, blank=True)
    adopted_as = models.OneToOneField(Revision, on_delete=models.PROTECT, null=True, related_name="+")
    judged_at = models.DateTimeField(null=True, blank=True)
    # when a verdict came after another user had taken the request: it has no effect, but managers can read it
    late_at = models.DateTimeField(null=True, blank=True)
    seconds = models.PositiveIntegerField(default=0)
    # from the claim to the verdict, without pauses
    active_seconds = models.PositiveIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Real["Review"]()
    everything = models.Manager["Review"]()

    class Meta:
        verbose_name = _("review")
        verbose_name_plural = _("reviews")
        base_manager_name = "everything"
        ordering: ClassVar[list[str]] = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(item__isnull=False, revision__isnull=False) | Q(item=None, revision=None),
                name="review_of_an_item_with_its_revision",
            ),
            models.UniqueConstraint(
                fields=["request"], condition=Q(revision=None), name="review_of_practice_once"
            ),
            models.UniqueConstraint(fields=["revision", "stage", "reviewer"], name="review_once"),
            models.UniqueConstraint(
                fields=["request"], condition=Q(judged_at__isnull=False), name="review_one_verdict_per_place"
            ),
            models.CheckConstraint(
                condition=Q(judged_at=None) | ~Q(disposition=""), name="review_judged_with_a_disposition"
            ),
            models.CheckConstraint(
                condition=Q(judged_at=None) | Q(solved_at__isnull=False) | Q(stage="adjudication"),
                name="review_solved_before_judged",
            ),
        ]
        indexes = [
            # for the counts of a user's week and work report
            models.Index(
                fields=["reviewer", "project", "judged_at"],
                include=["revision", "stage", "is_correct", "misclick", "active_seconds"],
                name="review_by_reviewer",
            ),
            models.Index(fields=["project", "judged_at"], name="review_of_project"),
            # for the counts of review figures for each item of a list
            models.Index(
                fields=["item", "reviewer", "judged_at"],
                condition=Q(revision__isnull=False, judged_at__isnull=False),
                name="review_judged",
            ),
            models.Index(
                fields=["item"],
                condition=Q(
                    revision__isnull=False, judged_at__isnull=False, disposition__in=["reject", "return"]
                ),
                include=["flaws"],
                name="review_fell",
            ),
            models.Index(
                fields=["item", "reviewer", "rating"],
                condition=Q(stage="cross_check", judged_at__isnull=False, rating__isnull=False),
                include=["revision"],
                name="review_rated",
            ),
            models.Index(
                fields=["item", "reviewer"],
                condition=Q(stage="cross_check", solved_at__isnull=False, blind=True, misclick=False),
                include=["revision", "is_correct", "sent_at", "judged_at"],
                name="review_solved",
            ),
            models.Index(
                fields=["project", "reviewer"], condition=Q(late_at__isnull=False), name="review_late"
            ),
            models.Index(
                fields=["reviewer"],
                condition=Q(sent_at__isnull=False, judged_at=None, late_at=None),
                name="review_to_carry_out",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage} {self.revision_id} {self.reviewer_id}"

    @property
    def verdict(self) -> str:
        """Return the label of the disposition, as on the button of the stage's page."""
        return verdict_words(self.stage).get(self.disposition, "")

    @property
    def about_name(self) -> str:
        """The translated name of the part of the item that the comment is about; "" for the whole item."""
        return place_name(self.about)

    @property
    def flaw_labels(self) -> list[str]:
        """The labels of the flaws."""
        labels = dict(Flaw.choices)
        return [str(labels.get(flaw, flaw)) for flaw in self.flaws]


class AnswerSpan(MarkedSpan):
    """A marked span of a blind answer."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="answer_spans", db_index=False)

    class Meta:
        verbose_name = _("marked span of an answer")
        verbose_name_plural = _("marked spans of answers")
        ordering: ClassVar[list[str]] = ["review", "layer", "group", "number"]
        constraints = span_constraints("review", "review_answer_span")


class AnswerJudgement(models.Model):
    """A blind answer that judges whether two texts can describe the same scene."""

    review = models.OneToOneField(Review, on_delete=models.PROTECT, related_name="answer_judgement")
    is_same = models.BooleanField(_("same scene"))
    element = models.CharField(_("element"), max_length=4, choices=Element, blank=True)
    reason = models.TextField(_("reason"), blank=True)

    class Meta:
        verbose_name = _("blind judgement of a scene")
        verbose_name_plural = _("blind judgements of scenes")

    def __str__(self) -> str:
        return f"{self.review_id}: {self.is_same}"


class CriterionRating(models.Model):
    """A reviewer's rating of an item by one criterion. Only some tasks are rated by several criteria."""

    review = models.ForeignKey(Review, on_delete=models.PROTECT, related_name="ratings", db_index=False)
    criterion = models.CharField(_("criterion"), max_length=20)
    value = models.PositiveSmallIntegerField(_("rating"))

    class Meta:
        verbose_name = _("rating by a criterion")
        verbose_name_plural = _("ratings by criteria")
        constraints = [
            models.UniqueConstraint(fields=["review", "criterion"], name="review_rated_once_by_criterion")
        ]

    def __str__(self) -> str:
        return f"{self.review_id} {self.criterion}: {self.value}"


class AnswerDraft(models.Model):
    """A draft of a blind answer that has not been submitted. `content` is not validated."""

    request = models.ForeignKey(ReviewRequest, on_delete=models.CASCADE, related_name="answer_drafts")
    reviewer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    sequence = models.PositiveBigIntegerField(default=0)
    content = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("begun answer")
        verbose_name_plural = _("begun answers")
        constraints = [
            models.UniqueConstraint(fields=["reviewer", "request"], name="review_one_begun_answer")
        ]

    def __str__(self) -> str:
        return f"{self.reviewer_id} {self.request_id}"


class PracticeResult(models.Model):
    """The score of a verdict on a practice item, and the time when the reviewer first saw the lesson."""

    review = models.OneToOneField(Review, on_delete=models.PROTECT, related_name="result")
    # {"answer", "rating", "flaws", "disposition": right or not; null for a misclick}
    findings = models.JSONField()
    is_right = models.BooleanField()
    lesson_seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("practice result")
        verbose_name_plural = _("practice results")

    def __str__(self) -> str:
        return f"{self.review_id}"


class Postponement(models.Model):
    """A request that a user has postponed. The user is offered all other requests first."""

    request = models.ForeignKey(ReviewRequest, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("postponed item")
        verbose_name_plural = _("postponed items")
        constraints = [models.UniqueConstraint(fields=["user", "request"], name="review_postponed_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.request_id}"


class Substitute(models.Model):
    """A user who may claim one request that no member can claim, whatever the user's roles."""

    request = models.ForeignKey(ReviewRequest, on_delete=models.CASCADE, related_name="substitutes")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    named_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "review_deputy"
        verbose_name = _("deputy")
        verbose_name_plural = _("deputies")
        constraints = [models.UniqueConstraint(fields=["person", "request"], name="review_deputy_once")]

    def __str__(self) -> str:
        return f"{self.person_id} {self.request_id}"


class ModelJudgement(models.Model):
    """A language model's judgement of a revision that people have rated. Reviewers never see it."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="+")
    call = models.OneToOneField(Call, on_delete=models.PROTECT, related_name="+")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.PROTECT, related_name="+", db_index=False)
    # a snapshot of the endpoint's model when it was called
    model = models.CharField(max_length=120)
    # codes of the rules of item writing that the model says are broken; null if the reply lacks them
    broken = ArrayField(models.CharField(max_length=40), null=True, blank=True)
    rating = models.PositiveSmallIntegerField(null=True, blank=True)
    # "" if the reply could be read; else why not: refused or unreadable
    outcome = models.CharField(max_length=12, blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("assessment by a language model")
        verbose_name_plural = _("assessments by language models")
        indexes = [models.Index(fields=["endpoint", "model", "revision"], name="review_judged_by")]

    def __str__(self) -> str:
        return f"{self.model}: {self.revision_id}"

    @property
    def rules(self) -> list[str]:
        """The names of the rules of item writing that the model says are broken."""
        return [gettext(RULE_NAMES[rule]) for rule in self.broken or () if rule in RULE_NAMES]


class ReviewStatistics(models.Model):
    """The statistics of a project's reviews, as they were counted last."""

    project = models.OneToOneField(Project, on_delete=models.PROTECT, related_name="+")
    counted_at = models.DateTimeField(null=True, blank=True)
    # the id of the newest review at that time; later reviews have not been counted
    counted_upto = models.BigIntegerField(default=0)
    figures = models.JSONField(default=dict)
    # every rated revision with its rating adjusted for severity, for export; pages list a few of them, which
    # are in `figures`
    adjusted = models.JSONField(default=list)

    class Meta:
        verbose_name = _("review statistics")
        verbose_name_plural = _("review statistics")

    def __str__(self) -> str:
        return f"{self.project_id}"
