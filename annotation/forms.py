"""Forms about items. They check only the form of the input; services apply the rules."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.kinds import any_task, task_choices
from annotation.models import State, Style
from core.numbers import LARGEST, whole_number
from corpus import upload
from corpus.models import MoralOrigin, Story
from parable.formats import AUTO
from parable.formats.items import FORMATS
from parable.formats.published import TIED_TASKS
from projects.models import CommonsenseType, Language, Project
from web.forms import PlainCheckboxes, SeveralFilesField, set_choices, stored_text
from web.rows import Values


class HandleForm(forms.Form):
    """The fields that identify a posted draft: story, task, style, item, and the number of its last save."""

    story = forms.IntegerField(min_value=0, max_value=LARGEST)
    task = forms.ChoiceField(choices=task_choices)
    style = forms.ChoiceField(choices=Style.choices)
    item = forms.IntegerField(min_value=0, max_value=LARGEST, required=False)
    sequence = forms.IntegerField(min_value=0, max_value=LARGEST - 1)


class MoralForm(forms.Form):
    """A new moral for a story, with the reason for the change."""

    moral = forms.CharField(label=_("Moral"), max_length=4000, required=False, widget=forms.Textarea)
    origin = forms.ChoiceField(
        label=_("Source"),
        choices=[choice for choice in MoralOrigin.choices if choice[0] != MoralOrigin.NONE],
    )
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def clean_moral(self) -> str:
        """Return the moral with uniform line ends."""
        return stored_text(self.cleaned_data["moral"])


def _numbers_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        label=_("Answers that are numbers"),
        required=False,
        choices=[
            ("", _("Detect automatically")),
            ("0", _("count from 0")),
            ("1", _("count from 1")),
        ],
    )


def _task_field() -> forms.ChoiceField:
    """Return the field that says which task items without answers are of, where their fields fit several."""
    return forms.ChoiceField(label=_("Task"), required=False, choices=_tied_tasks)


def _tied_tasks() -> list[tuple[str, str]]:
    named = dict(task_choices())
    return [("", gettext("Detect automatically")), *((code, str(named[code])) for code in TIED_TASKS)]


def _format_choices() -> list[tuple[str, str]]:
    language = get_language() or ""
    formats = [(code, one.label_in(language)) for code, one in FORMATS.items() if one.has_items]
    return [(AUTO, gettext("Detect automatically")), *formats]


class ReadingForm(forms.Form):
    """The sheet to read and the number of the first option, which the user chooses after the upload."""

    numbers = _numbers_field()
    task = _task_field()
    sheet = upload.sheet_field()


class UploadForm(upload.UploadForm):
    """A form that uploads files of items, with the options of the import."""

    file = SeveralFilesField(label=_("Files of items"), allow_empty_file=True)
    format = forms.ChoiceField(
        label=_("Format"),
        initial=AUTO,
        choices=_format_choices,
    )
    state = forms.ChoiceField(
        label=_("Import complete items as"),
        initial=State.IN_REVIEW,
        choices=[
            (State.IN_REVIEW, _("in review")),
            (State.VERIFIED, _("verified")),
            (State.DRAFT, _("drafts")),
        ],
        help_text=_("Items without a key, and incomplete ones, always become drafts."),
    )
    numbers = _numbers_field()
    task = _task_field()
    replace = forms.BooleanField(
        label=_("Replace items of the same ID that are about another story"), required=False
    )
    writer = forms.CharField(
        label=_("Writer"),
        max_length=150,
        initial=_("Imported"),
        help_text=_("Name only; it is not linked to an account."),
    )

    def options(self) -> dict[str, str]:
        """Return the options of the import."""
        chosen = {name: self.cleaned_data[name] for name in ("format", "numbers", "task", "state", "writer")}
        chosen |= {"replace": "1"} if self.cleaned_data["replace"] else {}
        return {**super().options(), **chosen}


class AuditForm(forms.Form):
    """Files of items to check without a project."""

    file = SeveralFilesField(label=_("File of items"))


class ToProjectForm(forms.Form):
    """The project that checked files are imported into: a new one, or one that is there."""

    project = forms.ModelChoiceField(
        label=_("Import into"),
        queryset=Project.objects.none(),
        required=False,
        empty_label=_("a new project"),
        to_field_name="slug",
    )
    name = forms.CharField(label=_("Name of the new project"), max_length=120, required=False)
    language = forms.ChoiceField(label=_("Language of the stories"), choices=Language.choices, required=False)

    def __init__(
        self,
        data: QueryDict | None,
        *,
        initial: dict[str, object],
        projects: QuerySet[Project],
        may_create: bool,
    ) -> None:
        """Limit the choices to `projects`, and to a new one if the user may create it."""
        super().__init__(data, initial=initial)
        set_choices(self, "project", projects)
        self.has_projects = projects.exists()
        self.may_create = may_create
        if not self.has_projects:
            del self.fields["project"]
        if not may_create:
            for name in ("name", "language"):
                del self.fields[name]
            if self.has_projects:
                field: Any = self.fields["project"]
                field.required, field.empty_label = True, None

    @property
    def offers_any(self) -> bool:
        """Whether there is a project to import into, or the user may create one."""
        return self.may_create or self.has_projects

    def clean(self) -> Values:
        """Require a name for a new project."""
        data = dict(self.cleaned_data)
        data.setdefault("project", None)
        if data["project"] is None and self.may_create:
            for name in ("name", "language"):
                if not data.get(name):
                    self.add_error(name, self.fields[name].error_messages["required"])
        return data


class PilotForm(forms.Form):
    """The name, stories, writers and due date of a new pilot."""

    name = forms.CharField(label=_("Pilot name"), max_length=100)
    stories = forms.TypedMultipleChoiceField(label=_("Stories"), coerce=int, widget=PlainCheckboxes)
    writers = forms.TypedMultipleChoiceField(label=_("Writers"), coerce=int, widget=PlainCheckboxes)
    due_on = forms.DateField(
        label=_("Due date"), required=False, widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(
        self,
        data: QueryDict | None,
        *,
        initial: dict[str, object],
        stories: Iterable[Story],
        writers: Iterable[User],
    ) -> None:
        """Limit the choices to `stories` and `writers`."""
        super().__init__(data, initial=initial)
        titles = [(story.pk, story.current.title if story.current else story.ref) for story in stories]
        people = [(person.pk, str(person)) for person in writers]
        for name, choices in (("stories", titles), ("writers", people)):
            set_choices(self, name, choices)


class OlderItemsFilter(forms.Form):
    """A filter of the items written under older versions of the guideline, by task and type."""

    task = forms.ChoiceField(label=_("Task"), required=False, choices=any_task)
    kind = forms.ChoiceField(label=_("Type"), required=False)

    def __init__(self, data: QueryDict, *, kinds: Iterable[CommonsenseType]) -> None:
        super().__init__(data)
        language = get_language() or ""
        field = self.fields["kind"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", _("any type")), *((kind.code, kind.name_in(language)) for kind in kinds)]

    def wanted(self) -> dict[str, str]:
        """Return the values of the filters that are set, by field. Invalid values are left out."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


class ReasonForm(forms.Form):
    """The reason for an action that requires one."""

    reason = forms.CharField(label=_("Reason"), max_length=4000, widget=forms.Textarea({"rows": 2}))


class NamingForm(forms.Form):
    """The stories to assign, the writers they are assigned to, and the due date."""

    stories = forms.TypedMultipleChoiceField(coerce=int, required=False)
    writers = forms.ModelMultipleChoiceField(User.objects.none(), required=False)
    due_on = forms.DateField(
        label=_("Due"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, data: QueryDict | None, *, writers: QuerySet[User]) -> None:
        super().__init__(data)
        named = data.getlist("stories") if data else []
        known = [(text, text) for text in named if whole_number(text) is not None]
        set_choices(self, "stories", known)
        set_choices(self, "writers", writers)


class PlacesFilter(forms.Form):
    """A filter of the stories that a manager can assign."""

    q = forms.CharField(label=_("Title or ID"), required=False, max_length=200)
    all = forms.BooleanField(label=_("Include stories with enough writers"), required=False)

    def wanted(self) -> Values:
        """Return the filters as keyword arguments of `stories_to_name`."""
        data = self.cleaned_data if self.is_bound and self.is_valid() else {}
        return {"q": data.get("q", ""), "lacking": not data.get("all", False)}
