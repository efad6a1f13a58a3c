"""The only code that calls git."""
