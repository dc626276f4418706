"""The form that assigns columns of a table to fields, for imports of stories and items."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.utils.html import escape
from django.utils.translation import gettext_lazy as _

from corpus.models import METADATA, label_of
from corpus.services import LONGEST_NAME
from parable.formats import Column
from parable.formats.limits import MAX_STEM_CHARS, MAX_STORY_CHARS
from parable.formats.mapping import CONSTANT, SEVERAL
from web.forms import stored_text

_SEPARATOR: Final = " · "
SAVE_AS: Final = "save_as"
"""The form field for the name under which the mapping is saved for later files."""

FIELD_NAMES = {
    "id": _("ID"),
    "title": _("Title"),
    "text": _("Text"),
    "moral": _("Moral"),
    **{name: label_of(name) for name in ("language", *METADATA)},
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
"""Labels of fields for a list of objects in our own format."""
OF_OTHERS = {
    "answer": _("Key"),
    "choices": _("Options, in one field"),
    "right": _("Right option, apart from the others"),
    "split": _("Split"),
}
"""Labels of fields for foreign layouts."""
_WORDS = {"story": _("Story text of all rows"), "question": _("Stem of all rows")}


@dataclass(frozen=True, slots=True)
class TableOffer:
    """The columns of a file, the fields that they can fill, and groups of alternative required fields.

    `samples` has the first values of each column. With `with_words`, a story or stem can be entered for all
    rows.
    """

    name: str
    columns: Sequence[Column] = ()
    fields: Sequence[str] = ()
    required: Sequence[Sequence[str]] = ()
    samples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    with_words: bool = False


def _choices(fields: Sequence[str]) -> list[tuple[str, object]]:
    of_list = OF_OTHERS if "right" in fields else IN_LISTS
    names = FIELD_NAMES | of_list if "choices" in fields else FIELD_NAMES
    named = [(field, names.get(field) or _("Option %(letter)s") % {"letter": field}) for field in fields]
    return [("", _("not read")), *named]


def describe_tables(files: Iterable[TableOffer]) -> dict[str, object]:
    """Describe the columns of each file, by its number, as JSON for a preview.

    Files without columns are left out.
    """
    return {
        str(number): {
            "name": offer.name,
            "columns": [[one.name, one.field] for one in offer.columns],
            "fields": offer.fields,
            "required": offer.required,
            "samples": offer.samples,
            "with_words": offer.with_words,
        }
        for number, offer in enumerate(files)
        if offer.columns
    }


class ColumnsForm(forms.Form):
    """A form with a select for each column of a table.

    The choices are the fields that the column can fill.
    """

    def __init__(
        self,
        data: QueryDict | None,
        *,
        number: str,
        table: Mapping[str, Any],
        chosen: Mapping[str, str | list[str]] | None,
    ) -> None:
        """Create the form fields from `table`, one value of `describe_tables`.

        `chosen` has the column or columns of each field; None to recognise the columns by their names.
        """
        super().__init__(data, prefix=f"file{number}")
        self.name = table["name"]
        self.number = number
        self.saved: Sequence[object] = ()
        self.columns = [Column(*column) for column in table["columns"]]
        self.required = table.get("required", ())
        fills = None if chosen is None else _fields_by_column(chosen)
        samples = table.get("samples", {})
        for place, column in enumerate(self.columns):
            self.fields[str(place)] = forms.ChoiceField(
                label=column.name,
                required=False,
                choices=_choices(table["fields"]),
                initial=column.field if fills is None else fills.get(column.name, ""),
                help_text=escape(_SEPARATOR.join(filter(None, samples.get(column.name, ())))),
            )
        for name, label in _WORDS.items() if table.get("with_words") else ():
            self.fields[CONSTANT + name] = forms.CharField(
                label=label,
                required=False,
                max_length=MAX_STORY_CHARS if name == "story" else MAX_STEM_CHARS,
                widget=forms.Textarea({"rows": 1}),
                initial=(chosen or {}).get(CONSTANT + name, ""),
            )

        self.fields[SAVE_AS] = forms.CharField(
            label=_("Save these columns as"), required=False, max_length=LONGEST_NAME
        )

    @property
    def missing(self) -> object:
        """The label of the first required field without a column; "" if there is none."""
        filled = {str(one.value()) for one in self if one.name.isdecimal() and one.value()}
        filled |= {
            one.name.removeprefix(CONSTANT) for one in self if one.name.startswith(CONSTANT) and one.value()
        }
        names = FIELD_NAMES | OF_OTHERS
        return next((names[group[0]] for group in self.required if not filled & {*group}), "")

    def clean(self) -> dict[str, str]:
        """Add an error if two columns fill the same field, unless the field can join several columns."""
        data = dict(self.cleaned_data)
        taken: set[str] = set()
        several = SEVERAL if CONSTANT + "story" in self.fields else frozenset()
        for place, field_name in data.items():
            if not place.isdecimal():
                continue
            if field_name and field_name in taken - several:
                self.add_error(place, _("Another column is already used for this."))
            taken.add(field_name)
        return data

    def chosen(self) -> dict[str, str | list[str]]:
        """Return the column or columns of each field, and the constant texts for all rows."""
        found: dict[str, str | list[str]] = {}
        for place, said in self.cleaned_data.items():
            if place.startswith(CONSTANT) and said:
                found[place] = stored_text(said)
            elif said and place.isdecimal():
                before = found.get(said)
                name = self.columns[int(place)].name
                found[said] = (
                    name if before is None else [*([before] if isinstance(before, str) else before), name]
                )
        return found


def _fields_by_column(chosen: Mapping[str, str | list[str]]) -> dict[str, str]:
    return {
        column: field_name
        for field_name, held in chosen.items()
        for column in ([held] if isinstance(held, str) else held)
        if not field_name.startswith(CONSTANT)
    }
