"""Serializers of the API for the writing form. They apply no rules for items, as drafts may be incomplete."""

from rest_framework import serializers

from annotation.content import LONGEST_CODE, MOST_PARTS, MOST_TYPES, MOST_WARNINGS
from annotation.kinds import task_choices
from annotation.models import Style
from core.numbers import LARGEST
from parable.formats.limits import MAX_OPTIONS
from web.serializers import DictField, ListField

LONGEST_TEXT = 100_000


def _text() -> serializers.CharField:
    """Return a field for text as it was typed, with outer white space; it may be empty."""
    return serializers.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=LONGEST_TEXT
    )


class OptionSerializer(serializers.Serializer[object]):
    """An option as typed."""

    text = _text()
    is_key = serializers.BooleanField(required=False)
    candidate = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=LARGEST,
        help_text="The candidate this option is based on.",
    )  # fmt: skip
    rank = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=MAX_OPTIONS,
        help_text="The place of this option in the correct order, from 1, where the task asks for one.",
    )  # fmt: skip


class ContentSerializer(serializers.Serializer[object]):
    """The content of an item so far."""

    stem = _text()
    options = ListField(child=OptionSerializer(), required=False, max_length=MAX_OPTIONS)
    types = ListField(
        child=serializers.CharField(max_length=LONGEST_CODE), required=False, max_length=MOST_TYPES
    )
    explanation = _text()
    answered_warnings = DictField(child=_text(), required=False, max_length=MOST_WARNINGS)
    own = DictField(
        required=False, max_length=MOST_PARTS,
        help_text="What a task has beside options, as its form sends it: groups of marks.",
    )  # fmt: skip


class DraftSerializer(serializers.Serializer[object]):
    """One save of a draft. The URL identifies the draft by an id that its client generated."""

    project = serializers.SlugField(help_text="The project's short name.")
    story = serializers.IntegerField(min_value=0, max_value=LARGEST)
    task = serializers.ChoiceField(choices=task_choices())
    style = serializers.ChoiceField(  # type: ignore[assignment]  # the framework's hint of that name
        choices=Style.choices, default=Style.HUMAN
    )
    item = serializers.IntegerField(
        min_value=0, max_value=LARGEST, required=False, allow_null=True,
        help_text="The item this draft revises.",
    )  # fmt: skip
    sequence = serializers.IntegerField(
        min_value=1, max_value=LARGEST,
        help_text="Number of this save: one more than the previous save of this draft.",
    )  # fmt: skip
    content = ContentSerializer()


class SavedSerializer(serializers.Serializer[object]):
    """The confirmation of a save: the draft, and the number and time of the save."""

    client_id = serializers.UUIDField()
    sequence = serializers.IntegerField()
    saved_at = serializers.DateTimeField()
    saved = serializers.CharField(help_text="The saved time as the page shows it.")
    longest_key = serializers.BooleanField(help_text="Whether the key is the only longest option.")


class StaleSerializer(serializers.Serializer[object]):
    """The reason why a save was refused, and the content that the server has stored instead."""

    detail = serializers.CharField()
    submitted = serializers.BooleanField(help_text="Whether it was submitted or its item changed state.")
    client_id = serializers.UUIDField(allow_null=True, help_text="The draft that exists, if any.")
    sequence = serializers.IntegerField()
    content = ContentSerializer()
    same_text = serializers.BooleanField(help_text="Whether both have the same text.")


class SeparateDraftSerializer(serializers.Serializer[object]):
    """The draft in which this text was saved, and the URL of its page."""

    client_id = serializers.UUIDField()
    page = serializers.CharField()


class FindingSerializer(serializers.Serializer[object]):
    """One finding about a draft: an error or a warning."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(
        choices=["error", "warning"], help_text="A warning can be explained with a reason."
    )
    field = serializers.CharField()
    where = serializers.CharField(help_text="Display name of the field.")
    message = serializers.CharField()
    why = serializers.CharField(help_text="Why it matters to a benchmark.")
    fix = serializers.CharField(help_text="How to fix it.")
    key = serializers.CharField(help_text="Key of the reason in `answered_warnings`; empty for an error.")
    reason = serializers.CharField(help_text="The last saved reason.")


class FindingsSerializer(serializers.Serializer[object]):
    """All findings about a draft, errors first."""

    problems = FindingSerializer(many=True)
