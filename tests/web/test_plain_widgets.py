"""Long choices are written without a template a line; what comes of it is what Django's templates write."""

import re

import pytest
from django import forms
from django.forms.widgets import ChoiceWidget
from django.test.html import parse_html

from web.forms import PlainCheckboxes, PlainSelect

CHOICES = [("", "nobody"), (1, "Ann <b>"), (1234567, 'Bo "&" Co'), ("x y", "丙")]


@pytest.mark.parametrize(
    ("plain", "usual", "values"),
    [
        (PlainSelect, forms.Select, [None, "", 1, "1234567", "absent"]),
        (PlainCheckboxes, forms.CheckboxSelectMultiple, [None, [], [1, 1234567], ["x y"]]),
    ],
)
@pytest.mark.parametrize(
    "attrs", [{}, {"id": "id_people"}, {"id": "id_people", "required": True, "aria-describedby": "help"}]
)
def test_they_write_what_the_templates_write(
    plain: type[ChoiceWidget],
    usual: type[ChoiceWidget],
    values: list[object],
    attrs: dict[str, object],
) -> None:
    for value in values:
        found, wanted = (
            kind(choices=CHOICES).render("people", value, dict(attrs)) for kind in (plain, usual)
        )
        assert parse_html(found) == parse_html(wanted)
        assert re.findall(r"<option|<input", found) == re.findall(r"<option|<input", wanted)
