"""Routes of the app `projects`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from projects.views import creating, guidelines, invitations, members, settings

app_name = "projects"

urlpatterns: list[URLPattern | URLResolver] = [
    path("me/projects", creating.mine, name="mine"),
    path("projects/new", creating.create, name="create"),
    path("projects/new/short-name", creating.short_name, name="short_name"),
    path("join/<token>", invitations.accept, name="invite_accept"),
    path("p/<slug:slug>/settings", settings.settings, name="settings"),
    path("p/<slug:slug>/settings/types", settings.add_type, name="add_type"),
    path("p/<slug:slug>/settings/types/<int:pk>", settings.rename_type, name="rename_type"),
    path("p/<slug:slug>/settings/types/<int:pk>/retire", settings.retire_type, name="retire_type"),
    path("p/<slug:slug>/settings/types/<int:pk>/restore", settings.restore_type, name="restore_type"),
    path("p/<slug:slug>/members", members.show, name="members"),
    path("p/<slug:slug>/members/invite", invitations.invite, name="invite"),
    path("p/<slug:slug>/members/links/away", invitations.put_away, name="put_links_away"),
    path("p/<slug:slug>/members/invitations/<int:pk>/revoke", invitations.revoke, name="revoke"),
    path("p/<slug:slug>/members/restore", members.restore, name="restore_member"),
    path("p/<slug:slug>/members/<int:pk>", members.save_roles, name="save_roles"),
    path("p/<slug:slug>/members/<int:pk>/remove", members.remove, name="remove_member"),
    path("p/<slug:slug>/members/<int:pk>/password", members.reset_link, name="reset_link"),
    path("p/<slug:slug>/guideline", guidelines.show, name="guideline"),
    path("p/<slug:slug>/guideline/changes", guidelines.changes, name="guideline_changes"),
    path("p/<slug:slug>/guideline/read", guidelines.acknowledge, name="acknowledge"),
    path("p/<slug:slug>/guideline/new", guidelines.publish, name="publish_guideline"),
]
