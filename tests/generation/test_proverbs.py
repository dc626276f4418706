"""Items that ask which proverb fits, from what a model confuses with the right one."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.content import from_json
from annotation.models import Item, ItemDraft, KeyExposure, State, WritingPlaces
from annotation.queries.assignment import free_places
from annotation.services import import_items_as, record_key_exposures, submit_draft
from core.errors import Forbidden, Unusable
from corpus.models import Story
from generation.models import Batch, ProverbPair, ProverbProposal, ProverbRanking, RankedNarrative
from generation.queries.proverb import left_out, pair_counts
from generation.services import (
    add_pairs,
    ask_for_rankings,
    decide_pair,
    import_ranking,
    prepare_batch,
    propose_items,
    publish_batch_end,
)
from generation.services.candidate import keep_candidates
from jobs.job_types import JobEnd
from jobs.models import Endpoint
from jobs.services import create_endpoint
from parable.formats import read_items
from parable.kinds.proverb import Narrative, SpanPair, fields
from review.models import Stage
from review.services import claim_next
from tests.factories import Cast, make_project
from tests.generation.solver import signed_in

pytestmark = pytest.mark.django_db

TASK = "proverb_choice"
PROVERBS = {
    "P1": "Too many cooks spoil the broth",
    "P2": "Many hands make light work",
    "P3": "A stitch in time saves nine",
    "P4": "Better late than never",
    "P5": "The early bird catches the worm",
    "P6": "First come, first served",
}
RANKED = {
    "P1N1": ["P2", "P1", "P3", "P4", "P5", "P6"],
    "P1N2": ["P1", "P2", "P4", "P3", "P6", "P5"],
    "P2N1": ["P1", "P2", "P3", "P4", "P5", "P6"],
    "P2N2": ["P2", "P3", "P4", "P5", "P6", "P1"],
    "P5N1": ["P6", "P5", "P4", "P3", "P2", "P1"],
    "P5N2": ["P5", "P6", "P4", "P3", "P2", "P1"],
    "P6N1": ["P5", "P6", "P1", "P2", "P3", "P4"],
    "P6N2": ["P6", "P5", "P1", "P2", "P3", "P4"],
}


def text_of(narrative: str) -> str:
    return f"The tale of {narrative}, in which something happened that the saying fits."


@pytest.fixture
def cast() -> Cast:
    made = make_project(tasks=["proverb_narratives", TASK], options_per_item=5)
    told = (
        Narrative(f"{name}N{number}", proverb, text_of(f"{name}N{number}"), (SpanPair(proverb, "The tale"),))
        for name, proverb in PROVERBS.items()
        for number in (1, 2)
    )
    rows = [{**fields(one), "task": "proverb_narratives", "writer": f"Narrator {one.id[-1]}"} for one in told]
    reading = read_items("\n".join(map(json.dumps, rows)).encode(), name="n", format="parable", types={})
    result = import_items_as(
        actor=made.manager, project=made.project, readings=[reading], state="verified", writer_name="Import"
    )
    assert result.issues == []
    return made


def ranking_file(ranked: dict[str, list[str]] | None = None) -> bytes:
    lines = ({"narrative": name, "ranked": some} for name, some in (ranked or RANKED).items())
    return "\n".join(map(json.dumps, lines)).encode()


def ranked(cast: Cast, **changes: list[str]) -> ProverbRanking:
    return import_ranking(
        actor=cast.manager, project=cast.project, examinee="small", data=ranking_file(RANKED | changes)
    )


def undecided(cast: Cast) -> list[tuple[str, str]]:
    found = ProverbPair.objects.filter(project=cast.project, is_synonym=None)
    return [(pair.first.ref, pair.second.ref) for pair in found.select_related("first", "second")]


def decide_all(cast: Cast, *, is_synonym: bool) -> None:
    for pair in ProverbPair.objects.filter(project=cast.project):
        decide_pair(actor=cast.manager, pair=pair, is_synonym=is_synonym)


def options(draft: ItemDraft) -> list[str]:
    names = {text: name for name, text in PROVERBS.items()}
    return [names[option.text] for option in from_json(draft.content).options]


class TestRankings:
    def test_it_stores_figures_and_proposes_pairs_that_are_confused_both_ways(self, cast: Cast) -> None:
        found = ranked(cast)
        assert (found.narratives, found.unranked) == (12, 4), "four narratives have no list"
        assert found.accuracy[0] == pytest.approx(4 / 12)
        assert found.reciprocal_rank[0] == pytest.approx((4 + 4 / 2) / 12)
        assert found.accuracy[1] < found.accuracy[0] < found.accuracy[2]
        assert undecided(cast) == [("P5", "P6"), ("P1", "P2")]

    def test_proverbs_may_be_named_by_their_words_and_others_count_before_the_key(self, cast: Cast) -> None:
        words = {"P1N1": ["Some other saying", PROVERBS["P1"].upper(), PROVERBS["P2"]]}
        found = import_ranking(
            actor=cast.manager, project=cast.project, examinee="x", data=ranking_file(words)
        )
        assert found.reciprocal_rank[0] == pytest.approx(1 / 2 / 12)
        stored = RankedNarrative.objects.get(ranking=found)
        assert (stored.key_rank, len(stored.proverbs)) == (2, 2)

    def test_a_new_file_replaces_the_earlier_one_and_keeps_decisions(self, cast: Cast) -> None:
        ranked(cast)
        decide_all(cast, is_synonym=False)
        found = ranked(cast, P1N1=["P1"])
        assert ProverbRanking.objects.get() == found
        assert RankedNarrative.objects.count() == 8
        assert undecided(cast) == []

    @pytest.mark.parametrize(
        ("examinee", "data", "field", "message"),
        [
            (" ", ranking_file(), "name", "Enter the name of the model"),
            ("x" * 121, ranking_file(), "name", "at most 120"),
            ("x", b"narrative,proverb,rank\nP1N1,P1,first\n", "file", "Row 2, rank: Expected a number"),
            ("x", ranking_file({"Q9N9": ["P1"]}), "file", "None of the file's narratives"),
        ],
    )
    def test_it_refuses_what_it_cannot_use(
        self, cast: Cast, examinee: str, data: bytes, field: str, message: str
    ) -> None:
        with pytest.raises(Unusable, match=message) as refused:
            import_ranking(actor=cast.manager, project=cast.project, examinee=examinee, data=data)
        assert list(refused.value.fields) == [field]

    def test_only_managers_may(self, cast: Cast) -> None:
        with pytest.raises(Forbidden):
            import_ranking(actor=cast.writer, project=cast.project, examinee="x", data=ranking_file())


class TestAsking:
    def endpoint(self, cast: Cast) -> Endpoint:
        return create_endpoint(
            actor=cast.manager,
            project=cast.project,
            name="small",
            model="stub-ok",
            base_url="https://models.test/v1",
        )

    def answer(self, cast: Cast, batch: Batch, *proverbs: str) -> None:
        """Let every call of a batch come back with these proverbs, and the job end."""
        listed = "\n".join(f"{n}. {PROVERBS.get(name, name)}" for n, name in enumerate(proverbs, start=1))
        for call in batch.job.calls.all():
            call.raw_response = listed
            assert keep_candidates(call) == ""
        publish_batch_end(JobEnd(batch.job_id, cast.project.pk, "generate", "done", is_at_desk=False))

    def test_a_model_is_asked_for_the_proverbs_that_fit_and_its_lists_are_its_ranking(
        self, cast: Cast
    ) -> None:
        endpoint = self.endpoint(cast)
        batch = ask_for_rankings(actor=cast.manager, project=cast.project, endpoint=endpoint, count=3)
        prepare_batch(job_id=batch.job_id)
        prompts = [call.prompt for call in batch.job.calls.order_by("pk")]
        assert len(prompts) == 3
        assert all(f"- {proverb}" in prompt for proverb in PROVERBS.values() for prompt in prompts)
        assert text_of("P1N1") in prompts[0]
        self.answer(cast, batch, "P2", "P1", "Some other saying", "P3", "P4", "P5", "P6")
        found = ProverbRanking.objects.get()
        assert (found.examinee, found.narratives, found.unranked) == ("small", 12, 9)
        assert found.reciprocal_rank[0] == pytest.approx((1 / 2 + 1 / 2 + 1) / 12)
        places = WritingPlaces.objects.filter(story__in=batch.stories)
        assert [place.is_held_back for place in places] == [True] * 3

    def test_later_answers_are_added_and_nothing_is_asked_twice(self, cast: Cast) -> None:
        endpoint = self.endpoint(cast)
        for count, ranked_now in ((5, 5), (200, 12)):
            batch = ask_for_rankings(actor=cast.manager, project=cast.project, endpoint=endpoint, count=count)
            prepare_batch(job_id=batch.job_id)
            self.answer(cast, batch, "P1", "P2", "P3", "P4", "P5")
            assert RankedNarrative.objects.count() == ranked_now
        with pytest.raises(Unusable, match="every verified narrative"):
            ask_for_rankings(actor=cast.manager, project=cast.project, endpoint=endpoint, count=1)


class TestPairs:
    def test_a_person_decides_and_may_reopen(self, cast: Cast) -> None:
        ranked(cast)
        pair = ProverbPair.objects.order_by("pk")[0]
        decide_pair(actor=cast.manager, pair=pair, is_synonym=True)
        assert pair_counts(cast.project) == {"undecided": 1, "synonyms": 1, "different": 0}
        assert pair.decided_by == cast.manager
        decide_pair(actor=cast.manager, pair=pair, is_synonym=None)
        assert pair_counts(cast.project) == {"undecided": 2, "synonyms": 0, "different": 0}
        assert len(left_out(cast.project)) == 2
        decide_all(cast, is_synonym=False)
        assert left_out(cast.project) == set()

    def test_a_list_may_be_pasted_and_overrules(self, cast: Cast) -> None:
        ranked(cast)
        decide_all(cast, is_synonym=False)
        lines = f"P1 | P2\n\n{PROVERBS['P4']}\tp3\nP2|P1"
        assert add_pairs(actor=cast.manager, project=cast.project, text=lines) == 2
        assert pair_counts(cast.project) == {"undecided": 0, "synonyms": 2, "different": 1}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("P1 | P2\nP1 | Unheard of\nP1", "Line 2 does not .* Line 3 does not"),
            ("P1 | P1", "Line 1 does not name two proverbs"),
            ("P1 | P2 | P3", "Line 1"),
            ("", "Enter 1 to 500 pairs"),
        ],
    )
    def test_each_bad_line_is_named_and_nothing_is_stored(self, cast: Cast, text: str, message: str) -> None:
        with pytest.raises(Unusable, match=message):
            add_pairs(actor=cast.manager, project=cast.project, text=text)
        assert not ProverbPair.objects.exists()

    def test_the_database_holds_a_pair_once_in_order_decided_with_a_time(self, cast: Cast) -> None:
        one, other = Story.objects.filter(ref__in=["P1", "P2"]).order_by("pk")
        for values in (
            {"first": other, "second": one},
            {"first": one, "second": one},
            {"first": one, "second": other, "is_synonym": True},
        ):
            with pytest.raises(IntegrityError), transaction.atomic():
                ProverbPair.objects.create(project=cast.project, **values)


class TestProposals:
    def propose(self, cast: Cast, ranking: ProverbRanking, count: int = 30) -> list[ItemDraft]:
        return propose_items(
            actor=cast.manager, project=cast.project, ranking=ranking, writer=cast.writer, count=count
        )

    def test_options_are_the_key_and_what_is_confused_with_it(self, cast: Cast) -> None:
        ranking = ranked(cast)
        decide_all(cast, is_synonym=False)
        drafts = self.propose(cast, ranking, 2)
        assert [draft.task for draft in drafts] == [TASK, TASK]
        assert [draft.writer for draft in drafts] == [cast.writer, cast.writer]
        assert options(drafts[0]) == ["P1", "P2", "P3", "P4", "P5"]
        content = from_json(drafts[0].content)
        assert [option.is_key for option in content.options] == [True, False, False, False, False]
        assert content.stem == "Which proverb does the narrative illustrate?"
        story = drafts[0].story
        assert story.current is not None
        assert story.current.text == text_of("P1N1")

    @pytest.mark.parametrize("is_synonym", [True, None])
    def test_a_near_synonym_or_an_undecided_one_is_no_option(
        self, cast: Cast, is_synonym: bool | None
    ) -> None:
        ranking = ranked(cast)
        if is_synonym:
            decide_all(cast, is_synonym=True)
        drafts = self.propose(cast, ranking)
        assert len(drafts) == 8
        for draft in drafts:
            key, *others = options(draft)
            assert {"P5": "P6", "P6": "P5", "P1": "P2", "P2": "P1"}[key] not in others
            assert len({key, *others}) == 5

    def test_each_narrative_gets_one_item_the_oldest_first(self, cast: Cast) -> None:
        ranking = ranked(cast)
        first, rest = self.propose(cast, ranking, 3), self.propose(cast, ranking)
        assert (len(first), len(rest)) == (3, 5)
        with pytest.raises(Unusable, match="Every ranked narrative has its item"):
            self.propose(cast, ranking)
        assert ProverbProposal.objects.count() == 8

    def test_a_narrative_without_enough_confusions_is_passed_over(self, cast: Cast) -> None:
        few = {"P1N1": ["P1", "P2"], "P1N2": ["P3", "P4"]}
        ranking = import_ranking(
            actor=cast.manager, project=cast.project, examinee="few", data=ranking_file(few)
        )
        with pytest.raises(Unusable, match="too few proverbs"):
            self.propose(cast, ranking)

    def test_nobody_is_asked_to_write_about_a_narrative(self, cast: Cast) -> None:
        drafts = self.propose(cast, ranked(cast))
        places = WritingPlaces.objects.filter(story__in=[draft.story_id for draft in drafts])
        assert [place.is_held_back for place in places] == [True] * 8
        assert free_places(cast.project, cast.writer2).count() == len(PROVERBS)

    def test_who_knows_the_proverb_of_a_narrative_is_exposed_to_the_key_now_and_later(
        self, cast: Cast
    ) -> None:
        ranking = ranked(cast)
        source = Item.objects.get(ref="P1N1")
        record_key_exposures(actor=cast.reviewer, items=[source.pk])
        (draft,) = self.propose(cast, ranking, 1)
        knows = KeyExposure.objects.filter(story=draft.story, task=TASK)
        assert {seen.user for seen in knows} == {cast.reviewer, cast.writer, source.writer}
        record_key_exposures(actor=cast.reviewer2, items=Item.objects.filter(pk=source.pk))
        record_key_exposures(actor=cast.reviewer2, items=[source.pk])
        assert knows.filter(user=cast.reviewer2).count() == 1

    def test_a_checked_draft_becomes_an_item_that_others_answer_blind(self, cast: Cast) -> None:
        ranking = ranked(cast)
        (draft,) = self.propose(cast, ranking, 1)
        item = submit_draft(actor=cast.writer, draft=draft)
        assert (item.task, item.state) == (TASK, State.IN_REVIEW)
        request = claim_next(actor=cast.reviewer2, project=cast.project, stage=Stage.CROSS_CHECK)
        assert request is not None

    def test_it_refuses_too_many_other_people_and_other_tasks(self, cast: Cast) -> None:
        ranking = ranked(cast)
        for count in (0, 201):
            with pytest.raises(Unusable, match="Propose 1 to 200"):
                self.propose(cast, ranking, count)
        with pytest.raises(Unusable, match="is not a writer"):
            propose_items(
                actor=cast.manager, project=cast.project, ranking=ranking, writer=cast.reviewer, count=1
            )
        cast.project.tasks = ["proverb_narratives"]
        with pytest.raises(Unusable, match="not written in this project"):
            self.propose(cast, ranking, 1)

    def test_it_takes_as_many_queries_for_eight_as_for_one(self, cast: Cast) -> None:
        ranking = ranked(cast)
        counts = []
        for count in (1, 7):
            with CaptureQueriesContext(connection) as captured:
                assert len(self.propose(cast, ranking, count)) == count
            counts.append(len(captured))
        assert counts[1] <= counts[0] + 2


class TestPage:
    def address(self, cast: Cast, end: str = "") -> str:
        return f"/p/{cast.project.slug}/candidates/proverbs{end}"

    def test_a_manager_imports_decides_and_proposes(self, cast: Cast) -> None:
        client = signed_in(cast.manager)
        assert "No rankings yet." in client.get(self.address(cast)).content.decode()
        file = SimpleUploadedFile("ranks.jsonl", ranking_file())
        assert client.post(self.address(cast, "/ranking"), {"name": "small", "file": file}).status_code == 302
        page = client.get(self.address(cast)).content.decode()
        assert "33.3" in page
        assert "Undecided 2" in page
        assert PROVERBS["P6"] in page
        for pair in ProverbPair.objects.all():
            answer = client.post(self.address(cast, f"/pairs/{pair.pk}"), {"decision": "different"})
            assert answer.status_code == 302
        assert client.post(self.address(cast, "/pairs"), {"pairs": "P1 | P2"}).status_code == 302
        assert "Near-synonyms 1" in client.get(self.address(cast, "?show=synonyms")).content.decode()
        ranking = ProverbRanking.objects.get()
        chosen = {"ranking": ranking.pk, "writer": cast.writer.pk, "count": 3}
        assert client.post(self.address(cast, "/propose"), chosen).status_code == 302
        assert "3 drafts are on the writing page of Wen" in client.get(self.address(cast)).content.decode()
        desk = signed_in(cast.writer).get(f"/p/{cast.project.slug}/write").content.decode()
        assert desk.count("Which proverb does the narrative illustrate?") >= 3

    def test_a_manager_asks_a_model_and_sees_its_job(self, cast: Cast) -> None:
        client = signed_in(cast.manager)
        assert self.address(cast, "/ask") not in client.get(self.address(cast)).content.decode()
        endpoint = TestAsking().endpoint(cast)
        assert self.address(cast, "/ask") in client.get(self.address(cast)).content.decode()
        answer = client.post(self.address(cast, "/ask"), {"endpoint": endpoint.pk, "count": 3})
        batch = Batch.objects.get()
        assert (answer.status_code, len(batch.stories)) == (302, 3)
        assert answer.headers["Location"] == f"/p/{cast.project.slug}/jobs/{batch.job_id}"
        refused = client.post(self.address(cast, "/ask"), {"endpoint": endpoint.pk, "count": 0})
        assert refused.status_code == 400

    def test_it_shows_what_it_refuses_beside_the_form(self, cast: Cast) -> None:
        client = signed_in(cast.manager)
        file = SimpleUploadedFile("ranks.csv", b"narrative,proverb\na,b\n")
        answer = client.post(self.address(cast, "/ranking"), {"name": "small", "file": file})
        assert answer.status_code == 400
        assert "The table has no column" in answer.content.decode()
        answer = client.post(self.address(cast, "/pairs"), {"pairs": "P1"})
        assert (answer.status_code, "Line 1 does not" in answer.content.decode()) == (400, True)
        pair = ranked(cast).pk and ProverbPair.objects.first()
        assert pair
        assert client.post(self.address(cast, f"/pairs/{pair.pk}"), {"decision": "x"}).status_code == 400
        assert client.post(self.address(cast, "/pairs/0"), {"decision": "synonyms"}).status_code == 404
        empty = client.post(self.address(cast, "/propose"), {"ranking": 0, "writer": 0, "count": 0})
        assert empty.status_code == 400

    def test_it_is_for_managers_and_observers_and_of_projects_with_the_task(self, cast: Cast) -> None:
        page = self.address(cast)
        assert signed_in(cast.writer).get(page).status_code == 403
        assert signed_in(cast.reviewer).get(page).status_code == 403
        assert signed_in(cast.outsider).get(page).status_code == 404
        tabs = f'href="{page}"'
        candidates = f"/p/{cast.project.slug}/candidates"
        assert tabs in signed_in(cast.manager).get(candidates).content.decode()
        assert tabs not in signed_in(cast.writer).get(candidates).content.decode()
        cast.project.tasks = ["commonsense"]
        cast.project.save()
        assert signed_in(cast.manager).get(page).status_code == 404
        assert tabs not in signed_in(cast.manager).get(candidates).content.decode()
