"""Programs that a release carries, copied as they stand here. Nothing imports them."""
