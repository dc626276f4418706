"""The forms of a page: which they are, how one is filled in, and what becomes of it when it is sent."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from django.urls import Resolver404, resolve
from playwright.sync_api import ConsoleMessage, Error, Page, Response

TAKEN: Final = {200, 204, 302, 303, 400, 409, 422}
"""What a view answers that has read the form, whatever it thinks of what the form says."""

PATIENCE: Final = 8.0
SETTLES_MS: Final = 120
TOKEN: Final = "csrfmiddlewaretoken"
OVER_THE_PAGE: Final = frozenset({"login", "password", "code"})
"""The form that comes over a page whose reader was signed out: its script brings a token along."""

REFUSED_BY_POLICY: Final = re.compile(r"Content.Security.Policy|Refused to ", re.IGNORECASE)

LIST: Final = """page => [...page.querySelectorAll("form")].flatMap((form, place) => {
  const all = [...form.elements], named = all.filter(one => one.name && one.type !== "submit");
  const pressed = all.filter(one => one.type === "submit" && !one.hasAttribute("formmethod"));
  const buttons = pressed.filter(one => !one.disabled);
  const waits = form.hidden || pressed.length > 0;
  return (buttons.length || waits ? buttons : [null]).map(button => ({
    place,
    method: (form.getAttribute("method") ?? "get").toLowerCase(),
    button: button ? all.indexOf(button) : -1,
    action: button?.getAttribute("formaction") ?? form.getAttribute("action") ?? "",
    said: button?.name ? `${button.name}=${button.value}` : "",
    names: [...new Set(named.map(one => one.name))],
  }));
})"""
"""All that can be sent from a page: each form, once for every button that sends it.

One whose buttons are all disabled, or which is hidden and waits for buttons to come, cannot be sent yet.
"""

LIST_HERE: Final = f"() => ({LIST})(document)"
LIST_THERE: Final = (
    f"""texts => texts.map(text => ({LIST})(new DOMParser().parseFromString(text, "text/html")))"""
)

FILL: Final = """([place, values]) => {
  const form = document.querySelectorAll("form")[place], all = [...form.elements];
  const plain = {number: "1", email: "a@example.org", date: "2031-05-04", url: "https://example.org/v1"};
  const others = ["hidden", "submit", "button", "file"];
  for (const one of all.filter(one => !one.disabled && !others.includes(one.type))) {
    const alike = all.filter(other => other.name === one.name && other.type === one.type);
    if (one.type === "radio" || one.type === "checkbox" && alike.length > 1) {
      if (!alike.some(other => other.checked)) one.checked = true;
    } else if (one.type === "checkbox") {
      one.checked ||= one.required;
    } else if (one.tagName === "SELECT") {
      if (!one.value) one.value = [...one.options].find(option => option.value)?.value ?? "";
    } else if (one.name in values) {
      one.value = values[one.name];
    } else if (!one.value && one.required) {
      one.value = plain[one.type] ?? "Some plain words";
    }
  }
}"""
"""Something plausible wherever something is asked for and nothing stands yet."""

SEND: Final = """([place, button]) => {
  const form = document.querySelectorAll("form")[place];
  form.noValidate = true;
  window.wasHere = true;
  form.requestSubmit(button < 0 ? undefined : form.elements[button]);
}"""


@dataclass(frozen=True, slots=True)
class Form:
    """One way of sending something: where it goes, what it holds, and what its button says."""

    route: str
    fields: frozenset[str]
    said: str = ""

    def __str__(self) -> str:
        return f"{self.route} ({', '.join(sorted(self.fields))}) {self.said}".rstrip()


@dataclass(frozen=True, slots=True)
class Found:
    """A form on a page: which of the page's forms it is, and which of its elements sends it."""

    form: Form
    place: int
    button: int


@dataclass
class OpenForm:
    """A page of somebody's browser, and what went wrong in it."""

    page: Page
    complaints: list[str]
    loads: list[Page]
    sent: list[Response]

    @classmethod
    def of(cls, page: Page) -> OpenForm:
        """The same page, listened to."""
        sheet = cls(page, [], [], [])
        page.on("pageerror", lambda error: sheet.complaints.append(str(error)))
        page.on("console", sheet.hear)
        page.on("dialog", lambda dialog: dialog.accept())
        page.on("load", sheet.arrive)
        page.on("response", sheet.receive)
        return sheet

    def hear(self, message: ConsoleMessage) -> None:
        """Keep what the policy has refused; that an answer is no success is the page's own affair."""
        if REFUSED_BY_POLICY.search(message.text):
            self.complaints.append(message.text)

    def arrive(self, page: Page) -> None:
        """Count the pages that have come."""
        self.loads.append(page)

    def receive(self, answer: Response) -> None:
        """Keep the answers to what was posted, and the pages that came after it."""
        if answer.request.method == "POST" or answer.request.is_navigation_request():
            self.sent.append(answer)


def forms_here(sheet: OpenForm) -> list[Found]:
    """What can be posted from the page that is open."""
    return _found(sheet.page.url, sheet.page.evaluate(LIST_HERE))


def forms_in(page: Page, pages: Iterable[tuple[str, str]]) -> list[list[Found]]:
    """What can be posted from each of these pages, given by address and text, as this browser reads them."""
    known = list(pages)
    listed = page.evaluate(LIST_THERE, [text for _address, text in known])
    return [_found(address, forms) for (address, _text), forms in zip(known, listed, strict=True)]


def _found(address: str, forms: list[dict[str, Any]]) -> list[Found]:
    return [_one(address, form) for form in forms if form["method"] == "post"]


def _one(address: str, form: dict[str, Any]) -> Found:
    fields = frozenset(_unnumbered(name) for name in form["names"])
    said = _unnumbered(form["said"])
    return Found(
        Form(route_at(urljoin(address, form["action"])), fields, said), form["place"], form["button"]
    )


def _unnumbered(name: str) -> str:
    """Without what distinguishes one row of a page from the next."""
    return re.sub(r"(?<=^answer-).*|\d+", "#", name)


def route_at(address: str) -> str:
    """The name of the route that an address leads to, or the address itself where there is none."""
    path = urlsplit(address).path
    try:
        return resolve(path).view_name
    except Resolver404:
        return path


def send(sheet: OpenForm, found: Found, values: dict[str, str], file: Any) -> list[str]:
    """Fill in a form of the open page and send it; what is wrong with that."""
    page, form = sheet.page, found.form
    faults = [] if TOKEN in form.fields or form.fields == OVER_THE_PAGE else ["it has no token"]
    if found.button < 0:
        faults.append("it has no button that sends it")
    for each in (sheet.complaints, sheet.loads, sheet.sent):
        each.clear()
    if file:
        for upload in page.locator("form").nth(found.place).locator("input[type=file]").all():
            upload.set_input_files(file)
    page.evaluate(FILL, [found.place, values])
    page.evaluate(SEND, [found.place, found.button])
    if not _comes(page, lambda: _answers(sheet, form)):
        return [*faults, *sheet.complaints, f"nothing was sent; {[one.url for one in sheet.sent]}"]
    _arrive(sheet, _answers(sheet, form)[0])
    return [*faults, *sheet.complaints, *_refusals(sheet)]


def _answers(sheet: OpenForm, form: Form) -> list[Response]:
    return [one for one in sheet.sent if one.request.method == "POST" and route_at(one.url) == form.route]


def _arrive(sheet: OpenForm, answer: Response) -> None:
    """Wait for the page that the answer leads to, if it leads to one."""
    is_kept = answer.status == 204 or "attachment" in answer.headers.get("content-disposition", "")
    # htmx opens another page by itself, and so does the script of a form that waits for its turn
    is_led_on = "hx-redirect" in answer.headers or "x-location" in answer.headers
    if (answer.request.is_navigation_request() and not is_kept) or is_led_on:
        _comes(sheet.page, lambda: bool(sheet.loads))
    else:
        sheet.page.wait_for_timeout(SETTLES_MS)
    try:
        sheet.page.wait_for_load_state("load", timeout=PATIENCE * 1000)
    except Error:
        sheet.complaints.append("the page that follows never stands")


def _refusals(sheet: OpenForm) -> list[str]:
    return [
        f"{one.request.method} {urlsplit(one.url).path} answers {one.status}"
        for one in sheet.sent
        if one.status not in TAKEN
    ]


def _comes(page: Page, what: Callable[[], object]) -> bool:
    """Whether something comes true soon."""
    end = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > end:
            return False
        try:
            page.wait_for_timeout(20)
        except Error:
            return False
    return True
