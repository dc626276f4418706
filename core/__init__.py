"""What a refusal is, and what a permission answers: under every app."""
