"""The cells of a page's tables and lists of figures: what each says, and where it leads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from django.test import Client

NUMBER = frozenset("0123456789")


@dataclass
class Cell:
    """One cell or figure: under which heading, in which row, and the links in it, in order."""

    heading: str
    row: str
    text: str = ""
    links: list[str] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        """Whether it says a number other than 0."""
        return bool(NUMBER & set(self.text)) and bool(set(self.text) & set("123456789"))


class _Reader(HTMLParser):
    """Reads tables and lists of figures; the table under a plot repeats what is drawn, and is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.cells: list[Cell] = []
        self._heads: list[str] = []
        self._row: list[Cell] = []
        self._open: Cell | None = None
        self._in_head = False
        self._name: Cell | None = None
        self._plots = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "figure":
            self._plots += 1
        if self._plots:
            return
        if tag == "thead":
            self._in_head, self._heads = True, []
        elif tag == "tr":
            self._row = []
        elif tag in {"th", "td"}:
            self._begin()
        elif tag == "dt":
            self._name = self._open = Cell("", "")
        elif tag == "dd":
            name = self._name or Cell("", "")
            self._open = Cell(name.text.strip(), "", links=[*name.links])
            self.cells.append(self._open)
        elif tag == "a" and self._open is not None:
            self._open.links.append(dict(attrs).get("href") or "")

    def _begin(self) -> None:
        place = len(self._row)
        heading = self._heads[place] if not self._in_head and place < len(self._heads) else ""
        self._open = Cell(heading, self._row[0].text.strip() if self._row else "")
        self._row.append(self._open)

    def handle_endtag(self, tag: str) -> None:
        if tag == "figure":
            self._plots -= 1
        if self._plots:
            return
        if tag == "thead":
            self._in_head = False
        elif tag == "tr":
            if self._in_head:
                self._heads = [" ".join(cell.text.split()) for cell in self._row]
            else:
                self.cells += self._row[1:]
        elif tag in {"th", "td", "dt", "dd"}:
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open.text += data


def cells_on(page: str) -> Iterator[Cell]:
    """Every cell but the first of each row, and every figure with a name."""
    reader = _Reader()
    reader.feed(page)
    yield from reader.cells


def listed(client: Client, link: str) -> int:
    """How many rows there are behind a link to a list of items or stories."""
    answer = client.get(link)
    assert answer.status_code == 200, link
    if "page" in answer.context and hasattr(answer.context["page"], "all"):
        return int(answer.context["page"].all)
    return int(answer.context["page_obj"].paginator.count)


class _Figures(HTMLParser):
    """Reads the numbers that are links, and the figures that the page names by `data-figure`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.linked: list[tuple[str, str]] = []
        self.named: list[tuple[str, str]] = []
        self._link: str | None = None
        self._name: tuple[str, str] | None = None
        self._text = ""
        self._said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        if tag == "a":
            self._link, self._text = held.get("href") or "", ""
        if name := held.get("data-figure"):
            self._name, self._said = (tag, name), ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._link is not None:
            if self._text.strip().isdecimal():
                self.linked.append((self._link, self._text.strip()))
            self._link = None
        if self._name is not None and tag == self._name[0]:
            self.named.append((self._name[1], " ".join(self._said.split())))
            self._name = None

    def handle_data(self, data: str) -> None:
        self._text += data
        self._said += data


def figures_on(page: str, address: str) -> Iterator[tuple[str, str]]:
    """Every figure of a page: by the address of the list that it leads to, and by its name if it has one."""
    reader = _Figures()
    reader.feed(page.rsplit("<main", maxsplit=1)[-1].split("</main", maxsplit=1)[0])
    for link, number in reader.linked:
        parts = urlsplit(urljoin(address, link))
        query = urlencode(sorted(parse_qsl(parts.query)))
        if query:
            yield f"{parts.path}?{query}", number
    yield from reader.named
