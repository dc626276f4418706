"""Choices, refusals that go back to a form, text as it is stored, several files, and a form for passwords."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.forms.utils import flatatt
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from core.errors import ParableError, Unusable
from parable.formats.fields import one_line_end


class Choice(NamedTuple):
    """One of several choices, as `_choice_chips.html` and `_segmented.html` show it.

    `key`: its shortcut key. `picks`: the verdict selected with it. `note`: its consequence.
    """

    value: object
    label: str
    checked: bool = False
    key: str = ""
    picks: str = ""
    note: str | Promise = ""


def put_errors(form: forms.Form, error: ParableError) -> None:
    """Put a service's refusal on the form: beside the fields it names, else above them."""
    fields = error.fields if isinstance(error, Unusable) else {}
    for name, sentence in fields.items():
        form.add_error(name if name in form.fields else None, sentence)
    if not fields:
        form.add_error(None, str(error))


def stored_text(text: str) -> str:
    """Text of a form as it is stored: lines end with one character, and no database keeps a NUL."""
    return one_line_end(text).replace("\x00", "")


def json_object(text: str) -> dict[str, object]:
    """Return the object that a script wrote into a field, or {} if it is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def set_choices(form: forms.BaseForm, name: str, choices: QuerySet[Any] | Iterable[Any]) -> None:
    """Let a field of the form choose among these rows, or among these pairs of a value and its label."""
    field: Any = form.fields[name]
    if isinstance(choices, QuerySet):
        field.queryset = choices
    else:
        field.choices = choices


def explain(form: forms.BaseForm, **texts: Promise) -> None:
    """Put an explanation that is needed once behind a `?` beside a field."""
    for name, text in texts.items():
        field: Any = form.fields[name]
        field.explanation = text


def password_rules() -> SafeString:
    """Return the requirements of passwords as a list."""
    rules = format_html_join("", "<li>{}</li>", ((text,) for text in password_validators_help_texts()))
    return format_html("<ul>{}</ul>", rules)


def _choices_of(widget: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for _group, choices, _place in widget["optgroups"]:
        yield from choices


class PlainSelect(forms.Select):
    """A choice among many rows without groups: a template for each would take longer than the page beside."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: object = None) -> SafeString:
        """Return the HTML that Django's templates would render."""
        widget = self.get_context(name, value, attrs)["widget"]
        rows = ((one["value"], flatatt(one["attrs"]), one["label"]) for one in _choices_of(widget))
        options = format_html_join("\n", '<option value="{}"{}>{}</option>', rows)
        return format_html(
            '<select name="{}"{}>{}</select>', widget["name"], flatatt(widget["attrs"]), options
        )


class PlainCheckboxes(forms.CheckboxSelectMultiple):
    """Several of many rows without groups, for the same reason."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: object = None) -> SafeString:
        """Return the HTML that Django's templates would render."""
        widget = self.get_context(name, value, attrs)["widget"]
        rows = (
            (
                flatatt({"for": one["attrs"].get("id")}),
                one["name"],
                one["value"],
                flatatt(one["attrs"]),
                one["label"],
            )
            for one in _choices_of(widget)
        )
        line = '<div><label{}><input type="checkbox" name="{}" value="{}"{}> {}</label></div>'
        boxes = format_html_join("\n", line, rows)
        return format_html("<div{}>{}</div>", flatatt({"id": widget["attrs"].get("id")}), boxes)


class SeveralFiles(forms.ClearableFileInput):
    """A file input that takes several."""

    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """Files, each of them as a `FileField` would have it."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        """Return the files as a list."""
        single = super().clean
        if isinstance(data, list | tuple) and data:
            return [single(file, initial) for file in data]
        return [single(data, initial)]


class NewPasswordForm(forms.Form):
    """A password, twice."""

    password = forms.CharField(
        label=_("New password"),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("Repeat password"),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = password_rules()

    def clean(self) -> dict[str, object]:
        """Refuse two passwords that differ."""
        given: dict[str, object] = super().clean() or self.cleaned_data
        if "password" in given and "again" in given and given["password"] != given["again"]:
            self.add_error("again", _("The two passwords do not match."))
        return given
