"""What each agent can do, how it is started, what its stream means."""
