"""Starting, watching and stopping processes."""
