"""Pages of measuring: runs, their answers, panels and what people solve. All but the last for managers."""

from django.forms import Form
from django.http import HttpRequest

from accounts.errors import ParableError, Unusable, require
from accounts.models import User
from evaluation.permissions import may_measure
from projects.models import Project
from projects.queries import get_project


class MemberRequest(HttpRequest):
    """A request of somebody who has signed in: what a view behind `login_required` is given."""

    user: User


def measuring_project(request: MemberRequest, slug: str) -> Project:
    """The project, for somebody who may measure in it; else `Hidden` or `Forbidden`."""
    project = get_project(user=request.user, slug=slug)
    require(may_measure(request.user, project))
    return project


def put_errors(form: Form, error: ParableError) -> None:
    """Put a service's refusal on the form: beside its fields, else above them."""
    fields = error.fields if isinstance(error, Unusable) else {}
    for name, message in fields.items():
        form.add_error(name if name in form.fields else None, message)
    if not fields:
        form.add_error(None, str(error))
