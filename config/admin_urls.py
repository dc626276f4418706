"""URLs of the admin, which `config.urls` loads when they are first used."""

from __future__ import annotations

from django.contrib import admin

admin.autodiscover()

urlpatterns = admin.site.get_urls()
