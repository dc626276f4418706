"""Forms about jobs and endpoints. They check the shape of input only; services apply the rules."""

from django import forms
from django.utils.translation import gettext_lazy as _


class ResumeForm(forms.Form):
    """The new budget, if any, with which a paused job is resumed."""

    limit = forms.DecimalField(
        label=_("New budget"), required=False, min_value=0, max_digits=14, decimal_places=6
    )


class HostForm(forms.Form):
    """A server that keys may be sent to."""

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
    """An environment variable that holds a key, and the server that the key may be sent to."""

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
