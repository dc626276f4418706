"""Exceptions, permission decisions and a check for missing values, shared by all apps."""
