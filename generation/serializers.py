"""Shapes of the JSON that the page of candidates uses."""

from rest_framework import serializers


class SlotSerializer(serializers.Serializer):
    """One slot: its text and the candidate it grew from; the first is the key."""

    text = serializers.CharField(allow_blank=True, max_length=4000, trim_whitespace=False)
    candidate = serializers.IntegerField(allow_null=True, default=None)


class SlotsSerializer(serializers.Serializer):
    """What stands in the slots, and which save of the draft it is."""

    client_id = serializers.UUIDField()
    sequence = serializers.IntegerField(min_value=1, max_value=2**53)
    slots = serializers.ListField(child=SlotSerializer(), max_length=8)
    answered_warnings = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=4000, trim_whitespace=False),
        required=False,
        help_text="Reasons by the key of a warning: why the text is right.",
    )


class KeptSerializer(serializers.Serializer):
    """That the draft is kept."""

    sequence = serializers.IntegerField()
    saved_at = serializers.DateTimeField()


class SubmittedSlotsSerializer(serializers.Serializer):
    """That the draft was submitted, and whether with the very words that were sent now."""

    detail = serializers.CharField()
    submitted = serializers.BooleanField()
    says_the_same = serializers.BooleanField()
