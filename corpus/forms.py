"""What people type about stories; the services decide."""

from collections.abc import Collection

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from corpus import upload
from projects.models import Language
from web.forms import SeveralFilesField

RIGHTS = [("", _("any rights")), ("known", _("rights known")), ("unknown", _("rights unknown"))]


class StoryFilter(forms.Form):
    """What a list of stories is narrowed by."""

    q = forms.CharField(label=_("Title or ID"), required=False, widget=forms.TextInput({"type": "search"}))
    language = forms.ChoiceField(
        label=_("Language"), required=False, choices=[("", _("any language")), *Language.choices]
    )
    rights = forms.ChoiceField(label=_("Rights"), required=False, choices=RIGHTS)

    def __init__(self, data: QueryDict, *, languages: Collection[str]) -> None:
        """`languages`: those that stories are in; among one there is nothing to choose."""
        super().__init__(data)
        if len(languages) < 2:
            del self.fields["language"]

    def wanted(self) -> dict[str, str]:
        """The filters as far as they can be used; what cannot is as if it were not there."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


class WordingForm(forms.Form):
    """A story's next wording."""

    title = forms.CharField(label=_("Title"), max_length=500)
    text = forms.CharField(
        label=_("Text"),
        max_length=100_000,
        widget=forms.Textarea({"class": "set"}),
        help_text=_("One paragraph per line."),
    )
    reason = forms.CharField(label=_("Reason"), max_length=500, help_text=_("Shown in the story's history."))

    def clean_text(self) -> str:
        """Browsers end the lines of a form with two characters; a story's end with one."""
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")

    def set_in(self, lang: str) -> None:
        """Name the language of what is typed, for the browser's font and spelling."""
        for name in ("title", "text"):
            self.fields[name].widget.attrs["lang"] = lang


class RightsForm(forms.Form):
    """Under which rights a story may be published."""

    rights = forms.CharField(
        label=_("Rights"),
        max_length=2000,
        required=False,
        help_text=_("A licence, or “public domain”. Stories with unknown rights block a release."),
    )
    evidence = forms.CharField(
        label=_("Evidence"),
        required=False,
        max_length=4000,
        widget=forms.Textarea,
        help_text=_("Evidence: a URL, a letter or a page of the book."),
    )


class UploadForm(upload.UploadForm):
    """Files of stories."""

    file = SeveralFilesField(label=_("Files of stories"), allow_empty_file=True)
