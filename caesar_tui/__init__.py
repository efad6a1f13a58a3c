"""The dashboard: renders the core's model and sends intents back."""
