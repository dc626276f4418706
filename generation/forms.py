"""Forms of endpoints, prompts and batches.

They check only the form of the input; services apply the rules.
"""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.content import ItemContent, OptionContent
from core.numbers import whole_number
from generation.models import PromptTemplate, Purpose
from generation.queries.batch import story_templates
from jobs.models import Endpoint, EndpointKind
from jobs.queries import askable_endpoints, endpoints
from parable.formats.json_reader import is_too_deep
from parable.llm.presets import Preset
from projects.models import Project
from web.forms import set_choices, stored_text

SCOPES = [
    ("lacking", _("stories without enough machine-style items")),
    ("without", _("stories without candidates")),
    ("all", _("all stories")),
]
KEY_SLOT = 0
ANSWER = "answer-"  # the prefix of a warning's key
CHOSEN = ("chosen", _("selected stories"))


class EndpointForm(forms.Form):
    """The settings of an endpoint, a language model that can be called."""

    name = forms.CharField(label=_("Name"), max_length=80)
    kind = forms.ChoiceField(label=_("Kind"), choices=EndpointKind.choices, initial=EndpointKind.OPENAI)
    base_url = forms.CharField(
        label=_("Base URL"), max_length=400, required=False, help_text=_("For example https://host/v1.")
    )
    model = forms.CharField(label=_("Model"), max_length=120)
    key_variable = forms.CharField(
        label=_("Environment variable with the API key"),
        max_length=80,
        required=False,
        help_text=_("For example PARABLE_LLM_KEY_GLM."),
    )
    parameters = forms.CharField(
        label=_("Parameters"),
        max_length=4000,
        required=False,
        initial='{"temperature": 0.9, "max_tokens": 400}',
        help_text=_("JSON, sent as is."),
    )
    price_in = forms.DecimalField(label=_("Price per million input tokens"), min_value=0, initial=0)
    price_out = forms.DecimalField(label=_("Price per million output tokens"), min_value=0, initial=0)
    requests_per_minute = forms.IntegerField(
        label=_("Requests per minute"), min_value=1, max_value=1_000_000, initial=60
    )
    tokens_per_minute = forms.IntegerField(
        label=_("Tokens per minute"),
        min_value=1,
        max_value=2_000_000_000,
        initial=100_000,
        help_text=_("Input and output."),
    )
    parallel_calls = forms.IntegerField(label=_("Parallel calls"), min_value=1, max_value=200, initial=4)
    timeout_seconds = forms.IntegerField(label=_("Timeout (seconds)"), min_value=1, max_value=600, initial=60)

    def __init__(self, *args: Any, endpoint: Endpoint | None = None, **kwargs: Any) -> None:
        if endpoint is not None:
            kwargs["initial"] = {name: getattr(endpoint, name) for name in self.base_fields} | {
                "parameters": json.dumps(endpoint.parameters, ensure_ascii=False)
            }
        super().__init__(*args, **kwargs)
        if endpoint is not None:
            del self.fields["kind"]
            if endpoint.kind == EndpointKind.MANUAL:
                for name in set(self.fields) - {"name", "model"}:
                    del self.fields[name]

    @staticmethod
    def of_preset(preset: Preset) -> dict[str, str]:
        """Return the form's initial values for a preset."""
        return {"name": preset.name, "base_url": preset.base_url, "model": preset.model}

    def clean_parameters(self) -> dict[str, object]:
        """Return the parameters as a dictionary. Raise `ValidationError` unless they are a JSON object."""
        text = self.cleaned_data["parameters"].strip() or "{}"
        if is_too_deep(text):
            raise forms.ValidationError(_("The JSON is nested too deeply."))
        try:
            value = json.loads(text)
        except ValueError as error:
            raise forms.ValidationError(_("The text is not JSON.")) from error
        if not isinstance(value, dict):
            raise forms.ValidationError(_("Enter a JSON object in braces."))
        return value


class KeyForm(forms.Form):
    """The API key of an endpoint. The typed value is never sent back."""

    key = forms.CharField(
        label=_("API key"),
        max_length=500,
        widget=forms.PasswordInput({"autocomplete": "new-password", "spellcheck": "false"}),
        help_text=_("Encrypted, never shown again."),
    )


class TemplateForm(forms.Form):
    """A prompt template. If the name exists, the form creates the template's next version."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("An existing name gets a new version.")
    )
    purpose = forms.ChoiceField(label=_("Asks for"), choices=Purpose.choices, initial=Purpose.WRONG_MORALS)
    wanted = forms.IntegerField(label=_("Number of proposals"), min_value=1, max_value=20, initial=3)
    text = forms.CharField(
        label=_("Prompt"),
        max_length=20_000,
        widget=forms.Textarea({"rows": 10}),
        help_text=_("{title} {story} {moral} {n}; for a stem, {stem} and {key} instead of {moral}."),
    )


class BatchForm(forms.Form):
    """The stories, templates and endpoints of a batch. Each combination of them is one call."""

    scope = forms.ChoiceField(label=_("Stories"), choices=SCOPES, initial="lacking")
    templates = forms.ModelMultipleChoiceField(
        label=_("Prompts"),
        queryset=PromptTemplate.objects.none(),
        widget=forms.CheckboxSelectMultiple,
    )
    endpoints = forms.ModelMultipleChoiceField(
        label=_("Models"), queryset=Endpoint.objects.none(), widget=forms.CheckboxSelectMultiple
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        required=False,
        min_value=0,
        max_digits=14,
        decimal_places=6,
        help_text=_("Empty: no limit."),
    )
    again = forms.BooleanField(label=_("Repeat calls already made"), required=False)

    def __init__(self, project: Project, *args: Any, chosen: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "templates", story_templates(project))
        usable = askable_endpoints(project)
        set_choices(self, "endpoints", usable)
        if chosen:
            set_choices(self, "scope", [CHOSEN, *SCOPES])
            self.fields["scope"].initial = "chosen"


class SlotsForm(forms.Form):
    """The slots of a machine-style item: the key and distractors, each with the candidate it came from."""

    client_id = forms.UUIDField(widget=forms.HiddenInput)
    sequence = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**53)

    def content(self, options: int) -> ItemContent:
        """Return the posted slots as the content of an item. Malformed values count as empty."""
        return ItemContent(
            options=tuple(self._slot(index) for index in range(options)),
            answered_warnings={
                name.removeprefix(ANSWER): stored_text(str(self.data[name]))
                for name in self.data
                if name.startswith(ANSWER)
            },
        )

    def _slot(self, place: int) -> OptionContent:
        text = stored_text(str(self.data.get(f"text-{place}", "")))
        candidate = whole_number(str(self.data.get(f"candidate-{place}", "")))
        return OptionContent(text, is_key=place == KEY_SLOT, candidate=candidate)


class ProjectBudgetForm(forms.Form):
    """A project's total budget for models; an empty field means no limit."""

    limit = forms.DecimalField(
        label=_("Maximum"), required=False, min_value=0, max_digits=14, decimal_places=6
    )


class AnswerForm(forms.Form):
    """An answer copied from a chat site, and the model that gave it."""

    model = forms.CharField(label=_("Model that answered"), max_length=120)
    answer = forms.CharField(
        label=_("Answer"),
        max_length=200_000,
        widget=forms.Textarea({"rows": 8}),
        help_text=_("Paste the whole answer."),
    )


class PasteForm(AnswerForm):
    """An answer copied from a chat site, and the endpoint to which its candidates are attributed."""

    endpoint = forms.ModelChoiceField(label=_("Endpoint"), queryset=Endpoint.objects.none(), empty_label=None)
    field_order = ("endpoint", "model", "answer")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        manual = endpoints(project).filter(kind=EndpointKind.MANUAL)
        set_choices(self, "endpoint", manual)
