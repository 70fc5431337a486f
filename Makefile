# One command each; all of them set up the virtual environment first, on a fresh machine too.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup test test-slow lint clean

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow

clean:
	rm -rf .venv build *.egg-info
