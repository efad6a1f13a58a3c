"""The engine and everything headless; no Textual anywhere."""
