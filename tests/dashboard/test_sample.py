"""The sample that `make demo` loads: both languages, every state, and people who can sign in."""

from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from annotation.models import Item, State, Style
from corpus.models import Story
from dashboard.services import load_sample
from generation.models import Candidate
from projects.models import Project
from review.models import GoldItem, PlaceState, ReviewRequest, Stage

SAMPLE = Path(__file__).resolve().parents[2] / "sample"
GUIDELINES = {"zh": "# 指南", "en": "# Guideline"}


@pytest.mark.django_db
def test_it_fills_every_state_in_both_languages_once(capsys: pytest.CaptureFixture[str]) -> None:
    people = load_sample(folder=SAMPLE, guidelines=GUIDELINES)
    for person in people:
        assert authenticate(username=person.username, password=person.password), person
    for project in Project.objects.all():
        assert Story.objects.filter(project=project).count() >= 24
        items = Item.objects.filter(project=project)
        assert items.count() >= 60
        assert set(items.values_list("state", flat=True)) == set(State.values)
        assert set(items.values_list("task", "style")) == {
            ("commonsense", Style.HUMAN),
            ("moral", Style.HUMAN),
            ("moral", Style.MACHINE),
        }
        types = Counter(items.values_list("current__types__code", flat=True))
        assert {"social", "biological", "temporal", "spatial", "physical"} <= set(types)
        assert Candidate.objects.filter(project=project).count() >= 10
        assert GoldItem.objects.filter(project=project).count() == 3
        for stage in Stage:
            waiting = ReviewRequest.objects.filter(project=project, stage=stage, state=PlaceState.OPEN)
            assert waiting.exists(), f"the {stage} queue of {project} is empty"
    before = Item.objects.count()
    call_command("load_sample")
    assert Item.objects.count() == before, "loading twice is loading once"
    assert "shown when it was made" in capsys.readouterr().out
    [manager, *_others] = load_sample(folder=SAMPLE, guidelines=GUIDELINES, new_passwords=True)
    assert authenticate(username=manager.username, password=manager.password)
