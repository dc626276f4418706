"""Serializers of the API that the page of candidates uses."""

from rest_framework import serializers

from annotation.content import MOST_WARNINGS
from web.serializers import DictField, ListField


class SlotSerializer(serializers.Serializer):
    """One slot: its text and the candidate it came from. The first slot is the key."""

    text = serializers.CharField(allow_blank=True, max_length=4000, trim_whitespace=False)
    candidate = serializers.IntegerField(allow_null=True, default=None)


class SlotsSerializer(serializers.Serializer):
    """The text of the slots, and the number of this save of the draft."""

    client_id = serializers.UUIDField()
    sequence = serializers.IntegerField(min_value=1, max_value=2**53)
    slots = ListField(child=SlotSerializer(), max_length=8)
    answered_warnings = DictField(
        child=serializers.CharField(allow_blank=True, max_length=4000, trim_whitespace=False),
        required=False,
        max_length=MOST_WARNINGS,
        help_text="Reasons by the key of a warning: why the text is right.",
    )


class StoredSerializer(serializers.Serializer):
    """The number and time of the save that was accepted."""

    sequence = serializers.IntegerField()
    saved_at = serializers.DateTimeField()


class SubmittedSlotsSerializer(serializers.Serializer):
    """The refusal of a draft that has been submitted, and whether it has the same text."""

    detail = serializers.CharField()
    submitted = serializers.BooleanField()
    same_text = serializers.BooleanField()
