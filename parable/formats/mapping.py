"""A mapping from the columns of a foreign file to the parts of an item, given by a user or guessed.

It is guessed from the names of the columns and from their values, and only if both agree on one reading: a
stem, options, and a key that names one option in each row. Otherwise the user is asked for the missing parts.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from parable.formats import limits
from parable.formats.errors import FILE, ErrorCode, InputError, excerpt, listed
from parable.formats.fields import RowFields
from parable.formats.keys import number_of, read_key
from parable.formats.layout_names import (
    EXPLANATION,
    ID,
    KEY,
    OPTIONS,
    RIGHT,
    SPLIT,
    STEM,
    STORY,
    STORY_ID,
    TITLE,
    WEAK,
    WRONG,
    best_named,
    families,
    is_named,
    story_families,
)
from parable.formats.option_lists import OptionList, options_in_text, read_option_list, scalar
from parable.formats.option_marks import LETTERS
from parable.splits import split_named

CHOICES: Final = "choices"
RIGHT_FIELD: Final = "right"
MAPPED_FIELDS: Final = (
    "id",
    "story_id",
    "title",
    "story",
    "question",
    CHOICES,
    RIGHT_FIELD,
    *LETTERS,
    "answer",
    "explanation",
    "task",
    "type",
    "style",
    "split",
    "language",
)
"""Fields that a column can be mapped to, in the order in which a page offers them."""
CONSTANT: Final = ":"
"""Prefix of a field that has one constant text for all rows, as in `--map`."""
SEVERAL: Final = frozenset({"story", "question"})
"""Fields that several columns together can fill."""
_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {"stem": "question", "key": "answer", "options": CHOICES, "types": "type"}
    | {name: name for name in MAPPED_FIELDS}
)
"""Fields by the names that `--map` uses."""
SHOWN: Final[Mapping[str, str]] = MappingProxyType({"question": "stem", "answer": "key", CHOICES: "options"})
BY_LETTER: Final = "letter"
BY_TEXT: Final = "text"
_OPTION_FIELDS: Final = frozenset({CHOICES, RIGHT_FIELD, *LETTERS})
_COUNTS: Final = ("0", "1", BY_LETTER, BY_TEXT)
_PART: Final = re.compile(r",(?=[A-Za-z_]+[=:])")
_SAID: Final = re.compile(r"([A-Za-z_]+)([=:])(.*)", re.DOTALL)
_RANGE: Final = re.compile(r"(.+?)\.\.(.+)")
_NAMELESS: Final = re.compile(r"#[0-9]+")
_END: Final = re.compile(r"(.*?)([A-Za-z]|[0-9]{1,3})")
_SEEN: Final = 200
"""Number of rows from which a mapping is guessed; ids are compared in all rows."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemMapping:
    """The columns and constant texts that fill each field, and how the file numbers options and names keys.

    `counts` is "0" or "1" for the number of the first option, "letter" or "text" if the key is the letter or
    text of an option, and "" if this is to be detected from the file.
    """

    columns: Mapping[str, Names] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    counts: str = ""
    is_whole: bool = False
    """Whether fields that the mapping leaves out must not be guessed."""

    @property
    def first(self) -> int | None:
        """The number of the first option; None if it is not given."""
        return int(self.counts) if self.counts.isdigit() else None

    @property
    def column_names(self) -> dict[str, str]:
        """The columns of each field, joined and shortened for messages."""
        return {name: excerpt("+".join(columns)) for name, columns in self.columns.items()}

    def __str__(self) -> str:
        options = [name for name in LETTERS if name in self.columns]
        parts = {
            SHOWN.get(name, name): "+".join(columns)
            for name, columns in self.columns.items()
            if name not in options
        }
        if options:
            first, last = self.columns[options[0]][0], self.columns[options[-1]][0]
            parts["options"] = f"{first}..{last}" if len(options) > 1 else first
        said = [f"{name}={columns}" for name, columns in parts.items()]
        return ", ".join(
            [*said, *(f"{SHOWN.get(name, name)}:{words}" for name, words in self.constants.items())]
        )

    def values_of(self, row: Mapping[str, object]) -> dict[str, object]:
        """Return a row's values by field: one field per option, and the key as a letter if it is a label."""
        found = dict[str, object](self.constants)
        for name, columns in self.columns.items():
            values = [row.get(column) for column in columns]
            if name == CHOICES:
                continue
            value = _joined(values) if name in SEVERAL else values[0]
            found[name] = value if name == "answer" else scalar(value)
        if not found.get("question"):
            found["question"] = self.constants.get("question")
        options = self._options(row, found)
        if options is not None:
            for letter in LETTERS:
                found.pop(letter, None)
            found |= _lettered(options)
            if RIGHT_FIELD in self.columns:
                found["answer"] = LETTERS[0]
            elif "answer" not in self.columns:
                found["answer"] = [LETTERS[place] for place in options.right[: len(LETTERS)]]
        found.pop(RIGHT_FIELD, None)
        found["answer"] = _key(found.get("answer"), options or _of_letters(found), self.counts)
        return found

    def _options(self, row: Mapping[str, object], found: dict[str, object]) -> OptionList | None:
        """Return a row's options if one column has all of them, or one has the right option.

        Otherwise return None. If the options are in the text of the stem, set `found["question"]` to the
        text before them.
        """
        columns = self.columns.get(CHOICES, ())
        options = None
        if columns and columns == self.columns.get("question"):
            parted = options_in_text(str(row.get(columns[0])))
            if parted is not None:
                found["question"], options = parted[0], OptionList(parted[1])
        elif columns:
            value = row.get(columns[0])
            options = value if isinstance(value, OptionList) else read_option_list(value)
            if options is None and value not in (None, ""):
                options = OptionList((scalar(value),))
        if RIGHT_FIELD not in self.columns:
            return options
        others = options.options if options is not None else _of_letters(found).options
        right = found.get(RIGHT_FIELD)
        return OptionList((right, *others))


def _joined(values: Sequence[object]) -> object:
    """Return several values as one text: columns joined by spaces, entries of a list by line ends."""
    if len(values) == 1:
        value = values[0]
        is_lines = isinstance(value, list) and value and all(isinstance(one, str) for one in value)
        return "\n".join(value) if is_lines and isinstance(value, list) else value
    wrong = next((one for one in values if isinstance(one, InputError)), None)
    return wrong or " ".join(str(scalar(one)).strip() for one in values if one not in (None, ""))


def _lettered(options: OptionList) -> dict[str, object]:
    if len(options.options) > len(LETTERS):
        refused = InputError(ErrorCode.TOO_MANY_OPTIONS, count=len(options.options), limit=limits.MAX_OPTIONS)
        return {LETTERS[0]: refused}
    return dict(zip(LETTERS, options.options, strict=False))


def _of_letters(found: Mapping[str, object]) -> OptionList:
    cells = [found.get(letter) for letter in LETTERS]
    while cells and cells[-1] in (None, ""):
        cells.pop()
    return OptionList(tuple(cells))


def _key(value: object, options: OptionList, counts: str) -> object:
    """Return the letter of the option that a key names by its label, or by its text if `counts` says so.

    Other keys are returned unchanged; a key that cannot be read becomes an InputError.
    """
    plain = value[0] if isinstance(value, list) and len(value) == 1 else value
    if plain is None or isinstance(plain, bool | InputError):
        return plain
    said = str(plain).strip()
    labels = [label.strip().casefold() for label in options.labels]
    if counts == BY_TEXT:
        same = [index for index, one in enumerate(options.options) if str(one).strip() == said]
        return LETTERS[same[0]] if len(same) == 1 else InputError(ErrorCode.KEY_NO_TEXT, found=excerpt(said))
    if counts == BY_LETTER and number_of(plain) is not None:
        return InputError(ErrorCode.BAD_ANSWER, found=excerpt(said))
    if (
        counts in {"", BY_LETTER}
        and labels.count(said.casefold()) == 1
        and labels.index(said.casefold()) < len(LETTERS)
    ):
        return LETTERS[labels.index(said.casefold())]
    return value


def parse_mapping(text: str, names: Sequence[str]) -> ItemMapping:
    """Parse the value of `--map` against these column names: `stem=question,key=label@0,options=A..D`.

    After `=` comes a column, several joined by `+`, or a range `first..last`; after `:` comes a constant text
    for all rows. Raises InputError for an unknown field and for a column that the file does not have.
    """
    columns: dict[str, Names] = {}
    constants: dict[str, str] = {}
    counts = ""
    for part in filter(None, map(str.strip, _PART.split(text))):
        match = _SAID.fullmatch(part)
        name = _CALLED.get(match[1], match[1].upper() if len(match[1]) == 1 else "") if match else ""
        if match is None or name not in MAPPED_FIELDS or not match[3].strip():
            raise _unreadable(part)
        if match[2] == ":":
            constants[name] = match[3].strip()
            continue
        column, _at, count = match[3].strip().rpartition("@")
        if name == "answer" and column and count in _COUNTS and match[3].strip() not in names:
            found, counts = _columns(column, names), count
        else:
            found = _columns(match[3].strip(), names)
        if name == CHOICES and len(found) > 1:
            columns |= {letter: (one,) for letter, one in zip(LETTERS, found, strict=False)}
        elif len(found) > 1 and name not in SEVERAL:
            raise _unreadable(part)
        else:
            columns[name] = found
    return ItemMapping(columns, constants, counts)


def _unreadable(part: str) -> InputError:
    letters = {*LETTERS}
    fields = ", ".join(SHOWN.get(name, name) for name in MAPPED_FIELDS if name not in letters)
    form = "FIELD=COLUMN, FIELD:WORDS"
    return InputError(ErrorCode.MAP_WORDS, field=FILE, found=excerpt(part), form=form, fields=fields)


def _columns(text: str, names: Sequence[str]) -> Names:
    if text in names:
        return (text,)
    found: list[str] = []
    for one in text.split("+"):
        name = one.strip()
        match = None if name in names else _RANGE.fullmatch(name)
        found += _range(match[1].strip(), match[2].strip()) if match else [name]
    for name in found:
        if name not in names:
            raise InputError(ErrorCode.MAP_COLUMN, field=FILE, column=excerpt(name), found=listed(names))
    return tuple(found)


def _range(first: str, last: str) -> list[str]:
    """Return the names from `first` to `last`, which differ only in their last letter or number."""
    start, end = _END.fullmatch(first), _END.fullmatch(last)
    if start is None or end is None or start[1] != end[1]:
        return [first, last]
    if start[2].isdigit() and end[2].isdigit():
        return [f"{start[1]}{number}" for number in range(int(start[2]), int(end[2]) + 1)][
            : limits.MAX_COLUMNS
        ]
    return [f"{start[1]}{chr(code)}" for code in range(ord(start[2]), ord(end[2]) + 1)]


@dataclass(frozen=True, slots=True)
class Guess:
    """A mapping, the required parts that it lacks (stem, options, key), and rivals of its key.

    `rivals`: columns that may also be the key, but name other options.
    """

    mapping: ItemMapping
    missing: Names
    rivals: Names = ()


def guess_mapping(
    rows: Sequence[RowFields],
    names: Sequence[str],
    *,
    types: Iterable[str] = (),
    tasks: Iterable[str] = (),
    said: ItemMapping | None = None,
) -> Guess:
    """Return the mapping `said`, completed by guesses; `types` and `tasks` are all known names."""
    given = ItemMapping() if said is None else said
    seen = rows[:_SEEN]
    if given.is_whole:
        asked = given.columns.get("question", ())
        if not _OPTION_FIELDS & {*given.columns} and _hold_their_options(seen, asked):
            given = replace(given, columns={**given.columns, CHOICES: asked})
        return Guess(given, _missing(given, is_keyed=True))
    used = {name for held in given.columns.values() for name in held}
    filled = [name for name in names if name not in used and _is_filled(seen, name)]
    columns = dict(given.columns)
    if not _OPTION_FIELDS & {*columns}:
        columns |= _guess_options(seen, filled)
    columns |= _guess_texts(seen, filled, columns, given)
    rivals: Names = ()
    if not {"answer", RIGHT_FIELD} & {*columns} and not _are_flagged(seen, columns):
        key, rivals = _guess_key(seen, filled, replace(given, columns=columns))
        columns |= {"answer": (key,)} if key else {}
    columns = _guess_more(rows, filled, columns, {*types}, {*tasks}) | columns
    ordered = {
        name: columns[name] for name in MAPPED_FIELDS if name in columns and name not in given.constants
    }
    mapping = replace(given, columns=ordered)
    return Guess(mapping, _missing(mapping, is_keyed=_are_flagged(seen, columns) or said is not None), rivals)


def _missing(mapping: ItemMapping, *, is_keyed: bool) -> Names:
    """Return the names of the required parts that the mapping lacks: stem, options, key."""
    filled = {*mapping.columns, *mapping.constants}
    found = {
        "stem": "question" in filled,
        "options": bool({CHOICES, RIGHT_FIELD, LETTERS[0]} & filled),
        "key": is_keyed or bool({"answer", RIGHT_FIELD} & filled),
    }
    return tuple(name for name, is_there in found.items() if not is_there)


def mapping_chosen(chosen: Mapping[str, str | list[str]]) -> ItemMapping:
    """Return the mapping that a user chose on a page: columns by field, constant texts by `:field`.

    Nothing is guessed.
    """
    columns = {
        name: (held,) if isinstance(held, str) else tuple(held)
        for name, held in chosen.items()
        if not name.startswith(CONSTANT)
    }
    constants = {
        name.removeprefix(CONSTANT): held
        for name, held in chosen.items()
        if name.startswith(CONSTANT) and isinstance(held, str)
    }
    return ItemMapping(columns, constants, is_whole=True)


def _guess_texts(
    rows: Sequence[RowFields], names: Sequence[str], taken: Mapping[str, Names], given: ItemMapping
) -> dict[str, Names]:
    """Return the columns guessed for the stem and the story, and for options inside the stem's text."""
    found: dict[str, Names] = {}
    said = {*given.columns, *given.constants}
    stem = [] if "question" in said else _texts_named(rows, names, STEM, taken)[:1]
    weak = _texts_named(rows, names, WEAK, taken)
    if (
        not stem
        and "question" not in said
        and weak
        and all(str(row.values.get(weak[0])).strip().endswith(("?", "？")) for row in rows)
    ):
        stem, weak = weak[:1], weak[1:]
    story = [one for one in _texts_named(rows, names, STORY, taken, lists=True) if one not in stem]
    parts = () if story else next(iter(story_families(names)), ())
    story = story or [name for name in weak if not is_named(name, TITLE)] or _nameless_story(rows, names)
    if stem:
        found["question"] = (stem[0],)
    if (parts or story) and not {"story", "story_id"} & said:
        found["story"] = parts or (story[0],)
    asked = found.get("question") or given.columns.get("question", ())
    if not _OPTION_FIELDS & {*taken} and _hold_their_options(rows, asked):
        found[CHOICES] = asked
    return found


def _hold_their_options(rows: Sequence[RowFields], asked: Names) -> bool:
    """Return whether `asked` is one stem column whose texts contain the options."""
    return len(asked) == 1 and all(options_in_text(str(row.values.get(asked[0]))) for row in rows)


def _nameless_story(rows: Sequence[RowFields], names: Sequence[str]) -> list[str]:
    """Return the columns of unnamed list entries that hold texts or lists of texts, longest texts first."""
    nameless = [name for name in names if _NAMELESS.fullmatch(name)]
    lengths = {
        name: sum(len(str(row.values.get(name))) for row in rows)
        for name in nameless
        if all(_is_text(row.values.get(name), lists=True) for row in rows)
    }
    return sorted(lengths, key=lambda name: -lengths[name])


def _guess_options(rows: Sequence[RowFields], names: Sequence[str]) -> dict[str, Names]:
    """Return the columns of options: one list, one column per option, or the right option separately."""
    wrong = [name for name in best_named(names, WRONG) if _is_filled(rows, name)]
    apart = next(iter(families(names, wrong=True)), ())
    right = best_named([name for name in names if name not in wrong and name not in apart], RIGHT)
    if right and (wrong or apart):
        if wrong:
            return {RIGHT_FIELD: tuple(right[:1]), CHOICES: tuple(wrong[:1])}
        return {RIGHT_FIELD: tuple(right[:1])} | {
            letter: (name,) for letter, name in zip(LETTERS, apart, strict=False)
        }
    for name in best_named(names, OPTIONS):
        filled = (row.values[name] for row in rows if row.values.get(name) not in (None, ""))
        if all(
            held is not None and len(held.options) >= limits.MIN_OPTIONS
            for held in map(read_option_list, filled)
        ):
            return {CHOICES: (name,)}
    runs = sorted(families(names), key=len, reverse=True)
    if runs and (len(runs) == 1 or len(runs[0]) > len(runs[1])):
        return {letter: (name,) for letter, name in zip(LETTERS, runs[0], strict=False)}
    return {}


def _is_filled(rows: Sequence[RowFields], name: str) -> bool:
    return any(row.values.get(name) not in (None, "", []) for row in rows)


def _texts_named(
    rows: Sequence[RowFields],
    names: Sequence[str],
    wanted: Mapping[str, int],
    taken: Mapping[str, Names],
    *,
    lists: bool = False,
) -> list[str]:
    """Return the unused columns with one of the wanted names that hold texts, or lists of texts."""
    used = {name for columns in taken.values() for name in columns}
    return [
        name
        for name in best_named(names, wanted)
        if name not in used and all(_is_text(row.values.get(name), lists=lists) for row in rows)
    ]


def _is_text(value: object, *, lists: bool) -> bool:
    if lists and isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return value is None or isinstance(value, str)


def _are_flagged(rows: Sequence[RowFields], columns: Mapping[str, Names]) -> bool:
    """Return whether in every row exactly one option is flagged as right."""
    if CHOICES not in columns:
        return False
    found = [read_option_list(row.values.get(columns[CHOICES][0])) for row in rows]
    return all(one is not None and len(one.right) == 1 for one in found)


def _guess_key(rows: Sequence[RowFields], names: Sequence[str], mapping: ItemMapping) -> tuple[str, Names]:
    """Return the column that names one option in every filled row, and the columns that contradict it."""
    used = {name for columns in mapping.columns.values() for name in columns}
    if not _OPTION_FIELDS & {*mapping.columns}:
        return "", ()
    found: dict[str, list[int | None]] = {}
    for name in best_named(names, KEY):
        if name not in used and (places := _places(rows, name, mapping)) is not None:
            found[name] = places
    if not found:
        return "", ()
    by_number = {name for name in found if any(number_of(row.values.get(name)) is not None for row in rows)}
    best = [name for name in found if name not in by_number] or [*found]
    rivals = [
        name
        for name in found
        if name != best[0] and not _agree(found[best[0]], found[name], by_number=name in by_number)
    ]
    return best[0], (best[0], *rivals) if rivals else ()


def _agree(one: Sequence[int | None], other: Sequence[int | None], *, by_number: bool) -> bool:
    """Return whether two columns name the same options.

    With `by_number`, those of `other` may count from 1.
    """
    pairs = [
        (here, there)
        for here, there in zip(one, other, strict=True)
        if here is not None and there is not None
    ]
    shifts = (0, 1) if by_number else (0,)
    return any(all(here == there - shift for here, there in pairs) for shift in shifts)


def _places(rows: Sequence[RowFields], name: str, mapping: ItemMapping) -> list[int | None] | None:
    """Return, for each row, the number in the column or the 0-based position of the option that it names.

    Return None if a row is unusable or all are empty.
    """
    asked = replace(mapping, columns={**mapping.columns, "answer": (name,)})
    found: list[int | None] = []
    for row in rows:
        value = asked.values_of(row.values)
        options = [str(one) for one in _of_letters(value).options]
        answer = value["answer"]
        number = number_of(answer) if not isinstance(answer, list | InputError) else None
        if number is not None:
            found.append(number)
            if not 0 <= number <= len(options):
                return None
            continue
        try:
            key = read_key(answer, options, first=0)
        except InputError as refused:
            if refused.code != ErrorCode.TWO_KEYS:
                return None
            key = None
        found.append(None if key is None else key.place)
    return found if any(place is not None for place in found) else None


def _guess_more(
    rows: Sequence[RowFields],
    names: Sequence[str],
    taken: Mapping[str, Names],
    types: set[str],
    tasks: set[str],
) -> dict[str, Names]:
    """Return columns of titles, explanations, ids, types, tasks and splits, matched by name and values."""
    used = {name for columns in taken.values() for name in columns}
    free = [name for name in names if name not in used]
    found = _guess_ids(rows, free, taken.get("story", ()))
    seen = rows[:_SEEN]
    for wanted, ranked in (("title", TITLE), ("explanation", EXPLANATION)):
        if texts := _texts_named(seen, free, ranked, taken):
            found[wanted] = (texts[0],)
    for wanted, known in (("type", types), ("task", tasks)):
        said = [row.values.get(wanted) for row in seen if row.values.get(wanted) not in (None, "")]
        if wanted in free and said and all(isinstance(one, str) and one in known for one in said):
            found[wanted] = (wanted,)
    for name in best_named(free, SPLIT):
        if all(split_named(str(row.values.get(name))) for row in seen):
            return found | {"split": (name,)}
    return found


def _guess_ids(rows: Sequence[RowFields], names: Sequence[str], story: Names) -> dict[str, Names]:
    """Return the columns of item ids, which differ in all rows, and of story ids, one for each story."""
    found: dict[str, Names] = {}
    for name in [*best_named(names, STORY_ID), *best_named(names, ID)]:
        said = [row.values.get(name) for row in rows]
        if not all(type(one) in {str, int} and str(one).strip() for one in said):
            continue
        is_each = len({*map(str, said)}) == len(said)
        if is_each and "id" not in found and not is_named(name, STORY_ID):
            found["id"] = (name,)
        elif story and "story_id" not in found:
            pairs = {(str(row.values.get(name)), str(row.values.get(story[0]))) for row in rows}
            if len({one for one, _text in pairs}) == len(pairs) == len({text for _one, text in pairs}):
                found["story_id"] = (name,)
    return found
