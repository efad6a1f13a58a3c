# Every target makes what it needs: a virtual environment in .venv, with uv where it is installed,
# else with venv and pip. PYTHON=/path/to/python chooses the interpreter, ARGS go to pytest,
# JOBS says how many of its workers run side by side.

PYTHON ?=
ARGS ?=
JOBS ?= 2

BIN := .venv/bin
RUNTIME := .venv/.installed
DEV := .venv/.installed-dev
DEV_LIST := .venv/dev-requirements.txt

# Dependency groups need pip 25.1; read from the file they install with any pip that 3.11 brings.
LIST_DEV := import tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["dev"], sep="\n")
IS_RECENT := import sys; sys.exit(sys.version_info < (3, 11))

ifneq ($(shell command -v uv 2>/dev/null),)
MAKE_VENV = uv venv --quiet --no-project --python "$(or $(PYTHON),>=3.11)" .venv
INSTALL = uv pip install --quiet --python $(BIN)/python
else
MAKE_VENV = \
	for python in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11); do \
		if "$$python" -c '$(IS_RECENT)' 2>/dev/null; then \
			exec "$$python" -m venv .venv; \
		fi; \
	done; \
	echo "caesar needs Python 3.11 or newer, and $(or $(PYTHON),python3) is not." >&2; \
	echo "Name one that is: make PYTHON=/path/to/python3.11 ..." >&2; \
	exit 1
INSTALL = { $(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip; } \
	&& $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

# The tests start thousands of interpreters: without cached bytecode each compiles everything anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test soak test-real check format bench tables screenshots clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RUNTIME) ## see two agents race in a small repository (ARGS="--plain" for lines)
	@$(BIN)/caesar demo $(ARGS)

test: $(DEV) ## run all tests (ARGS="-k name" to choose); those of the source text are in `make check`
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore tests/hygiene $(ARGS)

soak: $(DEV) ## kill every process before every step (ARGS="supervisor" to choose), fuzz, 1,000 tasks (CAESAR_SOAK)
	@$(BIN)/python -m tests.kill $(ARGS)
	@HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest tests/hostile --timeout 3600
	@$(BIN)/python -m tests.hostile.fuzz
	@$(BIN)/python -m tests.bench.soak

test-real: $(DEV) ## drive the real CLIs from npm against a scripted model (ARGS="-k codex --record")
	@$(BIN)/python -m tests.real.install
	@$(BIN)/python -m pytest tests/real $(ARGS)

check: $(DEV) ## format, lint, types, import contracts, hygiene
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest tests/hygiene

format: $(DEV) ## format the code and fix what ruff can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV) ## measure what everything takes, beside its goal (ARGS="watch -n 3" to choose)
	@$(BIN)/python -m tests.bench $(ARGS)

tables: $(DEV) ## write the generated tables of docs/
	@$(BIN)/python docs/generate.py

screenshots: $(DEV) ## redraw screenshots/ from a running dashboard
	$(BIN)/python screenshots/make.py

clean: ## remove the environment, caches and build results
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf build dist snapshot_report.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@rm -rf .venv
	@$(MAKE_VENV)

$(RUNTIME): pyproject.toml | $(BIN)/python
	@echo "Installing caesar into .venv ..." >&2
	@$(INSTALL) --editable .
	@touch $@

$(DEV): $(RUNTIME)
	@echo "Installing the tools of the tests into .venv ..." >&2
	@$(BIN)/python -c '$(LIST_DEV)' >$(DEV_LIST)
	@$(INSTALL) --requirement $(DEV_LIST)
	@touch $@
