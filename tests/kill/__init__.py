"""Killed anywhere, nothing is lost: processes that die before one chosen step, and a look after."""
