"""Following the store as it changes."""
