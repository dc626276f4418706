"""A project that is archived can be read and not changed; one made like another has its settings."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import ItemDraft, TypeTarget
from annotation.plan import Target
from annotation.services import set_type_targets
from core.errors import Forbidden, Hidden
from generation.models import PromptTemplate
from generation.services import create_template
from projects.models import CommonsenseType, Guideline, Membership, Project
from projects.services import create_project, publish_guideline, set_archived, update_project
from tests.factories import Cast, make_story, make_user, submit_item
from tests.projects.pages import browser

pytestmark = pytest.mark.django_db


def post(client: Client, cast: Cast, route: str, **sent: str) -> int:
    return client.post(reverse(route, args=[cast.project.slug]), sent).status_code


def test_it_is_read_and_not_changed_until_it_is_restored(cast: Cast) -> None:
    submit_item(cast, story=make_story(cast))
    manager, reviewer = browser(cast.manager), browser(cast.reviewer)
    assert post(reviewer, cast, "projects:archive") == 403
    assert post(browser(cast.outsider), cast, "projects:archive") == 404
    assert post(manager, cast, "projects:archive") == 302
    for client, route, sent in (
        (manager, "projects:settings", {"name": "Other"}),
        (manager, "projects:invite", {"names": "Lin"}),
        (reviewer, "review:claim", {}),
    ):
        assert post(client, cast, route, **sent) == 403, route
    page = reviewer.get(reverse("review:queue", args=[cast.project.slug]))
    assert page.status_code == 200
    assert (
        "Restore project"
        in manager.get(reverse("projects:settings", args=[cast.project.slug])).content.decode()
    )
    mine = manager.get(reverse("projects:mine")).content.decode()
    assert "1 archived project" in mine
    assert post(reviewer, cast, "projects:restore") == 403
    assert post(manager, cast, "projects:restore") == 302
    assert post(reviewer, cast, "review:claim") == 302


def test_it_refuses_words_typed_into_a_draft_of_it(cast: Cast) -> None:
    story = make_story(cast)
    set_archived(actor=cast.manager, project=cast.project, archived=True)
    sent = {"project": cast.project.slug, "story": story.pk, "task": "commonsense", "style": "human"}
    answer = browser(cast.writer).post("/api/v1/drafts/", sent, content_type="application/json")
    assert answer.status_code in {403, 404}
    assert not ItemDraft.objects.exists()


def test_it_is_made_like_another_without_its_people_and_stories(cast: Cast) -> None:
    cast.manager.may_create_projects = True
    cast.manager.save(update_fields=["may_create_projects"])
    update_project(
        actor=cast.manager,
        project=cast.project,
        changes={"lease_minutes": 77, "licence": "CC0 1.0", "solve_together": True},
    )
    targets_wanted = {"physical": Target(2, 30), "social": Target(1, 0)}
    set_type_targets(actor=cast.manager, project=cast.project, targets=targets_wanted)
    CommonsenseType.objects.filter(project=cast.project, code="physical").update(name_en="Bodies")
    publish_guideline(actor=cast.manager, project=cast.project, text="Old words.")
    publish_guideline(actor=cast.manager, project=cast.project, text="Write well.")
    for text in ("Give {moral} three wrong.", "Give {moral} four wrong."):
        create_template(actor=cast.manager, project=cast.project, name="Wrong", text=text)
    make_story(cast)
    sent = {"name": "Next", "slug": "next", "language": cast.project.language, "like": cast.project.slug}
    targets = dict.fromkeys(("writers_per_story", "items_per_writer", "machine_items_per_story"), 1)
    sent |= {name: str(n) for name, n in targets.items()} | {"options_per_item": "4", "reviews_per_item": "1"}
    assert browser(cast.manager).post(reverse("projects:create"), sent).status_code == 302
    made = Project.objects.get(slug="next")
    assert (made.name, made.lease_minutes, made.licence) == ("Next", 77, "CC0 1.0")
    assert made.writers_per_story == cast.project.writers_per_story
    assert Guideline.objects.get(project=made).text == "Write well."
    assert PromptTemplate.objects.get(project=made).text == "Give {moral} four wrong."
    assert made.commonsense_types.get(code="physical").name_en == "Bodies"
    assert made.solve_together
    found = TypeTarget.objects.filter(type__project=made)
    rows = found.values_list("type__code", "per_story", "share")
    assert {code: Target(*target) for code, *target in rows} == targets_wanted
    assert not made.stories.exists()
    assert Membership.objects.get(project=made).user == cast.manager


def test_nobody_copies_what_they_do_not_manage(cast: Cast) -> None:
    stranger = make_user("Sam")
    stranger.may_create_projects = True
    stranger.save(update_fields=["may_create_projects"])
    with pytest.raises((Forbidden, Hidden)):
        create_project(
            actor=stranger,
            slug="other",
            name="Other",
            language="en",
            like=cast.project,
        )
    assert "Copy settings from" not in browser(stranger).get(reverse("projects:create")).content.decode()
