"""The data card: what a release contains, how it was created, and its limitations."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from parable.formats.crmus import CRMUS_TASKS
from parable.formats.published import has_layout
from parable.kinds import KINDS, codes
from parable.sentences import translate
from parable.splits import DEV, TEST
from release.assembly import counts
from release.assembly.apportionment import shares_by_task
from release.assembly.identity import canary, content_hash, published_contact, seed_hash, set_name
from release.assembly.recipe import Recipe
from release.assembly.records import FrozenItem
from release.assembly.seen_split import SEEN
from release.assembly.splits import BY_ITEM, BY_STORY, MIXED
from release.card import figures as card_figures
from release.card.blocks import Block, bullets, heading, paragraph, table
from release.card.changes import Changes, apart_in_words, since_blocks
from release.card.facts import Facts
from release.card.layouts import LAYOUTS, Layout
from release.card.split_words import IN_THREE

_SPLIT_WORDS: Final = {BY_STORY: "by_story", BY_ITEM: "by_item", MIXED: "mixed", SEEN: "seen"}


@dataclass(frozen=True, slots=True)
class Frozen:
    """The frozen data from which all files of a release are rendered.

    `gates`: the results of the gates in the format of `parable audit`. `since`: the changes since the release
    that this one extends, if any. `programs`: the stored programs by file name; if empty, the current
    programs are used.
    """

    version: str
    seed: str
    recipe: Recipe
    facts: Facts
    gates: tuple[Mapping[str, Any], ...]
    items: tuple[FrozenItem, ...]
    since: Changes | None = None
    programs: Mapping[str, str] = field(default_factory=dict)

    @property
    def canary(self) -> str:
        """The canary of this version. For an anonymous release it is derived from the items."""
        named = content_hash(one.record for one in self.items) if self.recipe.anonymous else self.facts.slug
        return canary(named, self.version)

    @property
    def name(self) -> str:
        """The short name under which the release is published."""
        return set_name(self.facts.slug, is_anonymous=self.recipe.anonymous)

    @property
    def title(self) -> str:
        """The displayed title of the release."""
        return self.words["anonymous_title"] if self.recipe.anonymous else self.facts.name

    @property
    def has_domain(self) -> bool:
        """Whether some items state if their story is also in another split."""
        return any(item.record.get("domain") for item in self.items)

    @property
    def description(self) -> str:
        """The description written by the project's members, or a placeholder."""
        if self.recipe.anonymous:
            return self.words["anonymous_about"]
        return self.facts.description.strip() or self.words["empty_description"]

    @property
    def layout(self) -> Layout:
        """The layout (texts and prompts) that this release was built with."""
        return LAYOUTS[self.recipe.layout]

    @property
    def words(self) -> Mapping[str, str]:
        """The sentences and task names of the card by name, in the project's language."""
        names = {code: code for code in codes()}
        if self.recipe.layout >= card_figures.KINDS:
            names = {code: translate(KINDS[code].name, self.facts.language) for code in names}
        words = {**names, **self.layout.words_in(self.facts.language)}
        of_three = {name.removesuffix(IN_THREE): said for name, said in words.items() if IN_THREE in name}
        return words | of_three if self.recipe.train_share else words


def card(frozen: Frozen) -> list[Block]:
    """Return the data card as blocks, in the project's language."""
    words = frozen.words
    return [
        heading(f"{frozen.title} {frozen.version}", level=1),
        *_about(frozen, words),
        *card_figures.loading(words),
        heading(words["content"]),
        *_content(frozen, words),
        *_more_content(frozen, words),
        *since_blocks(frozen.since, frozen.version, words),
        heading(words["splits"]),
        *_splits(frozen, words),
        heading(words["making"]),
        *_making(frozen, words),
        *card_figures.judged(frozen.facts, words, layout=frozen.recipe.layout),
        *card_figures.load(frozen.facts, words),
        *card_figures.sent_to_models(frozen.facts, words, is_anonymous=frozen.recipe.anonymous),
        heading(words["gates"]),
        *_gates(frozen, words),
        heading(words["licence"]),
        *_rights(frozen, words),
        heading(words["limits"]),
        bullets(limits(frozen, words)),
        *_errors(frozen, words),
        heading(words["files"]),
        bullets(_files(frozen, words)),
        heading(words["canary"]),
        paragraph(words["canary_about"].format(canary=frozen.canary)),
    ]


def _more_content(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    is_withheld = frozen.recipe.withhold_test
    yield from card_figures.further_counts(frozen.items, frozen.facts, words)
    yield from card_figures.by_story(frozen.items, words)
    yield from card_figures.lengths(frozen.items, words, is_withheld=is_withheld)
    yield from card_figures.key_places(frozen.items, words, is_withheld=is_withheld)
    if frozen.recipe.layout >= card_figures.KINDS:
        language = frozen.facts.language
        yield from card_figures.own_answers(frozen.items, words, language, is_withheld=is_withheld)


def _files(frozen: Frozen, words: Mapping[str, str]) -> Iterator[str]:
    names = ["jsonl", "crmus", "answers", "harness", "instruction", "croissant", "sums"]
    tasks = {one.record["task"] for one in frozen.items}
    if frozen.recipe.layout >= card_figures.KINDS and not _has_crmus(frozen):
        names.remove("crmus")
    if any(map(has_layout, tasks)):
        names.insert(1, "published")
    yield from (words[f"file_{name}"] for name in names)


def _about(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    yield paragraph(frozen.description)
    stories = len(counts.stories_in(frozen.items))
    about = words["about" if any(one.record["choices"] for one in frozen.items) else "about_own"]
    yield paragraph(about.format(items=len(frozen.items), stories=stories, version=frozen.version))
    kinds = words["comma"].join(words[name] for name in (*frozen.recipe.tasks, *frozen.recipe.styles))
    if kinds:
        yield paragraph(words["only_kinds"].format(kinds=kinds))
    if frozen.recipe.min_rating:
        yield paragraph(words["only_rated"].format(rating=frozen.recipe.min_rating))


def _content(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    splits = counts.splits_in(frozen.items)
    columns = [*(words[split] for split in splits), words["all"]]
    styles = counts.by_style(frozen.items)
    whole = counts.CountRow((), {split: sum(line.of_split[split] for line in styles) for split in splits})
    yield table(
        [
            [words["task"], words["style"], *columns],
            *([*(words.get(name, name) for name in line.name), *_figures(line)] for line in styles),
            [words["sum"], "", *_figures(whole)],
        ]
    )
    types = counts.by_type(frozen.items, frozen.facts.type_codes)
    if types:
        named = ([frozen.facts.type_name(line.name[0]), *_figures(line)] for line in types)
        yield table([[words["type"], *columns], *named])
        yield paragraph(words["two_types"])
    genres = counts.by_genre(frozen.items)
    if genres:
        named = ([line.name[0] or words["genre_unknown"], *_figures(line)] for line in genres)
        yield table([[words["genre"], *columns], *named])
        yield paragraph(words["genres_about"])


def _figures(line: counts.CountRow) -> list[int]:
    return [*line.of_split.values(), line.all]


def _splits(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    dev = sum(one.split == DEV for one in frozen.items)
    both = len(counts.stories_in(frozen.items, DEV) & counts.stories_in(frozen.items, TEST))
    totals = Counter(one.record["task"] for one in frozen.items)
    shares = shares_by_task(totals, frozen.recipe.share, frozen.recipe.dev_items)
    yield paragraph(
        words[_SPLIT_WORDS[frozen.recipe.split]].format(
            share=percent(float(shares.of_all)),
            got=percent(dev / len(frozen.items)),
            shared=counts.sharing_a_story(frozen.items),
            test=sum(one.split == TEST for one in frozen.items),
            both=both,
            out=len(counts.stories_in(frozen.items, DEV)) - both,
            **_shares_in_words(frozen, words),
        )
    )
    if frozen.recipe.train_share and frozen.recipe.split == BY_STORY and counts.by_genre(frozen.items):
        yield paragraph(words["genres_even"])
    if frozen.recipe.dev_items:
        yield paragraph(
            words["dev_items"].format(counts=card_figures.by_task(frozen.recipe.dev_items, words))
        )
    if frozen.recipe.layout < card_figures.KINDS or counts.by_key(frozen.items):
        since = frozen.since
        if since is None or since.most_apart <= 1:
            yield paragraph(words["keys_even"])
        else:
            apart = apart_in_words(since, words)
            yield paragraph(words["keys_kept"].format(version=since.version, apart=apart))
    in_order = counts.standing_in_order(frozen.items, frozen.recipe)
    if in_order:
        yield paragraph(words["keys_in_order"].format(items=len(in_order)))
    if frozen.recipe.withhold_test:
        yield paragraph(words["seed_hash"].format(hash=seed_hash(frozen.seed)))
    else:
        yield paragraph(words["seed"].format(seed=frozen.seed))


def _shares_in_words(frozen: Frozen, words: Mapping[str, str]) -> Mapping[str, str]:
    """Return the planned and the actual shares of the three splits as text; {} without a train split."""
    if not frozen.recipe.train_share:
        return {}
    found, planned = Counter(one.split for one in frozen.items), frozen.recipe.planned
    return {
        name: words["comma"].join(
            words["share_of"].format(split=words[split], share=percent(float(share)))
            for split, share in shares.items()
        )
        for name, shares in (
            ("planned", planned),
            ("reached", {split: found[split] / len(frozen.items) for split in planned}),
        )
    }


def percent(share: float) -> str:
    """Return a fraction (0 to 1) as a percentage with one decimal."""
    return f"{100 * share:.1f} %"


def _making(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    figures = frozen.facts.as_json()
    names = [name for name in frozen.layout.making if figures[name]]
    machine = sum(one.record["style"] == "machine" for one in frozen.items)
    generators = counts.generators_in(frozen.items)
    if machine:
        names.append("machine_made" if generators else "machine_unnamed")
    figures |= {"machine": machine, "generators": words["comma"].join(generators)}
    yield bullets(words[name].format(**figures) for name in names)


def _gates(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    yield paragraph(words["gates_about"])
    columns = ["gate", "task", "verdict", "figure", "range", "threshold"]
    rows = [[words[name] for name in columns]]
    for gate in frozen.gates:
        figures = {
            name: "" if gate[name] is None else str(gate[name])
            for name in ("figure", "low", "high", "threshold")
        }
        cells = {
            **figures,
            "gate": f"`{gate['id']}`",
            "task": words[gate["task"]] if gate["task"] else "",
            "verdict": words[gate["verdict"]],
            "range": words["from_to"].format(**figures) if figures["low"] and figures["high"] else "",
        }
        rows.append([cells[name] for name in columns])
    yield table(rows)
    stopped = sorted({gate["id"] for gate in frozen.gates if gate["verdict"] == "error"})
    if stopped:
        gates = words["comma"].join(f"`{gate}`" for gate in stopped)
        yield paragraph(words["allowed"].format(gates=gates, reason=frozen.recipe.reason))


def _rights(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    licence = frozen.facts.licence.strip()
    sentence = words["items_licence" if licence else "items_unlicensed"]
    yield paragraph(sentence.format(licence=licence))
    stories = counts.stories_in(frozen.items)
    counted = Counter(frozen.facts.rights.get(story, "") for story in stories)
    rows = [[rights or words["unknown"], counted[rights]] for rights in sorted(counted)]
    yield table([[words["rights"], words["stories"]], *rows])


def limits(frozen: Frozen, words: Mapping[str, str]) -> Iterator[str]:
    """Yield the limitations of the release, one sentence each."""
    yield words["limit_accuracy" if frozen.facts.accuracy else "limit_keys"]
    yield words["limit_sources"]
    if frozen.recipe.withhold_test:
        yield words["limit_withheld"]
    if frozen.recipe.layout < card_figures.KINDS or _has_crmus(frozen):
        yield words["limit_crmus"]
    elif _has_crmus_tasks(frozen):
        yield words["no_crmus"]


def _has_crmus_tasks(frozen: Frozen) -> bool:
    return not {one.record["task"] for one in frozen.items}.isdisjoint(CRMUS_TASKS)


def _has_crmus(frozen: Frozen) -> bool:
    """Return whether the release has files in the CRMUS layout, which has no train split."""
    return _has_crmus_tasks(frozen) and not frozen.recipe.train_share


def _errors(frozen: Frozen, words: Mapping[str, str]) -> Iterator[Block]:
    """Yield the section on where to report errors, if the recipe has a contact."""
    if contact := published_contact(frozen.recipe):
        yield heading(words["errors"])
        yield paragraph(words["contact"].format(contact=contact, version=frozen.version))
