"""Sentences of the plain packages, in each language."""

from pathlib import Path

import pytest

from parable import sentences
from parable.__main__ import main
from parable.sentences import LANGUAGES, pgettext_noop, translate


@pytest.fixture
def no_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "LOCALE", tmp_path)
    sentences._catalog.cache_clear()
    monkeypatch.setattr(sentences, "_catalog", sentences._catalog.__wrapped__)


@pytest.mark.parametrize(
    ("context", "chinese"), [("data card", "故事数"), ("data card, sent to models", "故事")]
)
def test_it_translates_by_context_and_shows_none(context: str, chinese: str) -> None:
    marked = pgettext_noop(context, "Stories")
    assert [translate(marked, language) for language in LANGUAGES] == ["Stories", chinese]


@pytest.mark.parametrize("marked", ["Never said before.", pgettext_noop("nowhere", "Never said before.")])
def test_it_leaves_in_english_what_nobody_translated(marked: str) -> None:
    assert translate(marked, "zh") == "Never said before."


@pytest.mark.usefixtures("no_catalog")
def test_it_names_what_is_missing_where_nothing_was_compiled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "none.jsonl")
    assert main(["audit", missing, "--language", "zh"]) == 2
    assert "python -m config.messages compile" in capsys.readouterr().err
    assert main(["audit", missing]) == 2
    assert "Cannot open" in capsys.readouterr().err
