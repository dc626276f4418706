"""Programs that are copied unchanged into a release. Nothing imports them."""
