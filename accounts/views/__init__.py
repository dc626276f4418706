"""Pages of the user's own account, new passwords and, for administrators, all users."""
