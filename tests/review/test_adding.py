"""A reviewer may add an item to the story they have just read; they are then its writer."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Item
from review.models import ReviewRequest, Stage
from review.services import claim_next
from tests.factories import content, make_project, make_story, submit_item


@pytest.mark.django_db
def test_it_leads_a_reviewer_to_the_desk_and_binds_them_by_the_law() -> None:
    cast = make_project()
    item = submit_item(cast, story=make_story(cast, moral="Moral-that-nobody-may-see"))
    client = Client()
    client.force_login(cast.reviewer)
    page = client.post(reverse("review:claim", args=[cast.project.slug])).headers["Location"]
    desk = reverse("annotation:write", args=[cast.project.slug, item.story_id])
    assert desk not in client.get(page).content.decode(), "not before the answer"
    client.post(f"{page}/answer", {"position": 0})
    assert desk in client.get(page).content.decode()
    written = client.get(desk, follow=True)
    assert written.status_code == 200
    assert "Moral-that-nobody-may-see" not in written.content.decode()

    theirs = submit_item(
        cast, story=item.story, writer=cast.reviewer, words=content("What did the hare do at the mill?")
    )
    assert Item.objects.get(pk=theirs.pk).writer == cast.reviewer
    assert cast.reviewer.pk in ReviewRequest.objects.get(item=theirs).excluded
    request = claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request is not None
    assert request.item == theirs
