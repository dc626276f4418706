"""Routes of the app `events`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from events import views

app_name = "events"

urlpatterns: list[URLPattern | URLResolver] = [
    path("p/<slug:slug>/webhooks", views.show_list, name="webhooks"),
    path("p/<slug:slug>/webhooks/<int:pk>", views.show, name="webhook"),
    path("p/<slug:slug>/webhooks/<int:pk>/pause", views.pause, name="pause"),
    path("p/<slug:slug>/webhooks/<int:pk>/resume", views.resume, name="resume"),
    path("p/<slug:slug>/webhooks/<int:pk>/secret", views.replace_secret, name="replace_secret"),
    path("p/<slug:slug>/webhooks/<int:pk>/delete", views.delete, name="delete"),
    path(
        "p/<slug:slug>/webhooks/<int:pk>/deliveries/<int:delivery>/repeat",
        views.send_again,
        name="send_again",
    ),
]
