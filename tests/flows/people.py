"""What people do in a browser, step by step: they click, type and read, and go no other way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from parable.llm.stub import StubServer
from tests.browser.waiting import PATIENCE_MS

"""How long anybody waits for a page, on a machine that has other things to do as well."""
PASSWORD = "a pebble, then a second pebble"


@dataclass(frozen=True, slots=True)
class Wording:
    """An item as its writer means it; the key first."""

    stem: str
    key: str
    distractors: tuple[str, str, str]
    types: tuple[str, ...] = ()
    explanation: str = ""


@dataclass
class Person:
    """Somebody at a browser of their own; `complaints` is what that browser found wrong with our pages."""

    name: str
    username: str
    page: Page
    complaints: list[str] = field(default_factory=list)

    def watch(self, site: str) -> None:
        """Write down errors of scripts and of the content policy, and whatever is asked of other hosts."""

        def strange(address: str) -> bool:
            return not address.startswith((site, "data:", "blob:"))

        heard = self.complaints.append
        self.page.on("console", lambda said: heard(said.text) if said.type in {"error", "warning"} else None)
        self.page.on("pageerror", lambda error: heard(str(error)))
        self.page.on("request", lambda asked: heard(asked.url) if strange(asked.url) else None)

    def reads(self, words: str | re.Pattern[str], where: str = "main") -> None:
        """Wait until the words stand there."""
        expect(self.page.locator(where).first).to_contain_text(words)

    def goes_to(self, place: str) -> None:
        """Follow the main navigation: to the group, then to its page."""
        link = self.page.locator("a").filter(has_text=re.compile(f"^{re.escape(place)}$"))
        group = self.page.locator("nav.all section").filter(has=link).locator("h2").text_content()
        self.page.locator("nav.nav").get_by_role("link", name=str(group), exact=True).click()
        expect(self.page.locator("nav.nav [aria-current]")).to_have_text(str(group))
        self.page.locator("nav.sub").get_by_role("link", name=place, exact=True).click()
        expect(self.page.locator("nav.sub [aria-current=page]")).to_have_text(place)

    def presses(self, key: str) -> None:
        """Press a key on the page, not in a field."""
        self.page.locator("body").press(key)

    def sends(self, words: str | re.Pattern[str], where: str = "#messages") -> None:
        """Press the page's primary action by its keys; then the words stand there."""
        self.page.keyboard.press("Control+Enter")
        self.reads(words, where)


def sit_down(browser: Browser, site: str, name: str, username: str) -> Person:
    """Give somebody a browser that shares nothing with the others'."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    person = Person(name, username, context.new_page())
    person.watch(site)
    return person


# --- joining ---


def sign_in(person: Person, site: str, password: str) -> None:
    person.page.goto(site)
    person.page.get_by_label("User name").fill(person.username)
    person.page.get_by_label("Password", exact=True).fill(password)
    person.page.keyboard.press("Enter")
    person.reads("Your work")


def accept_invitation(person: Person, link: str) -> None:
    page = person.page
    page.goto(link)
    expect(page.get_by_label("Your name")).to_have_value(person.name)
    page.get_by_label("User name").fill(person.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat new password").fill(PASSWORD)
    person.sends(f"Welcome, {person.name}.")


# --- the manager ---


def create_project(person: Person, name: str, slug: str) -> None:
    page = person.page
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.keyboard.press("Tab")
    short = page.get_by_label("Short name")
    expect(short).not_to_have_value("")  # suggested, from the name
    short.fill(slug)
    page.get_by_label("English").check()
    person.sends("No stories yet", "main")
    assert page.url.endswith(f"/p/{slug}")


def import_stories(person: Person, file: Path, count: int) -> None:
    person.goes_to("Stories")
    person.page.get_by_role("link", name="Import").first.click()
    person.page.get_by_label("Files of stories").set_input_files(file)
    person.sends(f"New {count}", "main")
    person.reads("Nothing has been changed yet.")
    person.sends(f"Imported: {count} new, 0 changed.", "main [role=status]")


def change_setting(person: Person, label: str, value: str) -> None:
    person.goes_to("Settings")
    person.page.get_by_label(label, exact=True).fill(value)
    person.sends("Saved.")
    expect(person.page.get_by_label(label, exact=True)).to_have_value(value)


def invite(person: Person, names: Sequence[str]) -> list[str]:
    """Paste the names; answers the links as they stand on the page."""
    page = person.page
    person.goes_to("Members")
    page.get_by_label("Names, one per line").fill("\n".join(names))
    page.locator("#invite-form").get_by_label("reviewer").uncheck()
    person.sends(f"{len(names)} links created.", "#issued")
    return [page.locator(f"#link-{number + 1}").inner_text() for number in range(len(names))]


def give_role(person: Person, whom: str, role: str) -> None:
    """Make a writer something else, and nothing besides."""
    person.goes_to("Members")
    line = person.page.locator("li.person", has_text=whom)
    line.locator("label.chip", has_text="writer").click()
    line.locator("label.chip", has_text=role).click()
    line.get_by_role("button", name="Save").click()
    expect(line.get_by_role("status")).to_be_visible()


def add_model(person: Person, stub: StubServer, name: str, model: str) -> None:
    page = person.page
    person.goes_to("Candidates")
    page.get_by_role("link", name="Models", exact=True).click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Base URL").fill(stub.base_url)
    page.get_by_label("Model", exact=True).fill(model)
    person.sends("was added")
    page.get_by_role("button", name="Test endpoint").click()
    expect(page.locator("[id^=tried] .good")).to_be_visible()


def write_prompt(person: Person, name: str, text: str) -> None:
    page = person.page
    person.goes_to("Candidates")
    page.get_by_role("link", name="Prompts", exact=True).click()
    page.get_by_role("link", name="Write prompt").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Prompt", exact=True).fill(text)
    person.sends("1 prompt", ".how-far")


# --- the writer ---


def take_next_story(person: Person, title: str) -> None:
    person.goes_to("Write")
    person.page.get_by_role("button", name="Take next story").click()
    expect(person.page.get_by_role("heading", level=1)).to_contain_text(f"Item 1 for “{title}”")


def turn_to_moral_items(person: Person, stem: str) -> None:
    person.page.get_by_role("link", name="Moral items").click()
    person.page.get_by_role("button", name="Show moral and write").click()
    expect(person.page.locator("#stem")).to_have_value(stem)


def write_item(person: Person, item: Wording, *, key_at: int) -> None:
    """Fill the empty sheet by typing, the key at this option (from 1), and submit it."""
    page = person.page
    for kind in item.types:
        page.locator(".segment.types label", has_text=kind).click()
    page.locator("#stem").fill(item.stem)
    texts = list(item.distractors)
    texts.insert(key_at - 1, item.key)
    for number, text in enumerate(texts, start=1):
        page.get_by_label(f"Option {number}", exact=True).click()
        page.keyboard.type(text)
    page.get_by_label(f"Make option {key_at} the key").check()
    if item.explanation:
        page.get_by_label("Explanation").fill(item.explanation)
    expect(page.locator("#saved")).to_contain_text("saved")
    person.sends("Submitted for review.")


def revise_returned(person: Person, reason: str, stem: str) -> None:
    person.goes_to("Write")
    person.reads("Returned to you")
    person.page.get_by_role("link", name="Revise").click()
    person.reads(reason, "#work")
    person.page.locator("#stem").fill(stem)
    person.sends("Submitted for review.")


# --- candidates ---


def ask_for_candidates(person: Person, title: str, prompt: str, model: str) -> None:
    """Start a batch for one story and wait until the worker has done it."""
    page = person.page
    person.goes_to("Candidates")
    page.get_by_label(f"Choose {title}").check()
    person.sends("Ask for candidates", "h1")
    expect(page.get_by_role("heading", name="Estimate")).to_be_visible()
    page.get_by_label(prompt).check()
    page.get_by_label(model).check()
    person.reads(re.compile(r"Calls\s*1\b"), "#estimate")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#progress strong").first).to_have_text("Done")


def adopt_candidates(person: Person, title: str, key: str) -> tuple[str, ...]:
    """Take the moral and word it anew, adopt three proposals, reword the first; answers the wrong options."""
    page = person.page
    page.get_by_role("link", name="Go to candidates").click()
    page.locator("table.table").get_by_role("link", name=title).click()
    page.get_by_role("button", name="Use moral").click()
    for _ in range(3):
        person.presses("j")
        page.keyboard.press("Enter")
    first = page.locator("#text-1")
    expect(page.locator("#text-3")).not_to_have_value("")
    first.press("End")
    page.keyboard.press("Backspace")
    page.keyboard.type(" in the end.")
    expect(page.locator("[data-place='1'] ins")).to_be_visible()
    page.locator("#text-0").fill(key)
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('outbox:'))")
    adopted = tuple(page.locator(f"#text-{place}").input_value() for place in (1, 2, 3))
    person.sends("Item submitted")
    return adopted


# --- reviewer and verifier ---


def take_next(person: Person, place: str) -> None:
    person.goes_to(place)
    person.page.get_by_role("button", name=re.compile("^Next item")).click()
    expect(rows(person).first).to_be_visible()


def rows(person: Person) -> Locator:
    """The options of a blind item, in the order drawn for this person."""
    return person.page.locator("label.option.answer")


def options(person: Person) -> list[str]:
    return rows(person).locator(".words").all_inner_texts()


def solve(person: Person, wanted: str, verdict_on_it: str) -> None:
    """Choose an option by its number and send the answer; then the key is shown."""
    number = options(person).index(wanted) + 1
    person.presses(str(number))
    expect(rows(person).nth(number - 1).locator("input")).to_be_checked()
    person.sends(verdict_on_it, "#work")
    expect(person.page.locator(".option.told .chip.good")).to_have_text(re.compile("key"))


def _last(word: str) -> re.Pattern[str]:
    """A label that ends with this word: a cap with its key may stand before it."""
    return re.compile(rf"{word}\s*$")


def judge(
    person: Person, verdict: str, *, rating: int | None = None, flaw: str = "", words: str = ""
) -> None:
    """Fill in the verdict; it is sent by `send_verdict`."""
    page = person.page
    if rating is not None:
        person.presses(str(rating))
        expect(page.locator(f"input[name=rating][value='{rating}']")).to_be_checked()
    if flaw:
        page.locator("#verdict label.chip", has_text=flaw).click()
    page.locator("#comment").fill(words)
    page.locator("#verdict .segment.verbs label", has_text=_last(verdict)).click()


def mark_options(person: Person, key: str) -> None:
    """Say of each option of a moral item by itself whether it is right; other items do not ask."""
    for line in person.page.locator("section[aria-labelledby=each-option] li").all():
        words = line.locator("p").inner_text()
        line.get_by_text("right" if words.endswith(key) else "wrong", exact=True).click()


def reword_option(person: Person, before: str, after: str) -> None:
    """Change one option in the wording that the reviewer proposes."""
    lines = person.page.locator("fieldset.edit .option textarea")
    texts = [line.input_value() for line in lines.all()]
    lines.nth(texts.index(before)).fill(after)


def send_verdict(person: Person) -> bool:
    """Send it and go on; answers whether another item has come."""
    told = person.page.locator("#verdict, #ruling")
    expect(told).to_have_count(1)
    person.page.keyboard.press("Control+Enter")
    expect(told).to_have_count(0)
    return rows(person).count() > 0


def rule(person: Person, ruling: str, reason: str, verdicts: Sequence[str]) -> None:
    """Take the item in adjudication, read what was found, and rule on it."""
    page = person.page
    person.goes_to("Adjudicate")
    page.get_by_role("button", name=re.compile("^Next item")).click()
    for words in verdicts:
        person.reads(words, "#work")
    page.locator("#ruling .segment.verbs label", has_text=_last(ruling)).click()
    page.locator("#reason").fill(reason)
    person.sends("That was the last one for now.")


# --- the release ---


def cut_release(person: Person, version: str, *, dev_share: str, seed: str) -> None:
    """From a draft, whose gates a worker checks first, to the files that it builds."""
    page, step = person.page, person.page.locator("#step-title")
    person.goes_to("Releases")
    page.get_by_role("link", name="Create release").last.click()
    page.get_by_label("Version", exact=True).fill(version)
    page.get_by_role("button", name="Check gates").click()
    expect(step).to_have_text("Gates")
    page.get_by_role("link", name="Continue to settings").last.click()
    page.get_by_label("Dev share").fill(dev_share)
    page.get_by_label("Seed").fill(seed)
    page.keyboard.press("Control+Enter")
    expect(step).to_have_text("Build")
    page.get_by_role("button", name=f"Build {version}").click()
    expect(page.get_by_role("link", name=f"Download {version}")).to_be_visible()


def download_release(person: Person, into: Path) -> Path:
    with person.page.expect_download() as waited:
        person.page.get_by_role("link", name=re.compile("^Download [0-9]")).click()
    archive = into / waited.value.suggested_filename
    waited.value.save_as(archive)
    return archive
