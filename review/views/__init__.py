"""Pages of the queue: what waits, one request at a time, and the words that go back to a writer."""
