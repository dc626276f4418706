"""How good items and sets of items are, by rules that a person can read. No Django, no database."""
