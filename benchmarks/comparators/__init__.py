"""Other programs that do what ours do, each run by the Python of its own environment."""
