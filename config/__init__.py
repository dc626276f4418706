"""The house itself: settings, addresses and processes. Nobody imports it."""
