"""Forms for stories. They only check the format of the input; services apply the rules."""

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
    """The form for the next revision of a story: title, text and the reason for the change."""

    title = forms.CharField(label=_("Title"), max_length=500)
    text = forms.CharField(
        label=_("Text"),
        max_length=100_000,
        widget=forms.Textarea({"class": "set"}),
        help_text=_("One paragraph per line."),
    )
    reason = forms.CharField(label=_("Reason"), max_length=500, help_text=_("Shown in the story's history."))

    def clean_text(self) -> str:
        """Return the text normalised as it is stored in stories."""
        return stored_text(self.cleaned_data["text"])

    def set_in(self, lang: str) -> None:
        """Set the `lang` attribute of title and text, which browsers use for fonts and spell checking."""
        for name in ("title", "text"):
            self.fields[name].widget.attrs["lang"] = lang


class RightsForm(forms.Form):
    """The form for a story's rights, the evidence for them, and further fields such as the genre."""

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
    """The form to upload one or more files of stories."""

    columns = ", ".join(STORY_FIELDS)
    chinese_columns = "、".join(name for name in STORY_COLUMNS if not name.isascii())
    """The column headings that an import recognises, for the hint on the page."""

    file = SeveralFilesField(label=_("Files of stories"), allow_empty_file=True)
