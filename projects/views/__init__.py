"""Pages of a project as such: making it, its settings, its members, its guideline."""
