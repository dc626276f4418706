"""Who has been shown a story's moral, or a moral key."""

from accounts.models import User
from annotation.models import KeyExposure, Task
from corpus.models import Story


def record_exposure(*, actor: User, story: Story, task: str = Task.MORAL) -> None:
    """Remember that the actor no longer solves this story's items of the task blindly; twice is once."""
    KeyExposure.objects.bulk_create(
        [KeyExposure(user=actor, story=story, task=task)],
        ignore_conflicts=True,
    )
