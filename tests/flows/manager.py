"""What a manager does at pages that only the whole method needs, from wordings of one story to errata."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.waiting import PATIENCE_MS
from tests.flows.people import Person


def _reload_until(person: Person, shown: Locator) -> None:
    """A worker is at it, and this page does not ask again by itself."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not shown.count():
        assert time.monotonic() < end, f"never shown: {shown}"
        person.page.wait_for_timeout(300)
        person.page.reload()


# --- stories ---


def confirm_group(person: Person, titles: Sequence[str]) -> None:
    """The one group that the comparison suggests is confirmed: its wordings count as one story."""
    page = person.page
    person.goes_to("Stories")
    page.get_by_role("link", name="Similar stories").click()
    _reload_until(person, page.get_by_text("Suggested 1"))
    for title in titles:
        expect(page.locator("main form fieldset").get_by_role("link", name=title, exact=True)).to_be_visible()
    page.get_by_role("button", name="Confirm group").click()
    person.reads(f"Group confirmed: {len(titles)} stories now count as one.", "#messages")


def _open_story(person: Person, title: str) -> None:
    person.goes_to("Stories")
    person.page.get_by_role("link", name=title, exact=True).click()
    expect(person.page.get_by_role("heading", name="About this story")).to_be_visible()


def mend_text(person: Person, title: str, text: str, reason: str) -> None:
    """Give a story another text, with the reason."""
    _open_story(person, title)
    person.page.get_by_role("link", name="Edit text").click()
    person.page.get_by_label("Text", exact=True).fill(text)
    person.page.get_by_label("Reason").fill(reason)
    person.sends("Text updated.")


def set_moral(person: Person, title: str, moral: str, source: str, reason: str) -> None:
    """Shorten a moral, or write one that is missing, and say which of the two it was."""
    page = person.page
    _open_story(person, title)
    page.get_by_role("button", name="Show moral").click()
    page.locator("#moral summary", has_text="Edit moral").click()
    page.locator("#moral [name=moral]").fill(moral)
    page.locator("#moral [name=origin]").select_option(label=source)
    page.locator("#moral [name=reason]").fill(reason)
    page.get_by_role("button", name="Save moral").click()
    person.reads("Moral updated.", "#moral")


# --- plan ---


def save_type_targets(person: Person) -> None:
    """The targets by type that the page suggests."""
    person.goes_to("Writing plan")
    person.reads("Not set yet.")
    person.sends("Targets saved.")


# --- guideline, pilot, practice ---


def publish_first_guideline(person: Person, text: str) -> None:
    person.goes_to("Guideline")
    person.page.get_by_role("link", name="Write first version").click()
    person.page.get_by_label("Text", exact=True).fill(text)
    person.sends("Version 1 published.")


def start_pilot(person: Person, name: str, title: str, writers: Collection[str]) -> None:
    """The same story for these writers, who are among those that the form has chosen."""
    page = person.page
    person.goes_to("Pilots")
    page.get_by_role("link", name="New pilot").click()
    page.get_by_label("Pilot name").fill(name)
    page.get_by_label(title, exact=True).check()
    for box in page.locator("#pilot [name=writers]").all():
        box.set_checked(box.locator("xpath=ancestor::label").inner_text().strip() in writers)
    person.sends("Pilot started.")


def compare_pilot(person: Person, name: str, stems: Collection[str], note: str) -> None:
    """Read the pilot's items side by side, and note what the next guideline has to say."""
    person.goes_to("Pilots")
    person.page.get_by_role("link", name=name).click()
    for stem in stems:
        person.reads(stem)
    person.page.locator("#note-text").fill(note)
    person.page.get_by_role("button", name="Save and write next guideline").click()
    person.reads("The guideline after version 1")
    expect(person.page.get_by_role("heading", name="Notes from pilots")).to_be_visible()


def publish_next_guideline(person: Person, more: str) -> None:
    """On the page of the next version: add a rule to what stands there."""
    text = person.page.get_by_label("Text", exact=True)
    text.fill(f"{text.input_value()}\n\n{more}")
    person.sends("Version 2 published.")


def end_pilot(person: Person, name: str) -> None:
    person.goes_to("Pilots")
    person.page.get_by_role("link", name=name).click()
    person.page.get_by_role("button", name="End pilot").click()
    person.reads("Pilot ended.", "#messages")


def make_practice_item(person: Person, stem: str) -> None:
    """Of an item whose verdict is settled, in its own words."""
    person.goes_to("Practice items")
    line = person.page.locator("main li", has_text=stem)
    line.get_by_role("link", name="Create practice item").click()
    expect(person.page.get_by_label("Lesson")).not_to_have_value("")
    person.sends("Practice item created.")


# --- verdicts ---


def rule_on(person: Person, rulings: Mapping[str, tuple[str, str]]) -> None:
    """Rule on every item in adjudication: by stem, the ruling and its reason."""
    page, stem = person.page, person.page.locator("#work h2.stem")
    person.goes_to("Adjudicate")
    page.get_by_role("button", name=re.compile("^Next item")).click()
    left = dict(rulings)
    while left:
        expect(page.locator("#ruling")).to_be_visible()
        here = stem.inner_text()
        ruling, reason = left.pop(here)
        page.locator("#ruling .segment.verbs label", has_text=re.compile(rf"^\s*\w\s*{ruling}\b")).click()
        page.locator("#reason").fill(reason)
        page.keyboard.press("Control+Enter")
        if left:
            expect(stem).not_to_have_text(here)
    person.reads("That was the last one for now.", "#messages")


def count_agreement(person: Person) -> None:
    """Have a worker count what the reviewers found."""
    person.goes_to("Reviewer agreement")
    person.page.get_by_role("button", name=re.compile("^(Calculate|Recalculate)$")).click()
    expect(person.page.get_by_role("heading", name="Agreement by task")).to_be_visible()


def figures_of(person: Person, table: str) -> dict[str, list[str]]:
    """The cells of a table on the page, by the head of their row."""
    return _cells(person.page.get_by_role("group", name=table, exact=True))


def _cells(table: Locator) -> dict[str, list[str]]:
    """Once the page is there to its end: a heading is shown before what follows has come."""
    table.page.wait_for_load_state()
    return {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in table.locator("tbody tr").all()
    }


# --- releases ---


def prepare_release(person: Person, version: str, *, lowest_rating: str) -> None:
    """A draft of the verified items that every reviewer rated so high; a worker asks the gates."""
    person.goes_to("Releases")
    person.page.get_by_role("link", name="Create release").last.click()
    person.page.get_by_label("Version", exact=True).fill(version)
    person.page.get_by_label("Lowest rating").fill(lowest_rating)
    _check_gates(person)


def prepare_patch(person: Person, of: str) -> None:
    """A draft of the next patch, which keeps what its predecessor was made by."""
    person.goes_to("Releases")
    person.page.get_by_role("link", name=of, exact=True).click()
    person.page.get_by_role("link", name="Create patch").click()
    _check_gates(person)


def _check_gates(person: Person) -> None:
    person.page.get_by_role("button", name="Check gates").click()
    expect(person.page.locator("#step-title")).to_have_text("Gates")
    _gates_have_answered(person)


def _turn_to(person: Person, step: str) -> None:
    """The step by its name; what stands beside it may name another."""
    person.page.locator(".steps a", has=person.page.get_by_text(step, exact=True)).click()
    expect(person.page.locator("#step-title")).to_have_text(step)


def _gates_have_answered(person: Person) -> None:
    expect(person.page.locator("#foot")).to_contain_text(re.compile("to resolve before|No gate stops"))


def _verdict(person: Person, gate: str) -> Locator:
    return person.page.locator(f"#gate-{gate} .verdict").first


def state_rights(person: Person, version: str, title: str, rights: str) -> None:
    """The gate `rights` names a story; its rights are stated, and the gates are asked again."""
    page = person.page
    expect(_verdict(person, "rights")).to_contain_text("Fails")
    page.locator("#gate-rights").get_by_role("link", name="Show stories").click()
    page.get_by_role("link", name=title, exact=True).click()
    page.get_by_role("link", name="Rights and genre", exact=True).click()
    page.locator("#id_rights").fill(rights)
    person.sends("Rights saved.")
    person.goes_to("Releases")
    page.get_by_role("link", name=f"Release {version}").click()
    page.get_by_role("button", name="Check again").last.click()
    expect(_verdict(person, "rights")).to_contain_text("Passes")


def set_mixed_split(person: Person, *, dev_share: str, out_stories: str, seed: str) -> None:
    """The published split: some stories wholly in dev, others shared between dev and test."""
    page = person.page
    _turn_to(person, "Settings")
    page.get_by_label("Dev share").fill(dev_share)
    page.get_by_label("whole and shared stories").check()
    page.get_by_label("Stories wholly in dev").fill(out_stories)
    page.get_by_label("Seed").fill(seed)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#step-title")).to_have_text("Build")


def check_gate(person: Person, gate: str, verdict: str) -> None:
    """What a gate says of the items in the places that the settings give them."""
    _turn_to(person, "Gates")
    _gates_have_answered(person)
    expect(_verdict(person, gate)).to_contain_text(verdict)


def build_release(person: Person, version: str) -> None:
    page = person.page
    _turn_to(person, "Build")
    page.get_by_role("button", name=f"Build {version}").click()
    expect(page.get_by_role("link", name=f"Download {version}")).to_be_visible()


def download_training_kit(person: Person, into: Path) -> Path:
    """The dev items for two trainers, under the published prompt."""
    with person.page.expect_download() as waited:
        person.page.get_by_role("link", name="with the CRMUS prompt").click()
    archive = into / waited.value.suggested_filename
    waited.value.save_as(archive)
    return archive


# --- measuring ---


def run_models(person: Person, condition: str, prompt: str, models: Sequence[str]) -> None:
    """Ask models under a published condition, and wait until workers have all answers."""
    page = person.page
    person.goes_to("Evaluation")
    page.get_by_role("link", name=re.compile("^(New run|Start first run)$")).first.click()
    page.get_by_role("link", name=condition, exact=True).click()
    expect(page.get_by_label("Prompt", exact=True)).to_have_value(prompt)
    for model in models:
        page.get_by_label(model, exact=True).check()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="Evaluation", level=1)).to_be_visible()
    done = page.locator("tbody tr", has=page.get_by_text("done", exact=True))
    _reload_until(person, done.nth(len(models) - 1))


def count_results(person: Person, rule: str) -> None:
    """Tables of the newest run of each model, its answers read by this rule."""
    page = person.page
    person.goes_to("Results")
    page.get_by_label("Answers read by").select_option(label=rule)
    page.keyboard.press("Control+Enter")
    tables = page.locator("nav[aria-label=Tables]")
    # the first plots of a process take long, and these are drawn in two languages
    expect(tables).to_be_visible(timeout=2 * PATIENCE_MS)


def open_table(person: Person, title: str) -> dict[str, list[str]]:
    """Turn to a table of the results; answers its cells by the head of their row."""
    person.page.locator("nav[aria-label=Tables]").get_by_role("link", name=title, exact=True).click()
    expect(person.page.locator("main section .head h2")).to_have_text(title)
    return _cells(person.page.locator("main table"))


def compare_with_paper(person: Person, paper: str, figures: int) -> None:
    """Lay the figures of a paper beside the results; there are so many."""
    page = person.page
    page.get_by_role("link", name="Compare with published figures").click()
    page.get_by_role("button", name=f"Use figures of the {paper} paper").click()
    expect(page.get_by_role("heading", name="Comparison with published figures")).to_be_visible()
    expect(page.locator("main table tbody tr")).to_have_count(figures)
    page.get_by_role("link", name="Back", exact=True).click()


def download_table(person: Person, title: str, ending: str, into: Path) -> Path:
    with person.page.expect_download() as waited:
        person.page.get_by_role("link", name=f"{title}: {ending}").click()
    file = into / waited.value.suggested_filename
    waited.value.save_as(file)
    return file


def calibrate(person: Person, model: str) -> list[str]:
    """Fit a response model to all runs; answers who was measured, by ability."""
    page = person.page
    person.goes_to("Item analysis")
    page.get_by_label("Response model").select_option(label=model)
    page.keyboard.press("Control+Enter")
    page.get_by_role("link", name="Examinees", exact=True).click()
    expect(page.get_by_role("heading", name="Examinees", level=2)).to_be_visible()
    page.wait_for_load_state()
    return page.locator("main table").first.locator("tbody th").all_inner_texts()


# --- errata ---


def report_error(person: Person, site: str, item: str, version: str, found: str) -> None:
    """As any reader would: the form needs no account."""
    page = person.page
    page.goto(f"{site}/report")
    page.get_by_label("Item ID").fill(item)
    page.get_by_label("Canary or version").fill(version)
    page.get_by_label("Problem").select_option(label="typo or wording")
    page.get_by_label("What you found").fill(found)
    person.sends(f"Your report on {item}", "body")


def answer_report(person: Person, item: str, *, reply: str, resolution: str, erratum: str) -> None:
    page = person.page
    person.goes_to("Error reports")
    page.get_by_role("link", name=item).click()
    page.get_by_label("Reply", exact=True).fill(reply)
    page.get_by_label(resolution).check()
    page.get_by_label("Erratum for the next release").fill(erratum)
    person.sends("Reply sent.")
