"""Forms of the release pages. The services validate the values."""

from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.kinds import task_choices
from core.errors import Unusable
from parable.kinds import codes_among
from projects.models import Project
from release.models import TEAM_UPLOADS, ErrorKind, Remedy
from release.options import CONTENTS, OPTIONS, Kind
from release.score import LARGEST_UPLOAD
from web.forms import put_errors, set_choices

LONGEST_VALUE: Final = 1000
"""The maximum number of characters stored for a field of a draft.

It exceeds the limit of every field, so that the service still refuses values that are too long.
"""
MOST_CHOSEN: Final = 100
"""The maximum number of tasks or styles stored for a draft; fewer exist."""


def option_fields(step: str) -> dict[str, forms.Field]:
    """Return the form fields of a step by name. An option with counts by task has a field for each task."""
    found: dict[str, forms.Field] = {}
    tasks = dict(task_choices())
    for option in OPTIONS:
        if option.step != step:
            continue
        for name in option.fields:
            field: Any
            label: Any = option.label
            if option.parts:
                label = format_lazy(label, task=tasks[option.parts[name]])
            shared: Any = {"label": label, "required": option.is_required, "help_text": option.help}
            if option.kind is Kind.SWITCH:
                field = forms.BooleanField(**shared)
            elif option.kind is Kind.SEVERAL:
                widget = forms.CheckboxSelectMultiple
                field = forms.MultipleChoiceField(choices=option.choices or (), widget=widget, **shared)
            elif option.kind is Kind.CHOICE:
                shared |= {"choices": option.choices, "widget": forms.RadioSelect} if option.choices else {}
                field = forms.ChoiceField(**shared)
            else:
                mode = {"inputmode": option.inputmode} if option.inputmode else {}
                field = forms.CharField(
                    max_length=option.longest, widget=forms.TextInput(attrs=mode), **shared
                )
            if option.more:
                field.explanation = option.more
            found[name] = field
    return found


def typed_options(step: str, data: Any) -> dict[str, Any]:
    """Return the values that were entered in the fields of a step, by name, as stored in a draft."""
    found = {
        name: field.widget.value_from_datadict(data, {}, name) for name, field in option_fields(step).items()
    }
    return {name: "" if value is None else _cut(value) for name, value in found.items()}


def _cut(value: Any) -> Any:
    """Return the input cut to the maximum length that a draft stores."""
    if isinstance(value, list):
        return [_cut(one) for one in value[:MOST_CHOSEN]]
    return value[:LONGEST_VALUE] if isinstance(value, str) else value


class OptionsForm(forms.Form):
    """The options of a step of a draft. Values remain as typed; the services return the error messages."""

    def __init__(
        self,
        *args: Any,
        step: str,
        project: Project,
        bases: Iterable[str] = (),
        extends: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields = option_fields(step)
        known = codes_among(project.tasks)
        for option in OPTIONS:
            for name, task in option.parts.items():
                if task not in known:
                    self.fields.pop(name, None)
            if extends and option.is_fixed:
                self.fields.pop(option.name, None)
        if step == CONTENTS:
            set_choices(self, "tasks", [(code, name) for code, name in task_choices() if code in known])
            nothing = ("", gettext("None: draw anew"))
            set_choices(self, "extends", [nothing, *((version, version) for version in bases)])


class ReasonForm(forms.Form):
    """The reason for an action. The services decide whether it is acceptable."""

    use_required_attribute = False  # the list of items can be sent without a reason
    reason = forms.CharField(label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 3}))

    def refuse(self, error: Unusable) -> None:
        """Display the service's error for the reason instead of the form's own error."""
        self.errors.pop("reason", None)
        put_errors(self, error)


class WithdrawForm(forms.Form):
    """The reason for withdrawing a release."""

    reason = forms.CharField(
        label=_("Reason for the withdrawal"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Shown beside the version."),
    )


class ReportForm(forms.Form):
    """An error report about a released item, from anyone outside the project."""

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
    """The reply to an error report, and the remedy for the item."""

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
        """Return the remedy, or "" for no change."""
        chosen = str(self.cleaned_data["remedy"])
        return "" if chosen == NO_CHANGE else chosen


class TeamForm(forms.Form):
    """The name and upload limits of a team that is invited to have responses scored."""

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
    """The total number of uploads for all teams of a release."""

    uploads_in_all = forms.IntegerField(
        label=_("Total uploads of all teams"),
        min_value=0,
        max_value=1000,
        help_text=_("Includes uploads on related versions."),
    )


class UploadForm(forms.Form):
    """The upload of a file with a team's responses."""

    file = forms.FileField(label=_("Responses"), max_length=200)

    def clean_file(self) -> Any:
        """Return the file. Raise `ValidationError` if it is too large to be read into memory."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST_UPLOAD:
            raise forms.ValidationError(
                gettext("The file is larger than %(most)d MB.") % {"most": LARGEST_UPLOAD >> 20}
            )
        return file


class PushForm(forms.Form):
    """A data set of a hub, and a token that may write to it. The typed token is never sent back."""

    repo = forms.CharField(
        label=_("Data set"),
        max_length=193,
        widget=forms.TextInput({"placeholder": "OWNER/NAME", "autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Created if it does not exist."),
    )
    is_public = forms.BooleanField(
        label=_("Public"),
        required=False,
        help_text=_(
            "Everyone can see a public data set. Without this, a new one is private. An existing one keeps"
            " its visibility."
        ),
    )
    token = forms.CharField(
        label=_("Access token"),
        max_length=500,
        widget=forms.PasswordInput({"autocomplete": "off", "spellcheck": "false"}),
        help_text=_("Yours, with write access. Encrypted, never shown again, erased after sending."),
    )
