"""Tests of caesar_core.repo."""
