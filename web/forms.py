"""How a refusal goes back to a form, and the form for a password: for the pages of several apps."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts
from django.db.models import QuerySet
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.errors import ParableError, Unusable


def put_errors(form: forms.Form, error: ParableError) -> None:
    """Put a service's refusal on the form: beside the fields it names, else above them."""
    fields = error.fields if isinstance(error, Unusable) else {}
    for name, sentence in fields.items():
        form.add_error(name if name in form.fields else None, sentence)
    if not fields:
        form.add_error(None, str(error))


def set_choices(form: forms.BaseForm, name: str, choices: QuerySet[Any] | Iterable[Any]) -> None:
    """Let a field of the form choose among these rows, or among these pairs of a value and its label."""
    field: Any = form.fields[name]
    if isinstance(choices, QuerySet):
        field.queryset = choices
    else:
        field.choices = choices


def password_rules() -> SafeString:
    """What a password must be, as a list."""
    rules = format_html_join("", "<li>{}</li>", ((text,) for text in password_validators_help_texts()))
    return format_html("<ul>{}</ul>", rules)


class NewPasswordForm(forms.Form):
    """A password, twice."""

    password = forms.CharField(
        label=_("New password"),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("The same password again"),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = password_rules()

    def clean(self) -> dict[str, Any]:
        """Refuse two passwords that differ."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        if "password" in given and "again" in given and given["password"] != given["again"]:
            self.add_error("again", _("The two passwords are not the same."))
        return given
