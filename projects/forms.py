"""The shape of what is said about a project; whether it will do is the services' to say."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from projects.models import Language, Project, Role, SplitRule
from web.forms import NewPasswordForm, set_choices

LICENCES: Final = ("CC BY 4.0", "CC BY-SA 4.0", "CC BY-NC 4.0", "CC BY-NC-SA 4.0", "CC0 1.0")
DAYS: Final = (3, 7, 14, 30, 90)


def _number(least: int, most: int, **words: Any) -> forms.IntegerField:
    return forms.IntegerField(min_value=least, max_value=most, **words)


def _days() -> list[tuple[int, str]]:
    return [(days, ngettext("%(days)d day", "%(days)d days", days) % {"days": days}) for days in DAYS]


class TargetsForm(forms.Form):
    """How much each story shall get, and how often it is looked at."""

    writers_per_story = _number(
        1,
        50,
        label=_("Writers per story"),
        help_text=_(
            "A story is handed out until this many people write about it, each without seeing the others."
        ),
    )
    items_per_writer = _number(
        1,
        50,
        label=_("Commonsense items per writer and story"),
        help_text=_("What each writer owes for a story they take."),
    )
    options_per_item = _number(
        2,
        8,
        label=_("Options per item"),
        help_text=_("The right one included. Items that stand already keep what they have."),
    )
    machine_items_per_story = _number(
        0,
        20,
        label=_("Machine-style moral items per story"),
        help_text=_("Moral items whose wrong options language models propose and people choose."),
    )
    reviews_per_item = _number(
        1,
        20,
        label=_("Reviews per item"),
        help_text=_("How many people solve and judge each item in the cross-check, before its verification."),
    )


class NewProjectForm(TargetsForm):
    """A new project: its names and language, and its targets.

    Browsers let the short name be left empty: the server then suggests one.
    """

    use_required_attribute = False

    name = forms.CharField(
        label=_("Name"), max_length=120, help_text=_("As people read it. It can be changed at any time.")
    )
    slug = forms.CharField(
        label=_("Short name"),
        max_length=40,
        help_text=_(
            "Small letters, digits and hyphens. It stands in addresses and in the id of every item, and"
            " cannot be changed later."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    language = forms.ChoiceField(
        label=_("Language of the stories"),
        choices=Language.choices,
        widget=forms.RadioSelect,
        help_text=_("One project, one language. The pages speak the reader's own language anyway."),
    )

    def targets(self) -> Iterator[BoundField]:
        """The fields that have a sensible value already."""
        return (self[name] for name in TargetsForm.base_fields)

    def settings(self) -> dict[str, Any]:
        """What the form says beside name, short name and language."""
        return {name: self.cleaned_data[name] for name in TargetsForm.base_fields}


class SettingsForm(TargetsForm):
    """All settings of a project that can be changed."""

    name = forms.CharField(label=_("Name"), max_length=120, help_text=_("As people read it."))
    description = forms.CharField(
        label=_("What it is about"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Stands on the project's home page and in the data card of its releases."),
    )
    licence = forms.CharField(
        label=_("Licence of the items"),
        required=False,
        max_length=120,
        help_text=_("Under which the items you write are released. Stories carry rights of their own."),
        widget=forms.TextInput(attrs={"list": "licences"}),
    )
    moral_stem = forms.CharField(
        label=_("Standard stem of moral items"),
        max_length=400,
        help_text=_("Every new moral item begins with it. Items that stand already keep theirs."),
    )
    most_stories_in_hand = _number(
        0,
        1000,
        label=_("Most unfinished stories in one person's hands"),
        help_text=_(
            "Who has so many gets no further one until one is finished or given back."
            " 0: as many as they like."
        ),
    )
    most_items_per_person = _number(
        0,
        30_000,
        label=_("Most commonsense items of one person"),
        help_text=_(
            "Over the whole project, so that no single voice fills it. Looked at when a story is taken;"
            " a manager may name somebody all the same. 0: no limit."
        ),
    )
    days_to_write = _number(
        0,
        365,
        label=_("Days to write about a story"),
        help_text=_("When a story that somebody takes is due. 0: no due date."),
    )
    plan_overlap = forms.BooleanField(
        label=_("Draw items for a second reviewer"),
        required=False,
        help_text=_(
            "With one review per item, a tenth of the items, at least 200, goes to two people, so that you"
            " can tell how far reviewers agree. Reviewers are not told which. Items that only one reviewer"
            " could take are not drawn."
        ),
    )
    gold_rate = _number(
        0,
        50,
        label=_("Practice items among those to review, in percent"),
        help_text=_(
            "Items whose right verdict is known, mixed in among the others: a reviewer learns of it only"
            " afterwards, as a lesson. They count in no statistics and no release. 0: none."
        ),
    )
    pass_rating = forms.TypedChoiceField(
        label=_("Lowest rating that passes"),
        coerce=int,
        help_text=_("An item goes on to verification when no reviewer rates it lower."),
    )
    lease_minutes = _number(
        2,
        480,
        label=_("Minutes an item is held"),
        help_text=_(
            "An item that somebody has opened to review waits so long for them, then goes back to the queue."
            " What they write after that is kept."
        ),
    )
    reviewer_may_verify = forms.BooleanField(
        label=_("A reviewer may also verify"),
        required=False,
        help_text=_(
            "For small teams: who has reviewed an item may verify it too. Releases say so in their data card."
            " Nobody ever judges an item they have written, whatever stands here."
        ),
    )
    split_rule = forms.ChoiceField(
        label=_("Development and test set are cut by"),
        choices=SplitRule.choices,
        widget=forms.RadioSelect,
        help_text=_(
            "Whole stories: no story stands in both sets, so that none can be learned from the other."
        ),
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$",
        label=_("Currency"),
        error_messages={"invalid": _("Three capital letters, as in CNY, EUR or USD.")},
        help_text=_("In which the cost of language models is counted: three capital letters, as in CNY."),
    )

    GROUPS: Final = (
        (_("What it is"), ("name", "description", "licence")),
        (
            _("Writing"),
            (
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
                "plan_overlap",
                "gold_rate",
                "pass_rating",
                "lease_minutes",
                "reviewer_may_verify",
            ),
        ),
        (_("Release and cost"), ("split_rule", "currency")),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, project: Project) -> None:
        initial = {name: getattr(project, name) for name in type(self).base_fields}
        super().__init__(data, initial=initial)
        ratings = [(number, str(number)) for number in range(1, project.max_rating + 1)]
        set_choices(self, "pass_rating", ratings)

    def groups(self) -> Iterator[tuple[str | Promise, list[BoundField]]]:
        """The fields under their headings."""
        for title, names in self.GROUPS:
            yield title, [self[name] for name in names]


class InviteForm(forms.Form):
    """Names, one a line, and what these people shall do."""

    names = forms.CharField(
        label=_("Names, one on each line"),
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off"}),
        max_length=40_000,
        help_text=_("Paste them from a list. Each person gets a link of their own."),
    )
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=Role.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[Role.WRITER, Role.REVIEWER],
        help_text=_("All of them get these; change a person's roles above once they have joined."),
    )
    days = forms.TypedChoiceField(
        label=_("The links are valid for"),
        coerce=int,
        choices=_days,
        initial=14,
    )


class RolesForm(forms.Form):
    """The roles of one person, all of them."""

    roles = forms.MultipleChoiceField(choices=Role.choices, required=False)


class JoinForm(NewPasswordForm):
    """A name, a user name and a password, for somebody who was invited."""

    field_order = ("name", "username", "password", "again")

    name = forms.CharField(
        label=_("Your name"),
        max_length=150,
        help_text=_("As others in the project shall read it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        help_text=_("To sign in with. Letters of any script, digits, and @ . + - _; no spaces."),
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
    """The names of a commonsense type."""

    name_zh = forms.CharField(label=_("Chinese name"), max_length=40)
    name_en = forms.CharField(label=_("English name"), max_length=40)


class NewTypeForm(forms.Form):
    """A commonsense type to add."""

    name_zh = forms.CharField(label=_("Chinese name"), max_length=40, required=False)
    name_en = forms.CharField(label=_("English name"), max_length=40, required=False)
    meaning_zh = forms.CharField(
        label=_("What it covers, in Chinese"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    meaning_en = forms.CharField(
        label=_("What it covers, in English"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    code = forms.CharField(
        label=_("Code"),
        required=False,
        max_length=30,
        help_text=_("Stands in files and never changes. Left empty, it is made from the English name."),
    )


class GuidelineForm(forms.Form):
    """The text of the next version, and the version it was written from."""

    text = forms.CharField(
        label=_("Text"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 16}),
        help_text=_("Markdown: # for a heading, - for a list, **bold**, > for an example."),
    )
    based_on = forms.IntegerField(widget=forms.HiddenInput, min_value=0)
