"""What an evaluation would show before it is paid for: variance components, precision, power."""
