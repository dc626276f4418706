"""Models of projects, their members, invitations, guidelines and commonsense types."""

from decimal import Decimal
from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Scope, User
from parable.formats.limits import MAX_OPTIONS, MIN_OPTIONS
from parable.kinds import KINDS, codes


class Language(models.TextChoices):
    """The language in which a project's stories and items are written."""

    ZH = "zh", _("Chinese")
    EN = "en", _("English")


class Role(models.TextChoices):
    """A role of a member; a member may have several."""

    WRITER = "writer", _("item writer")
    REVIEWER = "reviewer", _("reviewer")
    VERIFIER = "verifier", _("verifier")
    MANAGER = "manager", _("manager")
    OBSERVER = "observer", _("observer")


def roles() -> list[tuple[str, Any]]:
    """Return the choices for roles. This is a callable, so that a new role needs no migration."""
    return list(Role.choices)


class SplitRule(models.TextChoices):
    """How a release is split into dev and test: by whole stories or by single items."""

    STORY = "story", _("whole stories")
    ITEM = "item", _("single items")


class Rating(models.IntegerChoices):
    """A reviewer's rating of an item's quality."""

    UNQUALIFIED = 0, _("poor")
    QUALIFIED = 1, _("acceptable")
    EXCELLENT = 2, _("excellent")


def highest_rating() -> int:
    """Return the highest rating of a new project's scale. The scales of existing projects do not change."""
    return max(Rating.values)


def usual_tasks() -> list[str]:
    """Return the codes of the tasks that a new project offers."""
    return list(codes("is_usual"))


def task_choices() -> list[tuple[str, Any]]:
    """Return the choices for tasks. This is a callable, so that a new task needs no migration."""
    return [(kind.code, _(kind.name)) for kind in KINDS.values()]


def _rate(name: Any) -> "models.DecimalField[Any, Any]":
    return models.DecimalField(
        name, max_digits=10, decimal_places=2, default=Decimal(0), validators=[MinValueValidator(Decimal(0))]
    )


def _share(name: Any, *, default: str, least: str) -> "models.DecimalField[Any, Any]":
    bounds = [MinValueValidator(Decimal(least)), MaxValueValidator(Decimal("0.999"))]
    return models.DecimalField(
        name, max_digits=4, decimal_places=3, default=Decimal(default), validators=bounds
    )


class Project(models.Model):
    """A project that produces a benchmark, with its settings. Managers change the settings in the browser."""

    slug = models.SlugField(
        _("short name"),
        max_length=40,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*$", _("Use lowercase letters, digits and hyphens."))],
        help_text=_("Used in URLs and item IDs; cannot be changed later."),
    )
    name = models.CharField(_("name"), max_length=120)
    language = models.CharField(_("language of the stories"), max_length=10, choices=Language)
    currency = models.CharField(_("currency"), max_length=3, default="CNY")
    licence = models.CharField(_("item licence"), max_length=120, blank=True)
    description = models.TextField(_("description"), blank=True, max_length=4000)
    moral_stem = models.CharField(_("standard stem of moral items"), max_length=400)

    tasks = ArrayField(
        models.CharField(max_length=20, choices=task_choices), verbose_name=_("tasks"), default=usual_tasks
    )
    writers_per_story = models.PositiveSmallIntegerField(
        _("writers per story"), default=2, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    items_per_writer = models.PositiveSmallIntegerField(
        _("commonsense items per writer and story"),
        default=4,
        validators=[MinValueValidator(1), MaxValueValidator(50)],
    )
    most_stories_in_hand = models.PositiveSmallIntegerField(
        _("unfinished stories per writer, at most"), default=0, validators=[MaxValueValidator(1000)]
    )
    most_items_per_person = models.PositiveSmallIntegerField(
        _("commonsense items per writer, at most"), default=0, validators=[MaxValueValidator(30_000)]
    )
    days_to_write = models.PositiveSmallIntegerField(
        _("days to write about a story"), default=0, validators=[MaxValueValidator(365)]
    )
    days_to_review = models.PositiveSmallIntegerField(
        _("days to review an item"), default=0, validators=[MaxValueValidator(365)]
    )
    options_per_item = models.PositiveSmallIntegerField(
        _("options per item"),
        default=4,
        validators=[MinValueValidator(MIN_OPTIONS), MaxValueValidator(MAX_OPTIONS)],
    )
    machine_items_per_story = models.PositiveSmallIntegerField(
        _("machine-style moral items per story"), default=2, validators=[MaxValueValidator(20)]
    )
    reviews_per_item = models.PositiveSmallIntegerField(
        _("reviews per item"), default=1, validators=[MinValueValidator(1), MaxValueValidator(20)]
    )
    max_rating = models.PositiveSmallIntegerField(_("highest rating"), default=highest_rating)
    plan_overlap = models.BooleanField(_("second reviews, drawn"), default=True)
    solve_together = models.BooleanField(
        _("moral items of a story answered together"), default=True, db_default=True
    )
    gold_rate = models.PositiveSmallIntegerField(
        _("practice items, in percent"), default=0, validators=[MaxValueValidator(50)]
    )
    pass_rating = models.PositiveSmallIntegerField(
        _("pass mark"), default=1, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    reviewer_may_verify = models.BooleanField(
        _("reviewers may also verify"),
        default=False,
        help_text=_("For small teams. Writers never review their own items. Stated in the data card."),
    )
    lease_minutes = models.PositiveSmallIntegerField(
        _("time to review an item, in minutes"),
        default=30,
        validators=[MinValueValidator(2), MaxValueValidator(480)],
    )
    split_rule = models.CharField(
        _("dev and test by"), max_length=10, choices=SplitRule, default=SplitRule.STORY
    )
    # the shares suggested for a new release; test gets the rest
    train_share = _share(_("share of train"), default="0", least="0")
    dev_share = _share(_("share of dev"), default="0.2", least="0.001")
    # the rates of pay, in the project's currency; 0 for none
    rate_item = _rate(_("per submitted item"))
    rate_verified = _rate(_("per verified item"))
    rate_review = _rate(_("per review, verification or ruling"))
    rate_hour = _rate(_("per hour of active work"))
    created_by = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="+", verbose_name=_("created by")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    # the time since which the project is read-only
    archived_at = models.DateTimeField(_("archived at"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("project")
        verbose_name_plural = _("projects")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(options_per_item__gte=MIN_OPTIONS, options_per_item__lte=MAX_OPTIONS),
                name="projects_options_between_2_and_26",
            ),
            models.CheckConstraint(condition=Q(reviews_per_item__gte=1), name="projects_at_least_one_review"),
            models.CheckConstraint(
                condition=Q(pass_rating__gte=1, pass_rating__lte=F("max_rating")),
                name="projects_pass_rating_on_scale",
            ),
            models.CheckConstraint(
                condition=Q(train_share__gte=0, dev_share__gt=0, train_share__lt=1 - F("dev_share")),
                name="projects_shares_leave_a_test",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def offered_tasks(self) -> tuple[str, ...]:
        """The codes of the tasks for which items can be written, in display order."""
        return tuple(code for code in codes() if code in self.tasks)

    @property
    def has_types(self) -> bool:
        """Whether items of at least one offered task need a commonsense type."""
        return any(KINDS[code].requires_types for code in self.offered_tasks)

    @property
    def lang(self) -> str:
        """The language of the project as a value of HTML's `lang` attribute."""
        return "zh-Hans" if self.language == Language.ZH else self.language


class Membership(models.Model):
    """A single role of a user in a project. A member with several roles has several rows."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=roles)
    created_at = models.DateTimeField(auto_now_add=True)
    # when the member hid the card “Where to begin” for this role
    begun_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user", "role"], name="projects_one_membership_per_role"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} {self.role} {self.project}"


class Invitation(models.Model):
    """A link with which one person joins a project. Only the SHA-256 of the link's token is stored."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="invitations")
    name = models.CharField(_("name"), max_length=150)
    roles = ArrayField(models.CharField(max_length=10, choices=roles), verbose_name=_("roles"))
    token_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(_("expires at"))
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    accepted_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.name} → {self.project}"

    @property
    def has_expired(self) -> bool:
        """Whether the link has passed its expiry time."""
        return self.expires_at <= timezone.now()


def scopes() -> list[tuple[str, Any]]:
    """Return the choices of scopes; a callable, so that a new scope needs no migration."""
    return list(Scope.choices)


class AccessToken(models.Model):
    """A token with which a program acts as a user; only the token's SHA-256 is stored."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="access_tokens")
    name = models.CharField(_("name"), max_length=100)
    token_hash = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    scopes = ArrayField(models.CharField(max_length=10, choices=scopes), verbose_name=_("scopes"))
    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, null=True, blank=True, related_name="access_tokens"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(_("expires at"))
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    used_from = models.CharField(_("address"), max_length=64, blank=True)

    class Meta:
        verbose_name = _("access token")
        verbose_name_plural = _("access tokens")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~Q(scopes=[]), name="projects_token_has_a_scope"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def scope_names(self) -> list[str]:
        """The names of the token's scopes, in the reader's language."""
        return [str(Scope(scope).label) for scope in self.scopes]

    @property
    def is_valid(self) -> bool:
        """Whether the token can still be used."""
        return self.revoked_at is None and self.expires_at > timezone.now() and self.user.is_active


class Guideline(models.Model):
    """A published version of the project's guideline, in Markdown. Never changed."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="guidelines")
    number = models.PositiveIntegerField(_("version"))
    text = models.TextField(_("text"))
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("guideline")
        verbose_name_plural = _("guidelines")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="projects_guideline_number")
        ]

    def __str__(self) -> str:
        return f"{self.project} guideline {self.number}"


class GuidelineAcknowledgement(models.Model):
    """A user's confirmation of having read one version of the guideline."""

    guideline = models.ForeignKey(Guideline, on_delete=models.PROTECT, related_name="acknowledgements")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["guideline", "user"], name="projects_one_acknowledgement")
        ]

    def __str__(self) -> str:
        return f"{self.guideline_id}: {self.user_id}"


class CommonsenseType(models.Model):
    """A commonsense type of a project. It can be renamed or retired, but its definition never changes."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="commonsense_types")
    code = models.SlugField(_("code"), max_length=30)
    name_zh = models.CharField(_("Chinese name"), max_length=40)
    name_en = models.CharField(_("English name"), max_length=40)
    meaning_zh = models.TextField(_("description in Chinese"), blank=True)
    meaning_en = models.TextField(_("description in English"), blank=True)
    order = models.PositiveSmallIntegerField(default=0)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("commonsense type")
        verbose_name_plural = _("commonsense types")
        ordering: ClassVar[list[str]] = ["order", "code"]
        constraints = [models.UniqueConstraint(fields=["project", "code"], name="projects_type_code")]

    def __str__(self) -> str:
        return self.code

    def name_in(self, language: str) -> str:
        """Return the Chinese name for a language code that begins with "zh", else the English one."""
        return self.name_zh if language.startswith("zh") else self.name_en

    def meaning_in(self, language: str) -> str:
        """Return the Chinese definition for a language code that begins with "zh", else the English one."""
        return self.meaning_zh if language.startswith("zh") else self.meaning_en
