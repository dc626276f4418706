"""A form with a field of each kind."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from web.forms import set_choices


class SampleForm(forms.Form):
    """One field of each kind, labelled from a sample, for the gallery. It is never saved."""

    name = forms.CharField()
    slug = forms.CharField()
    language = forms.ChoiceField()
    lease = forms.IntegerField(min_value=5, required=False)
    people = forms.CharField(widget=forms.Textarea)
    roles = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    verify = forms.BooleanField(required=False)
    file = forms.FileField(required=False)

    def __init__(self, words: dict[str, Any], *, prefix: str) -> None:
        """Label the form with `words` and fill it so that exactly `slug` is wrong."""
        data = {
            f"{prefix}-{name}": value
            for name, value in {
                "name": words["name"],
                "slug": words["slug_value"],
                "language": "zh",
                "lease": "30",
                "people": words["people_value"],
                "roles": ["writer"],
            }.items()
        }
        super().__init__(data, prefix=prefix)
        for name, field in self.fields.items():
            field.label = words[name]
            field.help_text = words.get(f"{name}_help", "")
        for name, choices in (("language", words["languages"]), ("roles", words["role_choices"])):
            set_choices(self, name, choices)
        self.fields["slug"].error_messages["shape"] = words["slug_error"]

    def clean_slug(self) -> str:
        """Refuse what an address could not contain."""
        slug: str = self.cleaned_data["slug"]
        if not re.fullmatch(r"[a-z0-9-]+", slug):
            raise forms.ValidationError(self.fields["slug"].error_messages["shape"], code="shape")
        return slug
