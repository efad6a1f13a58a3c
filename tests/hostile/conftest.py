"""`make soak` runs the same targets with HYPOTHESIS_PROFILE=soak: minutes instead of seconds."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_CHECKS = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile(
    "hostile", max_examples=40, deadline=None, suppress_health_check=_CHECKS, database=None
)
settings.register_profile(
    "soak", max_examples=4000, deadline=None, suppress_health_check=_CHECKS, print_blob=True
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "hostile"))
