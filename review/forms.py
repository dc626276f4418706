"""Forms for blind answers and verdicts. They check only the form of the input; services apply the rules."""

import re
from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.content import ItemContent, OptionContent
from annotation.kinds import any_task
from annotation.models import Style
from core.numbers import whole_number
from jobs.models import Endpoint
from jobs.queries import askable_endpoints
from parable.formats.limits import MAX_EXPLANATION_CHARS, MAX_OPTION_CHARS, MAX_STEM_CHARS
from parable.kinds.comparison import Pick
from projects.models import Project
from review.models import Answer, Disposition, Flaw
from review.practice import Expected
from review.queries.item import Behind, Figure
from review.services.model_rater import MOST_ITEMS
from web.forms import set_choices

PICK: Final = re.compile(r"([0-9]{1,3}):([0-9]{1,4})")
MOST_PICKS: Final = 1000
TO_ONE_KEY: Final = (Answer.OPTION, Answer.NONE_FITS, Answer.SEVERAL_FIT)
"""The possible answers to an item with one key."""


class FigureFilter(forms.Form):
    """The query string of a link from a statistic to the items that the statistic counts."""

    figure = forms.ChoiceField(choices=Figure.choices)
    task = forms.ChoiceField(required=False, choices=any_task)
    style = forms.ChoiceField(required=False, choices=Style.choices)
    kind = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    reviewer = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    second = forms.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    rating = forms.IntegerField(required=False, min_value=0, max_value=10)

    def behind(self) -> Behind:
        """Return the statistic and the filters in the query string. Invalid values are left out."""
        self.is_valid()
        return Behind(**{name: value for name, value in self.cleaned_data.items() if value not in {"", None}})


class ModelRaterForm(forms.Form):
    """A form that orders judgements by a model: the model, the number of items, and the maximum cost."""

    endpoint = forms.ModelChoiceField(label=_("Model"), queryset=Endpoint.objects.none(), empty_label=None)
    items = forms.IntegerField(
        label=_("Items"),
        min_value=1,
        max_value=MOST_ITEMS,
        initial=100,
        help_text=_("Items that reviewers have rated, those with two ratings first."),
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        min_value=0,
        max_digits=10,
        decimal_places=2,
        required=False,
        help_text=_("Empty: no limit."),
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "endpoint", askable_endpoints(project))


class VerdictForm(forms.Form):
    """A verdict: rating, flaws, comment and disposition, with `edit_...` fields for an edit."""

    rating = forms.IntegerField(required=False)
    flaws = forms.MultipleChoiceField(required=False, choices=Flaw.choices)
    comment = forms.CharField(required=False, max_length=4000, strip=True, label=_("Comment"))
    about = forms.CharField(required=False, max_length=20)
    disposition = forms.ChoiceField(required=False, choices=Disposition.choices)

    def verdict(self) -> dict[str, Any]:
        """Return the keyword arguments of `services.send_verdict`, except those for an edit."""
        return {
            "rating": self.cleaned_data["rating"],
            "flaws": self.cleaned_data["flaws"],
            "comment": self.cleaned_data["comment"],
            "disposition": self.cleaned_data["disposition"],
        }


def ratings_in(posted: QueryDict, criteria: Iterable[str]) -> dict[str, int]:
    """Return the posted ratings by criterion. Missing and invalid ratings are left out."""
    read = {criterion: whole_number(posted.get(f"rating_{criterion}", "")) for criterion in criteria}
    return {criterion: value for criterion, value in read.items() if value is not None}


def option_marks(posted: QueryDict, count: int) -> list[bool | None]:
    """Return the posted marks in the drawn order; None for an option without a mark."""
    data = {"right": True, "wrong": False}
    return [data.get(posted.get(f"mark_{index}", "")) for index in range(count)]


class EditForm(forms.Form):
    """The wording that a reviewer proposes as an edit; the item's kind reads its values."""

    edit_stem = forms.CharField(
        required=False, max_length=MAX_STEM_CHARS, widget=forms.Textarea(attrs={"rows": 2})
    )
    edit_explanation = forms.CharField(
        required=False, max_length=MAX_EXPLANATION_CHARS, widget=forms.Textarea(attrs={"rows": 2})
    )
    edit_key = forms.IntegerField(required=False)

    def __init__(self, *args: Any, option_count: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.option_count = option_count
        for place in range(option_count):
            self.fields[f"edit_option_{place}"] = forms.CharField(required=False, max_length=MAX_OPTION_CHARS)


class RulingForm(forms.Form):
    """A ruling with its reason."""

    disposition = forms.ChoiceField(required=False, choices=Disposition.choices)
    comment = forms.CharField(required=False, max_length=4000)
    about = forms.CharField(required=False, max_length=20)


def picks_in(posted: QueryDict) -> tuple[Pick, ...]:
    """Return the groups that an adjudicator picked for a merged answer.

    A pick has the number of the answer and the number of the group in it, both counted from 0.
    """
    read = [PICK.fullmatch(value) for value in posted.getlist("pick")[:MOST_PICKS]]
    return tuple(Pick(int(found[1]), int(found[2])) for found in read if found)


class SkipForm(forms.Form):
    """The reason for giving a request back."""

    reason = forms.CharField(required=False, max_length=500, label=_("Why do you skip this item?"))


class PracticeItemForm(forms.Form):
    """A practice item: its content, its expected verdict, and the lesson displayed after the verdict."""

    stem = forms.CharField(
        label=_("Stem"), max_length=MAX_STEM_CHARS, widget=forms.Textarea(attrs={"rows": 2})
    )
    explanation = forms.CharField(
        label=_("Explanation, as shown to the reviewer"),
        required=False,
        max_length=MAX_EXPLANATION_CHARS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    key = forms.TypedChoiceField(coerce=int, choices=())
    answer = forms.ChoiceField(choices=[choice for choice in Answer.choices if choice[0] in TO_ONE_KEY])
    right = forms.TypedMultipleChoiceField(required=False, coerce=int, choices=())
    rating_low = forms.TypedChoiceField(label=_("Lowest rating"), coerce=int, choices=())
    rating_high = forms.TypedChoiceField(label=_("Highest rating"), coerce=int, choices=())
    flaws = forms.MultipleChoiceField(required=False, choices=Flaw.choices)
    dispositions = forms.MultipleChoiceField(
        choices=[(value, label) for value, label in Disposition.choices if value != Disposition.SEND_ON]
    )
    lesson = forms.CharField(
        label=_("Lesson"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Shown after the verdict."),
    )

    def __init__(self, *args: Any, before: ItemContent, max_rating: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.before = before
        ratings = [(number, str(number)) for number in range(max_rating + 1)]
        places = [(place, str(place + 1)) for place in range(len(before.options))]
        for name, choices in (("rating_low", ratings), ("rating_high", ratings), ("key", places)):
            set_choices(self, name, choices)
        set_choices(self, "right", places)
        for place, number in places:
            label = _("Option %(number)s") % {"number": number}
            self.fields[f"option_{place}"] = forms.CharField(label=label, max_length=2000)

    def content(self) -> ItemContent:
        """Return the item's content with the posted changes; its commonsense types stay the same."""
        data = self.cleaned_data
        count = len(self.before.options)
        return ItemContent(
            stem=data["stem"],
            options=tuple(
                OptionContent(data[f"option_{index}"], index == data["key"]) for index in range(count)
            ),
            types=self.before.types,
            explanation=data["explanation"],
        )

    def expected(self) -> Expected:
        """Return the posted expected verdict."""
        data = self.cleaned_data
        fitting = () if data["answer"] == Answer.NONE_FITS else tuple(data["right"])
        return Expected(
            answer=data["answer"],
            positions=fitting,
            rating_low=data["rating_low"],
            rating_high=data["rating_high"],
            flaws=tuple(data["flaws"]),
            dispositions=tuple(data["dispositions"]),
        )
