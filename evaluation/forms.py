"""Forms for runs, panels, imports and calibrations. They only validate input; services apply the rules."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.db.models import Model
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.numbers import whole_number
from evaluation.models import OptionOrder, PartialInput, Portion, Priors, ResponseModel, Run
from evaluation.queries.calibration import finished_runs
from evaluation.queries.run import (
    Asking,
    default_prompt,
    measurable_releases,
    portions,
    tasks_with_prompts,
)
from evaluation.services import LARGEST_UPLOAD
from jobs.models import Endpoint
from jobs.queries import askable_endpoints
from parable.kinds import kind_of
from parable.kinds.question import Given
from projects.models import Project
from release.models import Release
from release.queries.answer_form import own_answer
from web.forms import PlainCheckboxes, set_choices, stored_text

USUAL_DIFFERENCE: Final = 5
"""The default difference in accuracy between two models that a plan must detect, in percentage points."""
PROMPT_OF = "prompt-"  # the prefix of a prompt's field name, before the task


class ReleaseField(forms.ModelChoiceField):  # type: ignore[type-arg]  # none at run time
    """A choice field for releases, labelled with their versions."""

    def label_from_instance(self, obj: Model) -> str:
        """Return the version of a release as its label."""
        return str(getattr(obj, "version", obj))


class RunForm(forms.Form):
    """The settings of a run: items, examinees, and budget."""

    _ASKED = ("release", "prompt", "split", "repeats", "order", "seed", "sample_size", "probe")

    release = ReleaseField(label=_("Release"), queryset=Release.objects.none(), empty_label=None)
    endpoints = forms.ModelMultipleChoiceField(
        label=_("Models"), queryset=Endpoint.objects.none(), widget=forms.CheckboxSelectMultiple
    )
    split = forms.ChoiceField(label=_("Split"), choices=Portion, initial=Portion.BOTH)
    repeats = forms.IntegerField(label=_("Repeats"), min_value=1, max_value=50, initial=3)
    order = forms.ChoiceField(label=_("Order of options"), choices=OptionOrder, initial=OptionOrder.RELEASED)
    seed = forms.CharField(label=_("Seed"), max_length=64, initial="7")
    sample_size = forms.IntegerField(
        label=_("Sample size"),
        min_value=1,
        required=False,
        help_text=_("Empty: all items."),
    )
    probe = forms.ChoiceField(
        label=_("Items"),
        choices=PartialInput,
        required=False,
        help_text=_("A run without a part is a probe and is left out of results."),
    )
    prompt = forms.CharField(
        label=_("Prompt"),
        max_length=20_000,
        widget=forms.Textarea({"rows": 10}),
        help_text=_(
            "{story}, {question} and {options} are filled in; {options_in_line} puts all options on one line."
        ),
    )
    difference = forms.DecimalField(
        label=_("Difference to find"),
        min_value=Decimal("0.1"),
        max_value=100,
        max_digits=5,
        decimal_places=1,
        required=False,
        initial=USUAL_DIFFERENCE,
        help_text=_("In points between two models. For the plan only."),
    )
    budget = forms.DecimalField(
        label=_("Budget per run"),
        min_value=0,
        max_digits=10,
        decimal_places=2,
        required=False,
        help_text=_("Empty: no limit."),
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "release", measurable_releases(project))
        set_choices(self, "split", portions(project))
        set_choices(self, "endpoints", askable_endpoints(project))
        self.fields["prompt"].initial = default_prompt(project)
        for task in tasks_with_prompts(project):
            kind = kind_of(task)
            self.fields[PROMPT_OF + task] = forms.CharField(
                label=_("Prompt: %(task)s") % {"task": gettext(kind.items_name)},
                max_length=20_000,
                widget=forms.Textarea({"rows": 8}),
                initial=kind.question.template(project.language),
                required=False,
                help_text=_("Empty: the usual prompt of the task."),
            )

    def settings(self) -> list[forms.BoundField]:
        """Return all fields except the prompts of single tasks."""
        return [field for field in self if not field.name.startswith(PROMPT_OF)]

    def task_prompts(self) -> list[forms.BoundField]:
        """Return the prompt fields of the tasks that are not answered by one option."""
        return [field for field in self if field.name.startswith(PROMPT_OF)]

    def clean_prompt(self) -> str:
        """Return the prompt with LF line endings, because browsers send CR LF."""
        return stored_text(self.cleaned_data["prompt"])

    @property
    def asking(self) -> Asking:
        """The settings of the run. The form must be valid."""
        prompts = {
            name.removeprefix(PROMPT_OF): stored_text(text)
            for name, text in self.cleaned_data.items()
            if name.startswith(PROMPT_OF) and text.strip()
        }
        return Asking(**{name: self.cleaned_data[name] for name in self._ASKED}, prompts=prompts)

    @property
    def planned(self) -> tuple[Asking, list[Endpoint], float] | None:
        """The input for the plan of a run: (settings, endpoints, smallest difference as a share).

        An unbound form gives its initial values. No endpoint needs to be selected. None if a field is
        invalid.
        """
        if self.is_bound:
            self.is_valid()
            given = self.cleaned_data
        else:
            given = {name: self.get_initial_for_field(field, name) for name, field in self.fields.items()}
        if given.get("release") is None or not {*self._ASKED, "difference"} <= given.keys():
            return None
        asking = Asking(**{name: given[name] for name in self._ASKED})
        return (
            asking,
            list(given.get("endpoints") or []),
            float(given["difference"] or USUAL_DIFFERENCE) / 100,
        )

    @property
    def budget_of_each(self) -> Decimal | None:
        """The budget of each run, or None for no limit. The form must be valid."""
        found: Decimal | None = self.cleaned_data["budget"]
        return found


class PanelForm(forms.Form):
    """The release and the sample of items for a panel of people."""

    release = ReleaseField(label=_("Release"), queryset=Release.objects.none(), empty_label=None)
    split = forms.ChoiceField(label=_("Split"), choices=Portion, initial=Portion.TEST)
    sample_size = forms.IntegerField(
        label=_("Sample size"),
        min_value=1,
        max_value=500,
        initial=60,
    )
    seed = forms.CharField(label=_("Seed"), max_length=64, initial="7")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "release", measurable_releases(project))
        set_choices(self, "split", portions(project))


class InviteForm(forms.Form):
    """Invitations to solve a panel's items by personal link."""

    names = forms.CharField(
        label=_("Names"),
        widget=forms.Textarea({"rows": 3}),
        help_text=_("One per line. People who have not seen the items."),
    )
    items_each = forms.IntegerField(label=_("Items per person"), min_value=1, max_value=500, initial=20)
    days = forms.IntegerField(label=_("Valid for (days)"), min_value=1, max_value=90, initial=14)


class ImportForm(forms.Form):
    """The upload of a file of responses that were collected elsewhere."""

    release = ReleaseField(label=_("Release"), queryset=Release.objects.none(), empty_label=None)
    file = forms.FileField(label=_("Responses"))

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "release", measurable_releases(project))

    def clean_file(self) -> Any:
        """Return the file. Raise `ValidationError` if it is too large to be read into memory."""
        file = self.cleaned_data["file"]
        if file.size > LARGEST_UPLOAD:
            raise forms.ValidationError(_("The file is too large."))
        return file


def given_in(data: QueryDict, record: Mapping[str, Any]) -> Given:
    """Return a panel member's answer as positions in the displayed order; None if it is empty.

    An incomplete order is []. For tasks without options, return the result of `own_answer`. The caller must
    still validate the answer.
    """
    answer, places = kind_of(record["task"]).answer, range(len(record["choices"]))
    if answer == "own":
        return own_answer(data, record)
    if answer == "several":
        ticked = {whole_number(value) for value in data.getlist("several")}
        return sorted(place for place in places if place in ticked) or None
    if answer == "order":
        ranks = {place: whole_number(data.get(f"rank-{place}", "")) for place in places}
        if not any(ranks.values()):
            return None
        is_order = sorted(rank or 0 for rank in ranks.values()) == [place + 1 for place in places]
        return sorted(places, key=lambda place: ranks[place] or 0) if is_order else []
    return whole_number(data.get("position", ""))


class PublishedForm(forms.Form):
    """The upload of a CSV file of published figures, and the source of these figures."""

    source = forms.CharField(label=_("Source"), max_length=300, required=False)
    file = forms.FileField(label=_("Published figures"))


class CalibrationForm(forms.Form):
    """The runs, the response model and the priors of a calibration."""

    release = ReleaseField(label=_("Release"), queryset=Release.objects.none(), empty_label=None)
    runs = forms.ModelMultipleChoiceField(
        label=_("Runs"),
        queryset=Run.objects.none(),
        required=False,
        widget=PlainCheckboxes,
        help_text=_("None selected: all."),
    )
    model = forms.ChoiceField(label=_("Response model"), choices=ResponseModel, initial=ResponseModel.TWO)
    priors = forms.ChoiceField(
        label=_("Priors"),
        choices=Priors,
        initial=Priors.AUTO,
        help_text=_("auto: weak below 200 examinees."),
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "release", measurable_releases(project))
        set_choices(self, "runs", finished_runs(project))
