"""What pages and commands of several apps share."""
