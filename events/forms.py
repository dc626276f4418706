"""Forms for webhooks. They only check the format of the input; services apply the rules."""

from django import forms
from django.utils.translation import gettext_lazy as _

from events.models import EventKind


class WebhookForm(forms.Form):
    """The form to add or change a webhook."""

    url = forms.CharField(
        label=_("URL"),
        max_length=400,
        help_text=_("Such as https://bot.example.com/parable."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    types = forms.MultipleChoiceField(
        label=_("Events"), choices=EventKind.choices, widget=forms.CheckboxSelectMultiple
    )
