"""Whether a response model holds: which model, which items and which examinees the answers speak against."""
