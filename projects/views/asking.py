"""Which project a page is about, and how a refusal of the services goes back to a form."""

from django.forms import Form
from django.http import HttpRequest

from accounts.asking import signed_in
from accounts.errors import ParableError, Unusable, require
from projects.models import Project
from projects.permissions import may_manage
from projects.queries import get_project


def managed_project(request: HttpRequest, slug: str) -> Project:
    """The project, for its managers. Raises `Hidden` for strangers, `Forbidden` for other members."""
    project = get_project(user=signed_in(request), slug=slug)
    require(may_manage(signed_in(request), project))
    return project


def put_back(form: Form, error: ParableError) -> None:
    """Show on the form why the service refused, at the fields it names."""
    fields = error.fields if isinstance(error, Unusable) else {}
    for field, sentence in fields.items():
        form.add_error(field if field in form.fields else None, sentence)
    if not fields:
        form.add_error(None, str(error))
