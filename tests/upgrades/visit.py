"""What a site answers: run in a process of its own, on a database that an earlier version made."""

from __future__ import annotations

import json

from django.test import Client
from django.test.utils import setup_test_environment
from django.urls import reverse

from annotation.models import Item
from dashboard.queries.navigation import pages_for
from projects.models import Project, Role
from projects.permissions import permissions_for
from release.models import Release, ReleaseState


def main() -> None:
    """Print, as JSON, the status of each page of the menu, and of an item, a story and a release."""
    setup_test_environment()
    print(
        json.dumps(
            {address: status for project in Project.objects.all() for address, status in visit(project)}
        )
    )


def visit(project: Project) -> list[tuple[str, int]]:
    """Return who opens which page of a project, and the status that answers.

    A manager opens all pages of the menu, of a project that has releases; other members open their inbox.
    """
    answers = []
    for role in Role:
        member = project.memberships.filter(role=role).order_by("pk").first()
        if member is None:
            continue
        client = Client()
        client.force_login(member.user)
        addresses = [reverse("dashboard:inbox", args=[project.slug])]
        if role == Role.MANAGER:
            addresses += about(project)
        answers += [(f"{role} {address}", client.get(address).status_code) for address in addresses]
        if role == Role.REVIEWER:
            claim = reverse("review:claim", args=[project.slug])
            answers.append((f"{role} POST {claim}", client.post(claim).status_code))
    return answers


def about(project: Project) -> list[str]:
    """Return the addresses of an item and its story, of each release, and of what the menu has beside it."""
    item = Item.objects.filter(project=project).order_by("pk")[0]
    releases = Release.objects.filter(project=project, state=ReleaseState.READY)
    menu = pages_for(permissions_for([Role.MANAGER])) if releases else ()
    return [
        reverse("dashboard:item", args=[project.slug, item.pk]),
        reverse("corpus:story", args=[project.slug, item.story_id]),
        *(reverse("release:detail", args=[project.slug, release.version]) for release in releases),
        *(reverse(page.opens, args=[project.slug]) for _group, page in menu),
    ]
