"""Turns refusals into pages: what a service raises, a person reads."""

from collections.abc import Callable

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone, translation

from accounts.errors import ParableError


class RefusalMiddleware:
    """Answers a `ParableError` that a view did not catch with its status and its reason."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass the request on; refusals come back through `process_exception`."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer a refusal; leave every other exception to Django."""
        if not isinstance(error, ParableError):
            return None
        if request.path.startswith("/api/"):
            return JsonResponse({"detail": str(error)}, status=error.status)
        return render(request, "refusal.html", {"reason": str(error)}, status=error.status)


class ProfileMiddleware:
    """Speaks the language and shows the time zone that a person chose in their profile."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the person's own language and time zone, where they chose one."""
        user = request.user
        if isinstance(user, AnonymousUser):
            return self.get_response(request)
        if user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = user.language
        if user.time_zone:
            timezone.activate(user.time_zone)
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()
