"""The real CLIs, end to end through `caesar run`, against a scripted model: `make test-real`.

Plain `make test` does not come here (`norecursedirs` in pyproject.toml).
"""
