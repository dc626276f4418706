"""What is said about an item: words beside the wording, comments, and one contest."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Cause, Comment, Item, State
from annotation.services import add_comment, contest_edit, contest_rejection
from core.errors import Conflict, Forbidden, Unusable
from review.models import Answer, Disposition, RequestState, ReviewRequest, Stage
from review.services import claim_next, send_ruling, send_verdict, solve
from tests.annotation.conftest import SeenBy
from tests.annotation.sheets import sheet
from tests.factories import Cast, content, submit_item, wording

pytestmark = pytest.mark.django_db

EDITED = content("Why did the hare sleep?")


def notes_after(page: str, field: str) -> list[str]:
    """What is noted beside a field, without markup: up to the next field."""
    part = re.split(r"<textarea|<details|</form", page.split(field, 1)[1], maxsplit=1)[0]
    notes = re.findall(r'<ul class="notes">(.*?)</ul>', part, re.DOTALL)
    return [
        " ".join(re.sub("<[^>]*>", " ", one).split()) for note in notes for one in note.split("</li>")[:-1]
    ]


def judged(cast: Cast, disposition: str, item: Item | None = None, about: str = "") -> Item:
    """An item that the reviewer has solved rightly and judged so."""
    item = item or submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(
        actor=cast.reviewer, request=request, answer=Answer.OPTION, position=request.drawn_order.index(1)
    )
    send_verdict(
        actor=cast.reviewer,
        review=review,
        rating=1,
        comment="Which nap is meant?",
        about=about,
        disposition=disposition,
        edit=EDITED if disposition == Disposition.EDIT else None,
    )
    item.refresh_from_db()
    return item


def page_of(cast: Cast, rest: str) -> str:
    return f"/p/{cast.project.slug}{rest}"


def test_it_keeps_a_comment_without_what_no_column_holds(cast: Cast) -> None:
    said = add_comment(actor=cast.writer, item=submit_item(cast), text="Which\x00 nap?")
    assert Comment.objects.get(pk=said.pk).text == "Which nap?"


def test_it_lets_the_writer_contest_a_rejection_once(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.REJECT)
    page = page_of(cast, f"/items/{item.pk}")
    assert "Contest rejection" in seen_by(cast.writer).get(page).content.decode()
    assert "Contest rejection" not in seen_by(cast.manager).get(page).content.decode()
    client = seen_by(cast.writer)
    assert client.post(f"{page}/contest", {"reason": "  "}).status_code == 302
    item.refresh_from_db()
    assert item.state == State.REJECTED
    client.post(f"{page}/contest", {"reason": "It is right there in line two."})
    item.refresh_from_db()
    assert item.state == State.IN_ADJUDICATION
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request
    seen = seen_by(cast.verifier).get(page_of(cast, f"/review/{request.public_id}")).content.decode()
    assert "line two" in seen
    send_ruling(actor=cast.verifier, request=request, disposition=Disposition.REJECT, comment="No.")
    again = client.post(f"{page}/contest", {"reason": "Please."})
    assert again.status_code == 409
    assert "was already contested once" in again.content.decode()
    assert "Contest rejection" not in client.get(page).content.decode()


def test_it_lets_the_writer_contest_an_adopted_edit(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.EDIT)
    assert (item.state, wording(item).author) == (State.IN_VERIFICATION, cast.reviewer)
    held = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.VERIFICATION)
    assert held
    client = seen_by(cast.writer)
    desk = client.get(page_of(cast, "/write")).content.decode()
    assert "edited by a reviewer" in desk
    page = page_of(cast, f"/items/{item.pk}")
    assert "Contest edit" in client.get(page).content.decode()
    client.post(f"{page}/contest", {"reason": "The story says fall asleep."})
    item.refresh_from_db()
    assert item.state == State.IN_ADJUDICATION
    assert item.transitions.latest("pk").cause == Cause.CONTESTED_EDIT
    held.refresh_from_db()
    assert held.state == RequestState.CLOSED, "nobody verifies what is in dispute"
    assert "edited by a reviewer" not in client.get(page_of(cast, "/write")).content.decode()
    request = claim_next(actor=cast.verifier, project=cast.project, stage=Stage.ADJUDICATION)
    assert request
    ruling = seen_by(cast.verifier).get(page_of(cast, f"/review/{request.public_id}")).content.decode()
    assert "<del>fall" in ruling
    assert "The story says fall asleep." in ruling


def test_it_keeps_who_wrote_or_edited_from_the_ruling(cast: Cast) -> None:
    item = judged(cast, Disposition.EDIT)
    contest_edit(actor=cast.writer, item=item, reason="No.")
    request = ReviewRequest.objects.get(stage=Stage.ADJUDICATION)
    assert {cast.writer.pk, cast.reviewer.pk} <= set(request.excluded)


def test_it_refuses_a_contest_that_is_not_the_writers_or_comes_too_late(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.EDIT)
    for person in (cast.manager, cast.reviewer, cast.writer2):
        with pytest.raises(Forbidden):
            contest_edit(actor=person, item=item, reason="x")
    with pytest.raises(Conflict):
        contest_rejection(actor=cast.writer, item=item, reason="x")
    with pytest.raises(Unusable):
        contest_edit(actor=cast.writer, item=item, reason=" ")
    fresh = submit_item(cast, words=content("Who won?"))
    with pytest.raises(Conflict):
        contest_edit(actor=cast.writer, item=fresh, reason="nobody edited it")
    address = page_of(cast, f"/items/{item.pk}/contest")
    statuses = {
        name: seen_by(getattr(cast, name)).post(address, {"reason": "x"}).status_code
        for name in ("manager", "reviewer", "writer2", "outsider")
    }
    assert statuses == {"manager": 403, "reviewer": 403, "writer2": 404, "outsider": 404}
    contest_edit(actor=cast.writer, item=item, reason="x")
    with pytest.raises(Conflict):
        contest_edit(actor=cast.writer, item=item, reason="x")


def test_it_takes_comments_from_those_who_may_see_the_item(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    address = page_of(cast, f"/items/{item.pk}/comment")
    statuses = {
        name: seen_by(getattr(cast, name)).post(address, {"text": f"From {name}"}).status_code
        for name in ("manager", "writer", "writer2", "reviewer", "verifier", "outsider")
    }
    hidden = dict.fromkeys(("writer2", "reviewer", "verifier", "outsider"), 404)
    assert statuses == {"manager": 302, "writer": 302} | hidden
    page = seen_by(cast.writer).get(page_of(cast, f"/items/{item.pk}")).content.decode()
    assert "From manager" in page
    assert "about revision 1" in page
    assert Comment.objects.count() == 2


@pytest.mark.parametrize("text", ["", "  \r\n ", "x" * 4001])
def test_it_refuses_comments_that_are_empty_or_too_long(cast: Cast, seen_by: SeenBy, text: str) -> None:
    item = submit_item(cast)
    with pytest.raises(Unusable):
        add_comment(actor=cast.writer, item=item, text=text)
    seen_by(cast.writer).post(page_of(cast, f"/items/{item.pk}/comment"), {"text": text})
    assert not Comment.objects.exists()


def test_it_puts_what_was_said_about_a_part_beside_its_field(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.RETURN, about="stem")
    about = page_of(cast, f"/items/{item.pk}/comment")
    seen_by(cast.manager).post(about, {"text": "Too easy.", "about": "option-3"})
    desk = seen_by(cast.writer).get(page_of(cast, f"/write/item/{item.pk}")).content.decode()
    assert notes_after(desk, 'id="stem"') == ["Reviewer Which nap is meant?"]
    assert notes_after(desk, 'name="option-2"') == ["Mia Manager Too easy."]
    assert notes_after(desk, 'name="option-1"') == []
    assert cast.reviewer.name not in desk
    conversation = seen_by(cast.writer).get(page_of(cast, f"/items/{item.pk}")).content.decode()
    assert "about revision 1 · Option 3" in conversation
    assert re.search(r"· Stem</p><blockquote[^>]*><p>Which nap is meant\?", conversation)


def test_it_leaves_out_of_the_fields_what_was_said_about_an_older_revision(
    cast: Cast, seen_by: SeenBy
) -> None:
    item = judged(cast, Disposition.RETURN, about="stem")
    client, sent = seen_by(cast.writer), sheet(item.story, content("Which nap was it?"), item=item.pk)
    client.post(page_of(cast, f"/write/draft/{uuid4()}"), sent)
    judged(cast, Disposition.RETURN, item, about="option-4")
    desk = client.get(page_of(cast, f"/write/item/{item.pk}")).content.decode()
    assert notes_after(desk, 'id="stem"') == []
    assert len(notes_after(desk, 'name="option-3"')) == 1
    assert "Revision 1, as reviewed" in desk, "the conversation keeps it"


@pytest.mark.parametrize("about", ["option-0", "option-5", "option-", "moral", "key"])
def test_it_refuses_a_comment_about_a_part_that_the_item_does_not_have(cast: Cast, about: str) -> None:
    item = submit_item(cast)
    with pytest.raises(Unusable):
        add_comment(actor=cast.writer, item=item, text="Well.", about=about)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    review = solve(actor=cast.reviewer, request=request, answer=Answer.OPTION, position=0)
    with pytest.raises(Unusable) as refused:
        send_verdict(actor=cast.reviewer, review=review, rating=2, disposition=Disposition.PASS, about=about)
    assert list(refused.value.fields) == ["about"]


def test_it_asks_as_often_for_many_notes_beside_the_fields_as_for_one(cast: Cast, seen_by: SeenBy) -> None:
    item, counts = judged(cast, Disposition.RETURN, about="stem"), []
    for more in (1, 4):
        for _number in range(more):
            add_comment(actor=cast.manager, item=item, text="Too easy.", about="option-3")
        with CaptureQueriesContext(connection) as queries:
            seen_by(cast.writer).get(page_of(cast, f"/write/item/{item.pk}"))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_it_escapes_comments_and_keeps_their_lines(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    add_comment(actor=cast.writer, item=item, text="<script>x</script>\r\nsecond " + "x" * 3000)
    page = seen_by(cast.manager).get(page_of(cast, f"/items/{item.pk}")).content.decode()
    assert "&lt;script&gt;x&lt;/script&gt;<br>second" in page


def test_it_shows_comments_to_reviewers_once_they_have_judged(cast: Cast, seen_by: SeenBy) -> None:
    item = submit_item(cast)
    add_comment(actor=cast.writer, item=item, text="I meant the second nap.")
    request = claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK)
    assert request
    address, client = page_of(cast, f"/review/{request.public_id}"), seen_by(cast.reviewer)
    assert "second nap" not in client.get(address).content.decode()
    review = solve(
        actor=cast.reviewer, request=request, answer=Answer.OPTION, position=request.drawn_order.index(1)
    )
    assert "second nap" not in client.get(address).content.decode()
    send_verdict(actor=cast.reviewer, review=review, rating=2, disposition=Disposition.PASS)
    seen = client.get(address).content.decode()
    assert "second nap" in seen
    assert cast.writer.name not in seen, "who wrote the item stays unsaid"


def test_it_puts_reviewers_words_beside_the_wording_they_speak_of(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.RETURN)
    client = seen_by(cast.writer)
    fragment = client.get(page_of(cast, f"/review/comments/{item.pk}")).content.decode()
    assert "Which nap is meant?" in fragment
    assert "Revision 1, as reviewed" in fragment
    assert "<strong>It felt sure of winning</strong>" in fragment
    assert cast.reviewer.name not in fragment
    assert seen_by(cast.reviewer).get(page_of(cast, f"/review/comments/{item.pk}")).status_code == 404


def test_it_shows_what_a_new_wording_changes_before_it_is_submitted(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.RETURN)
    client = seen_by(cast.writer)
    first = client.get(page_of(cast, f"/write/item/{item.pk}")).content.decode()
    assert "Changes since revision 1" in first
    assert "No changes yet." in first
    changes = page_of(cast, f"/write/item/{item.pk}/changes")
    typed = sheet(item.story, content("Why did the tortoise fall asleep?"), item=item.pk)
    page = client.post(changes, typed).content.decode()
    assert "<del>hare</del><ins>tortoise</ins>" in page
    assert "<html" not in page
    assert not item.drafts.exists(), "looking saves nothing"
    assert client.get(changes).status_code == 405
    assert seen_by(cast.writer2).post(changes, typed).status_code == 404
    assert seen_by(cast.reviewer).post(changes, typed).status_code == 404


def test_it_asks_as_often_for_many_words_as_for_few(cast: Cast, seen_by: SeenBy) -> None:
    item = judged(cast, Disposition.REJECT)
    client, counts = seen_by(cast.writer), []
    for more in (2, 4):
        for number in range(more):
            add_comment(actor=cast.manager, item=item, text="Well.")
            story_item = submit_item(cast, words=content(f"Why {more} {number}?"))
            judged(cast, Disposition.EDIT if number % 2 else Disposition.REJECT, story_item)
        found = []
        for rest in (f"/items/{item.pk}", "/write", f"/review/comments/{item.pk}"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page_of(cast, rest)).status_code == 200
            found.append(len(queries))
        counts.append(found)
    assert counts[0] == counts[1]
