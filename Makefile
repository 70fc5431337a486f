# One command each; all of them set up the virtual environment first, on a fresh machine too.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
INSTALL := $(BIN)/python -m pip install --quiet

.PHONY: setup test test-slow lint clean

setup: $(READY)

# open_spiel has wheels for few platforms; without one, all but the comparison with it works.
$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(INSTALL) --upgrade pip
	$(INSTALL) --only-binary open_spiel --editable ".[dev,bench]" || { \
		echo "open_spiel has no wheel for this machine: boardlab bench goes without the comparison"; \
		$(INSTALL) --editable ".[dev]"; }
	touch $(READY)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(READY)
	$(BIN)/python -m pytest -n 2 -m slow

clean:
	rm -rf .venv build *.egg-info
