"""A cast, and a browser of each person's own."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from tests.factories import Cast, make_project

SeenBy = Callable[[User], Client]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_project()


@pytest.fixture
def seen_by() -> SeenBy:
    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
