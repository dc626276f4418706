"""Keys of sibling items: tables of good and bad wordings in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parable.quality.item import ItemView, SiblingView, english
from tests.parable.quality_items import SOUND, findings, with_options

SAME = [
    ("zh", "一分耕耘，一分收获。", "一分耕耘，一分收获"),
    ("zh", "一分耕耘，一分收获。", "一分耕耘，一分收获。 "),
    ("zh", "ＡＢＣ也要努力", "abc也要努力"),
    ("en", "Slow and steady wins.", "slow and steady wins"),
    ("en", "Slow and steady wins.", "Slow  and steady wins!".replace("!", ".")),
    ("en", "Don't count your chickens", "Don’t count your chickens"),
]
NEAR = [
    ("zh", "不要轻易相信别人的花言巧语", "不要轻易相信他人的花言巧语"),
    ("zh", "团结就是力量，分裂必然失败。", "团结就是力量，分裂必定失败。"),
    ("zh", "做事要有始有终，不能半途而废。", "做事应该有始有终，不可半途而废。"),
    ("en", "Pride comes before a fall.", "Pride comes before the fall."),
    ("en", "Those who help others are helped in turn.", "Those who help others will be helped in turn."),
    ("en", "Think well before you leap into danger.", "Think before you leap into danger."),
]
WELL_APART = [
    ("zh", "我们羡慕别人的生活，却不知道他们的苦处。", "人前风光的人，人后也有难处。"),
    ("zh", "身体健康比外表美丽更重要。", "健康的身体是最漂亮的外貌。"),
    ("zh", "本性难移", "换了地方，也换不了天性"),
    ("en", "Slow and steady wins the race.", "Patience gets further than talent that rests."),
    ("en", "Do not trust a flatterer.", "Sweet words may cost you your dinner."),
    ("en", "Union is strength.", "Together we stand."),
]


def item(language: str, key: str, sibling: str, style: str = "machine") -> ItemView:
    """A moral item with this key beside one other item with that."""
    wrong = ("石头不会说话", "天下雨就打伞", "鱼在水里游") if language == "zh" else ("Stones", "Rain", "Fish")
    sound = SOUND[language]
    other = SiblingView(sound.standard_stem, (sibling, "…"), sibling, "12")
    return replace(
        with_options(sound, key, *wrong),
        task="moral",
        stem=sound.standard_stem,
        style=style,
        siblings=(SiblingView("Why?", (key,)), other),
    )


@pytest.mark.parametrize(("language", "key", "sibling"), SAME)
def test_it_refuses_the_key_of_another_item_in_machine_style(language: str, key: str, sibling: str) -> None:
    (found,) = findings("sibling_key", item(language, key, sibling))
    assert (found.severity, found.place, found.params["item"]) == ("error", "option-1", "12")
    assert "Item 12" in english(found)
    assert findings("sibling_key_near", item(language, key, sibling)) == []


@pytest.mark.parametrize(("language", "key", "sibling"), SAME)
def test_it_warns_of_the_same_key_in_human_style(language: str, key: str, sibling: str) -> None:
    sibling_item = item(language, key, sibling, style="human")
    assert findings("sibling_key", sibling_item) == []
    (found,) = findings("sibling_key_near", sibling_item)
    assert (found.severity, found.params["key"]) == ("warning", sibling)


@pytest.mark.parametrize("style", ["human", "machine"])
@pytest.mark.parametrize(("language", "key", "sibling"), NEAR)
def test_it_warns_of_a_key_that_was_hardly_reworded(
    language: str, key: str, sibling: str, style: str
) -> None:
    assert findings("sibling_key", item(language, key, sibling, style)) == []
    (found,) = findings("sibling_key_near", item(language, key, sibling, style))
    assert (found.severity, found.place) == ("warning", "option-1")


@pytest.mark.parametrize(("language", "key", "sibling"), WELL_APART)
def test_it_is_content_with_the_same_thought_in_other_words(language: str, key: str, sibling: str) -> None:
    sibling_item = item(language, key, sibling)
    assert findings("sibling_key", sibling_item) == findings("sibling_key_near", sibling_item) == []


def test_it_compares_keys_of_moral_items_only() -> None:
    sibling_item = item("en", "Union is strength.", "Union is strength.")
    assert findings("sibling_key", replace(sibling_item, siblings=sibling_item.siblings[:1])) == []
    keyless = with_options(sibling_item, "Union is strength.", "Rain", key=None)
    assert findings("sibling_key", keyless) == findings("sibling_key_near", keyless) == []
