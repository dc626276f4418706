"""The programming interface of events, webhooks and deliveries."""
