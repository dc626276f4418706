"""A browser of each person's own."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User

SeenBy = Callable[[User], Client]


@pytest.fixture
def seen_by() -> SeenBy:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
