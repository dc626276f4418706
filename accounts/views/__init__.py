"""Pages about oneself, new passwords, and, for administrators, about everybody."""
