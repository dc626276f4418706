"""Forms of stories. They check the shape of input only; services apply the rules."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from corpus import upload
from corpus.models import Story
from parable.formats import STORY_FIELDS
from parable.formats.records import FURTHER_FIELDS
from parable.formats.stories import STORY_COLUMNS
from web.forms import SeveralFilesField, stored_text


class WordingForm(forms.Form):
    """The title and text of a story's next revision."""

    title = forms.CharField(label=_("Title"), max_length=500)
    text = forms.CharField(
        label=_("Text"),
        max_length=100_000,
        widget=forms.Textarea({"class": "set"}),
        help_text=_("One paragraph per line."),
    )
    reason = forms.CharField(label=_("Reason"), max_length=500, help_text=_("Shown in the story's history."))

    def clean_text(self) -> str:
        """Return the text in the form in which stories are stored."""
        return stored_text(self.cleaned_data["text"])

    def set_in(self, lang: str) -> None:
        """Set the fields' `lang` attribute, by which the browser chooses font and spell checking."""
        for name in ("title", "text"):
            self.fields[name].widget.attrs["lang"] = lang


class RightsForm(forms.Form):
    """The rights under which a story may be published, the evidence for them, and its further fields."""

    rights = forms.CharField(
        label=_("Rights"),
        max_length=2000,
        required=False,
        help_text=_("A licence, or “public domain”."),
    )
    evidence = forms.CharField(
        label=_("Evidence"),
        required=False,
        max_length=4000,
        widget=forms.Textarea,
        help_text=_("A URL, a letter or a page."),
    )

    def __init__(self, *values: Any, **options: Any) -> None:
        super().__init__(*values, **options)
        genre = _("Such as “news”. A release split in three has its shares within each genre.")
        self.fields |= forms.fields_for_model(Story, tuple(FURTHER_FIELDS), help_texts={"genre": str(genre)})


class UploadForm(upload.UploadForm):
    """One or more files of stories."""

    columns = ", ".join(STORY_FIELDS)
    chinese_columns = "、".join(name for name in STORY_COLUMNS if not name.isascii())
    """The headings of a table that an import knows, for the hint of the page."""

    file = SeveralFilesField(label=_("Files of stories"), allow_empty_file=True)
