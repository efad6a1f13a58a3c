"""Configuration: layers, provenance, roles, policy."""
