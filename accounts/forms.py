"""The shape of what people say about themselves; whether it will do is the services' to say."""

from typing import Any, Final

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.queries import places_by_area
from web.forms import set_choices

AS_ASKED: Final = "auto"
UTC: Final = "UTC"


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
        help_text=_("Stories and items keep the language they are written in."),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"), help_text=_("Dates and times are shown as they are there.")
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        as_asked = (AS_ASKED, _("As the browser asks"))
        set_choices(self, "language", [as_asked, *settings.LANGUAGES])
        set_choices(self, "time_zone", self._time_zones())

    def profile(self) -> dict[str, str]:
        """The keyword arguments of `services.update_profile`."""
        said = self.cleaned_data
        language = "" if said["language"] == AS_ASKED else said["language"]
        return {"name": said["name"], "language": language, "time_zone": said["time_zone"]}

    def _time_zones(self) -> list[tuple[str, Any]]:
        places = places_by_area()
        groups: list[tuple[str, Any]] = [(UTC, _("UTC, the time of no place in particular"))]
        chosen = self.initial.get("time_zone", "")
        if chosen not in ("", UTC) and not any(chosen in names for names in places.values()):
            groups.append((chosen, chosen))
        for area, names in places.items():
            groups.append((area, [(name, name.replace("_", " ")) for name in names]))
        return groups
