"""Services that make items which ask for the proverb of a narrative, from an examinee's confusions.

A file says how an examinee ranks the proverbs for each narrative. Proverbs that are confused with each other
are proposed as near-synonyms; a person decides. The options of an item are the narrative's own proverb and
those most easily confused with it. Each proposal is a draft, which a writer checks before it becomes an item.
"""

# Names tasks: it makes items of one task from items of another.

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import record_event
from annotation.content import ItemContent, OptionContent
from annotation.models import Item, ItemDraft, KeyLink
from annotation.queries.item import number_of_options
from annotation.services import hold_back_stories, link_keys, propose_drafts
from core.errors import Unusable, require
from corpus.models import RevisionCause, Story
from corpus.queries import exported_id
from corpus.services import create_stories, text_hash
from generation.models import (
    Batch,
    Candidate,
    ProverbPair,
    ProverbProposal,
    ProverbRanking,
    Purpose,
    RankedNarrative,
)
from generation.queries.proverb import left_out, narratives, proverbs_by_name, unproposed
from generation.services.batch import order_batch
from generation.services.prompt import MOST_WANTED, create_template
from jobs.models import Endpoint
from parable.formats.errors import RowError, error_message
from parable.formats.options import normalise_option
from parable.formats.rankings import read_rankings
from parable.formats.records import StoryRecord, one_line
from parable.kinds.proverb_choice import (
    PROVERB_CHOICE,
    STEMS,
    choose_distractors,
    confused_pairs,
    key_ranks,
    near_proverbs,
    renamed,
)
from parable.psychometrics.results.estimates import Estimate
from parable.psychometrics.retrieval import retrieval
from projects.models import Project
from projects.permissions import Permission, has_permission

RANKING_PROMPT: Final = "Proverb ranking"
"""The name of the prompt with which models are asked for the proverbs that fit best."""
ASK: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": "Here are proverbs and a narrative. List the {n} proverbs that fit the narrative best, the best"
        " one first, one per line, copied exactly. No explanation.\n\nProverbs:\n{proverbs}\n\n"
        "Narrative:\n{story}",
        "zh": "下面是一些谚语和一篇叙事。请列出最符合这篇叙事的 {n} 句谚语，最合适的在前，每行一句，"
        "照抄原文，"
        "不要解释。\n\n谚语：\n{proverbs}\n\n叙事：\n{story}",
    }
)
"""The prompt by language of the project; the proverbs are part of the saved prompt."""
LARGEST_RANKING: Final = 8 * 1024 * 1024
"""The largest file of rankings in bytes: 2,500 narratives with 40 proverbs each, read within a request."""
MOST_RANKED: Final = 20
"""The most proverbs of a narrative that are stored; figures are computed from all that the file has."""
MOST_PROPOSED: Final = 200
"""The most drafts that are proposed at once."""
MOST_PAIRS_TYPED: Final = 500
MOST_NAMED: Final = 10
"""The most errors of a file, or of lines, that are named at once."""
LONGEST_NAME: Final = 120
TITLE: Final = 30
"""The number of characters of a narrative that are the title of its story."""


@transaction.atomic
def import_ranking(*, actor: User, project: Project, examinee: str, data: bytes) -> ProverbRanking:
    """Store how an examinee ranks the proverbs, in place of its earlier ranking.

    Proverbs that it confuses with each other are proposed as near-synonyms. Narratives that are not verified
    narratives of the project are passed over. Only managers may. Raise `Unusable` naming the field if the
    name or the file cannot be used.
    """
    require(has_permission(actor, project, Permission.CHANGE_ITEMS))
    examinee = " ".join(examinee.split())
    if not 1 <= len(examinee) <= LONGEST_NAME:
        raise Unusable(
            _("Enter the name of the model, at most %(most)d characters.") % {"most": LONGEST_NAME}, "name"
        )
    given = read_rankings(data, name=examinee)
    if given.errors:
        raise Unusable(_row_errors(given.errors), "file")
    items = {normalise_option(exported_id(one)): one.pk for one in narratives(project)}
    ranked = {
        items[folded]: proverbs
        for name, proverbs in given.ranked.items()
        if (folded := normalise_option(name)) in items
    }
    if not ranked:
        raise Unusable(_("None of the file's narratives is a verified narrative of this project."), "file")
    return _store(actor, project, examinee, ranked)


def _store(
    actor: User, project: Project, examinee: str, given: Mapping[int, Sequence[str]]
) -> ProverbRanking:
    """Store the proverbs that an examinee names for narratives, by id of the item, with the figures."""
    names = proverbs_by_name(project)
    keys = {str(item): str(story) for item, story in narratives(project).values_list("pk", "story")}
    by_item = {str(item): proverbs for item, proverbs in given.items()}
    ranked = renamed(by_item, lambda one: str(names.get(folded := normalise_option(one), f"?{folded}")))
    ranks = key_ranks(ranked, keys)
    found = retrieval((keys[item], rank) for item, rank in ranks.items())
    ranking, _created = ProverbRanking.objects.update_or_create(
        project=project,
        examinee=examinee,
        defaults={
            "narratives": found.n,
            "unranked": found.unranked,
            "accuracy": _figure(found.accuracy),
            "reciprocal_rank": _figure(found.reciprocal_rank),
            "created_by": actor,
        },
    )
    RankedNarrative.objects.filter(ranking=ranking).delete()  # the examinee's earlier ranking
    of_project = {str(pk) for pk in names.values()}
    stored = {item: [one for one in some if one in of_project][:MOST_RANKED] for item, some in ranked.items()}
    RankedNarrative.objects.bulk_create(
        RankedNarrative(
            ranking=ranking, item_id=int(item), proverbs=[int(one) for one in some], key_rank=ranks[item]
        )
        for item, some in stored.items()
    )
    _propose_pairs(project, confused_pairs(stored, keys))
    record_event(actor=actor, verb="import_ranking", subject=ranking, detail={"narratives": len(stored)})
    return ranking


@transaction.atomic
def ask_for_rankings(
    *, actor: User, project: Project, endpoint: Endpoint, count: int, budget: Decimal | None = None
) -> Batch:
    """Order a model's lists of the proverbs that fit best, for the next verified narratives without its list.

    The caller dispatches the job after the commit; `collect_rankings` stores the lists when it has ended.
    Only managers may. Raise `Unusable` naming the field, and the errors of `order_batch`.
    """
    require(has_permission(actor, project, Permission.CHANGE_ITEMS))
    if not 1 <= count <= MOST_PROPOSED:
        raise Unusable(_("Ask about 1 to %(most)d narratives at once.") % {"most": MOST_PROPOSED}, "count")
    known = RankedNarrative.objects.filter(ranking__project=project, ranking__examinee=endpoint.name)
    asked = narratives(project).exclude(pk__in=known.values("item")).select_related("current__narrative")
    items = list(asked.order_by("pk")[:count])
    if not items:
        raise Unusable(_("This model has ranked the proverbs for every verified narrative."), "count")
    stories = _stories_of(actor, project, items)
    link_keys(links=stories, task=PROVERB_CHOICE.code)
    texts = _texts(set(proverbs_by_name(project).values())).values()
    listed = "\n".join(f"- {one_line(text)}" for text in sorted(texts))
    template = create_template(
        actor=actor,
        project=project,
        name=RANKING_PROMPT,
        text=ASK.get(project.language, ASK["en"]).replace("{proverbs}", listed),
        purpose=Purpose.FREE,
        wanted=MOST_WANTED,
    )
    return order_batch(
        actor=actor,
        project=project,
        stories=sorted(stories.values()),
        templates=[template],
        endpoints=[endpoint],
        budget=budget,
    )


def collect_rankings(batch: Batch) -> None:
    """Store the lists of proverbs that models have named, if the batch that has ended asked for them."""
    if not batch.templates.filter(name=RANKING_PROMPT).exists():
        return
    for endpoint in batch.endpoints.all():
        named = Candidate.objects.filter(
            project=batch.project, endpoint=endpoint, template__name=RANKING_PROMPT
        )
        links = KeyLink.objects.filter(story__in=named.values("story"), task=PROVERB_CHOICE.code)
        items = dict(links.values_list("story", "item"))
        given: dict[int, list[str]] = {}
        for story, text in named.order_by("call", "position").values_list("story", "text"):
            if story in items:
                given.setdefault(items[story], []).append(text)
        if given:
            _store(batch.job.created_by, batch.project, endpoint.name, given)


def _row_errors(errors: Sequence[RowError]) -> str:
    """Return the first errors of a file as sentences, each with its row and field."""
    words = _("Row %(row)d, %(field)s: %(message)s")
    return " ".join(
        words % {"row": one.row, "field": one.field, "message": error_message(one, _)}
        for one in errors[:MOST_NAMED]
    )


def _figure(found: Estimate) -> list[float | None]:
    return [found.value, found.low, found.high]


def _propose_pairs(project: Project, found: Sequence[tuple[str, str]]) -> None:
    ProverbPair.objects.bulk_create(
        [
            ProverbPair(project=project, first_id=min(both), second_id=max(both))
            for both in ((int(one), int(other)) for one, other in found)
        ],
        ignore_conflicts=True,
    )


@transaction.atomic
def decide_pair(*, actor: User, pair: ProverbPair, is_synonym: bool | None) -> None:
    """Record whether two proverbs are near-synonyms; None reopens the decision. Only managers may."""
    require(has_permission(actor, pair.project, Permission.CHANGE_ITEMS))
    pair.is_synonym = is_synonym
    pair.decided_by = None if is_synonym is None else actor
    pair.decided_at = None if is_synonym is None else timezone.now()
    pair.save(update_fields=["is_synonym", "decided_by", "decided_at"])
    record_event(actor=actor, verb="decide_pair", subject=pair, detail={"is_synonym": is_synonym})


@transaction.atomic
def add_pairs(*, actor: User, project: Project, text: str) -> int:
    """Mark pairs of proverbs as near-synonyms: one pair a line, two ids or texts with a tab or | between.

    Return the number of pairs. Only managers may. Raise `Unusable` naming `pairs` and each line that does not
    name two different proverbs of the project; then nothing is stored.
    """
    require(has_permission(actor, project, Permission.CHANGE_ITEMS))
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not 1 <= len(lines) <= MOST_PAIRS_TYPED:
        raise Unusable(_("Enter 1 to %(most)d pairs, one per line.") % {"most": MOST_PAIRS_TYPED}, "pairs")
    names, wanted, problems = proverbs_by_name(project), set[tuple[int, int]](), []
    for number, line in lines:
        sides = [normalise_option(side) for side in line.replace("\t", "|").split("|")]
        both = sorted({names[side] for side in sides if side in names})
        if len(sides) == len(both) == 2:
            wanted.add((both[0], both[1]))
        else:
            problems.append(_("Line %(n)d does not name two proverbs of this project.") % {"n": number})
    if problems:
        raise Unusable(" ".join(problems[:MOST_NAMED]), "pairs")
    ProverbPair.objects.bulk_create(
        [
            ProverbPair(
                project=project, first_id=one, second_id=other, is_synonym=True, decided_by=actor,
                decided_at=timezone.now(),
            )
            for one, other in sorted(wanted)
        ],
        update_conflicts=True,
        unique_fields=["first", "second"],
        update_fields=["is_synonym", "decided_by", "decided_at"],
    )  # fmt: skip
    record_event(actor=actor, verb="add_pairs", subject=project, detail={"pairs": len(wanted)})
    return len(wanted)


@transaction.atomic
def propose_items(
    *, actor: User, project: Project, ranking: ProverbRanking, writer: User, count: int
) -> list[ItemDraft]:
    """Propose items for the next verified narratives of a ranking, and return them as drafts of a writer.

    A narrative gets one item. The narrative becomes a story that is held back, so that nobody is asked to
    write about it. Whoever has seen the narrative's proverb is recorded as exposed to the key. A narrative is
    passed over if too few proverbs are confused with its own. Only managers may. Raise `Unusable` naming the
    field.
    """
    require(has_permission(actor, project, Permission.CHANGE_ITEMS))
    if not 1 <= count <= MOST_PROPOSED:
        raise Unusable(_("Propose 1 to %(most)d items at once.") % {"most": MOST_PROPOSED}, "count")
    # of two concurrent requests, the second one finds the proposals of the first
    ProverbRanking.objects.select_for_update(of=("self",)).get(pk=ranking.pk)
    options = _options(project, ranking, count)
    if not options:
        raise Unusable(_("Every ranked narrative has its item, or too few proverbs to choose from."), "count")
    stories = _stories_of(actor, project, [item for item, _options in options])
    wanted = [(stories[item.pk], _content(project, chosen)) for item, chosen in options]
    drafts = propose_drafts(
        actor=actor, project=project, writer=writer, task=PROVERB_CHOICE.code, wanted=wanted
    )
    link_keys(links={item.pk: stories[item.pk] for item, _chosen in options}, task=PROVERB_CHOICE.code)
    ProverbProposal.objects.bulk_create(
        ProverbProposal(source=item, draft=draft, examinee=ranking.examinee)
        for (item, _chosen), draft in zip(options, drafts, strict=True)
    )
    record_event(actor=actor, verb="propose_items", subject=ranking, detail={"items": len(drafts)})
    return drafts


def _options(project: Project, ranking: ProverbRanking, count: int) -> list[tuple[Item, list[str]]]:
    """Return the next narratives with the texts of their options, the key first."""
    rows = RankedNarrative.objects.filter(ranking=ranking).values_list("item", "item__story", "proverbs")
    keys = {str(item): str(story) for item, story, _proverbs in rows}
    ranked = {str(item): [str(one) for one in found] for item, _story, found in rows}
    near, out = near_proverbs(ranked, keys), left_out(project)
    wanted = number_of_options(project, PROVERB_CHOICE.code) - 1
    chosen: list[tuple[Item, list[str]]] = []
    for one in unproposed(ranking).iterator(chunk_size=MOST_PROPOSED):
        key = str(one.item.story_id)
        others = choose_distractors(
            key, ranked[str(one.item_id)], near.get(key, ()), left_out=out, count=wanted
        )
        if len(others) == wanted:
            chosen.append((one.item, [key, *others]))
        if len(chosen) == count:
            break
    texts = _texts({int(one) for _item, ids in chosen for one in ids})
    return [(item, [texts[int(one)] for one in ids]) for item, ids in chosen]


def _texts(stories: set[int]) -> Mapping[int, str]:
    found = Story.objects.filter(pk__in=stories).values_list("pk", "current__text")
    return {pk: text or "" for pk, text in found}


def _content(project: Project, options: Sequence[str]) -> ItemContent:
    stem = STEMS.get(project.language, STEMS["en"])
    return ItemContent(
        stem, tuple(OptionContent(text, is_key=place == 0) for place, text in enumerate(options))
    )


def _stories_of(actor: User, project: Project, items: Sequence[Item]) -> dict[int, int]:
    """Return the story of each narrative, by id of the item. Stories that it creates are held back."""
    texts = {item.pk: item.current.narrative.text for item in items if item.current is not None}
    hashes = {pk: text_hash(text) for pk, text in texts.items()}
    stories = Story.objects.filter(project=project, text_hash__in=set(hashes.values()))
    known = dict(stories.values_list("text_hash", "pk"))
    lacking = {hashes[pk]: text for pk, text in texts.items() if hashes[pk] not in known}
    created = create_stories(
        actor=actor,
        project=project,
        wanted=[
            StoryRecord(id="", title=" ".join(text.split())[:TITLE], text=text, language=project.language)
            for text in lacking.values()
        ],
        cause=RevisionCause.WITH_ITEMS,
    )
    known |= {one.text_hash: one.pk for one in created}
    hold_back_stories(actor=actor, project=project, stories=[one.pk for one in created], is_held_back=True)
    return {pk: known[hashed] for pk, hashed in hashes.items()}
