"""Routes of the programming interface of this app."""

from django.urls import URLPattern, path

from events.api import delivery, event, webhook

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/events/", event.events, name="api_events"),
    path("projects/<slug:slug>/webhooks/", webhook.webhooks, name="api_webhooks"),
    path("projects/<slug:slug>/webhooks/<int:pk>/", webhook.webhook, name="api_webhook"),
    path("projects/<slug:slug>/webhooks/<int:pk>/secret/", webhook.secret, name="api_webhook_secret"),
    path("projects/<slug:slug>/webhooks/<int:pk>/deliveries/", delivery.deliveries, name="api_deliveries"),
    path(
        "projects/<slug:slug>/webhooks/<int:pk>/deliveries/<int:delivery>/repeat/",
        delivery.repeat,
        name="api_repeat_delivery",
    ),
]
