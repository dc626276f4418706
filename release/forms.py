"""Shapes of what is typed on the pages of releases; the services decide."""

from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.kinds import task_choices
from annotation.models import Style
from core.errors import Unusable
from parable.kinds import codes_among
from parable.quality.gates.split_leak import SplitLeak
from projects.models import Project, SplitRule
from release.assembly import MIXED
from release.assembly.seen_split import SEEN
from release.models import TEAM_UPLOADS, ErrorKind, Remedy
from release.score import LARGEST_UPLOAD
from release.wishes import DEV_ITEMS, SETTINGS, SPLIT
from web.forms import explain, put_errors, set_choices

LONGEST_WISH: Final = 1000
"""Characters of a field of a draft: more than any may have, so that what is too long is still refused."""
MOST_CHOSEN: Final = 100
"""Tasks or styles of a draft: more than there are."""
SPLIT_LEAK: Final = SplitLeak


class _WishForm(forms.Form):
    """Some of what is wanted of a release. It is kept as typed; the services say what is wrong with it."""

    @classmethod
    def typed(cls, data: Any) -> dict[str, Any]:
        """What was typed into each field, as a draft keeps it."""
        found = {
            name: field.widget.value_from_datadict(data, {}, name) for name, field in cls.base_fields.items()
        }
        return {name: "" if value is None else _cut(value) for name, value in found.items()}


def _cut(value: Any) -> Any:
    """What was typed, as far as a draft keeps it: a page shows it several times."""
    if isinstance(value, list):
        return [_cut(one) for one in value[:MOST_CHOSEN]]
    return value[:LONGEST_WISH] if isinstance(value, str) else value


class ContentsForm(_WishForm):
    """Which version it is, and which items go into it."""

    version = forms.CharField(label=_("Version"), max_length=40, help_text=_("Three numbers, such as 1.0.0."))
    extends = forms.ChoiceField(
        label=_("Extends"),
        required=False,
        help_text=_("Its items keep their ID, split and option order. Drawn anew, they get new ones."),
    )
    tasks = forms.MultipleChoiceField(
        label=_("Tasks"),
        required=False,
        choices=task_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None selected: all."),
    )
    styles = forms.MultipleChoiceField(
        label=_("Styles"),
        required=False,
        choices=Style,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None selected: all."),
    )
    min_rating = forms.CharField(
        label=_("Lowest rating"),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=_("0: all items, also unrated ones."),
    )

    def __init__(self, *args: Any, project: Project, bases: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = codes_among(project.tasks)
        set_choices(self, "tasks", [(code, name) for code, name in task_choices() if code in known])
        nothing = ("", gettext("None: draw anew"))
        set_choices(self, "extends", [nothing, *((version, version) for version in bases)])
        explain(
            self,
            extends=_(
                "A patch (1.0.1) revises or retires, a minor version (1.1.0) also adds, a major one (2.0.0)"
                " may also publish withheld answers."
            ),
        )


def split_rules() -> list[tuple[str, Any]]:
    """The rules by which a release can be split."""
    more = [(MIXED, _("whole and shared stories")), (SEEN, _("part of every story"))]
    return [*SplitRule.choices, *more]


class SettingsForm(_WishForm):
    """How the items are split and published; with a number of dev items for each task."""

    field_order = SETTINGS

    train_share = forms.CharField(
        label=_("Train share"),
        required=False,
        max_length=12,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        help_text=_("Empty: dev and test only."),
    )
    dev_share = forms.CharField(
        label=_("Dev share"),
        max_length=12,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        help_text=_("0.2: one item in five."),
    )
    split = forms.ChoiceField(
        label=_("Split by"),
        choices=split_rules,
        widget=forms.RadioSelect,
        help_text=format_lazy(_("A split by single items fails the gate “{gate}”."), gate=_(SPLIT_LEAK.name)),
    )
    out_stories = forms.CharField(
        label=_("Stories wholly in dev"),
        required=False,
        max_length=6,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=_("The rest of dev shares stories with test."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=40,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=_("A whole number; makes the build repeatable."),
    )
    withhold_test = forms.BooleanField(
        label=_("Withhold test answers"),
        required=False,
        help_text=_("Uses a secret seed instead."),
    )
    keep_order = forms.BooleanField(
        label=_("Sort options that are numbers"),
        required=False,
        help_text=_("“3 days” before “5 days”."),
    )
    anonymous = forms.BooleanField(
        label=_("Anonymous"),
        required=False,
        help_text=_("No names and no contact in any file."),
    )
    contact = forms.CharField(
        label=_("Contact for error reports"),
        required=False,
        max_length=200,
        help_text=_("Printed in the data card."),
    )

    def __init__(self, *args: Any, project: Project, extends: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = codes_among(project.tasks)
        for field in [field for field, task in DEV_ITEMS.items() if task not in known]:
            del self.fields[field]
        if extends:
            for name in SPLIT:
                del self.fields[name]
            return
        explain(
            self,
            train_share=_(
                "For example train 0.7 and dev 0.1: test gets the rest, 0.2. The shares are of whole stories"
                " and apply within each genre. No CRMUS files are written, since they have no train split."
            ),
            out_stories=_(
                "About half of the items of each shared story are in dev. In the CRMUS files, the field"
                " “domain” is “out” for stories only in dev, else “in”."
            ),
        )


SettingsForm.base_fields |= {
    field: forms.CharField(
        label=format_lazy(_("Dev items: {task}"), task=dict(task_choices())[task]),
        required=False,
        max_length=6,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=_("Instead of the share."),
    )
    for field, task in DEV_ITEMS.items()
}


class ReasonForm(forms.Form):
    """Why something is done; the services say whether that will do."""

    use_required_attribute = False  # the list of items can be sent without one
    reason = forms.CharField(label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))

    def refuse(self, error: Unusable) -> None:
        """Put what the service says in place of what the form itself would say."""
        self.errors.pop("reason", None)
        put_errors(self, error)


class WithdrawForm(forms.Form):
    """Why a release is taken back."""

    reason = forms.CharField(
        label=_("Reason for the withdrawal"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Shown beside the version."),
    )


class ReportForm(forms.Form):
    """An error in a released item, as somebody outside reports it."""

    item_id = forms.CharField(
        label=_("Item ID"),
        max_length=120,
        help_text=_("Such as fables-m-000017."),
    )
    release = forms.CharField(
        label=_("Canary or version"),
        required=False,
        max_length=80,
        help_text=_("Both are in the data card."),
    )
    fault = forms.ChoiceField(label=_("Problem"), choices=ErrorKind)
    text = forms.CharField(
        label=_("What you found"), max_length=4000, widget=forms.Textarea(attrs={"rows": 5})
    )
    name = forms.CharField(label=_("Your name"), required=False, max_length=150)
    contact = forms.CharField(
        label=_("Contact"),
        required=False,
        max_length=200,
        help_text=_("You get a link to the reply."),
    )


NO_CHANGE: Final = "none"


class AnswerForm(forms.Form):
    """The answer to a report, and what is done about the item, which somebody has to choose."""

    answer = forms.CharField(
        label=_("Reply"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The reporter sees it. Reveal no withheld answers."),
    )
    remedy = forms.ChoiceField(
        label=_("Resolution"),
        choices=[(NO_CHANGE, _("no change: the item is correct")), *Remedy.choices],
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        label=_("Erratum for the next release"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Public. Reveal no withheld answers."),
    )

    def clean_remedy(self) -> str:
        """Return what is done; nothing is empty."""
        chosen = str(self.cleaned_data["remedy"])
        return "" if chosen == NO_CHANGE else chosen


class TeamForm(forms.Form):
    """A team that may have responses scored."""

    name = forms.CharField(label=_("Team name"), max_length=150)
    per_week = forms.IntegerField(
        label=_("Uploads per seven days"),
        initial=2,
        min_value=1,
        max_value=50,
        help_text=_("Each upload reveals a little."),
    )
    in_all = forms.IntegerField(label=_("Total uploads"), initial=TEAM_UPLOADS, min_value=1, max_value=200)


class UploadLimitForm(forms.Form):
    """How many uploads all teams of a release have together; teams can share what they learn."""

    uploads_in_all = forms.IntegerField(
        label=_("Total uploads of all teams"),
        min_value=0,
        max_value=1000,
        help_text=_("Includes uploads on related versions."),
    )


class UploadForm(forms.Form):
    """A team's responses."""

    file = forms.FileField(label=_("Responses"), max_length=200)

    def clean_file(self) -> Any:
        """The file, refused by its size before it is read into memory."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST_UPLOAD:
            raise forms.ValidationError(
                gettext("The file is larger than %(most)d MB.") % {"most": LARGEST_UPLOAD >> 20}
            )
        return file
