"""Pages of a project: creating it, its settings, its members and its guideline."""
