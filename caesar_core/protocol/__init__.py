"""The standard as frozen documents and JSON Schema; no I/O."""
