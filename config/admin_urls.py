"""The URLs of the admin, which `config.urls` imports on the first request for one of them."""

from __future__ import annotations

from django.contrib import admin

admin.autodiscover()

urlpatterns = admin.site.get_urls()
