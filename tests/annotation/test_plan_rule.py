"""The rule of the plan, by table: which type comes next and why, and which story suits a writer."""

import pytest

from annotation.plan import Reason, StoryNeed, Suggestion, Target, in_order, missing, suggest

SOCIAL, TEMPORAL, SPATIAL = 1, 2, 3
EACH = {kind: Target() for kind in (SOCIAL, TEMPORAL, SPATIAL)}
SHARES = {SOCIAL: Target(0, 40), TEMPORAL: Target(0, 30), SPATIAL: Target(0, 30)}
ALL = {SOCIAL: 1, TEMPORAL: 1, SPATIAL: 1}


@pytest.mark.parametrize(
    ("targets", "items", "expected"),
    [
        (EACH, {}, [SOCIAL, TEMPORAL, SPATIAL]),
        (EACH, {SOCIAL: 4}, [TEMPORAL, SPATIAL]),
        (EACH, ALL, []),
        ({}, {}, []),
        ({SOCIAL: Target(2), TEMPORAL: Target(1)}, ALL, [SOCIAL]),
        ({SOCIAL: Target(2), TEMPORAL: Target(1)}, {SOCIAL: 2, TEMPORAL: 1}, []),
        ({SOCIAL: Target(0), TEMPORAL: Target(1)}, {}, [TEMPORAL]),
    ],
)
def test_it_says_which_types_a_story_lacks(
    targets: dict[int, Target], items: dict[int, int], expected: list[int]
) -> None:
    assert missing(targets, items) == expected


@pytest.mark.parametrize(
    ("targets", "story", "written", "project", "expected"),
    [
        # what this writer has written least; of equals the first type
        (EACH, StoryNeed(), {SOCIAL: 9, TEMPORAL: 2, SPATIAL: 1}, {}, (SPATIAL, Reason.LEAST_WRITTEN)),
        (EACH, StoryNeed(), {SOCIAL: 2, TEMPORAL: 1, SPATIAL: 1}, {}, (TEMPORAL, Reason.MISSING)),
        (EACH, StoryNeed(), {}, {}, (SOCIAL, Reason.MISSING)),
        (EACH, StoryNeed({SOCIAL: 1, SPATIAL: 1}), {TEMPORAL: 9}, {}, (TEMPORAL, Reason.ONLY_MISSING)),
        # a type that the story has is not asked for, however seldom somebody writes it
        (EACH, StoryNeed({SPATIAL: 1}), {SOCIAL: 9, TEMPORAL: 5}, {}, (TEMPORAL, Reason.LEAST_WRITTEN)),
        (EACH, StoryNeed(ALL), {}, {}, None),
        ({}, StoryNeed(), {}, {SOCIAL: 5}, None),
        # reservations come first: one's own, then those of the story
        (EACH, StoryNeed(ALL, mine=frozenset({SOCIAL})), {}, {}, (SOCIAL, Reason.RESERVED_FOR_WRITER)),
        (EACH, StoryNeed(open_to_all=frozenset({SOCIAL})), {SOCIAL: 9}, {}, (SOCIAL, Reason.RESERVED)),
        (
            EACH,
            StoryNeed(mine=frozenset({TEMPORAL}), open_to_all=frozenset({SOCIAL})),
            {TEMPORAL: 9},
            {},
            (TEMPORAL, Reason.RESERVED_FOR_WRITER),
        ),
        # what is reserved for another is left to them
        (EACH, StoryNeed(others=frozenset({SOCIAL})), {}, {}, (TEMPORAL, Reason.MISSING)),
        (EACH, StoryNeed(others=frozenset(ALL)), {}, {}, None),
        # a covered story: the type furthest below its share
        (SHARES, StoryNeed(), {}, {SOCIAL: 6, TEMPORAL: 3, SPATIAL: 1}, (SPATIAL, Reason.BELOW_SHARE, 10)),
        (SHARES, StoryNeed(), {}, {SOCIAL: 4, TEMPORAL: 3, SPATIAL: 3}, None),
        (SHARES, StoryNeed(), {}, {SOCIAL: 39, TEMPORAL: 30, SPATIAL: 31}, (SOCIAL, Reason.BELOW_SHARE, 39)),
        (SHARES, StoryNeed(), {}, {}, (SOCIAL, Reason.BELOW_SHARE, 0)),
    ],
)
def test_it_suggests_a_type_and_says_why(
    targets: dict[int, Target],
    story: StoryNeed,
    written: dict[int, int],
    project: dict[int, int],
    expected: tuple[int, Reason] | tuple[int, Reason, int] | None,
) -> None:
    assert suggest(targets, story, written, project) == (Suggestion(*expected) if expected else None)


@pytest.mark.parametrize(
    ("stories", "written", "expected"),
    [
        # whose missing types were written least by this writer, on the mean
        (
            {7: StoryNeed({TEMPORAL: 1, SPATIAL: 1}), 8: StoryNeed({SOCIAL: 1, SPATIAL: 1})},
            {SOCIAL: 1},
            [8, 7],
        ),
        ({7: StoryNeed(), 8: StoryNeed({SOCIAL: 1})}, {SOCIAL: 9, TEMPORAL: 1, SPATIAL: 1}, [8, 7]),
        ({7: StoryNeed(), 8: StoryNeed({SOCIAL: 1})}, {SOCIAL: 1, TEMPORAL: 1, SPATIAL: 1}, [7, 8]),
        # those that lack nothing last, equals as they came
        ({9: StoryNeed(ALL), 8: StoryNeed(), 7: StoryNeed()}, {}, [8, 7, 9]),
        # by what is reserved where something is
        (
            {7: StoryNeed({SOCIAL: 1}), 8: StoryNeed({SOCIAL: 1}, open_to_all=frozenset({SPATIAL}))},
            {TEMPORAL: 5},
            [8, 7],
        ),
        (
            {7: StoryNeed({SOCIAL: 1}), 8: StoryNeed({SOCIAL: 1}, others=frozenset({TEMPORAL}))},
            {TEMPORAL: 5},
            [8, 7],
        ),
    ],
)
def test_it_prefers_the_story_that_suits_the_writer(
    stories: dict[int, StoryNeed], written: dict[int, int], expected: list[int]
) -> None:
    assert in_order(EACH, stories, written) == expected
