"""Endpoints of the programming interface: the queue, requests, reviews, practice items and statistics."""
