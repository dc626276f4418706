"""Storage of one-time messages in a cookie with the site's prefix of names."""

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class MessageCookie(CookieStorage):
    """Django's storage in a signed cookie, under a name that browsers accept from this host alone."""

    cookie_name = settings.MESSAGES_COOKIE


class MessageStorage(FallbackStorage):
    """Django's storage in a cookie, and in the session if the messages are too long for one."""

    storage_classes = (MessageCookie, SessionStorage)
