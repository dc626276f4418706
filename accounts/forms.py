"""Forms for accounts. They only check the format of the input; services apply the rules."""

from typing import Any, Final

from allauth.account.forms import LoginForm
from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.queries import places_by_area
from web.forms import set_choices

AS_ASKED: Final = "auto"
UTC: Final = "UTC"


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth has no annotations
    """Allauth's sign-in form, with the focus on the first field."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autofocus"] = True


class ProfileForm(forms.Form):
    """The form in which users change their name, language, time zone and mail."""

    name = forms.CharField(
        label=pgettext_lazy("person", "Name"),
        max_length=150,
        help_text=_("Shown to other members."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    language = forms.ChoiceField(
        label=_("Interface language"),
    )
    time_zone = forms.ChoiceField(label=_("Time zone"))

    email = forms.EmailField(
        label=_("Mail address"),
        required=False,
        help_text=_("For the daily mail only."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    wants_mail = forms.BooleanField(
        label=_("Send me a daily mail when something is new in my inbox"), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.MAIL_URL:
            del self.fields["email"], self.fields["wants_mail"]
        as_asked = (AS_ASKED, _("Same as browser"))
        set_choices(self, "language", [as_asked, *settings.LANGUAGES])
        set_choices(self, "time_zone", self._time_zones())

    def profile(self) -> dict[str, Any]:
        """Return the keyword arguments for `services.update_profile`."""
        data = self.cleaned_data
        language = "" if data["language"] == AS_ASKED else data["language"]
        mail: dict[str, object] = {
            name: data[name] for name in ("email", "wants_mail") if name in self.fields
        }
        return {"name": data["name"], "language": language, "time_zone": data["time_zone"], **mail}

    def _time_zones(self) -> list[tuple[str, Any]]:
        places = places_by_area()
        groups: list[tuple[str, Any]] = [(UTC, _("UTC"))]
        chosen = self.initial.get("time_zone", "")
        if chosen not in ("", UTC) and not any(chosen in names for names in places.values()):
            groups.append((chosen, chosen))
        for area, names in places.items():
            groups.append((area, [(name, name.replace("_", " ")) for name in names]))
        return groups
