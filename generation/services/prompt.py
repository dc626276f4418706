"""Services for prompt templates. A template is never changed, only replaced by a new version."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.permissions import may_write
from core.errors import Unusable, require
from generation.models import PromptTemplate, Purpose
from generation.prompt import needs_moral, speaks_of_a_stem, speaks_of_a_story
from projects.models import Project

MOST_WANTED = 20


@transaction.atomic
def create_template(
    *,
    actor: User,
    project: Project,
    name: str,
    text: str,
    purpose: str = Purpose.WRONG_MORALS,
    wanted: int = 3,
) -> PromptTemplate:
    """Create a prompt template, or the next version of the template with this name, and return it.

    Saving an unchanged template has no effect. Raise `Unusable` naming invalid fields.
    """
    require(may_write(actor, project))
    # Of two concurrent requests, the second waits here, and then finds the version of the first.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    name = " ".join(name.split())
    latest = PromptTemplate.objects.filter(project=project, name=name).order_by("-version").first()
    template = PromptTemplate(
        project=project,
        name=name,
        version=latest.version + 1 if latest else 1,
        purpose=purpose,
        text=text.replace("\r\n", "\n").strip(),
        wanted=wanted,
        author=actor,
    )
    _check(template)
    if latest and _says(latest) == _says(template):
        return latest
    template.save()
    record_event(actor=actor, verb="create_template", subject=template)
    return template


def copy_templates(actor: User, project: Project, like: Project) -> None:
    """Copy the newest version of each prompt template of the project `like` to `project`."""
    newest = PromptTemplate.objects.filter(project=like).order_by("name", "-version").distinct("name")
    for one in newest:
        create_template(
            actor=actor, project=project, name=one.name, text=one.text, purpose=one.purpose, wanted=one.wanted
        )


def _says(template: PromptTemplate) -> tuple[str, str, int]:
    return template.purpose, template.text, template.wanted


def _check(template: PromptTemplate) -> None:
    problems: dict[str, str] = {}
    try:
        template.clean_fields()
    except ValidationError as error:
        problems = {name: " ".join(texts) for name, texts in error.message_dict.items()}
    if template.text and (problem := _text_problem(template)):
        problems["text"] = problem
    if not 1 <= template.wanted <= MOST_WANTED:
        problems["wanted"] = _("Ask for 1 to %(most)d proposals.") % {"most": MOST_WANTED}
    if problems:
        raise Unusable(problems)


def _text_problem(template: PromptTemplate) -> str:
    """Return the error of a prompt whose variables do not suit its purpose, or ""."""
    if template.purpose != Purpose.WRONG_OPTIONS:
        message = _("The prompt must contain {story}, {title} or {moral}.")
        return "" if speaks_of_a_story(template.text) else message
    if not speaks_of_a_stem(template.text):
        return _("The prompt must contain {stem}.")
    return _("A prompt for a stem must not contain the moral.") if needs_moral(template.text) else ""
