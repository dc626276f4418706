"""Shapes of the JSON that the review pages use."""

from rest_framework import serializers


class QueueSerializer(serializers.Serializer):
    """How the queue of one stage stands for the person who asks."""

    stage = serializers.CharField()
    open = serializers.IntegerField()
    held = serializers.IntegerField()
    held_until = serializers.DateTimeField(allow_null=True)
    barred = serializers.IntegerField()
    in_hand = serializers.UUIDField(allow_null=True)


class LeaseSerializer(serializers.Serializer):
    """Until when a request is held."""

    lease_expires_at = serializers.DateTimeField()
    seconds_left = serializers.IntegerField()


class WordsSerializer(serializers.Serializer):
    """What a reviewer is typing."""

    comment = serializers.CharField(allow_blank=True, max_length=4000)
