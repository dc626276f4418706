"""Forms of the pages that only read."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.kinds import any_task
from annotation.models import Style
from dashboard.models import Verb
from projects.models import Project
from review.models import Priority
from web.forms import set_choices


def _rate(label: Any) -> forms.DecimalField:
    return forms.DecimalField(label=label, min_value=0, max_digits=10, decimal_places=2)


class HandOverForm(forms.Form):
    """To whom a leaver's work goes; nobody: to whoever takes it."""

    receiver = forms.ModelChoiceField(
        User.objects.none(),
        label=_("Hand over to"),
        required=False,
        empty_label=_("Anyone who takes it"),
        help_text=_(
            "If anyone can take it: stories become available again, returned items are"
            " offered to all writers, and drafts of new items stay."
        ),
    )

    def __init__(self, data: QueryDict | None, *, receivers: QuerySet[User]) -> None:
        super().__init__(data)
        set_choices(self, "receiver", receivers)


class PriorityForm(forms.Form):
    """When the items of a filter shall be reviewed."""

    priority = forms.TypedChoiceField(coerce=int, choices=Priority.choices)

    def chosen(self) -> int:
        """What was chosen; -1, which the service refuses, where it is no such thing."""
        return int(self.cleaned_data["priority"]) if self.is_valid() else -1


class OverviewFilter(forms.Form):
    """What the manager's view counts, and by what. People, story and type are set by following a row."""

    by = forms.ChoiceField(
        label=_("Group by"),
        required=False,
        choices=[
            ("type", _("types")),
            ("writer", _("writers")),
            ("reviewer", _("reviewers")),
            ("story", _("stories")),
        ],
    )
    task = forms.ChoiceField(label=_("Task"), required=False, choices=any_task)
    style = forms.ChoiceField(
        label=_("Style"), required=False, choices=[("", _("any style")), *Style.choices]
    )
    writer = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    reviewer = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    story = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    type = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)

    def wanted(self) -> dict[str, Any]:
        """The filters as far as they can be used; what cannot is as if it were not there."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value and name != "by"}

    def group(self) -> str:
        """What the rows are."""
        self.is_valid()
        return str(self.cleaned_data.get("by") or "type")


class PeriodForm(forms.Form):
    """The first and the last day of a statement; by default this month, in the reader's zone."""

    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, data: QueryDict) -> None:
        today = timezone.localdate()
        super().__init__(
            {
                "since": data.get("since") or today.replace(day=1).isoformat(),
                "until": data.get("until") or today.isoformat(),
            }
        )

    def days(self) -> tuple[date, date]:
        """Both days; what cannot be read is this month's."""
        today = timezone.localdate()
        self.is_valid()
        since = self.cleaned_data.get("since") or today.replace(day=1)
        until = self.cleaned_data.get("until") or today
        return min(since, until), max(since, until)


class RatesForm(forms.Form):
    """What work is paid, in the project's currency."""

    rate_item = _rate(_("Per submitted item"))
    rate_verified = _rate(_("Per verified item, to its writer"))
    rate_review = _rate(_("Per review, verification or ruling"))
    rate_hour = _rate(_("Per hour of active work"))

    def __init__(self, data: QueryDict | None = None, *, project: Project) -> None:
        super().__init__(data, initial={name: getattr(project, name) for name in self.base_fields})


class BulkForm(forms.Form):
    """What an action on many items needs: a reason, or a writer; nothing for the others."""

    reason = forms.CharField(label=_("Reason"), max_length=4000, widget=forms.Textarea({"rows": 2}))
    receiver = forms.ModelChoiceField(User.objects.none(), label=_("Writer"), empty_label=None)

    def __init__(self, data: QueryDict | None, *, verb: str, writers: QuerySet[User]) -> None:
        super().__init__(data)
        set_choices(self, "receiver", writers)
        if verb not in (Verb.RETURN, Verb.RETIRE):
            del self.fields["reason"]
        if verb != Verb.ASSIGN:
            del self.fields["receiver"]
