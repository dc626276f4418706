"""Shapes of what is typed on the pages of releases; the services decide."""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from parable.quality.gates import GATES
from projects.models import SplitRule


def _gates() -> list[tuple[str, str]]:
    return [(gate.id, f"{gettext(gate.name)} ({gate.id})") for gate in GATES.values()]


class CutForm(forms.Form):
    """What a manager decides before a release is built."""

    version = forms.CharField(
        label=_("Version"),
        max_length=40,
        help_text=_("Three numbers, such as 1.0.0. A version never changes once it is ready."),
    )
    dev_share = forms.CharField(
        label=_("Share of dev"),
        max_length=12,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        help_text=_("0.2 puts one item in five into dev, the rest into test."),
    )
    split = forms.ChoiceField(
        label=_("Dev and test by"),
        choices=SplitRule,
        widget=forms.RadioSelect,
        help_text=_("By single items both splits share stories; the gate split_leak must then be let pass."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        max_length=40,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=_("Any whole number. The same items and the same seed give the same release."),
    )
    withhold_test = forms.BooleanField(
        label=_("Withhold the answers of the test"),
        required=False,
        help_text=_("The seed is then drawn and kept secret; leave it empty above."),
    )
    allow = forms.MultipleChoiceField(
        label=_("Let a gate pass"),
        required=False,
        choices=_gates,
        widget=forms.CheckboxSelectMultiple,
    )
    reason = forms.CharField(
        label=_("Why it may be passed"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Stands in the card, for every reader of the release."),
    )

    def recipe_fields(self) -> dict[str, Any]:
        """What makes the recipe, beside version and seed."""
        names = ("dev_share", "split", "withhold_test", "allow", "reason")
        return {name: self.cleaned_data[name] for name in names}


class WithdrawForm(forms.Form):
    """Why a release is taken back."""

    reason = forms.CharField(
        label=_("Why it is withdrawn"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Stays visible beside the version."),
    )
