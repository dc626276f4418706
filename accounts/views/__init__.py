"""Pages for the user's own account and for new passwords, and pages of all users for administrators."""
