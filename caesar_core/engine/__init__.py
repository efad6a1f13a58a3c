"""Delegation, supervision, recovery: what CLI, MCP servers and dashboard call."""
