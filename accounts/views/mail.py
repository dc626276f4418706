"""The page on which a user stops the daily mail with a link, without signing in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.queries import find_mailed_user
from accounts.services import stop_mail as stop


@csrf_exempt  # mail programs post this themselves (RFC 8058); the signed token identifies the user
@require_http_methods(["GET", "POST"])
def stop_mail(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page to confirm; POST stops the daily mail.

    GET does not stop it, since mail servers open links to check them.
    """
    user = stop(token=token) if request.method == "POST" else find_mailed_user(token)
    return render(request, "accounts/stop_mail.html", {"wants_mail": user.wants_mail})
