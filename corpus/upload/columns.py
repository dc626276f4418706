"""What imports of stories and of items ask alike: which column of a table fills which field."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from parable.formats import Column

FIELD_NAMES = {
    "id": _("ID"),
    "title": _("Title"),
    "text": _("Text"),
    "moral": _("Moral"),
    "language": _("Language"),
    "source": _("Source"),
    "rights": _("Rights"),
    "genre": _("Genre"),
    "task": _("Task"),
    "story_id": _("Story ID"),
    "story": _("Story text"),
    "question": _("Stem"),
    "answer": _("Key (letter)"),
    "type": _("Types"),
    "explanation": _("Explanation"),
    "style": _("Style"),
    "choices": _("Options, as a list"),
    "answer_letter": _("Key, as a letter"),
    "types": _("Types"),
    "generators": _("Generators"),
}
IN_LISTS = {"answer": _("Key, as a number from 0")}
"""What a field is called where the options come as a list."""


def _choices(fields: Sequence[str]) -> list[tuple[str, object]]:
    names = FIELD_NAMES | IN_LISTS if "choices" in fields else FIELD_NAMES
    named = [(field, names.get(field) or _("Option %(letter)s") % {"letter": field}) for field in fields]
    return [("", _("not read")), *named]


def describe_tables(
    files: Iterable[tuple[str, Sequence[Column], Sequence[str], Sequence[str]]],
) -> dict[str, object]:
    """The columns of each file, what they may be chosen for, and of what they must fill one, for a preview.

    By the file's number.
    """
    return {
        str(number): {
            "name": name,
            "columns": [[one.name, one.field] for one in columns],
            "fields": fields,
            "required": required,
        }
        for number, (name, columns, fields, required) in enumerate(files)
        if columns
    }


class ColumnsForm(forms.Form):
    """One choice a column of one table: the field it fills."""

    def __init__(
        self,
        data: QueryDict | None,
        *,
        number: str,
        table: Mapping[str, Any],
        chosen: Mapping[str, str] | None,
    ) -> None:
        """`table`: as described. `chosen`: from field to column; None where the names still decide."""
        super().__init__(data, prefix=f"file{number}")
        self.name = table["name"]
        self.columns = [Column(*column) for column in table["columns"]]
        self.required = table.get("required", ())
        fills = None if chosen is None else {column: field for field, column in chosen.items()}
        for place, column in enumerate(self.columns):
            self.fields[str(place)] = forms.ChoiceField(
                label=column.name,
                required=False,
                choices=_choices(table["fields"]),
                initial=column.field if fills is None else fills.get(column.name, ""),
            )

    @property
    def missing(self) -> object:
        """What the usual one of the required fields is called where no column fills any; else ""."""
        filled = {column.value() for column in self}
        return FIELD_NAMES[self.required[0]] if self.required and not filled & {*self.required} else ""

    def clean(self) -> dict[str, str]:
        """Refuse one field for two columns."""
        said = dict(self.cleaned_data)
        taken: set[str] = set()
        for place, field in said.items():
            if field and field in taken:
                self.add_error(place, _("Another column is already used for this."))
            taken.add(field)
        return said

    def chosen(self) -> dict[str, str]:
        """From each field to the column that fills it."""
        return {field: self.columns[int(place)].name for place, field in self.cleaned_data.items() if field}
