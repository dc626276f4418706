"""A real model for the English sample project: the small model that `make demo-llm` serves."""

import json
from pathlib import Path
from typing import Final

from django.db import transaction

from accounts.services import system_account
from dashboard.services.sample import PROJECTS
from generation.services import create_template
from jobs.models import Endpoint
from jobs.services import create_endpoint
from projects.models import Project

FILE: Final = "model.en.json"
LANGUAGE: Final = "en"  # the only language of the model


@transaction.atomic
def add_sample_model(*, folder: Path, base_url: str) -> Endpoint:
    """Add the model served at this address to the English sample project, and return its endpoint.

    A prompt template for small models is added, too. Calling this again has no effect: users' changes to the
    endpoint and the template stay. Raise `Unusable` if the settings do not allow the address.
    """
    words = json.loads((folder / FILE).read_text("utf-8"))
    actor = system_account()
    slug, _name = PROJECTS[LANGUAGE]
    project = Project.objects.get(slug=slug)
    if not project.prompt_templates.filter(name=words["prompt"]["name"]).exists():
        create_template(actor=actor, project=project, **words["prompt"])
    known = Endpoint.objects.filter(project=project, base_url=base_url).first()
    if known is not None:
        return known
    # A server on another port gets another endpoint, as the first one's address belongs to its earlier calls.
    if Endpoint.objects.filter(project=project, name=words["endpoint"]["name"]).exists():
        words["endpoint"]["name"] += f" ({base_url})"
    return create_endpoint(actor=actor, project=project, base_url=base_url, **words["endpoint"])
