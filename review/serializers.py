"""Serializers of the API that the review pages use."""

from rest_framework import serializers

from annotation.content import MOST_PARTS
from core.numbers import LARGEST
from web.serializers import DictField


class QueueSerializer(serializers.Serializer):
    """The queue of one stage as the requesting user sees it."""

    stage = serializers.CharField()
    open = serializers.IntegerField()
    claimed = serializers.IntegerField()
    claimed_until = serializers.DateTimeField(allow_null=True)
    excluded = serializers.IntegerField()
    own_request = serializers.UUIDField(allow_null=True)


class LeaseSerializer(serializers.Serializer):
    """The end of a request's lease, as a time and as the seconds left."""

    lease_expires_at = serializers.DateTimeField()
    seconds_left = serializers.IntegerField()


class CommentSerializer(serializers.Serializer):
    """The comment of a review, saved while the reviewer is typing."""

    comment = serializers.CharField(allow_blank=True, max_length=4000)


class BegunAnswerSerializer(serializers.Serializer[object]):
    """The draft of a blind answer, for a task that is not answered by options."""

    sequence = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST,
        help_text="Number of this save; one that was overtaken changes nothing.",
    )
    content = DictField(
        max_length=MOST_PARTS,
        help_text="What was marked or judged so far, as the task's form sends it.",
    )


class BegunAnswerSavedSerializer(serializers.Serializer[object]):
    """The number of the saved draft, and whether the answer has already been submitted."""

    sequence = serializers.IntegerField()
    sent = serializers.BooleanField(help_text="Whether the answer was sent already; then nothing is kept.")
