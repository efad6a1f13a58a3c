"""A scripted model on 127.0.0.1 that speaks the wire formats of the agents' CLIs."""
