"""Changing what is configured: the layers' files, edited under a lock, checked before written."""
