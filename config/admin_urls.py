"""Addresses of the admin; `config.urls` loads them on first use."""

from __future__ import annotations

from django.contrib import admin

admin.autodiscover()

urlpatterns = admin.site.get_urls()
