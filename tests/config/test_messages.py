"""Strings are collected, kept, compiled and judged, without GNU gettext."""

from __future__ import annotations

import contextlib
import errno
import gettext
import os
from pathlib import Path

import pytest

from config.messages import FOLDERS, catalogue_path, compile_stale
from config.messages.catalogues import faults, update
from config.messages.extraction import from_template
from config.messages.scanner import unmarked_texts

CODE = """
from django.utils.translation import gettext_lazy as _, ngettext
SAVE = _("Save")
ITEMS = ngettext("%(n)s item", "%(n)s items", 2)
"""
PAGE = '{% load i18n %}<p>{% translate "The story" %}</p>'


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """Make a small repository with one file of each kind."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "models.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text(PAGE, encoding="utf-8")
    return tmp_path


def _translate(house: Path, source: str, target: str) -> None:
    path = catalogue_path("zh_Hans", house)
    entry = f'msgid "{source}"\nmsgstr '
    text = path.read_text(encoding="utf-8")
    assert entry in text
    path.write_text(text.replace(f'{entry}""', f'{entry}"{target}"'), encoding="utf-8")


def test_it_collects_from_code_and_templates(house: Path) -> None:
    assert update(house) == [catalogue_path("zh_Hans", house)]
    text = catalogue_path("zh_Hans", house).read_text(encoding="utf-8")
    for message in ('msgid "Save"', 'msgid "%(n)s item"', 'msgid "The story"', "corpus/models.py"):
        assert message in text


def test_it_changes_nothing_the_second_time(house: Path) -> None:
    update(house)
    assert update(house) == []


def test_it_keeps_translations_and_drops_what_is_no_longer_said(house: Path) -> None:
    update(house)
    _translate(house, "Save", "保存")
    (house / "templates" / "page.html").write_text("", encoding="utf-8")
    update(house)
    text = catalogue_path("zh_Hans", house).read_text(encoding="utf-8")
    assert "保存" in text
    assert "The story" not in text


def test_it_keeps_apart_what_is_said_without_django_and_says_nothing_twice(house: Path) -> None:
    update(house)
    _translate(house, "Save", "保存")
    (house / "parable").mkdir()
    (house / "parable" / "gates.py").write_text(
        '_("Save")\npgettext_noop("data card", "Save")\n_("95 % interval")\n', encoding="utf-8"
    )
    assert update(house) == [catalogue_path("zh_Hans", house, folder) for folder in FOLDERS]
    site, plain = (catalogue_path("zh_Hans", house, folder).read_text(encoding="utf-8") for folder in FOLDERS)
    assert 'msgid "Save"' not in site
    assert "The story" in site
    assert 'msgid "Save"\nmsgstr "保存"' in plain
    assert 'msgctxt "data card"\nmsgid "Save"\nmsgstr ""' in plain
    assert "python-format" not in plain
    assert any("not translated: 'Save' (parable/gates.py)" in fault for fault in faults(house))


def test_it_compiles_what_python_reads(house: Path) -> None:
    update(house)
    _translate(house, "Save", "保存")
    compile_stale(house)
    read = gettext.translation("django", str(house / "locale"), languages=["zh_Hans"])
    assert read.gettext("Save") == "保存"


def test_it_reports_what_is_not_collected_and_not_translated(house: Path) -> None:
    assert any("not yet collected" in fault for fault in faults(house))
    update(house)
    assert any("not translated: 'Save' (corpus/models.py)" in fault for fault in faults(house))


def test_it_reports_a_translation_that_loses_a_value(house: Path) -> None:
    (house / "corpus" / "models.py").write_text('_("Hello %(name)s")\n', encoding="utf-8")
    update(house)
    _translate(house, "Hello %(name)s", "你好 %(nam)s")
    assert any("placeholder" in fault for fault in faults(house))


def test_it_is_satisfied_when_all_is_said(house: Path) -> None:
    (house / "corpus" / "models.py").unlink()
    update(house)
    _translate(house, "The story", "故事")
    assert list(faults(house)) == []


@pytest.mark.parametrize(
    ("source", "texts", "context"),
    [
        ('{% translate "Save" %}', ("Save",), None),
        ("{% translate 'May' context 'month' %}", ("May",), "month"),
        ('{{ x|default:_("Nothing") }}', ("Nothing",), None),
        ('{% translate "100 %" %}', ("100 %%",), None),
        ("{% blocktranslate %}Hi {{ name }}{% endblocktranslate %}", ("Hi %(name)s",), None),
        ("{% blocktranslate trimmed %}\n a\n b\n{% endblocktranslate %}", ("a b",), None),
        ("{% blocktranslate count n=x %}1{% plural %}{{ n }}{% endblocktranslate %}", ("1", "%(n)s"), None),
    ],
)
def test_it_reads_every_form_of_marking(source: str, texts: tuple[str, ...], context: str | None) -> None:
    assert list(from_template(source)) == [(texts, context)]


@pytest.mark.parametrize(
    "source",
    [
        "<p>Save me</p>",
        "<p>保存</p>",
        '<img src="x" alt="A crow">',
        '<button aria-label="Close">x</button>',
        '{% include "components/_button.html" with label="Save" %}',
        "<p>{{ count }} items</p>",
        '<input type="submit" value="Send">',
    ],
)
def test_it_finds_text_that_nobody_marked(source: str) -> None:
    assert len(unmarked_texts(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        '<p>{% translate "Save me" %}</p>',
        "<p>{% blocktranslate %}Save {{ name }}{% endblocktranslate %}</p>",
        "{% comment %}Save me{% endcomment %}{# and me #}",
        "<kbd>Enter</kbd><code>import_items</code>",
        '<span lang="zh-Hans">寓</span>',
        '<p class="wide {% if x %}open{% endif %}">{{ text }} · 3</p>',
        '{% include "components/_button.html" with label=save tone="quiet" %}',
        "<title>Parable</title>",
        '<input type="hidden" value="draft">',
    ],
)
def test_it_leaves_alone_what_needs_no_translation(source: str) -> None:
    assert unmarked_texts(source) == []


def test_it_names_the_line_of_unmarked_text() -> None:
    assert unmarked_texts("{% if a %}\n{# b\n#}\n<p>\n{{ c }}</p><p>Word</p>{% endif %}") == [(5, "Word")]


@pytest.mark.parametrize(
    ("code", "is_said"),
    [
        (errno.EACCES, False),
        (errno.EPERM, False),
        (errno.EROFS, False),
        (errno.ENOSPC, True),
        (errno.EIO, True),
    ],
)
def test_a_folder_that_may_not_be_written_is_left_and_a_fault_is_said(
    house: Path, monkeypatch: pytest.MonkeyPatch, code: int, *, is_said: bool
) -> None:
    """A read-only root, as in containers and under systemd, is no reason not to start."""

    def refuse(*_given: object) -> None:
        raise OSError(code, os.strerror(code))

    update(house)
    monkeypatch.setattr("config.messages.catalogues.compile_catalogue", refuse)
    with pytest.raises(OSError, match=os.strerror(code)) if is_said else contextlib.nullcontext():
        compile_stale(house)
