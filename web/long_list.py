"""Long lists with columns, filters, search and sorting that the query string selects.

A `Listing` defines columns, filters and search; its method `ask` reads a query string. Unknown parameters are
ignored, so that an old link or a saved view always opens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.core.exceptions import EmptyResultSet
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from web.cached_counts import cached

PAGE: Final = 25
MOST: Final = 10_000
"""The most rows that a list counts, shows and selects. If there are more, the page says so."""
FEW: Final = 200
"""Up to this many hits of a search are looked up by primary key, which avoids a second search."""
LONGEST_QUERY: Final = 200

Label = Promise | str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list. `sort` has the arguments of `order_by` that sort by it, or is empty.

    A column with `always` cannot be hidden. With `complete`, no row has null in the columns of `sort`, so
    that an index gives the order; otherwise all rows are sorted for each page.
    """

    name: str
    label: Label
    sort: tuple[str, ...] = ()
    shown: bool = True
    always: bool = False
    number: bool = False
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter of a list. `choices` are pairs of value and label; they are empty if the value is typed.

    With `linked`, the filter can only be set by links, and the list's form keeps its value; `named` then
    returns the name of a value.
    """

    name: str
    label: Label
    choices: tuple[tuple[str, Label], ...] = ()
    several: bool = True
    linked: bool = False
    named: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class Action:
    """An action on the selected rows of a list, with the texts of its button, page and message.

    `title`, `left_out` and `done` have plural forms by `n`. With `for_all`, the action applies to every row;
    with `at_once`, it needs no confirmation; with `is_final`, it cannot be undone. `asks` has the names of
    the input fields on its page.
    """

    verb: str
    label: Label
    title: Label = ""
    note: Label = ""
    left_out: Label = ""
    done: Label = ""
    asks: tuple[str, ...] = ()
    at_once: bool = False
    for_all: bool = False
    is_final: bool = False
    key: str = ""

    @property
    def counts(self) -> str:
        """The name of the count that its button shows; "" if the action applies to all selected rows."""
        return "" if self.for_all else self.verb

    @staticmethod
    def say(sentence: Label, n: int, name: object = "") -> str:
        """Return the sentence for `n` rows; `name` is the person who receives the rows."""
        return str(sentence % {"n": n, "name": name}) if sentence else ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The definition of a list: its name, under which views are saved, its columns, filters and sorting."""

    name: str
    columns: tuple[Column, ...]
    filters: tuple[Filter, ...]
    sort: str
    scopes: tuple[tuple[str, Label], ...] = ()

    def ask_nothing(self) -> Asked:
        """Return the state of the list without a query string."""
        return self.ask(QueryDict())

    def ask(self, data: QueryDict) -> Asked:
        """Return the state of the list (filters, sorting, columns, page) for a query string."""
        values = {one.name: _values(one, data) for one in self.filters}
        wanted = data.get("sort", "")
        names = [column.name for column in self.columns if column.sort]
        scope = data.get("in", "")
        return Asked(
            self,
            q=" ".join(data.get("q", "").replace("\0", "").split())[:LONGEST_QUERY],
            scope=scope if scope in [name for name, _label in self.scopes] else "",
            values={name: found for name, found in values.items() if found},
            sort=wanted if wanted.removeprefix("-") in names else self.sort,
            columns=self._columns(data.getlist("cols")),
            page=data.get("page", ""),
        )

    def _columns(self, wanted: Sequence[str]) -> tuple[str, ...]:
        return tuple(
            column.name
            for column in self.columns
            if column.always or (column.name in wanted if wanted else column.shown)
        )


def day(text: str) -> date | None:
    """Return the date in a text such as 2026-11-30, or None if it is not a date."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _values(one: Filter, data: QueryDict) -> tuple[str, ...]:
    given = [text.replace("\0", "").strip()[:LONGEST_QUERY] for text in data.getlist(one.name)]
    if one.choices:
        given = [value for value, _label in one.choices if value and value in given]
    given = [value for value in given if value]
    return tuple(given if one.several else given[:1])


@dataclass(frozen=True, slots=True)
class Chip:
    """An active filter: its name, label and value as text, and the URL of the list without it."""

    name: str
    label: Label
    text: str
    without: str


@dataclass(frozen=True, slots=True)
class Head:
    """The heading of a visible column: its column, the URL that sorts by it, and the current direction."""

    column: Column
    url: str
    direction: str


@dataclass(frozen=True)
class Asked:
    """The state of a list as given by a query string: filters, search, sorting, columns and page.

    `sort` is a column's name, with a leading minus for descending order.
    """

    listing: Listing
    q: str = ""
    scope: str = ""
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sort: str = ""
    columns: tuple[str, ...] = ()
    page: str = ""

    @cached_property
    def query(self) -> str:
        """The query string without the page number. Saved views store it, and actions on all rows use it."""
        pairs: list[tuple[str, str]] = [("q", self.q), ("in", self.scope)]
        pairs += [(name, value) for name, values in self.values.items() for value in values]
        if self.sort != self.listing.sort:
            pairs.append(("sort", self.sort))
        if self.columns != self.listing._columns(()):  # noqa: SLF001 - a part of the same module
            pairs += [("cols", name) for name in self.columns]
        return urlencode([(name, value) for name, value in pairs if value])

    @property
    def narrowed(self) -> bool:
        """Whether a search or filter is active."""
        return bool(self.q or self.values)

    @property
    def terms(self) -> list[str]:
        """The search terms, all of which a row must contain."""
        return self.q.split()

    def one(self, name: str) -> str:
        """Return the first value of a filter, or "" if the filter is not set."""
        return self.values.get(name, ("",))[0]

    @property
    def _sorted_by(self) -> Column:
        return next(one for one in self.listing.columns if one.name == self.sort.removeprefix("-"))

    def order(self) -> list[str]:
        """Return the arguments for `order_by`."""
        paths = self._sorted_by.sort
        if self.sort.startswith("-"):
            return [path[1:] if path.startswith("-") else f"-{path}" for path in paths]
        return list(paths)

    def ordered(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows in the order of the list."""
        column = self._sorted_by
        found = rows.filter(**{f"{column.sort[0]}__isnull": False}) if column.complete else rows
        return found.order_by(*self.order())

    @cached_property
    def chips(self) -> list[Chip]:
        """The active filters."""
        chips = []
        for one in self.listing.filters:
            if one.name in self.values:
                labels = {value: str(label) for value, label in one.choices}
                text = _(", ").join(labels.get(value) or one.named(value) for value in self.values[one.name])
                others = {name: values for name, values in self.values.items() if name != one.name}
                chips.append(Chip(one.name, one.label, text, f"?{replace(self, values=others).query}"))
        return chips

    @cached_property
    def fields(self) -> list[dict[str, object]]:
        """The filters that are not `linked`, as dictionaries for the template."""
        return [
            {
                "filter": one,
                "value": self.one(one.name),
                "choices": [
                    (value, label, value in self.values.get(one.name, ())) for value, label in one.choices
                ],
            }
            for one in self.listing.filters
            if not one.linked
        ]

    @property
    def linked(self) -> list[tuple[str, str]]:
        """Pairs (name, value) of the active filters that only links can set, for hidden form fields."""
        names = [one.name for one in self.listing.filters if one.linked]
        return [(name, value) for name in names for value in self.values.get(name, ())]

    @cached_property
    def chosen_columns(self) -> list[tuple[Column, bool]]:
        """Pairs of each column that can be hidden, and whether it is visible."""
        return [(one, one.name in self.columns) for one in self.listing.columns if not one.always]

    @cached_property
    def shows(self) -> dict[str, bool]:
        """Whether each column is visible, by the column's name."""
        return {one.name: one.name in self.columns for one in self.listing.columns}

    @cached_property
    def heads(self) -> list[Head]:
        """The headings of the visible columns, in order."""
        heads = []
        for column in self.listing.columns:
            if column.name not in self.columns:
                continue
            query = direction = ""
            if column.sort:
                turned = f"-{column.name}" if self.sort == column.name else column.name
                query = f"?{replace(self, sort=turned).query}"
                directions = {column.name: "ascending", f"-{column.name}": "descending"}
                direction = directions.get(self.sort, "")
            heads.append(Head(column, query, direction))
        return heads

    def page_of(self, rows: QuerySet[Any]) -> Page:
        """Return the page of these rows that the query string selects; it has only the rows' ids."""
        return Page(self, rows)


if TYPE_CHECKING:
    _Paginator = Paginator[Any]  # generic for the type checker only
else:
    _Paginator = Paginator


class CappedPaginator(_Paginator):
    """A paginator that counts at most `MOST` rows and has no pages beyond them.

    `unordered` are the same rows without the joins that only ordering needs. With `is_search`, both querysets
    yield primary keys, and these are read instead of counted, because searching takes most of the time; if
    there are few, the page is taken from them.
    """

    def __init__(
        self,
        rows: QuerySet[Any],
        size: int,
        unordered: QuerySet[Any] | None = None,
        *,
        is_search: bool = False,
    ) -> None:
        super().__init__(rows, size)
        self._rows = rows
        self._unordered = rows if unordered is None else unordered
        self._is_search = is_search

    @cached_property
    def counted(self) -> int:
        """The number of rows, or `MOST` + 1 if there are more.

        A number above `MOST` is cached for a minute.
        """
        rows = self._unordered.order_by()[: MOST + 1]
        try:
            statement, values = rows.query.sql_with_params()
        except EmptyResultSet:
            return 0
        plain = [getattr(value, "obj", value) for value in values]  # JSON contains only the beginning
        count = self._count_hits if self._is_search else rows.count
        return cached(f"rows:1:{statement}:{plain}", count, is_large=lambda n: n > MOST)

    def _count_hits(self) -> int:
        hits = list(self._unordered.order_by()[: MOST + 1])
        if len(hits) <= FEW:
            self.object_list = self._rows.filter(pk__in=hits)
        return len(hits)

    @cached_property
    def count(self) -> int:
        """The number of rows that have a page."""
        return min(self.counted, MOST)

    @property
    def is_more(self) -> bool:
        """Whether there are more than `MOST` rows."""
        return self.counted > MOST


class Page:
    """A page of a list, read with two queries whose duration does not grow beyond `MOST` rows."""

    def __init__(self, asked: Asked, rows: QuerySet[Any]) -> None:
        self.asked = asked
        found = rows.values_list("pk", flat=True)
        paginator = CappedPaginator(asked.ordered(found), PAGE, found, is_search=bool(asked.q))
        self.paginator = paginator
        self.page_obj = paginator.get_page(asked.page)
        self.pks: list[int] = list(self.page_obj.object_list)

    @property
    def all(self) -> int:
        """The number of matching rows, at most `MOST`."""
        return self.paginator.count

    @property
    def is_more(self) -> bool:
        """Whether more than `MOST` rows match."""
        return self.paginator.is_more

    @property
    def last(self) -> int:
        """The number of the last row on this page."""
        return self.page_obj.start_index() + len(self.pks) - 1 if self.pks else 0

    @property
    def previous(self) -> str:
        """The URL of the previous page, or ""."""
        return self._at(self.page_obj.number - 1) if self.page_obj.has_previous() else ""

    @property
    def next(self) -> str:
        """The URL of the next page, or ""."""
        return self._at(self.page_obj.number + 1) if self.page_obj.has_next() else ""

    def _at(self, number: int) -> str:
        query = self.asked.query
        return f"?{query}&page={number}" if query else f"?page={number}"


def containing(terms: Sequence[str], paths: Sequence[str]) -> Q:
    """Return a condition (`Q`) for rows that contain all terms, each in at least one of the columns `paths`.

    The query uses no index, so it is for short lists only.
    """
    found = Q()
    for term in terms:
        found &= reduce(or_, (Q(**{f"{path}__icontains": term}) for path in paths))
    return found


def _pattern(terms: Sequence[str]) -> str:
    return "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))


def holds(text: str, terms: Sequence[str]) -> bool:
    """Return whether a text contains at least one of the terms; case is ignored."""
    wanted = _pattern(terms)
    return bool(wanted and re.search(wanted, text, flags=re.IGNORECASE))


def marked(text: str, terms: Sequence[str]) -> SafeString:
    """Return a text as HTML in which each occurrence of a term is highlighted; case is ignored."""
    wanted = _pattern(terms)
    parts = re.split(f"({wanted})", text, flags=re.IGNORECASE) if wanted else [text]
    visible = [
        format_html("<mark>{}</mark>", part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    ]
    return SafeString("".join(visible))


def excerpt(text: str, terms: Sequence[str], *, around: int = 24) -> SafeString:
    """Return the part of a text around the first match of a term, highlighted; "" if no term matches."""
    hits = [at for term in terms if (at := text.lower().find(term.lower())) >= 0]
    if not hits:
        return SafeString()
    start, end = max(0, min(hits) - around), min(hits) + 2 * around
    part = " ".join(text[start:end].split())
    return marked(f"{'…' if start else ''}{part}{'…' if end < len(text) else ''}", terms)
