"""Two versions of a set on one scale: linking by common items, drift, and what an erratum changes."""
