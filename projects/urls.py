"""Routes of the app `projects`."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from projects.views import guideline, invitation, member, project, settings, token

app_name = "projects"

urlpatterns: list[URLPattern | URLResolver] = [
    path("me/projects", project.mine, name="mine"),
    path("me/tokens", token.tokens, name="tokens"),
    path("me/tokens/<int:pk>/revoke", token.revoke, name="revoke_token"),
    path("people/tokens", token.all_of_site, name="all_tokens"),
    path("people/tokens/<int:pk>/revoke", token.revoke_any, name="revoke_any_token"),
    path("projects/new", project.create, name="create"),
    path("projects/new/short-name", project.short_name, name="short_name"),
    path("join/<token>", invitation.accept, name="invite_accept"),
    path("p/<slug:slug>/settings", settings.settings, name="settings"),
    path("p/<slug:slug>/archive", project.archive, name="archive"),
    path("p/<slug:slug>/restore", project.restore, name="restore"),
    path("p/<slug:slug>/settings/types", settings.add_type, name="add_type"),
    path("p/<slug:slug>/settings/types/<int:pk>", settings.rename_type, name="rename_type"),
    path("p/<slug:slug>/settings/types/<int:pk>/retire", settings.retire_type, name="retire_type"),
    path("p/<slug:slug>/settings/types/<int:pk>/restore", settings.restore_type, name="restore_type"),
    path("p/<slug:slug>/members/invite", invitation.invite, name="invite"),
    path("p/<slug:slug>/members/links/hide", invitation.hide_links, name="hide_links"),
    path("p/<slug:slug>/members/invitations/<int:pk>/revoke", invitation.revoke, name="revoke"),
    path("p/<slug:slug>/members/restore", member.restore, name="restore_member"),
    path("p/<slug:slug>/members/<int:pk>", member.show, name="member"),
    path("p/<slug:slug>/members/<int:pk>/remove", member.remove, name="remove_member"),
    path("p/<slug:slug>/members/<int:pk>/password", member.reset_link, name="reset_link"),
    path("p/<slug:slug>/guideline", guideline.show, name="guideline"),
    path("p/<slug:slug>/guideline/changes", guideline.changes, name="guideline_changes"),
    path("p/<slug:slug>/guideline/read", guideline.acknowledge, name="acknowledge"),
    path("p/<slug:slug>/guideline/new", guideline.publish, name="publish_guideline"),
]
