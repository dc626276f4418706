"""Rows of the list of items, in the form that its template needs."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from accounts.models import User
from annotation.content import ItemContent, from_json
from annotation.kinds import item_kind, item_name
from annotation.models import Item, ItemDraft
from annotation.queries.assignment import WITH_WRITER
from annotation.queries.item import items, lacking, revision_content, spec_of, story_was_reworded
from annotation.queries.search import KEY, STEM, keys_known
from annotation.services import describe
from dashboard.queries.item_list import STATES, shows_keys
from parable.kinds import kind_of
from projects.models import CommonsenseType, Project
from review.queries.item import items_to_solve
from review.queries.verdict import blind_answers
from web.long_list import Asked, holds, marked


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the list of items; search matches in its texts are highlighted.

    `key` is empty if this user has not seen it. `option` is the first option other than the displayed key
    that matches the search.
    """

    item: Item
    stem: SafeString
    key: SafeString
    option: SafeString
    types: list[str]
    lacks: list[str]
    blind: list[bool]
    blind_hidden: bool
    reworded: bool
    with_writer: bool
    shares_stem: bool
    can: str

    @property
    def name(self) -> str:
        """The displayed name of an item that has neither a stem nor a caption."""
        return f"{item_name(self.item.task)} {self.item.pk}"

    @property
    def right(self) -> int:
        """The number of blind answers that agreed with the key."""
        return sum(self.blind)


def item_rows(
    user: User, project: Project, pks: Sequence[int], asked: Asked, kinds: Sequence[CommonsenseType]
) -> list[Row]:
    """Return the rows of these items, in the order of `pks`.

    The number of statements is constant.
    """
    drafts = Prefetch("drafts", ItemDraft.objects.filter(deleted_at=None).order_by("pk"))
    found = items(project).filter(pk__in=pks).prefetch_related(drafts)
    by_number = {item.pk: item for item in found}
    known = set(by_number) if shows_keys(asked) else keys_known(user, by_number)
    blind = blind_answers(by_number) if "blind" in asked.columns else {}
    to_solve = set(items_to_solve(user, project).filter(pk__in=pks).values_list("pk", flat=True))
    names = {kind.code: kind.name_in(get_language() or "") for kind in kinds}
    spec = spec_of(project, kinds)

    def row(item: Item) -> Row:
        if item.current is not None:
            content = revision_content(item.current, item.task)
        else:
            draft = next(iter(item.drafts.all()), None)
            content = from_json(draft.content if draft else None)
        words = item.story.current.text if item.story.current else ""
        lacks = () if item.current else lacking(content, task=item.task, spec=spec, story=words)
        key = content.key.text if content.key and item.pk in known else ""
        return Row(
            item=item,
            stem=marked(item_kind(item.task).caption(content), asked.terms),
            key=marked(key, asked.terms),
            option=_matching(content, key, asked),
            types=[names.get(code, code) for code in content.types],
            lacks=[describe(finding) for finding in lacks],
            blind=[] if item.pk in to_solve else blind.get(item.pk, []),
            blind_hidden=item.pk in to_solve,
            reworded=story_was_reworded(item),
            with_writer=item.state in WITH_WRITER,
            shares_stem=kind_of(item.task).key_from_moral,
            can=" ".join(verb for verb, states in STATES.items() if item.state in states),
        )

    return [row(by_number[pk]) for pk in pks if pk in by_number]


def _matching(content: ItemContent, key: str, asked: Asked) -> SafeString:
    """Return the first option that matches the search; "" if none does.

    The key is left out, since it is displayed anyway.
    """
    if asked.scope in {STEM, KEY}:
        return SafeString()
    for option in content.options:
        if option.text != key and holds(option.text, asked.terms):
            return marked(option.text, asked.terms)
    return SafeString()
