"""Shapes of what is typed on the pages of releases; the services decide."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.kinds import task_choices
from annotation.models import Style
from parable.quality.gates import GATES
from projects.models import SplitRule
from release.models import TEAM_UPLOADS, Fault, Remedy
from release.score import LARGEST_UPLOAD


def _gates() -> list[tuple[str, str]]:
    return [(gate.id, f"{gettext(gate.name)} ({gate.id})") for gate in GATES.values()]


class CutForm(forms.Form):
    """What a manager decides before a release is built."""

    version = forms.CharField(
        label=_("Version"),
        max_length=40,
        help_text=_("Three numbers, such as 1.0.0. A version never changes once it is ready."),
    )
    extends = forms.ChoiceField(
        label=_("Extends"),
        required=False,
        help_text=_(
            "Items keep their id, their split and the places of their options. A patch (1.0.1) mends or"
            " retires, a minor version (1.1.0) adds items too, a major one (2.0.0) may also publish answers"
            " that were withheld. Without this everything is drawn anew and ids begin again: then choose a"
            " new major version."
        ),
    )
    dev_share = forms.CharField(
        label=_("Share of dev"),
        max_length=12,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        help_text=_("0.2 puts one item in five into dev, the rest into test."),
    )
    split = forms.ChoiceField(
        label=_("Dev and test by"),
        choices=SplitRule,
        widget=forms.RadioSelect,
        help_text=_("By single items both splits share stories; the gate split_leak must then be let pass."),
    )
    tasks = forms.MultipleChoiceField(
        label=_("Only these tasks"),
        required=False,
        choices=task_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: all."),
    )
    styles = forms.MultipleChoiceField(
        label=_("Only these styles"),
        required=False,
        choices=Style,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: all."),
    )
    min_rating = forms.IntegerField(
        label=_("Lowest rating"),
        required=False,
        min_value=0,
        help_text=_(
            "Only items that no reviewer of the wording last rated gave less. 0 takes all, also those that"
            " were brought in without a rating."
        ),
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=_("Any whole number. The same items and the same seed give the same release."),
    )
    withhold_test = forms.BooleanField(
        label=_("Withhold the answers of the test"),
        required=False,
        help_text=_("The seed is then drawn and kept secret; the one above is not used."),
    )
    keep_order = forms.BooleanField(
        label=_("Keep options that are numbers in order"),
        required=False,
        help_text=_("“3 days”, “5 days” stand from the smallest up; the letters of all others are balanced."),
    )
    anonymous = forms.BooleanField(
        label=_("Anonymous"),
        required=False,
        help_text=_("No file names the project, its people or its contact: for a review that is blind."),
    )
    contact = forms.CharField(
        label=_("Where errors are reported"),
        required=False,
        max_length=200,
        help_text=_("An address that stands in the card. The form of this site needs no account."),
    )
    allow = forms.MultipleChoiceField(
        label=_("Let a gate pass"),
        required=False,
        choices=_gates,
        widget=forms.CheckboxSelectMultiple,
    )
    reason = forms.CharField(
        label=_("Why it may be passed"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Stands in the card, for every reader of the release."),
    )

    def __init__(self, *args: Any, bases: Iterable[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["extends"] = forms.ChoiceField(
            label=self.fields["extends"].label,
            required=False,
            help_text=self.fields["extends"].help_text,
            choices=[("", gettext("nothing: a fresh draw")), *((version, version) for version in bases)],
        )

    def clean_min_rating(self) -> int:
        """No rating asked for is the lowest one."""
        return self.cleaned_data["min_rating"] or 0

    def clean(self) -> dict[str, Any]:
        """The seed that the form began with is no wish where one is to be drawn in secret."""
        found = super().clean() or self.cleaned_data
        return {**found, "seed": ""} if found.get("withhold_test") else found

    def recipe_fields(self) -> dict[str, Any]:
        """What makes the recipe, beside version and seed."""
        names = (
            "dev_share",
            "split",
            "withhold_test",
            "allow",
            "reason",
            "extends",
            "contact",
            "keep_order",
            "anonymous",
            "tasks",
            "styles",
            "min_rating",
        )
        return {name: self.cleaned_data[name] for name in names}


class WithdrawForm(forms.Form):
    """Why a release is taken back."""

    reason = forms.CharField(
        label=_("Why it is withdrawn"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Stays visible beside the version."),
    )


class ReportForm(forms.Form):
    """An error in a released item, as somebody outside reports it."""

    item_id = forms.CharField(
        label=_("Id of the item"),
        max_length=120,
        help_text=_("As it stands in the files, such as fables-m-000017."),
    )
    release = forms.CharField(
        label=_("Canary or version"),
        required=False,
        max_length=80,
        help_text=_("Both stand in the card of the release; the canary also in every record."),
    )
    fault = forms.ChoiceField(label=_("What is wrong"), choices=Fault)
    text = forms.CharField(
        label=_("What you have found"), max_length=4000, widget=forms.Textarea(attrs={"rows": 5})
    )
    name = forms.CharField(label=_("Your name"), required=False, max_length=150)
    contact = forms.CharField(
        label=_("How to reach you"),
        required=False,
        max_length=200,
        help_text=_("Not needed: the answer will stand under a link that you are given."),
    )


class AnswerForm(forms.Form):
    """The answer to a report, and what is done about the item."""

    answer = forms.CharField(
        label=_("Reply"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The sender reads it; where answers are withheld, name no key."),
    )
    remedy = forms.ChoiceField(
        label=_("What is done about it"),
        required=False,
        choices=[("", _("nothing: the item is right as it is")), *Remedy.choices],
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        label=_("Note for readers of the next release"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Only where something is done. It stands in the errata; name no key."),
    )


class TeamForm(forms.Form):
    """A team that may have responses scored."""

    name = forms.CharField(label=_("Name of the team"), max_length=150)
    per_week = forms.IntegerField(
        label=_("Uploads in seven days"),
        initial=2,
        min_value=1,
        max_value=50,
        help_text=_("Each upload tells a little about the keys; few are enough to measure a model."),
    )
    in_all = forms.IntegerField(label=_("Uploads in all"), initial=TEAM_UPLOADS, min_value=1, max_value=200)


class UploadLimitForm(forms.Form):
    """How many uploads all teams of a release have together."""

    uploads_in_all = forms.IntegerField(
        label=_("Uploads of all teams together"),
        min_value=0,
        max_value=1000,
        help_text=_(
            "Over all time. Teams can share what they are told, so they are counted together, with those of"
            " releases that this one extends or that extend it."
        ),
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
