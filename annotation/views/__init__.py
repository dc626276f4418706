"""Pages of item writers and managers: desk, writing form, lists and morals."""
