"""Pages of the queue: what waits, one place at a time, and the words that go back to a writer."""
