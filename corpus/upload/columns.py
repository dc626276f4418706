"""What imports of stories and of items ask alike: which column of a table fills which field."""

from collections.abc import Mapping, Sequence

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from parable.formats import Column

FIELD_NAMES = {
    "id": _("Id"),
    "title": _("Title"),
    "text": _("Text"),
    "moral": _("Moral"),
    "language": _("Language"),
    "source": _("Source"),
    "rights": _("Rights"),
    "task": _("Task"),
    "story_id": _("Id of the story"),
    "story": _("Text of the story"),
    "question": _("Stem"),
    "answer": _("Key, as a letter"),
    "type": _("Types"),
    "explanation": _("Explanation"),
    "style": _("Style"),
}


def _choices(fields: Sequence[str]) -> list[tuple[str, object]]:
    named = [
        (field, FIELD_NAMES.get(field) or _("Option %(letter)s") % {"letter": field}) for field in fields
    ]
    return [("", _("not read")), *named]


class ColumnsForm(forms.Form):
    """One choice a column of one table: the field it fills."""

    def __init__(
        self,
        data: QueryDict | None,
        *,
        name: str,
        number: int,
        columns: Sequence[Column],
        fields: Sequence[str],
        chosen: Mapping[str, str] | None,
    ) -> None:
        """`chosen`: from field to column, as it was chosen before; None where the names still decide."""
        super().__init__(data, prefix=f"file{number}")
        self.name = name
        self.columns = columns
        fills = None if chosen is None else {column: field for field, column in chosen.items()}
        for place, column in enumerate(columns):
            self.fields[str(place)] = forms.ChoiceField(
                label=column.name,
                required=False,
                choices=_choices(fields),
                initial=column.field if fills is None else fills.get(column.name, ""),
            )

    def clean(self) -> dict[str, str]:
        """Refuse one field for two columns."""
        said = dict(self.cleaned_data)
        taken: set[str] = set()
        for place, field in said.items():
            if field and field in taken:
                self.add_error(place, _("Another column fills this already."))
            taken.add(field)
        return said

    def chosen(self) -> dict[str, str]:
        """From each field to the column that fills it."""
        return {field: self.columns[int(place)].name for place, field in self.cleaned_data.items() if field}
