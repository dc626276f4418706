"""The addresses of the site, and of the gallery."""

from django.urls import path

from config.urls import handler400, handler500
from config.urls import urlpatterns as of_the_site
from tests.gallery.views import shapes, spread

__all__ = ["handler400", "handler500", "urlpatterns"]

urlpatterns = [*of_the_site, path("gallery", shapes), path("gallery/<slug:kind>", spread)]
