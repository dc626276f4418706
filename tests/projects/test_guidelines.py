"""The guideline: versions that are never changed, read by all, confirmed one by one."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.permissions import has_acknowledged
from core.errors import Hidden
from projects.models import Guideline, GuidelineAcknowledgement
from projects.services import acknowledge_guideline, publish_guideline, set_roles
from projects.templatetags.markdown import markdown
from tests.factories import Cast, make_project, make_user
from tests.projects.pages import address, answers, browser, only_managers


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


def _publish(cast: Cast, text: str = "# Good items\n\nBe kind.") -> Guideline:
    return publish_guideline(actor=cast.manager, project=cast.project, text=text)


def test_it_is_read_by_all_members(cast: Cast) -> None:
    _publish(cast)
    everybody = dict.fromkeys(("manager", "writer", "reviewer", "verifier"), 200)
    assert answers(cast, address(cast, "guideline")) == everybody | {"outsider": 404, "nobody": 302}
    page = browser(cast.writer).get(address(cast, "guideline")).content.decode()
    assert "<h2>Good items</h2>" in page
    assert 'lang="en"' in page


def test_it_says_that_there_is_none_and_offers_managers_to_write_one(cast: Cast) -> None:
    assert "Write first version" in browser(cast.manager).get(address(cast, "guideline")).content.decode()
    page = browser(cast.writer).get(address(cast, "guideline")).content.decode()
    assert "You can work without one" in page
    assert "Write first version" not in page


def test_it_is_published_by_managers(cast: Cast) -> None:
    assert answers(cast, address(cast, "publish_guideline")) == only_managers()
    assert answers(cast, address(cast, "publish_guideline"), "post") == only_managers()
    answer = browser(cast.manager).post(address(cast, "publish_guideline"), {"text": "New.", "based_on": "0"})
    assert answer.status_code == 302
    guideline = Guideline.objects.get(project=cast.project)
    assert (guideline.number, guideline.text, guideline.author) == (1, "New.", cast.manager)


def test_it_shows_a_preview_without_publishing(cast: Cast) -> None:
    data = {"text": "**bold** <b>x</b>", "based_on": "0", "preview": "yes"}
    page = browser(cast.manager).post(address(cast, "publish_guideline"), data).content.decode()
    assert "<strong>bold</strong> &lt;b&gt;x&lt;/b&gt;" in page
    assert not Guideline.objects.exists()


def test_it_loses_no_word_where_two_write_at_once(cast: Cast) -> None:
    client = browser(cast.manager)
    _publish(cast)
    data = {"text": "Mine.", "based_on": "0"}
    refused = client.post(address(cast, "publish_guideline"), data)
    assert refused.status_code == 200
    assert "Version 1 was published while you were writing" in refused.content.decode()
    assert "Mine." in refused.content.decode()
    data["based_on"] = str(refused.context["form"]["based_on"].value())
    assert client.post(address(cast, "publish_guideline"), data).status_code == 302
    assert Guideline.objects.get(number=2).text == "Mine."


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 100_001])
def test_it_refuses_a_text_that_will_not_do(cast: Cast, text: str) -> None:
    answer = browser(cast.manager).post(address(cast, "publish_guideline"), {"text": text, "based_on": "0"})
    assert "text" in answer.context["form"].errors
    assert not Guideline.objects.exists()


def test_it_is_confirmed_by_each_member_and_leads_back(cast: Cast) -> None:
    _publish(cast)
    client = browser(cast.writer)
    desk = f"/p/{cast.project.slug}/write"
    page = client.get(address(cast, "guideline"), {"next": desk}).content.decode()
    assert f'name="next" value="{desk}"' in page
    answer = client.post(address(cast, "acknowledge"), {"version": "1", "next": desk})
    assert answer.headers["Location"] == desk
    assert has_acknowledged(cast.writer, cast.project)
    assert not has_acknowledged(cast.writer2, cast.project)
    assert client.post(address(cast, "acknowledge"), {"version": "1"}).headers["Location"] == desk
    assert GuidelineAcknowledgement.objects.count() == 1


@pytest.mark.parametrize(
    "there",
    ["https://evil.example/", "//evil.example", "javascript:alert(1)", "https:evil.example", "\\\\evil"],
)
def test_it_leads_nobody_to_another_site(cast: Cast, there: str) -> None:
    _publish(cast)
    client = browser(cast.reviewer)  # who has no desk
    assert client.get(address(cast, "guideline"), {"next": there}).context["next"] == ""
    answer = client.post(address(cast, "acknowledge"), {"version": "1", "next": there})
    assert answer.headers["Location"] == address(cast, "guideline")


def test_it_is_confirmed_by_members_only_and_for_versions_that_exist(cast: Cast) -> None:
    guideline = _publish(cast)
    found = answers(cast, address(cast, "acknowledge"), "post")
    assert found == {"nobody": 302} | dict.fromkeys(
        ("manager", "writer", "reviewer", "verifier", "outsider"), 404
    )
    for number in ("2", "-1", "x", "²", "9" * 30):
        assert browser(cast.writer).post(address(cast, "acknowledge"), {"version": number}).status_code == 404
    with pytest.raises(Hidden):
        acknowledge_guideline(actor=cast.outsider, guideline=guideline)


def test_it_shows_older_versions_and_says_so(cast: Cast) -> None:
    _publish(cast, "First.")
    _publish(cast, "Second.")
    client = browser(cast.writer)
    older = client.get(address(cast, "guideline"), {"version": "1"}).content.decode()
    assert "First." in older
    assert "The current one is version 2" in older
    assert "I have read it" not in older
    for wrong in ("3", "x", "9" * 5000):
        assert client.get(address(cast, "guideline"), {"version": wrong}).status_code == 404


def test_it_shows_managers_who_has_not_confirmed(cast: Cast) -> None:
    guideline = _publish(cast)
    acknowledge_guideline(actor=cast.writer, guideline=guideline)
    unread = browser(cast.manager).get(address(cast, "guideline")).context["unread"]
    assert cast.writer not in unread
    assert cast.writer2 in unread
    assert "unread" not in browser(cast.writer).get(address(cast, "guideline")).context


def test_it_needs_as_many_queries_for_many_versions_and_readers_as_for_few(cast: Cast) -> None:
    client, counts = browser(cast.manager), []
    for more in (3, 20):
        for _ in range(more):
            user = make_user("Student")
            set_roles(actor=cast.manager, project=cast.project, user=user, roles=["writer"])
            acknowledge_guideline(actor=user, guideline=_publish(cast))
        with CaptureQueriesContext(connection) as queries:
            client.get(address(cast, "guideline"))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_it_shows_all_members_what_changed_between_any_two_versions(cast: Cast) -> None:
    for text in ("# Stems\n\nAsk one thing.", "# Stems\n\nAsk one clear thing.", "# Stems\n\nBe brief."):
        _publish(cast, text)
    changes = address(cast, "guideline_changes")
    everybody = dict.fromkeys(("manager", "writer", "reviewer", "verifier"), 200)
    assert answers(cast, changes) == everybody | {"outsider": 404, "nobody": 302}
    newest = browser(cast.writer).get(changes).content.decode()
    assert "from version 2 to version 3" in newest
    early = browser(cast.writer).get(changes, {"from": "1", "to": "2"}).content.decode()
    assert "Ask one <ins>clear </ins>thing." in early
    backwards = browser(cast.writer).get(changes, {"from": "2", "to": "1"}).content.decode()
    assert "Ask one <del>clear </del>thing." in backwards
    same = browser(cast.writer).get(changes, {"from": "2", "to": "2"}).content.decode()
    assert "No changes between these versions." in same


@pytest.mark.parametrize("number", ["4", "-1", "x", "²", "9" * 30])
def test_it_compares_versions_that_exist(cast: Cast, number: str) -> None:
    changes = address(cast, "guideline_changes")
    assert browser(cast.writer).get(changes).status_code == 404
    _publish(cast)
    assert browser(cast.writer).get(changes).status_code == 200
    assert browser(cast.writer).get(changes, {"to": number}).status_code == 404
    assert browser(cast.writer).get(changes, {"from": number}).status_code == 404


def test_it_escapes_what_changed(cast: Cast) -> None:
    _publish(cast, "<script>alert(1)</script>")
    _publish(cast, "<script>alert(2)</script>")
    page = browser(cast.writer).get(address(cast, "guideline_changes")).content.decode()
    assert "<script>alert(" not in page


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("# Head", "<h2>Head</h2>"),
        ("###### Deep", "<h6>Deep</h6>"),
        ("**b** *i* ~~s~~", "<strong>b</strong> <em>i</em> <s>s</s>"),
        ("one\ntwo", "one<br />\ntwo"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ('<img src=x onerror="alert(1)">', "&lt;img src=x onerror="),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("[x](data:text/html,y)", "[x](data:text/html,y)"),
        ("[x](https://a.example/)", 'rel="noopener noreferrer nofollow"'),
        ("![x](https://a.example/p.png)", '!<a href="https://a.example/p.png"'),
        ('[x](https://a.example/ "\\" onclick=alert(1)")', "&quot; onclick"),
        ("|a|b|\n|:-|-:|\n|1|2|", '<td class="n">2</td>'),
        (
            "|a|\n|-|\n|1|",
            'role="group" tabindex="0" aria-label="Table"><table class="table">',
        ),
        ("|a|\n|-|\n|1|", "</table>\n</div>"),
    ],
)
def test_it_sets_markdown_and_escapes_all_else(source: str, shown: str) -> None:
    page = markdown(source)
    assert shown in page
    assert "<script" not in page
    assert "<img" not in page
    assert "style=" not in page
    assert ' onclick="' not in page
