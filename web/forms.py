"""Helpers for forms: choices, errors from services, stored text, several files, and new passwords."""

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
    """A choice that the templates `_choice_chips.html` and `_segmented.html` render.

    `key` is its shortcut key, `picks` the verdict that it also selects, `note` its consequence.
    """

    value: object
    label: str
    checked: bool = False
    key: str = ""
    picks: str = ""
    note: str | Promise = ""


def put_errors(form: forms.Form, error: ParableError) -> None:
    """Add the messages of a service's exception to the form: to the fields that it names, or to the form."""
    fields = error.fields if isinstance(error, Unusable) else {}
    for name, sentence in fields.items():
        form.add_error(name if name in form.fields else None, sentence)
    if not fields:
        form.add_error(None, str(error))


def stored_text(text: str) -> str:
    """Return a form's text normalised for storing: with LF line ends and without NUL characters."""
    return one_line_end(text).replace("\x00", "")


def json_object(text: str) -> dict[str, object]:
    """Return the JSON object in a text; {} if the text is not a JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def set_choices(form: forms.BaseForm, name: str, choices: QuerySet[Any] | Iterable[Any]) -> None:
    """Set the choices of a form field to a queryset or to pairs of value and label."""
    field: Any = form.fields[name]
    if isinstance(choices, QuerySet):
        field.queryset = choices
    else:
        field.choices = choices


def explain(form: forms.BaseForm, **texts: Promise) -> None:
    """Set the explanations of fields, which templates show behind a `?` beside each field."""
    for name, text in texts.items():
        field: Any = form.fields[name]
        field.explanation = text


def password_rules() -> SafeString:
    """Return the requirements for passwords as an HTML list."""
    rules = format_html_join("", "<li>{}</li>", ((text,) for text in password_validators_help_texts()))
    return format_html("<ul>{}</ul>", rules)


def _choices_of(widget: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for _group, choices, _place in widget["optgroups"]:
        yield from choices


class PlainSelect(forms.Select):
    """A select for many ungrouped options. Rendering is fast, since it uses no template for each option."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: object = None) -> SafeString:
        """Return the same HTML as Django's template."""
        widget = self.get_context(name, value, attrs)["widget"]
        rows = ((one["value"], flatatt(one["attrs"]), one["label"]) for one in _choices_of(widget))
        options = format_html_join("\n", '<option value="{}"{}>{}</option>', rows)
        return format_html(
            '<select name="{}"{}>{}</select>', widget["name"], flatatt(widget["attrs"]), options
        )


class PlainCheckboxes(forms.CheckboxSelectMultiple):
    """Checkboxes for many ungrouped options. Rendering is fast, since it uses no template for each option."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: object = None) -> SafeString:
        """Return the same HTML as Django's template."""
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
    """A file input that accepts several files."""

    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """A form field for several files. Each file is validated like a file of `FileField`."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> "list[UploadedFile[bytes]]":
        """Return the uploaded files as a list."""
        single = super().clean
        if isinstance(data, list | tuple) and data:
            return [single(file, initial) for file in data]
        return [single(data, initial)]


class NewPasswordForm(forms.Form):
    """A form with a new password, which is entered twice."""

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
        """Return the cleaned data, and add an error if the two passwords differ."""
        given: dict[str, object] = super().clean() or self.cleaned_data
        if "password" in given and "again" in given and given["password"] != given["again"]:
            self.add_error("again", _("The two passwords do not match."))
        return given
