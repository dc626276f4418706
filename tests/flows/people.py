"""What people do in a browser, step by step: they click, type and read, and go no other way."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from parable.llm.stub import StubServer
from tests.browser.entering import is_error
from tests.browser.waiting import PATIENCE_MS, until

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
        self.page.on("console", lambda said: heard(said.text) if is_error(said) else None)
        self.page.on("pageerror", lambda error: heard(str(error)))
        self.page.on("request", lambda asked: heard(asked.url) if strange(asked.url) else None)

    def reads(self, words: str | re.Pattern[str], where: str = "main") -> None:
        """Wait until the words are there."""
        expect(self.page.locator(where).first).to_contain_text(words)

    def goes_to(self, place: str) -> None:
        """Follow the main navigation to a page: at once where its group is open, else to the group first."""
        link = self.page.locator("nav.sub").get_by_role("link", name=place, exact=True)
        if not link.count():
            named = self.page.locator("a").filter(has_text=re.compile(f"^{re.escape(place)}$"))
            group = self.page.locator("nav.all section").filter(has=named).locator("h2").text_content()
            with self.loads():
                self.page.locator("nav.nav").get_by_role("link", name=str(group), exact=True).click()
        with self.loads():
            link.click()
        expect(self.page.locator("nav.sub [aria-current=page]")).to_have_text(place)

    def loads(self) -> AbstractContextManager[object]:
        """Wait until the page asked for meanwhile has come; `expect` soon looks but twice a second."""
        return self.page.expect_event("load")

    def presses(self, key: str) -> None:
        """Press a key on the page, not in a field."""
        self.page.locator("body").press(key)

    def sends(self, words: str | re.Pattern[str], where: str = "#messages") -> None:
        """Press the page's primary action by its keys; on the page that follows the words are there."""
        with self.loads():
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
    page.get_by_label("Repeat password").fill(PASSWORD)
    person.sends(f"Welcome, {person.name}.")


# --- the manager ---


def create_project(person: Person, name: str, slug: str, language: str = "English") -> None:
    page = person.page
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.keyboard.press("Tab")
    short = page.get_by_label("Short name")
    expect(short).not_to_have_value("")  # suggested, from the name
    short.fill(slug)
    page.get_by_label(language, exact=True).check()
    person.sends("Import stories", "main")
    assert page.url.endswith(f"/p/{slug}/today")


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


def invite(person: Person, names: Sequence[str], role: str = "item writer") -> list[str]:
    """Paste the names and choose a role; answers the links, which the page then hides."""
    page = person.page
    person.goes_to("Members")
    page.get_by_role("link", name="Invite people").click()
    page.get_by_label("Names, one per line").fill("\n".join(names))
    for each in ("item writer", "reviewer", "verifier"):
        page.locator("#invite-form").get_by_label(each, exact=True).set_checked(each == role)
    person.sends(re.compile(rf"{len(names)} links? created\."), "#issued")
    links = [page.locator(f"#link-{number + 1}").inner_text() for number in range(len(names))]
    page.get_by_role("button", name="Hide links").click()
    expect(page.locator("#issued")).to_have_count(0)
    return links


def give_role(person: Person, whom: str, role: str) -> None:
    """Make a writer something else, and nothing besides."""
    person.goes_to("Members")
    person.page.get_by_role("link", name=whom, exact=True).click()
    line = person.page.locator("li.person")
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
    page.get_by_label("Requests per minute").fill("6000")
    person.sends(f"“{name}” was added")
    page.get_by_role("button", name="Test endpoint").click()
    expect(page.locator("[id^=tried] .good")).to_be_visible()


def write_prompt(person: Person, name: str, text: str, asks_for: str = "wrong morals") -> None:
    page = person.page
    person.goes_to("Candidates")
    page.get_by_role("link", name="Prompts", exact=True).click()
    page.get_by_role("link", name="Write prompt").first.click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Asks for").select_option(label=asks_for)
    page.get_by_label("Prompt", exact=True).fill(text)
    person.sends(re.compile(r"\d+ prompts?"), ".how-far")


# --- the writer ---


def take_next_story(person: Person, title: str) -> None:
    person.goes_to("Write")
    person.page.get_by_role("button", name="Take next story").click()
    expect(person.page.get_by_role("heading", level=1)).to_contain_text(f"item 1 for “{title}”")


def open_sheet(person: Person, title: str) -> None:
    """An empty sheet for a story, from the story's page."""
    person.goes_to("Stories")
    person.page.get_by_role("link", name=title, exact=True).click()
    person.page.get_by_role("link", name="Write item").click()
    expect(person.page.get_by_role("heading", level=1)).to_contain_text(f"for “{title}”")


def turn_to_moral_items(person: Person, stem: str) -> None:
    person.page.get_by_role("link", name="Moral items").click()
    person.page.get_by_role("button", name="Show moral and write").click()
    expect(person.page.locator("#stem")).to_have_value(stem)


def write_item(person: Person, item: Wording, *, key_at: int) -> None:
    """Fill the empty sheet by typing, the key at this option (from 1), and submit it."""
    fill_sheet(person, item, key_at=key_at)
    submit_sheet(person)


def fill_sheet(person: Person, item: Wording, *, key_at: int) -> None:
    """Type the item; an option without words is left empty."""
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


def submit_sheet(person: Person) -> None:
    """Submit what is on the sheet. The page may say so of an earlier item already: it must be left first."""
    with person.loads():
        person.page.keyboard.press("Control+Enter")
    person.reads("Submitted for review.", "#messages")


def revise_returned(person: Person, reason: str, stem: str = "", types: Collection[str] = ()) -> None:
    """Take the item that came back, read why, and submit it with another stem or with other types."""
    person.goes_to("Write")
    person.reads("Returned to you")
    person.page.get_by_role("link", name="Revise", exact=True).click()
    person.reads(reason, "#work")
    if stem:
        person.page.locator("#stem").fill(stem)
    for label in person.page.locator(".segment.types label").all() if types else ():
        wanted = label.inner_text().strip().endswith(tuple(types))  # the letter of its key may come before
        if label.locator("input").is_checked() != wanted:
            label.click()
    person.sends("Submitted for review.")


def contest(person: Person, stem: str, reason: str) -> None:
    """Contest what was decided about one's own item: its rejection, or a reviewer's edit."""
    page = person.page
    person.goes_to("Write")
    page.locator("summary", has_text="may contest").click()
    page.get_by_role("link", name=stem).click()
    page.get_by_label("Reason for contesting").fill(reason)
    page.get_by_role("button", name=re.compile("^Contest")).click()
    person.reads("Contested:", "#messages")


def confirm_guideline(person: Person, number: int) -> None:
    person.goes_to("Guideline")
    person.page.get_by_role("button", name="I have read it").click()
    person.reads(f"You have confirmed version {number} of the guideline.", "#messages")


# --- candidates ---


def ask_for_candidates(
    person: Person, titles: Sequence[str], prompts: Sequence[str], models: Sequence[str]
) -> None:
    """Start a batch of every prompt to every model about every story, and wait until workers have done it."""
    page = person.page
    person.goes_to("Candidates")
    for title in titles:
        page.get_by_label(f"Choose {title}").check()
    person.sends("Ask for candidates", "h1")
    expect(page.get_by_role("heading", name="Estimate")).to_be_visible()
    for name in (*prompts, *models):
        page.get_by_label(name).check()
    calls = len(titles) * len(prompts) * len(models)
    person.reads(re.compile(rf"Calls\s*{calls}\b"), "#estimate")
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


def adopt_proposals(
    person: Person, title: str, key: str, which: Sequence[int], rewrite: Callable[[str], str]
) -> tuple[str, ...]:
    """Filter and rewrite proposals into the wrong options of an item with this key; answers the options."""
    page = person.page
    person.goes_to("Candidates")
    page.locator("table.table").get_by_role("link", name=title, exact=True).click()
    _see_moral(person)
    cards = page.locator("[data-candidate]:visible")
    for number in which:
        cards.nth(number).get_by_role("button", name="Use").click()
    page.locator("#text-0").fill(key)
    options = [page.locator(f"#text-{place}") for place, _number in enumerate(which, start=1)]
    for option in options:
        option.fill(rewrite(option.input_value()))
    until(page, "!Object.keys(localStorage).some((key) => key.startsWith('outbox:'))")
    adopted = tuple(option.input_value() for option in options)
    person.sends("Item submitted")
    return adopted


def _see_moral(person: Person) -> None:
    """Where the moral has not been seen yet, the page asks first."""
    asked, slots = person.page.get_by_role("button", name="Show moral and candidates"), "#slots"
    expect(asked.or_(person.page.locator(slots))).to_have_count(1)
    if asked.count():
        asked.click()
    expect(person.page.locator(slots)).to_have_count(1)
    person.page.wait_for_load_state("load")


def ask_for_distractor(person: Person, model: str, wanted: str) -> None:
    """Ask a model about the stem on the sheet, use its first proposal in the empty option, and reword it."""
    page = person.page
    page.locator("summary", has_text="Distractors from models").click()
    named = page.locator("#stem-endpoint option", has_text=model)
    page.locator("#stem-endpoint").select_option(value=named.get_attribute("value"))
    page.get_by_role("button", name="Ask for distractors").click()
    first = page.locator("[data-offer]").first
    first.get_by_role("button", name="Use").click()
    expect(first.locator("[data-used]")).to_have_text("Option 1")
    with page.expect_response("**/drafts/**"):
        page.get_by_label("Option 1", exact=True).fill(wanted)
    expect(page.locator("#saved")).to_contain_text("saved")


# --- reviewer and verifier ---


def take_next(person: Person, place: str) -> None:
    person.goes_to(place)
    person.page.get_by_role("button", name=re.compile("^Next item")).click()
    expect(rows(person).first).to_be_visible()


def rows(person: Person) -> Locator:
    """The options of a blind item, in the order drawn for this person."""
    return person.page.locator("label.option.answer")


def options(person: Person) -> list[str]:
    """The options of an item, answered or not."""
    return person.page.locator("label.option.answer .words, .option.revealed .words").all_inner_texts()


def is_blind(person: Person) -> bool:
    """Whether the item is to be answered: an answered one of a story may be there to be judged."""
    return rows(person).count() > 0


def solve(person: Person, wanted: str, verdict_on_it: str) -> bool:
    """Choose an option by its number and send the answer; whether the key is shown then.

    Of the moral items of a story no key is shown before the last is answered.
    """
    number = options(person).index(wanted) + 1
    person.presses(str(number))
    expect(rows(person).nth(number - 1).locator("input")).to_be_checked()
    together = re.search(r"Item (\d) of (\d) about", person.page.locator("#work").inner_text())
    if together and together[1] != together[2]:
        _step(person)
        person.reads(f"Item {int(together[1]) + 1} of {together[2]} about", "#work")
        return False
    _step(person)
    person.reads(verdict_on_it, "#work")
    expect(person.page.locator(".option.revealed .chip.good")).to_have_text(re.compile("key"))
    return True


def _step(person: Person) -> None:
    """Send answer or verdict; the response is the next step of the same page."""
    with person.page.expect_response(lambda response: response.request.method == "POST"):
        person.page.keyboard.press("Control+Enter")


def _last(word: str) -> re.Pattern[str]:
    """A label that ends with this word: a cap with its key may come before it."""
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
    page = person.page
    verdict = page.locator("#verdict, #ruling")
    expect(verdict).to_have_count(1)
    verdict.evaluate("form => { form.dataset.sent = 1; }")
    _step(person)
    expect(page.locator("#verdict[data-sent], #ruling[data-sent]")).to_have_count(0)
    expect(page.locator("#work, .empty").first).to_be_visible()
    return page.locator("#answer, #verdict").count() > 0


def rule(person: Person, ruling: str, reason: str, verdicts: Sequence[str]) -> None:
    """Take the item in adjudication, read what was found, and rule on it."""
    page = person.page
    person.goes_to("Adjudicate")
    page.get_by_role("button", name=re.compile("^Next item")).click()
    for words in verdicts:
        person.reads(words, "#work")
    page.locator("#ruling .segment.verbs label", has_text=ruling).click()
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
