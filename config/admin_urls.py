"""The pages of administrators; `config.urls` loads them when one is asked for."""

from __future__ import annotations

from django.contrib import admin

admin.autodiscover()

urlpatterns = admin.site.get_urls()
