"""Filters and forms of the dashboard's pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.kinds import any_task
from annotation.models import Style
from annotation.models.plan import MOST_PER_STORY
from annotation.plan import Target
from corpus.models import Story
from dashboard.queries.activity import ACTIONS, SUBJECTS
from parable.formats.records import FURTHER_FIELDS
from projects.models import CommonsenseType, Project, Role
from review.models import Priority
from web.forms import PlainSelect, explain, set_choices


def _rate(label: Any) -> forms.DecimalField:
    return forms.DecimalField(label=label, min_value=0, max_digits=10, decimal_places=2)


class NameAgainForm(forms.Form):
    """A form that confirms an action on an account: its user name is typed again."""

    username = forms.CharField(
        label=_("Type the user name to confirm"),
        max_length=150,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._expected = user.username

    def clean_username(self) -> str:
        """Return the user name, if it is that of the account."""
        given = str(self.cleaned_data["username"])
        if given != self._expected:
            raise forms.ValidationError(_("This is not the user name of the account."))
        return given


class HandOverForm(forms.Form):
    """The choice of the writer who takes over a departing member's work.

    If it is empty, the work becomes available to all writers.
    """

    receiver = forms.ModelChoiceField(
        User.objects.none(),
        label=_("Hand over to"),
        required=False,
        empty_label=_("Anyone who takes it"),
        widget=PlainSelect,
    )

    def __init__(self, data: QueryDict | None, *, receivers: QuerySet[User]) -> None:
        super().__init__(data)
        set_choices(self, "receiver", receivers)
        explain(
            self,
            receiver=_(
                "If anyone can take it: stories become available again, returned items are"
                " offered to all writers, and drafts of new items stay."
            ),
        )


class PriorityForm(forms.Form):
    """The choice of a priority for the items that a filter selects."""

    priority = forms.TypedChoiceField(coerce=int, choices=Priority.choices)

    def chosen(self) -> int:
        """Return the chosen priority, or -1 if it is invalid, which the service refuses."""
        return int(self.cleaned_data["priority"]) if self.is_valid() else -1


ROWS: Final = (
    ("type", _("types")),
    ("writer", _("writers")),
    ("reviewer", _("reviewers")),
    ("story", _("stories")),
)
"""The fields by which the overview can be grouped; `type` is offered only if items have types."""


class OverviewFilter(forms.Form):
    """Filters and grouping of the overview.

    The hidden filters are set only by links from the overview's rows.
    """

    by = forms.ChoiceField(label=_("Group by"), required=False, choices=ROWS)
    task = forms.ChoiceField(label=_("Task"), required=False, choices=any_task)
    style = forms.ChoiceField(
        label=_("Style"), required=False, choices=[("", _("any style")), *Style.choices]
    )
    writer = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    reviewer = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    story = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)
    type = forms.IntegerField(required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, has_types: bool) -> None:
        super().__init__(data)
        self.rows = [row for row in ROWS if has_types or row[0] != "type"]
        set_choices(self, "by", self.rows)

    def wanted(self) -> dict[str, Any]:
        """Return the values of the filters that are set, by name. Invalid values are left out."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value and name != "by"}

    def group(self) -> str:
        """Return the field by which rows are grouped; by default the first field of `ROWS`."""
        self.is_valid()
        return str(self.cleaned_data.get("by") or self.rows[0][0])


class PeriodForm(forms.Form):
    """The first and last day of a work report; by default the first day of this month, and today."""

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
        """Return the earlier and the later of the two days. An invalid day is replaced by its default."""
        today = timezone.localdate()
        self.is_valid()
        since = self.cleaned_data.get("since") or today.replace(day=1)
        until = self.cleaned_data.get("until") or today
        return min(since, until), max(since, until)


class ActivityFilter(forms.Form):
    """The filters of the activity: person, action, kind of object, first and last day."""

    person = forms.CharField(label=_("Person"), required=False, max_length=150)
    action = forms.ChoiceField(label=_("Action"), required=False)
    about = forms.ChoiceField(label=_("Object"), required=False)
    since = forms.DateField(label=_("From"), required=False, widget=forms.DateInput({"type": "date"}))
    until = forms.DateField(label=_("To"), required=False, widget=forms.DateInput({"type": "date"}))

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        every = ("", _("All"))
        actions = sorted(((verb, str(one.name)) for verb, one in ACTIONS.items()), key=lambda pair: pair[1])
        kinds = sorted(((kind, str(one.name)) for kind, one in SUBJECTS.items()), key=lambda pair: pair[1])
        set_choices(self, "action", [every, *actions])
        set_choices(self, "about", [every, *kinds])

    def chosen(self) -> dict[str, Any]:
        """Return the valid filters, as keyword arguments of `queries.activity.filtered`."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


class RatesForm(forms.Form):
    """Rates of pay, in the project's currency."""

    rate_item = _rate(_("Per submitted item"))
    rate_verified = _rate(_("Per verified item, to its writer"))
    rate_review = _rate(_("Per review, verification or ruling"))
    rate_hour = _rate(_("Per hour of active work"))

    def __init__(self, data: QueryDict | None = None, *, project: Project) -> None:
        super().__init__(data, initial={name: getattr(project, name) for name in self.base_fields})


class TargetsForm(forms.Form):
    """Targets of each type: the number of items that a story should have, and the share of all items."""

    def __init__(
        self, data: QueryDict | None, *, kinds: Sequence[CommonsenseType], targets: Mapping[int, Target]
    ) -> None:
        """Add two fields for each type. If no targets are set, propose one item of each type per story."""
        super().__init__(data)
        self.kinds = kinds
        for kind in kinds:
            target = targets.get(kind.pk, Target(0)) if targets else Target()
            name = kind.name_in(get_language() or "en")
            self.fields[f"{kind.code}-items"] = _count(
                _("Items per story: %(type)s") % {"type": name}, MOST_PER_STORY, target.per_story
            )
            self.fields[f"{kind.code}-share"] = _count(
                _("Share in percent: %(type)s") % {"type": name}, 100, target.share or None
            )

    def targets(self) -> dict[str, Target]:
        """Return the posted targets by code of the type; an empty field counts as 0."""
        typed = self.cleaned_data
        return {
            kind.code: Target(typed[f"{kind.code}-items"] or 0, typed[f"{kind.code}-share"] or 0)
            for kind in self.kinds
        }


def _count(label: str, most: int, initial: int | None) -> forms.IntegerField:
    widget = forms.NumberInput({"aria-label": label, "inputmode": "numeric"})
    return forms.IntegerField(
        label=label, required=False, min_value=0, max_value=most, initial=initial, widget=widget
    )


class ReservationForm(forms.Form):
    """A form that reserves a story for a type, a writer or both."""

    story = forms.CharField(label=_("Story"), max_length=200, help_text=_("Title or ID"))
    kind = forms.ChoiceField(label=_("Type"), required=False)
    writer = forms.ModelChoiceField(
        User.objects.none(), label=_("Writer"), required=False, empty_label=_("any writer")
    )

    def __init__(
        self,
        data: QueryDict | None,
        *,
        initial: Mapping[str, str],
        stories: QuerySet[Story],
        kinds: Sequence[CommonsenseType],
        writers: QuerySet[User],
    ) -> None:
        """Limit the choices to the given `stories`, `kinds` and `writers`, which are those of a project."""
        super().__init__(data, initial=dict(initial))
        self.stories, language = stories, get_language() or "en"
        named = [(kind.code, kind.name_in(language)) for kind in kinds]
        set_choices(self, "kind", [("", _("any type")), *named])
        if not named:
            del self.fields["kind"]
        set_choices(self, "writer", writers)

    def clean_story(self) -> Story:
        """Return the story whose id or, failing that, whose title was entered.

        Raise `ValidationError` if no story has it, or if several stories have the title.
        """
        typed = self.cleaned_data["story"].strip()
        with_id = list(self.stories.filter(ref=typed)[:1])
        found = with_id or list(self.stories.filter(current__title__iexact=typed)[:2])
        if not found:
            raise forms.ValidationError(_("No story has this title or ID."))
        if len(found) > 1:
            raise forms.ValidationError(_("Several stories have this title. Enter the ID."))
        return found[0]


class BulkForm(forms.Form):
    """The additional fields of a bulk action, such as a reason, a writer or a role.

    Some actions have none.
    """

    rights = forms.CharField(
        label=_("Rights"), max_length=2000, required=False, help_text=_("A licence, or “public domain”.")
    )
    evidence = forms.CharField(
        label=_("Evidence"), max_length=4000, required=False, widget=forms.Textarea({"rows": 2})
    )
    reason = forms.CharField(label=_("Reason"), max_length=4000, widget=forms.Textarea({"rows": 2}))
    receiver = forms.ModelChoiceField(User.objects.none(), label=_("Writer"), empty_label=None)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)

    def __init__(self, data: QueryDict | None, *, asks: Collection[str], writers: QuerySet[User]) -> None:
        super().__init__(data)
        no_help = dict.fromkeys(FURTHER_FIELDS, "")
        self.fields |= forms.fields_for_model(Story, tuple(FURTHER_FIELDS), help_texts=no_help)
        set_choices(self, "receiver", writers)
        for name in self.fields.keys() - set(asks):
            del self.fields[name]
