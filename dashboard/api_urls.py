"""Routes of the programming interface of this app, below /api/v1/."""

from django.urls import URLPattern, path

from dashboard.api import activity, item

urlpatterns: list[URLPattern] = [
    path("activity/", activity.of_site, name="api_activity"),
    path("projects/<slug:slug>/activity/", activity.of_project, name="api_project_activity"),
    path("projects/<slug:slug>/items/<int:pk>/return/", item.send_back, name="api_item_return"),
    path("projects/<slug:slug>/items/<int:pk>/restore/", item.restore, name="api_item_restore"),
]
