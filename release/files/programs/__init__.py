"""Programs that are copied into a release. No module imports them."""
