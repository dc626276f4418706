"""Forms for jobs and endpoints. They only check the format of the input; services apply the rules."""

from django import forms
from django.utils.translation import gettext_lazy as _


class ResumeForm(forms.Form):
    """The form to resume a paused job, optionally with a new budget."""

    limit = forms.DecimalField(
        label=_("New budget"), required=False, min_value=0, max_digits=14, decimal_places=6
    )


class HostForm(forms.Form):
    """The form to allow keys to be sent to a server."""

    address = forms.CharField(
        label=_("Host"),
        max_length=400,
        help_text=_("Such as api.example.com or api.example.com:8443."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    note = forms.CharField(
        label=_("Note"), max_length=200, required=False, help_text=_("Who runs this server.")
    )


class BindingForm(forms.Form):
    """The form to bind an environment variable with an API key to the only server that may receive it."""

    variable = forms.CharField(
        label=_("Environment variable"),
        max_length=80,
        help_text=_("For example PARABLE_LLM_KEY_GLM."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
    address = forms.CharField(
        label=_("Host"),
        max_length=400,
        help_text=_("The only server this key is sent to."),
        widget=forms.TextInput(attrs={"autocapitalize": "none", "spellcheck": "false"}),
    )
