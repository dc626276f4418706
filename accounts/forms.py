"""The shape of what people say about themselves; whether it will do is the services' to say."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import password_validators_help_texts
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from accounts.queries import places_by_area


def password_rules() -> SafeString:
    """What a password must be, as a list."""
    rules = format_html_join("", "<li>{}</li>", ((text,) for text in password_validators_help_texts()))
    return SafeString(f"<ul>{rules}</ul>")


class ProfileForm(forms.Form):
    """One's own name, language and time zone."""

    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        help_text=_("As others in your projects shall read it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    language = forms.ChoiceField(
        label=_("Language of the pages"),
        required=False,
        help_text=_("Stories and items keep the language they are written in."),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"), required=False, help_text=_("Dates and times are shown as they are there.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        as_asked = ("", _("As the browser asks"))
        self.fields["language"].choices = [as_asked, *settings.LANGUAGES]  # type: ignore[attr-defined]
        self.fields["time_zone"].choices = self._time_zones()  # type: ignore[attr-defined]

    def _time_zones(self) -> list[tuple[str, Any]]:
        places = places_by_area()
        groups: list[tuple[str, Any]] = [("", _("UTC, the time of no place in particular"))]
        chosen = self.initial.get("time_zone", "")
        if chosen and not any(chosen in names for names in places.values()):
            groups.append((chosen, chosen))
        for area, names in places.items():
            groups.append((area, [(name, name.replace("_", " ")) for name in names]))
        return groups


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
