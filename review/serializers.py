"""Shapes of the JSON that the review pages use."""

from rest_framework import serializers


class QueueSerializer(serializers.Serializer):
    """The queue of one stage as the person who asks sees it."""

    stage = serializers.CharField()
    open = serializers.IntegerField()
    claimed = serializers.IntegerField()
    claimed_until = serializers.DateTimeField(allow_null=True)
    excluded = serializers.IntegerField()
    own_request = serializers.UUIDField(allow_null=True)


class LeaseSerializer(serializers.Serializer):
    """Until when a request is reserved."""

    lease_expires_at = serializers.DateTimeField()
    seconds_left = serializers.IntegerField()


class CommentSerializer(serializers.Serializer):
    """What a reviewer is typing."""

    comment = serializers.CharField(allow_blank=True, max_length=4000)
