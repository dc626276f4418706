"""What Parable promises, as tests."""
