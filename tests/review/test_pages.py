"""The review pages over HTTP: blind first, then judged; and nobody sees what is not theirs."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.content import ItemContent, OptionContent
from annotation.models import Comment, Item, State
from annotation.services import add_comment
from corpus.services import reword_story
from review.models import Review, ReviewRequest, Stage
from review.queries.drawn import with_numbers_seen
from review.services import claim_next
from tests.factories import PASSWORD, Cast, make_story, submit_item, wording

pytestmark = pytest.mark.django_db

KEY = "It felt sure of winning"
WORDS = ItemContent(
    stem="Why did the hare fall asleep?",
    options=(
        OptionContent("It was raining hard"),
        OptionContent(KEY, is_key=True),
        OptionContent("It was night already"),
        OptionContent("It was ill that day"),
    ),
    types=("biological",),
    explanation="Explanation-that-tells-the-key",
    answered_warnings={"longest": "Reason-that-tells-the-key"},
)


@pytest.fixture
def item(cast: Cast) -> Item:
    story = make_story(cast, moral="Moral-that-nobody-may-see")
    return submit_item(cast, story=story, words=WORDS)


def browser(user: User) -> Client:
    client = Client()
    assert client.login(username=user.username, password=PASSWORD)
    return client


def take(client: Client, cast: Cast, name: str = "review:claim") -> str:
    answer = client.post(reverse(name, args=[cast.project.slug]))
    assert answer.status_code == 302
    return answer.headers["Location"]


def everything(response: HttpResponseBase) -> str:
    """Headers and body of a response, as one text."""
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    body: bytes = getattr(response, "content", b"")
    return f"{headers}\n{body.decode()}"


def test_it_shows_a_blind_place_without_anything_that_reveals_the_key(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    page = everything(client.get(place))
    assert WORDS.stem in page
    assert all(option.text in page for option in WORDS.options)
    secrets = [
        "Moral-that",
        "Explanation-that",
        "Reason-that",
        "Biological",
        "biological",
        "human",
        "machine",
    ]
    secrets += [cast.writer.name, cast.writer.username]
    assert [secret for secret in secrets if secret in page] == []
    main = page[page.index("<main") : page.index("</main>")]
    values = re.findall(r'value="([^"]*)"', main[main.index('<h2 class="stem') :])
    assert values == ["0", "1", "2", "3", "none_fits", "several_fit", "0", "1", "2", "3"], (
        "positions, never ids"
    )
    api = client.get(f"/api/v1/projects/{cast.project.slug}/queue/")
    assert [secret for secret in [*secrets, KEY] if secret in everything(api)] == []


def test_it_keeps_no_trace_of_the_writers_order(cast: Cast) -> None:
    """Over many claims each option stands in each place about equally often."""
    counts = [0, 0, 0, 0]
    for _ in range(60):
        submit_item(cast, words=WORDS)
    while request := claim_next(actor=cast.reviewer, project=cast.project, stage=Stage.CROSS_CHECK):
        counts[request.drawn_order.index(1)] += 1
        assert sorted(request.drawn_order) == [0, 1, 2, 3]
        ReviewRequest.objects.filter(pk=request.pk).update(state="done")
    assert sum(counts) == 60
    assert min(counts) >= 4, counts  # 60 draws at 1/4: fewer than 4 happens once in 20,000 runs


def test_it_reveals_after_the_answer_and_takes_the_verdict(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    request = ReviewRequest.objects.get()
    key = request.drawn_order.index(1)
    page = client.post(f"{place}/answer", {"position": key}, follow=True).content.decode()
    assert "Explanation-that-tells-the-key" in page
    assert "Reason-that-tells-the-key" in page
    assert "Moral-that" not in page
    refused = client.post(f"{place}/verdict", {"disposition": "pass"})
    assert refused.status_code == 400
    assert "Rate the item." in refused.content.decode()
    drawn = request.drawn_order
    form: dict[str, Any] = {
        "rating": 0,
        "disposition": "edit",
        "comment": "Half a sentence",
        "edit_stem": "What made it doze?",
    }
    form |= {f"edit_option_{n}": WORDS.options[position].text for n, position in enumerate(drawn)}
    form |= {"edit_option_0": "Reworded here", "edit_key": drawn.index(3)}
    refused = client.post(f"{place}/verdict", form)
    assert "A rating of 0 requires at least one flaw." in refused.content.decode()
    kept = refused.content.decode()
    assert all(words in kept for words in ("Half a sentence", "What made it doze?", "Reworded here"))
    for chosen in ('name="rating" value="0"', 'value="edit"', f'name="edit_key" value="{drawn.index(3)}"'):
        assert re.search(rf"{chosen}[^>]* checked", kept), f"{chosen} is no longer chosen"
    done = client.post(f"{place}/verdict", {"rating": 2, "disposition": "pass"}, follow=True)
    assert done.redirect_chain[-1][0] == reverse("review:queue", args=[cast.project.slug])
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    review = Review.objects.get()
    assert (review.is_correct, review.blind) == (True, True)


def test_it_takes_an_edit_from_the_page(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    drawn = ReviewRequest.objects.get().drawn_order
    client.post(f"{place}/answer", {"position": drawn.index(1)})
    form = {"rating": 1, "disposition": "edit", "edit_stem": "Why did the hare doze off?"}
    form |= {f"edit_option_{n}": WORDS.options[position].text for n, position in enumerate(drawn)}
    form |= {"edit_key": drawn.index(1), "edit_explanation": WORDS.explanation}
    client.post(f"{place}/verdict", form)
    item.refresh_from_db()
    assert item.state == State.IN_VERIFICATION
    assert wording(item).stem == "Why did the hare doze off?"
    assert wording(item).author == cast.reviewer
    assert [option.text for option in wording(item).options.all()] == [o.text for o in WORDS.options]
    assert wording(item).options.get(is_key=True).text == KEY


def test_it_shows_what_an_edit_changes_and_keeps_all_of_it_when_it_is_undone(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    drawn = ReviewRequest.objects.get().drawn_order
    client.post(f"{place}/answer", {"position": drawn.index(1)})
    form = {"rating": 1, "disposition": "edit", "edit_stem": "Why did the hare doze off?", "stay": 1}
    form |= {f"edit_option_{n}": WORDS.options[position].text for n, position in enumerate(drawn)}
    form |= {"edit_key": drawn.index(0), f"edit_option_{drawn.index(0)}": "It was drizzling"}
    form |= {"edit_explanation": "Explained otherwise"}
    judged = client.post(f"{place}/verdict", form, follow=True).content.decode()
    shown = judged[judged.index("Your edit") :]
    for marked in ("<del>fall", f"Option {drawn.index(0) + 1}<", "Key<", "Explanation<"):
        assert marked in shown
    undone = client.post(f"{place}/undo", follow=True).content.decode()
    assert re.search(r'name="disposition" value="edit" checked', undone)
    for kept in (
        "Why did the hare doze off?</textarea>",
        ">It was drizzling</textarea>",
        ">Explained otherwise<",
    ):
        assert kept in undone
    assert re.search(rf'name="edit_key" value="{drawn.index(0)}"[^>]* checked', undone)


def test_it_walks_verification_and_adjudication_through_the_pages(cast: Cast, item: Item) -> None:
    reviewer, verifier, manager = browser(cast.reviewer), browser(cast.verifier), browser(cast.manager)
    place = take(reviewer, cast)
    reviewer.post(f"{place}/answer", {"position": "none_fits"})
    page = reviewer.get(place).content.decode()
    assert re.search(r'value="no_right_option"[^>]* checked', page), "none fits prefills the flaw"
    reviewer.post(f"{place}/verdict", {"rating": 1, "disposition": "pass"})
    item.refresh_from_db()
    assert item.state == State.IN_ADJUDICATION
    place = take(manager, cast, "review:claim_adjudicate")
    assert cast.reviewer.name in manager.get(place).content.decode()
    manager.post(f"{place}/ruling", {"disposition": "send_on", "comment": "The key is right."})
    place = take(verifier, cast, "review:claim_verify")
    drawn = ReviewRequest.objects.get(stage=Stage.VERIFICATION).drawn_order
    verifier.post(f"{place}/answer", {"position": drawn.index(1)})
    verifier.post(f"{place}/verdict", {"disposition": "pass"})
    item.refresh_from_db()
    assert item.state == State.VERIFIED


def test_it_takes_several_fit_with_which(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    assert client.post(f"{place}/answer", {"position": "several_fit", "several": [1]}).status_code == 400
    assert not Review.objects.exists()
    client.post(f"{place}/answer", {"position": "several_fit", "several": [1, 3]})
    assert Review.objects.get().several_positions == [1, 3]


@pytest.mark.parametrize("who", ["writer", "reviewer2", "verifier", "manager", "outsider"])
def test_it_hides_a_place_from_everybody_else(cast: Cast, item: Item, who: str) -> None:
    place = take(browser(cast.reviewer), cast)
    other = browser(getattr(cast, who))
    assert other.get(place).status_code == 404
    for verb in ("answer", "verdict", "ruling", "misclick", "skip"):
        assert other.post(f"{place}/{verb}", {"position": 0}).status_code == 404
    assert not Review.objects.exists()


@pytest.mark.parametrize(
    ("queue", "welcome"),
    [
        ("review:queue", {"reviewer", "reviewer2"}),
        ("review:verify", {"verifier"}),
        ("review:adjudicate", {"verifier", "manager"}),
    ],
)
def test_it_opens_each_queue_to_its_roles(cast: Cast, queue: str, welcome: set[str]) -> None:
    everybody = ["manager", "writer", "reviewer", "reviewer2", "verifier", "outsider"]
    address = reverse(queue, args=[cast.project.slug])
    for who in everybody:
        status = browser(getattr(cast, who)).get(address).status_code
        assert status == (200 if who in welcome else 404 if who == "outsider" else 403), who
    assert Client().get(address).status_code == 302


def test_it_says_why_nothing_waits(cast: Cast, item: Item) -> None:
    first, second = browser(cast.reviewer), browser(cast.reviewer2)
    queue = reverse("review:queue", args=[cast.project.slug])
    assert "1 item in your queue." in first.get(queue).content.decode()
    place = take(first, cast)
    assert "with someone else until" in second.get(queue).content.decode()
    assert take(second, cast) == queue
    assert "Reserved for you until" in first.get(queue).content.decode()
    ReviewRequest.objects.update(lease_expires_at=timezone.now() - timedelta(minutes=1))
    assert "no one else has taken it" in first.get(queue).content.decode()
    first.post(f"{place}/skip", {"reason": "I know the writer's idea."})
    assert "hidden because" in first.get(queue).content.decode()


def test_it_keeps_words_and_lease_by_the_api(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    number = ReviewRequest.objects.get().public_id
    api = f"/api/v1/projects/{cast.project.slug}/requests/{number}/"
    assert client.put(f"{api}comment/", {"comment": "early"}, "application/json").status_code == 409
    client.post(f"{place}/answer", {"position": 0})
    assert client.put(f"{api}comment/", {"comment": "kept"}, "application/json").status_code == 200
    assert "kept" in client.get(place).content.decode()
    assert client.post(f"{api}lease/").json()["seconds_left"] > 1700
    stranger = browser(cast.reviewer2)
    assert stranger.post(f"{api}lease/").status_code == 404
    assert stranger.put(f"{api}comment/", {"comment": "x"}, "application/json").status_code == 404


def test_it_shows_the_writer_what_reviewers_said(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    key = ReviewRequest.objects.get().drawn_order.index(1)
    client.post(f"{place}/answer", {"position": key})
    client.post(
        f"{place}/verdict",
        {"rating": 0, "disposition": "return", "flaws": ["unclear_stem"], "comment": "Which nap?"},
    )
    words = reverse("review:comments", args=[cast.project.slug, item.pk])
    assert "Which nap?" in browser(cast.writer).get(words).content.decode()
    for who in (cast.writer2, cast.reviewer2, cast.outsider):
        assert browser(who).get(words).status_code == 404


def test_it_keeps_what_a_verdict_is_about_by_the_writers_numbers(cast: Cast, item: Item) -> None:
    client = browser(cast.reviewer)
    place = take(client, cast)
    assert 'name="about"' not in client.get(place).content.decode()
    drawn = ReviewRequest.objects.get().drawn_order
    client.post(f"{place}/answer", {"position": drawn.index(1)})
    form = {"rating": 0, "comment": "Too easy.", "about": "option-2"}
    refused = client.post(f"{place}/verdict", form)
    assert '<option value="option-2" selected>' in refused.content.decode()
    page = client.post(f"{place}/verdict", form | {"flaws": "trivial_distractor", "disposition": "return"})
    assert page.status_code == 302
    assert Review.objects.get().about == f"option-{drawn[1] + 1}"
    add_comment(actor=cast.writer, item=item, text="Why?", about=f"option-{drawn[2] + 1}")
    judged = client.get(place).content.decode()
    assert "Option 2: </span>Too easy." in judged
    assert "Option 3 · " in judged, "a comment has the number that this reviewer saw, too"


def test_it_names_options_to_an_adjudicator_by_the_numbers_they_see(cast: Cast, item: Item) -> None:
    reviewer, manager = browser(cast.reviewer), browser(cast.manager)
    place = take(reviewer, cast)
    reviewer.post(f"{place}/answer", {"position": "none_fits"})
    ReviewRequest.objects.update(drawn_order=[0, 1, 2, 3])
    Review.objects.update(drawn_order=[0, 1, 2, 3])
    form = {"rating": 1, "disposition": "return", "comment": "Too easy.", "about": "option-1"}
    edited = {f"edit_option_{n}": option.text for n, option in enumerate(WORDS.options)}
    form |= edited | {"edit_option_0": "Reworded here", "edit_stem": WORDS.stem, "edit_key": 1}
    form |= {"edit_explanation": WORDS.explanation}
    reviewer.post(f"{place}/verdict", form | {"disposition": "edit"})
    place = take(manager, cast, "review:claim_adjudicate")
    waiting = ReviewRequest.objects.filter(stage=Stage.ADJUDICATION)
    waiting.update(drawn_order=[3, 2, 1, 0])
    shown = manager.get(place).content.decode()
    assert "Option 4: </span>Too easy." in shown
    assert "Option 4</p>" in shown
    assert "Option 1</p>" not in shown
    ruling = {"disposition": "return", "comment": "Reword it.", "about": "option-2"}
    refused = manager.post(f"{place}/ruling", ruling | {"comment": ""})
    assert '<option value="option-2" selected>' in refused.content.decode()
    manager.post(f"{place}/ruling", ruling)
    assert Review.objects.get(stage=Stage.ADJUDICATION).about == "option-3"
    assert "Option 2: </span>Reword it." in manager.get(place).content.decode()


def test_it_gives_no_number_to_an_option_of_another_revision() -> None:
    said = [Comment(revision_id=number, about=about) for number in (1, 2) for about in ("option-1", "stem")]
    seen = with_numbers_seen(said, revision_id=2, drawn=[2, 0, 1])
    assert [one.about for one in seen] == ["", "stem", "option-2", "stem"]


def test_it_never_shows_a_moral_to_reviewers(cast: Cast) -> None:
    story = make_story(cast, moral="Moral-that-nobody-may-see")
    submit_item(
        cast,
        story=story,
        task="moral",
        words=ItemContent("Which moral?", WORDS.options, (), "", {}),
    )
    client = browser(cast.reviewer)
    place = take(client, cast)
    assert "Moral-that" not in client.get(place).content.decode()
    client.post(f"{place}/answer", {"position": 0})
    assert "Moral-that" not in client.get(place).content.decode()


def test_it_warns_a_reviewer_that_the_story_was_reworded_since(cast: Cast) -> None:
    item = submit_item(cast)
    request = claim_next(actor=cast.reviewer, project=cast.project, stage="cross_check")
    assert request is not None
    client = Client()
    client.force_login(cast.reviewer)
    page = reverse("review:request", args=[cast.project.slug, request.public_id])
    assert "has changed since" not in client.get(page).content.decode()
    reword_story(
        actor=cast.manager, story=item.story, title="Other", text="Other words.", reason="printed so"
    )
    seen = client.get(page).content.decode()
    assert "has changed since" in seen
    assert "Other words." not in seen
    client.force_login(cast.manager)
    life = client.get(f"/p/{cast.project.slug}/items/{item.pk}").content.decode()
    assert "written on an older revision" in life
