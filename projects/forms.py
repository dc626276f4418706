"""Forms for projects. The services decide whether the values are allowed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts.models import Scope, User
from parable.formats.limits import MAX_OPTIONS, MIN_OPTIONS
from projects.models import Language, Project, Role, SplitRule, task_choices
from projects.queries import managed_by, projects_of
from projects.services.access_token import LONGEST_NAME
from web.forms import NewPasswordForm, explain, set_choices

LICENCES: Final = ("CC BY 4.0", "CC BY-SA 4.0", "CC BY-NC 4.0", "CC BY-NC-SA 4.0", "CC0 1.0")
DAYS: Final = (3, 7, 14, 30, 90)


def _number(least: int, most: int, **words: Any) -> forms.IntegerField:
    return forms.IntegerField(min_value=least, max_value=most, **words)


def _days(choices: Iterable[int] = DAYS) -> list[tuple[int, str]]:
    return [(days, ngettext("%(days)d day", "%(days)d days", days) % {"days": days}) for days in choices]


class TargetsForm(forms.Form):
    """The settings for the number of items per story and of reviews per item."""

    writers_per_story = _number(
        1,
        50,
        label=_("Writers per story"),
        help_text=_("Independently of each other."),
    )
    items_per_writer = _number(
        1,
        50,
        label=_("Commonsense items per writer and story"),
    )
    options_per_item = _number(
        MIN_OPTIONS,
        MAX_OPTIONS,
        label=_("Options per item"),
        help_text=_("Including the key."),
    )
    machine_items_per_story = _number(
        0,
        20,
        label=_("Machine-style moral items per story"),
        help_text=_("Distractors drafted by models."),
    )
    reviews_per_item = _number(
        1,
        20,
        label=_("Reviews per item"),
        help_text=_("Before verification."),
    )


class NewProjectForm(TargetsForm):
    """The form for a new project: its name, slug, language and targets.

    The browser may post an empty slug; the server then suggests one.
    """

    use_required_attribute = False

    name = forms.CharField(label=_("Name"), max_length=120, help_text=_("Can be changed later."))
    slug = forms.CharField(
        label=_("Short name"),
        max_length=40,
        help_text=_("Lowercase letters, digits, hyphens. Cannot be changed later."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    language = forms.ChoiceField(
        label=_("Language of the stories"),
        choices=Language.choices,
        widget=forms.RadioSelect,
        help_text=_("One language per project."),
    )

    like = forms.ModelChoiceField(
        label=_("Copy settings from"),
        queryset=Project.objects.none(),
        required=False,
        empty_label=_("None"),
        to_field_name="slug",
        help_text=_("Settings, types, guideline and prompts."),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "like", managed_by(user))

    def targets(self) -> Iterator[BoundField]:
        """Yield the fields that have default values."""
        return (self[name] for name in TargetsForm.base_fields)

    def settings(self) -> dict[str, object]:
        """Return the targets as settings; {} if the settings of another project are copied."""
        if self.cleaned_data["like"]:
            return {}
        return {name: self.cleaned_data[name] for name in TargetsForm.base_fields}


class SettingsForm(TargetsForm):
    """The form for all settings of a project that can be changed in the browser."""

    name = forms.CharField(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Printed in the data card."),
    )
    licence = forms.CharField(
        label=_("Item licence"),
        required=False,
        max_length=120,
        help_text=_("Stories have their own rights."),
        widget=forms.TextInput(attrs={"list": "licences"}),
    )
    moral_stem = forms.CharField(
        label=_("Standard stem of moral items"),
        max_length=400,
        help_text=_("For new moral items."),
    )
    tasks = forms.MultipleChoiceField(
        label=_("Tasks"),
        choices=task_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Existing items of other tasks stay."),
    )
    most_stories_in_hand = _number(
        0,
        1000,
        label=_("Unfinished stories per writer, at most"),
        help_text=_("0: no limit."),
    )
    most_items_per_person = _number(
        0,
        30_000,
        label=_("Commonsense items per writer, at most"),
        help_text=_("0: no limit."),
    )
    days_to_write = _number(
        0,
        365,
        label=_("Days to write about a story"),
        help_text=_("0: no due date."),
    )
    days_to_review = _number(
        0,
        365,
        label=_("Days to review an item"),
        help_text=_("0: no due date."),
    )
    plan_overlap = forms.BooleanField(
        label=_("Sample items for double review"),
        required=False,
        help_text=_("A tenth of the items, at least 200."),
    )
    solve_together = forms.BooleanField(
        label=_("Answer moral items of a story together"),
        required=False,
    )
    gold_rate = _number(
        0,
        50,
        label=_("Practice items, in percent of reviews"),
        help_text=_("0: none."),
    )
    pass_rating = forms.TypedChoiceField(
        label=_("Pass mark"),
        coerce=int,
        help_text=_("Lower ratings do not pass."),
    )
    lease_minutes = _number(
        2,
        480,
        label=_("Time to review an item (minutes)"),
        help_text=_("Then the item returns to the queue."),
    )
    reviewer_may_verify = forms.BooleanField(
        label=_("Reviewers may also verify"),
        required=False,
        help_text=_("For small teams. Printed in the data card."),
    )
    split_rule = forms.ChoiceField(
        label=_("Split dev and test by"),
        choices=SplitRule.choices,
        widget=forms.RadioSelect,
    )
    train_share = forms.DecimalField(
        label=_("Train share"),
        min_value=0,
        help_text=_("0: no train split."),
    )
    dev_share = forms.DecimalField(
        label=_("Dev share"),
        min_value=0,
        help_text=_("Test gets the rest."),
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$",
        label=_("Currency"),
        error_messages={"invalid": _("Three capital letters, such as CNY, EUR or USD.")},
        help_text=_("Three capital letters, such as CNY."),
    )

    GROUPS: Final = (
        (_("General"), ("name", "description", "licence")),
        (
            _("Writing"),
            (
                "tasks",
                "writers_per_story",
                "items_per_writer",
                "most_stories_in_hand",
                "most_items_per_person",
                "days_to_write",
                "options_per_item",
                "machine_items_per_story",
                "moral_stem",
            ),
        ),
        (
            _("Review"),
            (
                "reviews_per_item",
                "days_to_review",
                "plan_overlap",
                "solve_together",
                "gold_rate",
                "pass_rating",
                "lease_minutes",
                "reviewer_may_verify",
            ),
        ),
        (_("Release and cost"), ("split_rule", "train_share", "dev_share", "currency")),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, project: Project) -> None:
        initial = {name: getattr(project, name) for name in type(self).base_fields}
        super().__init__(data, initial=initial)
        ratings = [(number, str(number)) for number in range(1, project.max_rating + 1)]
        set_choices(self, "pass_rating", ratings)
        explain(
            self,
            most_items_per_person=_("Checked when a writer takes a story; managers can exceed it."),
            plan_overlap=_(
                "With one review per item, these items get a second one, to calculate agreement."
                " Reviewers are not told which."
            ),
            solve_together=_(
                "A reviewer takes all moral items of a story at once and answers each before any"
                " key is shown, so that human accuracy covers machine-style items too."
            ),
            gold_rate=_(
                "Items with a known verdict, mixed into the queue to train reviewers. They"
                " never count in statistics or releases."
            ),
            lease_minutes=_("Text entered later is kept."),
            reviewer_may_verify=_(
                "A reviewer of an item may also verify it. No one ever reviews their own items."
            ),
        )

    def groups(self) -> Iterator[tuple[str | Promise, list[BoundField]]]:
        """Yield pairs of each heading and the form fields below it."""
        for title, names in self.GROUPS:
            yield title, [self[name] for name in names]


class InviteForm(forms.Form):
    """The form to invite people: their names, one per line, and the roles that all of them get."""

    names = forms.CharField(
        label=_("Names, one per line"),
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off"}),
        max_length=40_000,
        help_text=_("Send each person their link yourself."),
    )
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Observers see everything, keys included, and change nothing. Roles can be changed later."
        ),
    )
    days = forms.TypedChoiceField(
        label=_("Links valid for"),
        coerce=int,
        choices=_days,
        initial=14,
    )


class RolesForm(forms.Form):
    """The form for all roles of one member."""

    roles = forms.MultipleChoiceField(choices=Role.choices, required=False)


SCOPES: Final = {
    Scope.READ: _("Read: see what you see, and export it"),
    Scope.WRITE: _("Write: drafts, items, stories, comments"),
    Scope.REVIEW: _("Review: answer, review, verify and adjudicate items"),
    Scope.MANAGE: _("Manage: settings, members, imports, releases, evaluation"),
}
TOKEN_DAYS: Final = (30, 90, 365)


class TokenForm(forms.Form):
    """The form for a new access token."""

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        help_text=_("What the token is for."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=[(scope.value, label) for scope, label in SCOPES.items()],
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ.value],
        help_text=_("Never more than you may do yourself."),
    )
    project = forms.ModelChoiceField(
        label=_("Project"),
        queryset=Project.objects.none(),
        required=False,
        empty_label=_("All your projects"),
        to_field_name="slug",
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"), coerce=int, initial=TOKEN_DAYS[1], choices=lambda: _days(TOKEN_DAYS)
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "project", projects_of(user))


class JoinForm(NewPasswordForm):
    """The form for an invited person's name, user name and password."""

    field_order = ("name", "username", "password", "again")

    name = forms.CharField(
        label=_("Your name"),
        max_length=150,
        help_text=_("Shown to other members."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        help_text=_("Letters, digits and @ . + - _; no spaces."),
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    time_zone = forms.CharField(
        required=False, max_length=64, widget=forms.HiddenInput(attrs={"data-time-zone": True})
    )


class TypeNamesForm(forms.Form):
    """The form to rename a commonsense type."""

    name_zh = forms.CharField(label=_("Chinese name"), max_length=40)
    name_en = forms.CharField(label=_("English name"), max_length=40)


class NewTypeForm(forms.Form):
    """The form to add a commonsense type."""

    name_zh = forms.CharField(label=_("Chinese name"), max_length=40, required=False)
    name_en = forms.CharField(label=_("English name"), max_length=40, required=False)
    meaning_zh = forms.CharField(
        label=_("Description in Chinese"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    meaning_en = forms.CharField(
        label=_("Description in English"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    code = forms.CharField(
        label=_("Code"),
        required=False,
        max_length=30,
        help_text=_("Cannot be changed later. Empty: from the English name."),
    )


class GuidelineForm(forms.Form):
    """The form for the next version of the guideline; `based_on` is the version that it was written from."""

    text = forms.CharField(
        label=_("Text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text=_("Markdown: # heading, - list, **bold**, > example."),
    )
    based_on = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
