"""How dates and times are written: the one place, with one format a length for each language."""
