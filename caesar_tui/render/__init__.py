"""The dashboard's render."""
