"""What was stored stays: databases of earlier versions are carried over, and migrations are only added."""
