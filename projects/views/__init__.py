"""Pages to create a project and to change its settings, members and guideline."""
