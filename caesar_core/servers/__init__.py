"""The MCP servers; the only importers of `mcp`."""
