"""Routes of the app `accounts`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from accounts.views import mail, password, profile, user

app_name = "accounts"

urlpatterns: list[URLPattern | URLResolver] = [
    path("me", profile.profile, name="profile"),
    path("me/sessions/end", profile.end_sessions, name="end_sessions"),
    path("mail/stop/<str:token>", mail.stop_mail, name="stop_mail"),
    path("me/language", profile.switch_language, name="switch_language"),
    path("reset/<uidb64>/<token>/", password.reset_password, name="reset"),
    path("people", user.people, name="people"),
    path("people/<int:pk>/projects", user.allow, name="allow_projects"),
    path("people/<int:pk>/second-factor", user.reset_factor, name="reset_second_factor"),
    path("people/<int:pk>/password", user.reset_link, name="reset_link"),
]
