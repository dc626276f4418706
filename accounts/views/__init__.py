"""Pages for the user's account and for new passwords.

Administrators also get pages of all users.
"""
