"""What people type about long work; the services decide."""

from django import forms
from django.utils.translation import gettext_lazy as _


class ResumeForm(forms.Form):
    """A paused job goes on, with another limit if one is given."""

    limit = forms.DecimalField(
        label=_("New budget"), required=False, min_value=0, max_digits=14, decimal_places=6
    )
