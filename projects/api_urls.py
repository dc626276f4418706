"""Routes of the programming interface of this app."""

from django.urls import URLPattern, path

from projects.api import commonsense_type, guideline, invitation, member, project, token

urlpatterns: list[URLPattern] = [
    path("me/", token.me, name="api_me"),
    path("tokens/", token.tokens, name="api_tokens"),
    path("tokens/<int:pk>/", token.token, name="api_token"),
    path("projects/", project.projects, name="api_projects"),
    path("projects/<slug:slug>/", project.project, name="api_project"),
    path("projects/<slug:slug>/archive/", project.archive, name="api_archive"),
    path("projects/<slug:slug>/restore/", project.restore, name="api_restore"),
    path("projects/<slug:slug>/members/", member.members, name="api_members"),
    path("projects/<slug:slug>/members/<int:pk>/", member.member, name="api_member"),
    path("projects/<slug:slug>/invitations/", invitation.invitations, name="api_invitations"),
    path("projects/<slug:slug>/invitations/<int:pk>/", invitation.invitation, name="api_invitation"),
    path(
        "projects/<slug:slug>/invitations/<int:pk>/revoke/", invitation.revoke, name="api_invitation_revoke"
    ),
    path("projects/<slug:slug>/types/", commonsense_type.types, name="api_types"),
    path("projects/<slug:slug>/types/<int:pk>/", commonsense_type.type_, name="api_type"),
    path("projects/<slug:slug>/types/<int:pk>/retire/", commonsense_type.retire, name="api_type_retire"),
    path("projects/<slug:slug>/types/<int:pk>/restore/", commonsense_type.restore, name="api_type_restore"),
    path("projects/<slug:slug>/guideline/", guideline.guideline, name="api_guideline"),
    path(
        "projects/<slug:slug>/guideline/versions/",
        guideline.guideline_versions,
        name="api_guideline_versions",
    ),
    path(
        "projects/<slug:slug>/guideline/versions/<int:number>/",
        guideline.guideline_version,
        name="api_guideline_version",
    ),
    path(
        "projects/<slug:slug>/guideline/versions/<int:number>/acknowledge/",
        guideline.acknowledge,
        name="api_guideline_acknowledge",
    ),
]
