"""Routes of the app `jobs`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from jobs import views

app_name = "jobs"

urlpatterns: list[URLPattern | URLResolver] = [
    path("hosts", views.hosts, name="hosts"),
    path("hosts/<int:pk>/withdraw", views.withdraw_host, name="withdraw_host"),
    path("hosts/keys", views.bind_key, name="bind_key"),
    path("hosts/keys/<int:pk>/unbind", views.unbind_key, name="unbind_key"),
    path("p/<slug:slug>/jobs", views.show_list, name="list"),
    path("p/<slug:slug>/jobs/<int:pk>", views.show, name="job"),
    path("p/<slug:slug>/jobs/<int:pk>/pause", views.pause, name="pause"),
    path("p/<slug:slug>/jobs/<int:pk>/resume", views.resume, name="resume"),
    path("p/<slug:slug>/jobs/<int:pk>/cancel", views.cancel, name="cancel"),
    path("p/<slug:slug>/jobs/<int:pk>/retry", views.retry, name="retry"),
]
