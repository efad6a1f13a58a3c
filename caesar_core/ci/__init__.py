"""Results in the formats of continuous integration: pure, text in and text out (ADR 0015)."""
